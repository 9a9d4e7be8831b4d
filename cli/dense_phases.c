/* ireneo dense phases: how many patterns a dense memory holds. */
#include "commands.h"
#include "dense_names.h"
#include "report.h"

#include <math.h>
#include <stdio.h>

typedef struct phases_question {
    ireneo_dense_point point;
    const char *ensemble;
    size_t neurons;
    double scaling, scaled_lambda; /* lambda = scaled_lambda / N^scaling */
    bool json;
} phases_question;

static void print_patterns(const char *what, double log_patterns, const char *explained) {
    char text[40];
    printf("  %-22s %14s   %s\n", what, written_count(log_patterns, text), explained);
}

static void print_limit(const phases_question *q, const ireneo_dense_phases_report *r) {
    bool by_load = q->point.alpha != 0.0, bounded = r->alpha_c_exact == 0;
    printf("Dense memory of %s patterns", q->ensemble);
    if (by_load)
        printf(" at load alpha = log(P)/N = %g\n\n", r->alpha);
    else
        printf(" at lambda = %g\n\n", r->lambda);
    if (by_load) {
        print_quantity("lambda_c", r->lambda_c, "least sharpness that retrieves a given pattern");
        print_quantity("lambda_c, all", r->lambda_c_all,
                       bounded ? "least sharpness that surely retrieves every pattern" : "and every pattern");
        print_quantity("lambda_*", r->lambda_star, "beyond it only the nearest patterns disturb");
        if (isinf(r->lambda_c)) {
            printf("\n  No lambda is enough: %s patterns saturate at alpha = %.6g.\n", q->ensemble,
                   r->alpha_1);
            return;
        }
        printf("\n  at lambda = lambda_c:\n");
    }
    print_quantity("alpha_1", r->alpha_1, "P = e^(alpha N): up to here a given pattern is retrieved");
    print_quantity("alpha_c", r->alpha_c_lower_bound,
                   bounded ? "at least: up to here every pattern is retrieved"
                           : "up to here every pattern is retrieved");
    print_quantity("alpha_*", r->alpha_star, "below it only the nearest patterns disturb");
    if (q->point.ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL)
        print_quantity("Ramsauer et al.", r->ramsauer, "their proven bound on alpha (theorem 3)");
}

static void print_finite(const phases_question *q, const ireneo_dense_phases_report *r) {
    bool by_load = q->point.alpha != 0.0;
    printf("\nAt N = %zu (for unit vectors beta = lambda N = %.6g)\n\n", q->neurons,
           r->lambda * q->point.neurons);
    if (by_load) {
        print_patterns("patterns asked about", r->alpha * q->point.neurons, "e^(alpha N)");
        print_quantity("lambda, one step", r->lambda_one_step, "half of the attention goes to the pattern");
        print_quantity("lambda, converged", r->lambda_converged, "the dynamics stay at the pattern");
        return;
    }
    print_patterns("patterns, one step", r->log_patterns_one_step,
                   "half of the attention goes to the pattern");
    print_patterns("patterns, converged", r->log_patterns_converged, "the dynamics stay at the pattern");
    print_patterns("patterns, all", r->log_patterns_all, "e^(alpha_c N): every pattern, as N grows");
}

static ireneo_error add_scaling(const phases_question *q, ireneo_json *json) {
    double limit, exact;
    ireneo_error failed = ireneo_dense_scaled(q->point.ensemble, q->scaled_lambda, q->scaling,
                                              q->point.neurons, &limit, &exact);
    if (failed != IRENEO_OK) return failed;
    if (json == NULL) {
        printf("\nScaled dot product, lambda = %g / N^%g, P = exp(alpha' N^%g)\n\n", q->scaled_lambda,
               q->scaling, 1.0 - q->scaling);
        print_quantity("alpha', this N", exact, "one step, exact average");
        print_quantity("alpha', limit", q->scaled_lambda, "N to infinity");
        return IRENEO_OK;
    }
    ireneo_json_number(json, "scaling", q->scaling);
    ireneo_json_number(json, "scaled_lambda", q->scaled_lambda);
    ireneo_json_number(json, "scaled_alpha", limit);
    ireneo_json_number(json, "scaled_alpha_exact", exact);
    return IRENEO_OK;
}

static void write_report(const phases_question *q, const ireneo_dense_phases_report *r, ireneo_json *json) {
    ireneo_json_text(json, "ensemble", q->ensemble);
    ireneo_json_number(json, "lambda", r->lambda);
    ireneo_json_number(json, "alpha", r->alpha);
    ireneo_json_number(json, "alpha_1", r->alpha_1);
    ireneo_json_number(json, "alpha_star", r->alpha_star);
    ireneo_json_number(json, "alpha_c_lower_bound", r->alpha_c_lower_bound);
    ireneo_json_bool(json, "alpha_c_exact", r->alpha_c_exact != 0);
    ireneo_json_number(json, "alpha_1_large_lambda", r->alpha_1_large_lambda);
    ireneo_json_number(json, "lambda_c", r->lambda_c);
    ireneo_json_number(json, "lambda_c_all", r->lambda_c_all);
    ireneo_json_number(json, "lambda_star", r->lambda_star);
    ireneo_json_number(json, "ramsauer", r->ramsauer);
    ireneo_json_number(json, "ramsauer_separation_one", r->ramsauer_separation_one);
    ireneo_json_number(json, "ramsauer_separation_pairs", r->ramsauer_separation_pairs);
    ireneo_json_number(json, "noise_exponent", r->noise_exponent);
    if (q->neurons == 0) return;
    ireneo_json_size(json, "neurons", q->neurons);
    ireneo_json_number(json, "beta_unit_vectors", r->lambda * q->point.neurons);
    write_log_count(json, "patterns_one_step", r->log_patterns_one_step);
    write_log_count(json, "patterns_converged", r->log_patterns_converged);
    write_log_count(json, "patterns_limit", r->log_patterns_limit);
    write_log_count(json, "patterns_all", r->log_patterns_all);
    ireneo_json_number(json, "lambda_one_step", r->lambda_one_step);
    ireneo_json_number(json, "lambda_converged", r->lambda_converged);
    ireneo_json_number(json, "lambda_converged_law", r->lambda_converged_law);
}

static int print_report(const command *self, const phases_question *q, const ireneo_dense_phases_report *r) {
    bool scaled = q->scaling != 0.0;
    if (!q->json) {
        print_limit(q, r);
        if (q->neurons > 0 && isfinite(r->lambda)) print_finite(q, r);
        ireneo_error failed = scaled ? add_scaling(q, NULL) : IRENEO_OK;
        return failed != IRENEO_OK ? report_error(self, failed) : finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    write_report(q, r, &json);
    ireneo_error failed = scaled ? add_scaling(q, &json) : IRENEO_OK;
    if (failed != IRENEO_OK) {
        ireneo_json_free(&json);
        return report_error(self, failed);
    }
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    phases_question q = {.ensemble = "spherical"};
    option options[] = {
        NUMBER("lambda", &q.scaled_lambda, "L", "inverse temperature of the softmax (|pattern|^2 = N)", 1e-9,
               1e9),
        NUMBER("alpha", &q.point.alpha, "A", "load log(P)/N: ask for the lambda it needs", 1e-9, 100.0),
        CHOICE("ensemble", &q.ensemble, ENSEMBLES, "how patterns are drawn (default spherical)"),
        COUNT("neurons", &q.neurons, "N", "finite size: numbers of patterns at N", 2, 1e9),
        NUMBER("scaling", &q.scaling, "E", "lambda = L / N^E, as in scaled dot products (E = 0.5)", 1e-3,
               0.999),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    bool by_lambda = given(options, "lambda"), by_load = given(options, "alpha"),
         scaled = given(options, "scaling");
    if (by_lambda == by_load)
        return complain(self, EXIT_USAGE, "give either --lambda or --alpha, not %s",
                        by_load ? "both" : "neither");
    if (scaled && !(by_lambda && q.neurons > 0))
        return complain(self, EXIT_USAGE, "--scaling needs --lambda and --neurons");
    q.point.ensemble = ensemble_called(q.ensemble);
    q.point.neurons = (double)q.neurons;
    q.point.lambda = scaled ? q.scaled_lambda / pow(q.point.neurons, q.scaling) : q.scaled_lambda;

    ireneo_dense_phases_report report;
    ireneo_error failed = ireneo_dense_phases(&q.point, &report);
    if (failed != IRENEO_OK) return report_error(self, failed);
    return print_report(self, &q, &report);
}

const command command_dense_phases = {
    "dense phases", "how many patterns fit at lambda, or which lambda a load needs", run, "",
    "Patterns are N numbers of length sqrt(N); the attention on them is softmax(lambda x.xi). For unit "
    "vectors\n"
    "the same memory has beta = lambda N."};
