/* curves phases: the critical lines over lambda. curves basins: the widest angle over lambda at one load. */
#include "page.h"

#include "dense_names.h"

#include <math.h>

enum { LAMBDAS = 33, LINES = 5 };

typedef struct dense_range {
    const char *ensemble;
    double from, to, alpha;
    size_t neurons;
    bool json;
} dense_range;

static int parse(const command *self, int argc, char **argv, dense_range *q) {
    *q = (dense_range){.ensemble = "spherical"};
    option options[] = {
        CHOICE("ensemble", &q->ensemble, ENSEMBLES, ""),
        NUMBER("from", &q->from, "L", "", 1e-9, 1e9),
        NUMBER("to", &q->to, "L", "", 1e-9, 1e9),
        NUMBER("alpha", &q->alpha, "A", "", 1e-9, 100.0),
        COUNT("neurons", &q->neurons, "N", "", 2, 1e9),
        JSON(&q->json),
        OPTIONS_END,
    };
    return parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
}

static int print_lines(const command *self, ireneo_error failed, const char *const names[LINES],
                       double lines[LINES][LAMBDAS]) {
    if (failed != IRENEO_OK) return report_error(self, failed);
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    for (int k = 0; k < LINES && names[k] != NULL; k++) write_numbers(&json, names[k], lines[k], LAMBDAS);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

/* The values of every line at one lambda, which is the first of them. */
typedef ireneo_error (*at_lambda)(const dense_range *q, double lambda, double values[LINES]);

static int run_curves(const command *self, int argc, char **argv, const char *const names[LINES],
                      at_lambda fill) {
    double lines[LINES][LAMBDAS], values[LINES] = {0};
    dense_range q;
    int outcome = parse(self, argc, argv, &q);
    if (outcome != 0) return outcome;
    ireneo_error failed = IRENEO_OK;
    for (size_t i = 0; i < LAMBDAS && failed == IRENEO_OK; i++) {
        values[0] = scaled(q.from, q.to, i, LAMBDAS);
        failed = fill(&q, values[0], values);
        for (int k = 0; k < LINES; k++) lines[k][i] = values[k];
    }
    return print_lines(self, failed, names, lines);
}

static ireneo_error phases_at(const dense_range *q, double lambda, double values[LINES]) {
    ireneo_dense_point point = {
        .ensemble = ensemble_called(q->ensemble), .lambda = lambda, .neurons = (double)q->neurons};
    ireneo_dense_phases_report r = {0};
    ireneo_error failed = ireneo_dense_phases(&point, &r);
    values[1] = r.alpha_1;
    values[2] = r.alpha_c_lower_bound;
    values[3] = r.alpha_star;
    values[4] = r.log_patterns_converged / (double)q->neurons; /* as a load; NaN without neurons */
    return failed;
}

static ireneo_error basins_at(const dense_range *q, double lambda, double values[LINES]) {
    ireneo_dense_point point = {.ensemble = ensemble_called(q->ensemble),
                                .lambda = lambda,
                                .alpha = q->alpha,
                                .neurons = (double)q->neurons};
    ireneo_dense_basins_report r = {0};
    ireneo_error failed = ireneo_dense_basins(&point, &r);
    values[1] = r.theta_c;
    values[2] = r.theta_star;
    values[3] = q->neurons > 0 ? r.theta_converged : NAN;
    return failed;
}

static int run_phases(const command *self, int argc, char **argv) {
    static const char *const names[LINES] = {"lambda", "alpha_1", "alpha_c", "alpha_star", "converged"};
    return run_curves(self, argc, argv, names, phases_at);
}

static int run_basins(const command *self, int argc, char **argv) {
    static const char *const names[LINES] = {"lambda", "theta_c", "theta_star", "theta_converged", NULL};
    return run_curves(self, argc, argv, names, basins_at);
}

const command command_curves_phases = {"curves phases", "", run_phases, "", ""};
const command command_curves_basins = {"curves basins", "", run_basins, "", ""};
