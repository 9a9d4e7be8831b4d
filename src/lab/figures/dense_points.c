/* The dense figures' way to the simulation and to the theory of finite N. */
#include "lab/figures/dense_points.h"
#include "base/error.h"
#include "lab/figures/figure_trials.h"
#include "lab/sweep/draws.h"

/* Draws of many steps take long enough to be worth a row each; those of one step are made again sooner. */
static ireneo_error simulate_kept(const figure_request *request, const ireneo_dense_experiment *e,
                                  size_t draws, ireneo_dense_summary *summary) {
    results *store;
    queue_settings settings = ireneo_figure_queue(request, "draws");
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_draws_run(store, &settings, e, draws, NULL, summary);
    ireneo_results_close_shared(store);
    return failed;
}

ireneo_error ireneo_dense_point_of(const figure_request *request, const dense_points_request *wanted,
                                   ireneo_dense_summary *summary) {
    ireneo_dense_experiment e = {0};
    e.method = wanted->method;
    e.measure = wanted->measure;
    e.neurons = wanted->neurons;
    e.log_patterns = wanted->log_patterns;
    e.lambda = wanted->lambda;
    e.steps = wanted->steps;
    e.seed = request->seed;
    e.closeness = wanted->closeness;
    ireneo_dense_experiment_defaults(&e); /* draws are kept under what was done */
    if (e.steps > 1) return simulate_kept(request, &e, wanted->draws, summary);
    return ireneo_dense_simulate(
        &e, wanted->draws, &(ireneo_run_settings){.threads = request->threads, .progress = request->progress},
        NULL, summary);
}

ireneo_error ireneo_dense_finite_lambdas(size_t neurons, double alpha, double *one_step, double *converged,
                                         double *limit) {
    ireneo_dense_point point = {
        .ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = alpha, .neurons = (double)neurons};
    ireneo_dense_phases_report report;
    IRENEO_TRY(ireneo_dense_phases(&point, &report));
    *one_step = report.lambda_one_step;
    *converged = report.lambda_converged;
    *limit = report.lambda_c;
    return IRENEO_OK;
}
