/* ireneo capacity: how many facts fit. */
#include "commands.h"
#include "report.h"

#include <math.h>
#include <stdio.h>

typedef struct capacity_question {
    ireneo_shape shape;
    size_t dim, candidates, facts;
    bool json;
} capacity_question;

static void print_table(const ireneo_shape *shape, const ireneo_capacity_report *r) {
    char text[40];
    printf("A %zu x %zu memory", shape->dim_out, shape->dim_in);
    if (shape->rank > 0) printf(" of rank %zu", shape->rank);
    printf(" choosing among %s candidates", grouped(r->candidates, text));
    if (shape->candidates == 0.0) printf(" (one per fact)");
    printf("\n\n");
    printf("  facts that fit              %12s   finite-size law%s\n", grouped(r->facts_capacity, text),
           shape->margin > 0.0 ? ", with the margin asked for" : "");
    printf("  limit formula               %12s   n log P = %s / 2\n",
           grouped(r->facts_capacity_asymptotic, text), shape->rank > 0 ? "D" : "d_in d_out");
    printf("  Hebbian rule                %12s   n log P = d_in d_out / 8\n",
           grouped(r->facts_capacity_hebbian, text));
    printf("  bits per parameter          %12.3f   at capacity, %s parameters\n", r->bits_per_parameter,
           grouped(r->parameters, text));
    printf("  load  n log P / (d_in d_out)%12.4f   %s\n", r->load,
           shape->facts > 0.0 ? "of the facts asked about" : "at capacity");
    if (shape->facts > 0.0) {
        printf("\n  %s facts are %.1f %% of capacity", grouped(shape->facts, text),
               100.0 * r->fraction_of_capacity);
        printf("\n  chance that all of them fit %12.4g\n", r->probability_all_fit);
        printf("  the Hebbian rule would recall %8.1f %% of them\n", 100.0 * r->hebbian_accuracy);
    }
}

static int print_report(const command *self, const ireneo_shape *shape, const ireneo_capacity_report *r,
                        double best_margin, bool json_wanted) {
    if (!json_wanted) {
        print_table(shape, r);
        if (shape->facts > 0.0 && best_margin > 0.0 && isfinite(best_margin))
            printf("  best margin                 %12.4f   score spreads (asymptotic law)\n", best_margin);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "dim_in", shape->dim_in);
    ireneo_json_size(&json, "dim_out", shape->dim_out);
    ireneo_json_size(&json, "rank", shape->rank);
    ireneo_json_number(&json, "facts_capacity", r->facts_capacity);
    ireneo_json_number(&json, "facts_capacity_asymptotic", r->facts_capacity_asymptotic);
    ireneo_json_number(&json, "facts_capacity_hebbian", r->facts_capacity_hebbian);
    ireneo_json_number(&json, "candidates", r->candidates);
    ireneo_json_number(&json, "load", r->load);
    ireneo_json_number(&json, "delta", r->delta);
    ireneo_json_number(&json, "variance", r->variance);
    ireneo_json_number(&json, "effective_dimension", r->effective_dimension);
    ireneo_json_number(&json, "parameters", r->parameters);
    ireneo_json_number(&json, "bits_per_parameter", r->bits_per_parameter);
    ireneo_json_number(&json, "hebbian_accuracy", r->hebbian_accuracy);
    if (shape->facts > 0.0) {
        ireneo_json_number(&json, "facts", shape->facts);
        ireneo_json_number(&json, "fraction_of_capacity", r->fraction_of_capacity);
        ireneo_json_number(&json, "probability_all_fit", r->probability_all_fit);
        ireneo_json_number(&json, "best_margin", best_margin);
    }
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    capacity_question q = {0};
    option options[] = {
        COUNT("dim", &q.dim, "D", "dimension of keys and values", 1, 1e7),
        COUNT("dim-in", &q.shape.dim_in, "A", "dimension of keys", 1, 1e7),
        COUNT("dim-out", &q.shape.dim_out, "B", "dimension of values", 1, 1e7),
        COUNT("rank", &q.shape.rank, "M", "largest rank of the matrix (default: full)", 1, 1e7),
        COUNT("candidates", &q.candidates, "P", "values to choose from (default: one per fact)", 2, 1e12),
        COUNT("facts", &q.facts, "N", "tell whether N facts fit", 1, 1e12),
        NUMBER("margin", &q.shape.margin, "K", "facts must win by K score spreads (default 0)", 0, 1e3),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    bool in = given(options, "dim-in"), out = given(options, "dim-out"), square = given(options, "dim"),
         sides = in || out;
    if (square && sides) return complain(self, EXIT_USAGE, "give --dim, or --dim-in and --dim-out, not both");
    if (!square && !(in && out))
        return complain(self, EXIT_USAGE, "give --dim, or both --dim-in and --dim-out");
    if (square) q.shape.dim_in = q.shape.dim_out = q.dim;
    q.shape.candidates = (double)q.candidates;
    q.shape.facts = (double)q.facts;

    ireneo_capacity_report report;
    double best_margin = NAN;
    ireneo_error failed = ireneo_capacity(&q.shape, &report);
    if (failed == IRENEO_OK && q.facts > 0) failed = ireneo_capacity_margin(&q.shape, &best_margin);
    if (failed != IRENEO_OK) return report_error(self, failed);
    return print_report(self, &q.shape, &report, best_margin, q.json);
}

const command command_capacity = {"capacity", "how many facts a linear memory can hold", run, "",
                                  "The finite-size law predicts the number of random facts that fit within a "
                                  "few per cent; it does not depend on\n"
                                  "the covariance of the embeddings or on the mean of the values. Embeddings "
                                  "that span fewer dimensions: give their ranks."};
