/* ireneo sample: random instances of the theory's two problems, as .npy files. */
#include "commands.h"
#include "folder.h"
#include "report.h"
#include "target_rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sample_request {
    const char *problem, *targets, *output;
    ireneo_targets rule;
    double zipf;
    size_t dim, dim_in, dim_out, facts, candidates;
    uint64_t seed;
    bool json;
} sample_request;

static ireneo_error save(const char *folder, const char *name, ireneo_dtype dtype, int axes,
                         const size_t *shape, const void *data) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return ireneo_save_npy(path, dtype, axes, shape, data);
}

static bool is_decoupled(const sample_request *q) {
    return strcmp(q->problem, "decoupled") == 0;
}

/* Whether facts have other values than their own row. */
static bool has_targets(const sample_request *q) {
    return q->rule != IRENEO_TARGETS_EACH || q->facts > q->candidates;
}

static ireneo_error write_targets(const sample_request *q) {
    ireneo_sample sample = {q->seed, q->dim_in, q->dim_out};
    int64_t *targets = malloc(q->facts * sizeof *targets);
    if (targets == NULL) return IRENEO_ERROR_MEMORY;
    ireneo_error failed =
        ireneo_sample_targets(&sample, q->rule, q->zipf, q->candidates, 0, q->facts, targets);
    if (failed == IRENEO_OK)
        failed = save(q->output, "targets.npy", IRENEO_DTYPE_INT64, 1, &q->facts, targets);
    free(targets);
    return failed;
}

/* keys.npy and values.npy; decoupled: values.npy is (facts, candidates, dim_out). targets.npy when they are
 * not the identity. */
static ireneo_error write_instance(const sample_request *q) {
    ireneo_sample sample = {q->seed, q->dim_in, q->dim_out};
    bool decoupled = is_decoupled(q);
    size_t key_shape[2] = {q->facts, q->dim_in}, value_shape[2] = {q->candidates, q->dim_out};
    size_t own_shape[3] = {q->facts, q->candidates, q->dim_out};
    size_t value_count = q->candidates * q->dim_out * (decoupled ? q->facts : 1);
    float *keys = malloc(q->facts * q->dim_in * sizeof *keys), *values = malloc(value_count * sizeof *values);
    ireneo_error failed = IRENEO_OK;
    if (keys == NULL || values == NULL) {
        failed = IRENEO_ERROR_MEMORY;
    } else {
        ireneo_sample_keys(&sample, 0, q->facts, keys);
        if (!decoupled) ireneo_sample_values(&sample, 0, q->candidates, values);
        for (size_t i = 0; decoupled && i < q->facts; i++)
            ireneo_sample_own_candidates(&sample, i, 0, q->candidates,
                                         values + i * q->candidates * q->dim_out);
        failed = save(q->output, "keys.npy", IRENEO_DTYPE_FLOAT32, 2, key_shape, keys);
        if (failed == IRENEO_OK)
            failed = save(q->output, "values.npy", IRENEO_DTYPE_FLOAT32, decoupled ? 3 : 2,
                          decoupled ? own_shape : value_shape, values);
        if (failed == IRENEO_OK && has_targets(q)) failed = write_targets(q);
    }
    free(keys);
    free(values);
    return failed;
}

/* Whether the files of the folder may be replaced. Targets of an earlier sample beside keys of this one would be taken for
 * its own. */
static int check_files(const command *self, const sample_request *q) {
    char keys[4200], values[4200], targets[4200];
    snprintf(keys, sizeof keys, "%s/keys.npy", q->output);
    snprintf(values, sizeof values, "%s/values.npy", q->output);
    snprintf(targets, sizeof targets, "%s/targets.npy", q->output);
    const output_file outputs[] = {{"-o", keys, OUTPUT_ARRAY, NULL},
                                   {"-o", values, OUTPUT_ARRAY, NULL},
                                   {"-o", targets, OUTPUT_ARRAY, NULL}};
    if (!has_targets(q) && access(targets, F_OK) == 0)
        return complain(
            self, EXIT_USAGE,
            "%s holds targets of other facts, and these need none; remove it or give another folder",
            targets);
    return check_outputs(self, outputs, has_targets(q) ? 3 : 2, NULL, 0);
}

/* How the instance is called in the report. */
static void print_summary(const sample_request *q) {
    printf("%s/keys.npy %zu x %zu, %s/values.npy %zu x %zu, ", q->output, q->facts, q->dim_in, q->output,
           q->candidates, q->dim_out);
    if (has_targets(q)) printf("%s/targets.npy by %s, ", q->output, q->targets != NULL ? q->targets : "each");
    printf("seed %llu\n", (unsigned long long)q->seed);
}

/* What the options leave open, and what they must not ask for. */
static int complete_request(const command *self, const option *options, sample_request *q) {
    if (given(options, "dim") && (given(options, "dim-in") || given(options, "dim-out")))
        return complain(self, EXIT_USAGE, "give --dim, or --dim-in and --dim-out, not both");
    if (given(options, "dim")) q->dim_in = q->dim_out = q->dim;
    if (q->dim_in == 0 || q->dim_out == 0)
        return complain(self, EXIT_USAGE, "give --dim, or both --dim-in and --dim-out");
    if (q->facts == 0) return complain(self, EXIT_USAGE, "give the number of facts with --facts N");
    if (q->output == NULL) return complain(self, EXIT_USAGE, "give the output folder with -o DIR");
    int outcome = parse_target_rule(self, q->targets, is_decoupled(q), q->candidates, &q->rule, &q->zipf);
    if (outcome != 0) return outcome;
    if (q->candidates == 0) q->candidates = q->facts;
    if (q->candidates < q->facts && q->targets == NULL)
        return complain(
            self, EXIT_USAGE,
            "every fact needs a value of its own: --candidates must be at least --facts, or --targets "
            "must say which values facts share");
    return 0;
}

static int run(const command *self, int argc, char **argv) {
    sample_request q = {.problem = "original", .seed = 1};
    option options[] = {
        CHOICE("problem", &q.problem, "original|decoupled",
               "shared candidates, or a set of its own for each fact"),
        COUNT("dim", &q.dim, "D", "dimension of keys and values", 1, 1e6),
        COUNT("dim-in", &q.dim_in, "A", "dimension of keys", 1, 1e6),
        COUNT("dim-out", &q.dim_out, "B", "dimension of values", 1, 1e6),
        COUNT("facts", &q.facts, "N", "number of facts", 1, 1e9),
        COUNT("candidates", &q.candidates, "P", "number of candidates (default: as many as facts)", 2, 1e9),
        TARGET_RULE(&q.targets),
        SEED("seed", &q.seed, "seed of the random numbers (default 1)"),
        TEXT("o", &q.output, "DIR",
             "folder for keys.npy and values.npy, and for targets.npy where facts share values"),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    outcome = complete_request(self, options, &q);
    if (outcome != 0) return outcome;
    double numbers = (double)q.facts * (double)q.dim_in +
                     (double)q.candidates * (double)q.dim_out * (is_decoupled(&q) ? (double)q.facts : 1.0);
    if (numbers > 1.6e10)
        return complain(self, EXIT_USAGE, "that instance would take %.0f GB; ask for a smaller one",
                        numbers * 4e-9);
    outcome = make_folder(self, q.output);
    if (outcome == 0) outcome = check_files(self, &q);
    if (outcome != 0) return outcome;
    ireneo_error failed = write_instance(&q);
    if (failed == IRENEO_ERROR_MEMORY)
        return complain(self, EXIT_MACHINE, "not enough memory for %.3g GB of random numbers",
                        numbers * 4e-9);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (!q.json) {
        print_summary(&q);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "problem", q.problem);
    ireneo_json_text(&json, "targets", q.targets != NULL ? q.targets : "each");
    ireneo_json_size(&json, "facts", q.facts);
    ireneo_json_size(&json, "candidates", q.candidates);
    ireneo_json_size(&json, "dim_in", q.dim_in);
    ireneo_json_size(&json, "dim_out", q.dim_out);
    ireneo_json_size(&json, "seed", q.seed);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

const command command_sample = {
    "sample", "random facts as .npy files", run, "",
    "original: keys.npy (N, A) and values.npy (P, B). decoupled: values.npy is (N, P, B), key i competes "
    "over values[i].\n"
    "Fact i belongs to value i, or to value targets[i] where targets.npy is written. A smaller instance of "
    "the same seed is a prefix of a larger one."};
