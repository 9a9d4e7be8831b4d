/* Figure "dense_finite_size": distance of finite thresholds from lambda_c against N, with P up to e^1000 and
 * beyond: one step follows its 1/N law, the converged dynamics the radial map and its log(N)/N law
 * (docs/dense-simulation.md). */
#include "base/error.h"
#include "lab/figures/dense_points.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

static const double ALPHAS[] = {0.3, 0.5, 1.0};
enum { LOADS = sizeof ALPHAS / sizeof *ALPHAS };

static size_t converged_draws(const figure_request *request) {
    return request->quick ? 8 : 40;
}

static size_t one_step_draws(const figure_request *request) {
    return request->quick ? 1000 : 4000;
}

static ireneo_error write_point(const figure_request *request, FILE *stream, double alpha, size_t neurons) {
    double one, converged, limit;
    dense_points_request wanted = {.method = IRENEO_DENSE_METHOD_HYBRID,
                                   .measure = IRENEO_DENSE_MEASURE_LAMBDA,
                                   .neurons = neurons,
                                   .log_patterns = alpha * (double)neurons,
                                   .steps = 2 * IRENEO_CONVERGED_STEPS,
                                   .draws = converged_draws(request),
                                   .closeness =
                                       alpha < 0.7 ? 0.1 : 0.02}; /* a lost state is this near, too */
    ireneo_dense_summary many, first;
    IRENEO_TRY(ireneo_dense_finite_lambdas(neurons, alpha, &one, &converged, &limit));
    if (!isfinite(converged)) return IRENEO_OK; /* no clean transition at this size */
    IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &many));
    wanted.method = IRENEO_DENSE_METHOD_TAIL;
    wanted.steps = 1;
    wanted.draws = one_step_draws(request);
    IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &first));
    fprintf(stream, "%g,%zu,%.6g,%.10g,%.10g,%.3g,%.10g,%.10g,%.3g,%.10g\n", alpha, neurons,
            alpha * (double)neurons, limit, first.value, first.error, one, many.value,
            hypot(many.error, 2e-4 * many.value), converged);
    return IRENEO_OK;
}

static ireneo_error write_points(const figure_request *request, figure_csv *csv) {
    static const size_t sizes[] = {25, 50, 100, 200, 400, 1000, 2000};
    fprintf(csv->stream,
            "alpha,neurons,log_patterns,lambda_c,one_step,one_step_error,one_step_theory,converged,"
            "converged_error,converged_theory\n"
            "# Smallest lambda that retrieves, after one step and after many, median over draws, standard "
            "errors, theory of\n"
            "# finite N; lambda_c: limit.\n");
    for (size_t a = 0; a < LOADS; a++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (ALPHAS[a] * (double)sizes[i] <= 1000.0)
                IRENEO_TRY(write_point(request, csv->stream, ALPHAS[a], sizes[i]));
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

static ireneo_error write_theory(figure_csv *csv) {
    fprintf(csv->stream, "alpha,neurons,lambda_c,one_step,converged,converged_law\n"
                         "# smallest lambda that retrieves: limit, after one step at N, after many, and its "
                         "expansion in 1/N.\n");
    for (size_t a = 0; a < LOADS; a++) {
        for (double n = 20.0; n < 2e5; n *= 1.15) {
            ireneo_dense_point point = {
                .ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = ALPHAS[a], .neurons = round(n)};
            ireneo_dense_phases_report r;
            IRENEO_TRY(ireneo_dense_phases(&point, &r));
            if (isfinite(r.lambda_converged))
                fprintf(csv->stream, "%g,%.0f,%.10g,%.10g,%.10g,%.10g\n", ALPHAS[a], point.neurons,
                        r.lambda_c, r.lambda_one_step, r.lambda_converged, r.lambda_converged_law);
        }
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    figure_csv points, theory;
    IRENEO_TRY(ireneo_figure_note(
        request, "dense_finite_size",
        "N = 25 to 2000, up to e^1000 patterns; %zu draws a point (converged), %zu (one step);\n"
        "bars: standard error, mostly smaller than the points",
        converged_draws(request), one_step_draws(request)));
    IRENEO_TRY(ireneo_csv_open(request, "dense_finite_size.csv", &points));
    IRENEO_TRY(ireneo_csv_close(&points, write_points(request, &points)));
    IRENEO_TRY(ireneo_csv_open(request, "dense_finite_size_theory.csv", &theory));
    return ireneo_csv_close(&theory, write_theory(&theory));
}

const figure figure_dense_finite_size = {
    "dense_finite_size", "dense memories: thresholds of finite N with up to e^1000 patterns", make, {0}};
