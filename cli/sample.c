/* ireneo sample: random instances of the theory's two problems, as .npy files. */
#include "commands.h"
#include "folder.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample_request {
    const char *problem, *output;
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

/* keys.npy and values.npy; decoupled: values.npy is (facts, candidates, dim_out). targets.npy when they are
 * not the identity. */
static ireneo_error write_instance(const sample_request *q) {
    ireneo_sample sample = {q->seed, q->dim_in, q->dim_out};
    bool decoupled = strcmp(q->problem, "decoupled") == 0;
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
    }
    free(keys);
    free(values);
    return failed;
}

/* Whether the files of the folder may be replaced. */
static int check_files(const command *self, const char *folder) {
    char keys[4200], values[4200];
    snprintf(keys, sizeof keys, "%s/keys.npy", folder);
    snprintf(values, sizeof values, "%s/values.npy", folder);
    const output_file outputs[] = {{"-o", keys, OUTPUT_ARRAY, NULL}, {"-o", values, OUTPUT_ARRAY, NULL}};
    return check_outputs(self, outputs, 2, NULL, 0);
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
        SEED("seed", &q.seed, "seed of the random numbers (default 1)"),
        TEXT("o", &q.output, "DIR", "folder for keys.npy and values.npy"),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (given(options, "dim") && (given(options, "dim-in") || given(options, "dim-out")))
        return complain(self, EXIT_USAGE, "give --dim, or --dim-in and --dim-out, not both");
    if (given(options, "dim")) q.dim_in = q.dim_out = q.dim;
    if (q.dim_in == 0 || q.dim_out == 0)
        return complain(self, EXIT_USAGE, "give --dim, or both --dim-in and --dim-out");
    if (q.facts == 0) return complain(self, EXIT_USAGE, "give the number of facts with --facts N");
    if (q.output == NULL) return complain(self, EXIT_USAGE, "give the output folder with -o DIR");
    if (q.candidates == 0) q.candidates = q.facts;
    if (q.candidates < q.facts)
        return complain(self, EXIT_USAGE,
                        "every fact needs a value of its own: --candidates must be at least --facts");
    double numbers = (double)q.facts * (double)q.dim_in +
                     (double)q.candidates * (double)q.dim_out *
                         (strcmp(q.problem, "decoupled") == 0 ? (double)q.facts : 1.0);
    if (numbers > 1.6e10)
        return complain(self, EXIT_USAGE, "that instance would take %.0f GB; ask for a smaller one",
                        numbers * 4e-9);
    outcome = make_folder(self, q.output);
    if (outcome == 0) outcome = check_files(self, q.output);
    if (outcome != 0) return outcome;
    ireneo_error failed = write_instance(&q);
    if (failed == IRENEO_ERROR_MEMORY)
        return complain(self, EXIT_MACHINE, "not enough memory for %.3g GB of random numbers",
                        numbers * 4e-9);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (!q.json) {
        printf("%s/keys.npy %zu x %zu, %s/values.npy %zu x %zu, seed %llu\n", q.output, q.facts, q.dim_in,
               q.output, q.candidates, q.dim_out, (unsigned long long)q.seed);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "problem", q.problem);
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
    "Fact i belongs to value i. A smaller instance of the same seed is a prefix of a larger one."};
