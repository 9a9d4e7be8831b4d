/* The critical line put together: how many patterns fit at lambda, or which lambda a load needs. */
#include "dense/theory/ensemble.h"
#include "dense/theory/finite_size.h"
#include "dense/theory/gaussian_capacity.h"
#include "dense/theory/ramsauer.h"
#include "dense/theory/ranges.h"

#include <math.h>

static ireneo_error check_point(const ireneo_dense_point *point) {
    IRENEO_REQUIRE(point != NULL, "phases need a point to be asked about");
    IRENEO_TRY(ireneo_check_reserved(point->reserved, "the point"));
    IRENEO_TRY(ireneo_check_ensemble(point->ensemble));
    if (point->patterns != 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "phases are asked for by lambda or alpha, not by patterns");
    if ((point->lambda != 0.0) == (point->alpha != 0.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "give either lambda or alpha, not %s",
                           point->lambda != 0.0 ? "both" : "neither");
    if (point->lambda != 0.0) IRENEO_TRY(ireneo_check_lambda(point->lambda));
    if (point->alpha != 0.0) IRENEO_TRY(ireneo_check_alpha(point->alpha));
    return point->neurons != 0.0 ? ireneo_check_neurons(point->neurons) : IRENEO_OK;
}

static void fill_limit(ireneo_dense_ensemble ensemble, ireneo_dense_phases_report *r) {
    double lambda = r->lambda;
    r->alpha_1 = ireneo_dense_alpha_1(ensemble, lambda);
    r->alpha_c_lower_bound = ireneo_dense_alpha_c_lower(ensemble, lambda);
    r->alpha_c_exact = ensemble != IRENEO_DENSE_ENSEMBLE_GAUSSIAN;
    r->alpha_1_large_lambda = ireneo_dense_alpha_1_large(ensemble, lambda);
    r->lambda_c = ireneo_dense_lambda_c(ensemble, r->alpha);
    r->lambda_c_all = ireneo_dense_lambda_c_all(ensemble, r->alpha);
    r->lambda_star = ireneo_rem_lambda_star(ensemble, r->alpha, 1.0);
    /* Without a lambda that is enough only the saturation values are left. */
    r->alpha_star = isfinite(lambda)                           ? ireneo_rem_alpha_star(ensemble, lambda, 1.0)
                    : ensemble == IRENEO_DENSE_ENSEMBLE_BINARY ? M_LN2
                                                               : INFINITY;
    r->noise_exponent = isfinite(lambda) ? ireneo_finite_noise_exponent(ensemble, lambda) : NAN;
    r->ramsauer = r->ramsauer_separation_one = r->ramsauer_separation_pairs = NAN;
    if (ensemble != IRENEO_DENSE_ENSEMBLE_SPHERICAL) return;
    r->ramsauer = ireneo_ramsauer_alpha(IRENEO_RAMSAUER_THEOREM_3, lambda);
    r->ramsauer_separation_one = ireneo_ramsauer_alpha(IRENEO_RAMSAUER_SEPARATION_ONE, lambda);
    r->ramsauer_separation_pairs = ireneo_ramsauer_alpha(IRENEO_RAMSAUER_SEPARATION_PAIRS, lambda);
}

/* log P from log(P - 1). */
static double with_the_pattern(double log_crowd) {
    return log_crowd > 0.0 ? log_crowd + log1p(exp(-log_crowd)) : log1p(exp(log_crowd));
}

static void fill_finite(ireneo_dense_ensemble ensemble, double neurons, ireneo_dense_phases_report *r) {
    double log_crowd = ireneo_log_crowd(r->alpha * neurons);
    r->log_patterns_limit = neurons * r->alpha_1;
    r->log_patterns_all = neurons * r->alpha_c_lower_bound;
    r->log_patterns_one_step = with_the_pattern(ireneo_finite_one_step_load(ensemble, neurons, r->lambda));
    r->log_patterns_converged =
        isfinite(r->lambda) ? with_the_pattern(ireneo_finite_converged_load(ensemble, neurons, r->lambda))
                            : NAN;
    r->lambda_one_step = ireneo_finite_one_step_lambda(ensemble, neurons, log_crowd);
    r->lambda_converged = ireneo_finite_converged_lambda(ensemble, neurons, log_crowd);
    r->lambda_converged_law = ireneo_finite_converged_law(ensemble, neurons, r->alpha);
}

ireneo_error ireneo_dense_phases(const ireneo_dense_point *point, ireneo_dense_phases_report *report) {
    IRENEO_REQUIRE(report != NULL, "phases need a report to be written to");
    *report = (ireneo_dense_phases_report){0};
    IRENEO_TRY(check_point(point));
    ireneo_dense_ensemble ensemble = point->ensemble;
    report->lambda = point->lambda != 0.0 ? point->lambda : ireneo_dense_lambda_c(ensemble, point->alpha);
    report->alpha = point->alpha != 0.0 ? point->alpha : ireneo_dense_alpha_1(ensemble, point->lambda);
    fill_limit(ensemble, report);
    report->log_patterns_one_step = report->log_patterns_converged = report->log_patterns_limit =
        report->log_patterns_all = report->lambda_one_step = report->lambda_converged =
            report->lambda_converged_law = NAN;
    if (point->neurons != 0.0) fill_finite(ensemble, point->neurons, report);
    return IRENEO_OK;
}

ireneo_error ireneo_dense_scaled(ireneo_dense_ensemble ensemble, double scaled_lambda, double exponent,
                                 double neurons, double *scaled_alpha, double *scaled_alpha_exact) {
    if (scaled_alpha != NULL) *scaled_alpha = 0.0;
    if (scaled_alpha_exact != NULL) *scaled_alpha_exact = 0.0;
    IRENEO_TRY(ireneo_check_ensemble(ensemble));
    IRENEO_TRY(ireneo_check_neurons(neurons));
    if (!(exponent > 0.0 && exponent < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the exponent of the scaling must lie between 0 and 1, not %g", exponent);
    double scale = pow(neurons, exponent), lambda = scaled_lambda / scale;
    IRENEO_TRY(ireneo_check_lambda(lambda));
    if (scaled_alpha != NULL) *scaled_alpha = scale * ireneo_dense_alpha_1(ensemble, lambda);
    if (scaled_alpha_exact != NULL)
        *scaled_alpha_exact = scale / neurons * ireneo_finite_one_step_load(ensemble, neurons, lambda);
    return IRENEO_OK;
}
