/* Basins put together: how far from its pattern a random query of length sqrt(N) may start.
 *
 * The pattern wins the first step when cos(theta) > phi_alpha(lambda), the free energy of the crowd, and a
 * query that loses the first step loses all later ones (docs/dense.md, "Basins"). */
#include "dense/theory/chi_squared.h"
#include "dense/theory/ensemble.h"
#include "dense/theory/finite_size.h"
#include "dense/theory/ranges.h"

#include <math.h>

static const int MAP_STEPS = 300;
static const double MAP_LEAST_NEURONS = 1000.0; /* for lambda > 1, see dense/theory/finite_size.h */

static ireneo_error check_point(const ireneo_dense_point *point) {
    IRENEO_REQUIRE(point != NULL, "basins need a point to be asked about");
    IRENEO_TRY(ireneo_check_reserved(point->reserved, "the point"));
    IRENEO_TRY(ireneo_check_ensemble(point->ensemble));
    IRENEO_TRY(ireneo_check_lambda(point->lambda));
    if ((point->alpha != 0.0) == (point->patterns != 0.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "give either alpha, or patterns and neurons, not %s",
                           point->alpha != 0.0 ? "both" : "neither");
    if (point->neurons != 0.0) IRENEO_TRY(ireneo_check_neurons(point->neurons));
    if (point->alpha != 0.0) return ireneo_check_alpha(point->alpha);
    if (point->neurons == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "a number of patterns needs the number of neurons");
    return ireneo_check_patterns(point->patterns);
}

/* arccos(1 - margin), exact where the margin is small; NaN for a negative one. */
static double angle_of_margin(double margin) {
    return 2.0 * asin(sqrt(0.5 * margin));
}

static void fill_limit(ireneo_dense_ensemble ensemble, ireneo_dense_basins_report *r) {
    r->lambda_c = ireneo_dense_lambda_c(ensemble, r->alpha);
    r->lambda_star = ireneo_rem_lambda_star(ensemble, r->alpha, 1.0);
    r->fraction_of_capacity = r->alpha / ireneo_dense_alpha_1(ensemble, r->lambda);
    r->retrieved = r->lambda > r->lambda_c;
    r->condensed = r->lambda >= r->lambda_star;
    r->free_energy = ireneo_rem_free_energy(ensemble, r->alpha, r->lambda, 1.0);
    double margin = ireneo_rem_margin(ensemble, r->alpha, r->lambda);
    double frozen = ireneo_rem_margin(ensemble, r->alpha, INFINITY);
    r->theta_c = r->retrieved ? angle_of_margin(fmax(0.0, margin)) : NAN;
    r->theta_star = angle_of_margin(frozen);
    r->flip_fraction =
        ensemble == IRENEO_DENSE_ENSEMBLE_BINARY && r->retrieved ? 0.5 * fmax(0.0, margin) : NAN;
    r->flip_fraction_star = ensemble == IRENEO_DENSE_ENSEMBLE_BINARY ? 0.5 * frozen : NAN;
    r->lost_radius = ireneo_finite_lost_radius(ensemble, INFINITY, r->lambda);
}

static void fill_finite(ireneo_dense_ensemble ensemble, double neurons, double log_crowd,
                        ireneo_dense_basins_report *r) {
    r->lambda_one_step = ireneo_finite_one_step_lambda(ensemble, neurons, log_crowd);
    r->lambda_converged = ireneo_finite_converged_lambda(ensemble, neurons, log_crowd);
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN && r->lambda < 1.0) {
        double weakest = log_crowd / neurons / ireneo_dense_alpha_1(ensemble, r->lambda);
        r->retrieval_probability = ireneo_chi_squared_tail(neurons, weakest);
    }
    if (r->condensed) return;
    r->theta_one_step = ireneo_finite_one_step_angle(ensemble, neurons, r->lambda, log_crowd);
    if (r->lambda <= 1.0 || neurons >= MAP_LEAST_NEURONS)
        r->theta_converged =
            ireneo_finite_converged_angle(ensemble, neurons, r->lambda, log_crowd, MAP_STEPS);
}

ireneo_error ireneo_dense_basins(const ireneo_dense_point *point, ireneo_dense_basins_report *report) {
    IRENEO_REQUIRE(report != NULL, "basins need a report to be written to");
    *report = (ireneo_dense_basins_report){0};
    IRENEO_TRY(check_point(point));
    double neurons = point->neurons, patterns = point->patterns;
    report->lambda = point->lambda;
    report->alpha = patterns != 0.0 ? log(patterns) / neurons : point->alpha;
    report->log_patterns = neurons != 0.0 ? report->alpha * neurons : NAN;
    fill_limit(point->ensemble, report);
    report->theta_one_step = report->theta_converged = report->lambda_one_step = report->lambda_converged =
        report->retrieval_probability = NAN;
    double log_crowd = patterns != 0.0 ? log(patterns - 1.0) : ireneo_log_crowd(report->log_patterns);
    if (neurons != 0.0) fill_finite(point->ensemble, neurons, log_crowd, report);
    return IRENEO_OK;
}
