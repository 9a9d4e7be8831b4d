/* ireneo dense basins: how far a query may be from the pattern it should find. */
#include "commands.h"
#include "dense_names.h"
#include "report.h"

#include <math.h>
#include <stdio.h>

typedef struct basins_question {
    ireneo_dense_point point;
    const char *ensemble;
    size_t neurons;
    bool json;
} basins_question;

static void print_angle(const char *what, double theta, const char *explained) {
    if (isnan(theta))
        printf("  %-22s %14s   %s\n", what, "-", explained);
    else
        printf("  %-22s %7.4f %6.2f°   %s\n", what, theta, theta * 180.0 / M_PI, explained);
}

static void print_verdict(const basins_question *q, const ireneo_dense_basins_report *r) {
    char text[40];
    printf("Dense memory of %s patterns, load alpha = log(P)/N = %.6g, lambda = %g\n", q->ensemble, r->alpha,
           r->lambda);
    if (q->neurons > 0)
        printf("N = %zu neurons, P = %s patterns; for unit vectors beta = lambda N = %.6g\n", q->neurons,
               written_count(r->log_patterns, text), r->lambda * q->point.neurons);
    if (!r->retrieved)
        printf("\nNo pattern is retrieved: %s.\n\n",
               isinf(r->lambda_c) ? "no lambda is enough for this load" : "lambda is below lambda_c");
    else if (q->point.ensemble == IRENEO_DENSE_ENSEMBLE_BINARY)
        printf("\nA query may have %.2f %% of its bits flipped. The memory is %.1f %% full.\n\n",
               100.0 * r->flip_fraction, 100.0 * r->fraction_of_capacity);
    else
        printf("\nA query may be up to %.1f degrees away from its pattern. The memory is %.1f %% full.\n\n",
               r->theta_c * 180.0 / M_PI, 100.0 * r->fraction_of_capacity);
}

/* The limit may promise what a small memory does not keep. */
static void print_finite_warning(const basins_question *q, const ireneo_dense_basins_report *r) {
    if (r->retrieved && r->lambda < r->lambda_converged)
        printf("That holds for large N. At N = %zu repeated steps drift away from the pattern below lambda = "
               "%.6g.\n\n",
               q->neurons, r->lambda_converged);
}

static void print_table(const basins_question *q, const ireneo_dense_basins_report *r) {
    print_verdict(q, r);
    print_finite_warning(q, r);
    print_angle("theta_c", r->theta_c, "largest angle to the pattern at this lambda");
    print_angle("theta_*", r->theta_star, "the same at any lambda above lambda_*");
    print_quantity("lambda_c", r->lambda_c, "below it nothing is retrieved");
    print_quantity("lambda_*", r->lambda_star, "above it sharper attention does not help");
    print_quantity("lost radius", r->lost_radius, "|x|/sqrt(N) where a lost query ends");
    if (q->neurons == 0) return;
    printf("\n  at N = %zu:\n", q->neurons);
    print_angle("theta, one step", r->theta_one_step, "half of the attention goes to the pattern");
    print_angle("theta, converged", r->theta_converged, "averaged dynamics come back to the pattern");
    print_quantity("lambda, one step", r->lambda_one_step, "half of the attention, starting at the pattern");
    print_quantity("lambda, converged", r->lambda_converged, "the dynamics stay at the pattern");
    if (!isnan(r->retrieval_probability))
        print_quantity("retrieval probability", r->retrieval_probability, "one step from the pattern itself");
}

static int print_report(const command *self, const basins_question *q, const ireneo_dense_basins_report *r) {
    if (!q->json) {
        print_table(q, r);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "ensemble", q->ensemble);
    ireneo_json_number(&json, "lambda", r->lambda);
    ireneo_json_number(&json, "alpha", r->alpha);
    ireneo_json_bool(&json, "retrieved", r->retrieved != 0);
    ireneo_json_bool(&json, "condensed", r->condensed != 0);
    ireneo_json_number(&json, "theta_c", r->theta_c);
    ireneo_json_number(&json, "theta_star", r->theta_star);
    ireneo_json_number(&json, "lambda_c", r->lambda_c);
    ireneo_json_number(&json, "lambda_star", r->lambda_star);
    ireneo_json_number(&json, "free_energy", r->free_energy);
    ireneo_json_number(&json, "fraction_of_capacity", r->fraction_of_capacity);
    ireneo_json_number(&json, "lost_radius", r->lost_radius);
    if (q->point.ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) {
        ireneo_json_number(&json, "flip_fraction", r->flip_fraction);
        ireneo_json_number(&json, "flip_fraction_star", r->flip_fraction_star);
    }
    if (q->neurons > 0) {
        ireneo_json_size(&json, "neurons", q->neurons);
        write_log_count(&json, "patterns", r->log_patterns);
        ireneo_json_number(&json, "beta_unit_vectors", r->lambda * q->point.neurons);
        ireneo_json_number(&json, "theta_one_step", r->theta_one_step);
        ireneo_json_number(&json, "theta_converged", r->theta_converged);
        ireneo_json_number(&json, "lambda_one_step", r->lambda_one_step);
        ireneo_json_number(&json, "lambda_converged", r->lambda_converged);
        ireneo_json_number(&json, "retrieval_probability", r->retrieval_probability);
    }
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    basins_question q = {.ensemble = "spherical"};
    option options[] = {
        NUMBER("lambda", &q.point.lambda, "L", "inverse temperature of the softmax (|pattern|^2 = N)", 1e-9,
               1e9),
        NUMBER("alpha", &q.point.alpha, "A", "load log(P)/N", 1e-9, 100.0),
        WHOLE("patterns", &q.point.patterns, "P", "number of patterns, with --neurons, instead of --alpha", 2,
              0x1p63),
        COUNT("neurons", &q.neurons, "N", "numbers in a pattern", 2, 1e9),
        CHOICE("ensemble", &q.ensemble, ENSEMBLES, "how patterns are drawn (default spherical)"),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (!given(options, "lambda")) return complain(self, EXIT_USAGE, "give --lambda");
    bool by_load = given(options, "alpha"), by_count = given(options, "patterns");
    if (by_load == by_count)
        return complain(self, EXIT_USAGE, "give either --alpha, or --patterns and --neurons, not %s",
                        by_load ? "both" : "neither");
    if (by_count && !given(options, "neurons"))
        return complain(self, EXIT_USAGE, "--patterns needs --neurons");
    q.point.ensemble = ensemble_called(q.ensemble);
    q.point.neurons = (double)q.neurons;

    ireneo_dense_basins_report report;
    ireneo_error failed = ireneo_dense_basins(&q.point, &report);
    if (failed != IRENEO_OK) return report_error(self, failed);
    return print_report(self, &q, &report);
}

const command command_dense_basins = {
    "dense basins", "how far a query may be from its pattern", run, "",
    "For random patterns and a random query of length sqrt(N). Angles are in radian and degrees. Values of "
    "N\n"
    "in the tens and hundreds deviate from the limit by log(N)/N; give --neurons to see by how much."};
