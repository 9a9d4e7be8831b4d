/* ireneo pairs: facts from named rows of an embedding matrix, as store takes them. */
#include "commands.h"
#include "facts_files.h"
#include "folder.h"
#include "labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pairs_request {
    const char *files[3]; /* EMBEDDINGS LABELS PAIRS */
    const char *output;
    size_t random;
    uint64_t seed;
    bool json, header;
} pairs_request;

typedef struct pairs_data {
    float *rows;
    size_t count, dim;
    label_file labels, lines;
    size_t *order;                        /* (count) rows sorted by label, for look-up */
    size_t *keys;                         /* chosen rows, at most count */
    int64_t *targets;                     /* and their values */
    unsigned char *used_key, *used_value; /* (count) */
    size_t facts;
} pairs_data;

static const label_file *sorted_labels; /* qsort has no context argument that is portable */

static int by_label(const void *a, const void *b) {
    return strcmp(sorted_labels->lines[*(const size_t *)a], sorted_labels->lines[*(const size_t *)b]);
}

/* The row with this label, or `count`. */
static size_t find_row(const pairs_data *d, const char *label) {
    size_t low = 0, high = d->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int side = strcmp(d->labels.lines[d->order[middle]], label);
        if (side == 0) return d->order[middle];
        if (side < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return d->count;
}

static void add_fact(pairs_data *d, size_t key, size_t value) {
    d->keys[d->facts] = key;
    d->targets[d->facts++] = (int64_t)value;
    d->used_key[key] = d->used_value[value] = 1;
}

/* Lines "key,value"; the first is skipped with --header. */
static int read_pairs(const command *self, const pairs_request *q, pairs_data *d) {
    for (size_t k = 0; k < d->lines.count; k++) {
        char *line = d->lines.lines[k], *comma = strchr(line, ',');
        if (line[0] == '\0' || (k == 0 && q->header)) continue;
        if (comma == NULL)
            return complain(self, EXIT_DATA, "%s: line %zu has no comma; expected key,value", q->files[2],
                            k + 1);
        *comma = '\0';
        size_t key = find_row(d, line), value = find_row(d, comma + 1);

        if (key == d->count || value == d->count)
            return complain(self, EXIT_DATA, "%s: line %zu: '%s' is not among the labels of %s", q->files[2],
                            k + 1, key == d->count ? line : comma + 1, q->files[1]);
        if (d->used_key[key])
            return complain(self, EXIT_DATA, "%s: line %zu: the key '%s' comes twice", q->files[2], k + 1,
                            line);
        add_fact(d, key, value);
    }
    return 0;
}

/* Random facts between rows that are not keys, or not values, yet. One row stays out, so that the last key
 * never has nothing but itself left as its value. */
static int add_random(const command *self, const pairs_request *q, pairs_data *d) {
    size_t left = d->count - d->facts, most = left > 0 ? left - 1 : 0;
    if (q->random > most)
        return complain(self, EXIT_USAGE, "--random %zu: the rows that are left make at most %zu facts",
                        q->random, most);
    uint64_t index = 0;
    for (size_t k = 0; k < q->random; k++) {
        size_t pick[2];
        for (int side = 0; side < 2; side++) do {
                double u;
                ireneo_random_uniforms(q->seed, (uint64_t)side, index++, 1, 1, &u);
                pick[side] = (size_t)(u * (double)d->count);
            } while (side == 0 ? d->used_key[pick[0]] : d->used_value[pick[1]] || pick[1] == pick[0]);
        add_fact(d, pick[0], pick[1]);
    }
    return 0;
}

static int load_data(const command *self, const pairs_request *q, pairs_data *d) {
    ireneo_error failed = ireneo_load_matrix(q->files[0], &d->rows, &d->count, &d->dim);
    if (failed != IRENEO_OK) return report_error(self, failed);
    int outcome = load_labels(self, q->files[1], &d->labels);
    if (outcome == 0) outcome = load_labels(self, q->files[2], &d->lines);
    if (outcome != 0) return outcome;
    if (d->labels.count != d->count)
        return complain(self, EXIT_DATA, "%s holds %zu labels, but %s holds %zu rows", q->files[1],
                        d->labels.count, q->files[0], d->count);
    d->order = malloc(d->count * sizeof *d->order);
    d->keys = malloc(d->count * sizeof *d->keys);
    d->targets = malloc(d->count * sizeof *d->targets);
    d->used_key = calloc(d->count, 1);
    d->used_value = calloc(d->count, 1);
    if (d->order == NULL || d->keys == NULL || d->targets == NULL || d->used_key == NULL ||
        d->used_value == NULL)
        return complain(self, EXIT_MACHINE, "not enough memory for %zu labels", d->count);
    for (size_t k = 0; k < d->count; k++) d->order[k] = k;
    sorted_labels = &d->labels;
    qsort(d->order, d->count, sizeof *d->order, by_label);
    return 0;
}

static ireneo_error write_files(const pairs_request *q, const pairs_data *d) {
    char path[4200];
    size_t shape[2] = {d->facts, d->dim}, length = 0;
    float *keys = malloc(d->facts * d->dim * sizeof *keys);
    char *names = NULL;
    FILE *stream = open_memstream(&names, &length);
    if (keys == NULL || stream == NULL) {
        free(keys);
        if (stream != NULL) fclose(stream);
        free(names);
        return IRENEO_ERROR_MEMORY;
    }
    for (size_t k = 0; k < d->facts; k++) {
        memcpy(keys + k * d->dim, d->rows + d->keys[k] * d->dim, d->dim * sizeof *keys);
        fprintf(stream, "%s\n", d->labels.lines[d->keys[k]]);
    }
    fclose(stream);
    snprintf(path, sizeof path, "%s/keys.npy", q->output);
    ireneo_error failed = ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, shape, keys);
    snprintf(path, sizeof path, "%s/targets.npy", q->output);
    if (failed == IRENEO_OK) failed = ireneo_save_npy(path, IRENEO_DTYPE_INT64, 1, shape, d->targets);
    snprintf(path, sizeof path, "%s/keys.txt", q->output);
    if (failed == IRENEO_OK) failed = ireneo_save_bytes(path, names, length);
    free(keys);
    free(names);
    return failed;
}

static int make_pairs(const command *self, const pairs_request *q, pairs_data *d) {
    int outcome = load_data(self, q, d);
    if (outcome == 0) outcome = read_pairs(self, q, d);
    if (outcome == 0) outcome = add_random(self, q, d);
    if (outcome == 0 && d->facts == 0)
        outcome = complain(self, EXIT_DATA, "%s names no facts, and --random asks for none", q->files[2]);
    if (outcome == 0) outcome = make_folder(self, q->output);
    if (outcome != 0) return outcome;
    ireneo_error failed = write_files(q, d);
    if (failed == IRENEO_ERROR_MEMORY)
        return complain(self, EXIT_MACHINE, "not enough memory for %zu facts", d->facts);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (q->json)
        printf("{\"facts\": %zu, \"candidates\": %zu, \"seed\": %llu}\n", d->facts, d->count,
               (unsigned long long)q->seed);
    else
        printf("%zu facts among %zu candidates: %s/keys.npy, %s/targets.npy, %s/keys.txt (seed %llu)\n",
               d->facts, d->count, q->output, q->output, q->output, (unsigned long long)q->seed);
    return finish_output(self, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    pairs_request q = {.seed = 1};
    option options[] = {
        TEXT("o", &q.output, "DIR", "folder for keys.npy, targets.npy and keys.txt"),
        FLAG("header", &q.header, "the first line of PAIRS.csv is a heading"),
        COUNT("random", &q.random, "N", "add N random facts between other rows", 0, 1e9),
        SEED("seed", &q.seed, "seed of the random facts (default 1)"),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 3, 3, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (q.output == NULL) return complain(self, EXIT_USAGE, "give the output folder with -o DIR");
    pairs_data d = {0};
    outcome = make_pairs(self, &q, &d);
    ireneo_free(d.rows);
    free_labels(&d.labels);
    free_labels(&d.lines);
    free(d.order), free(d.keys), free(d.targets), free(d.used_key), free(d.used_value);
    return outcome;
}

const command command_pairs = {
    "pairs", "facts from named rows of an embedding matrix", run, "EMBEDDINGS LABELS PAIRS.csv",
    "LABELS has one name a line, row by row; PAIRS.csv has lines key,value of such names. Afterwards:\n"
    "  ireneo store DIR/keys.npy EMBEDDINGS --targets DIR/targets.npy -o MEMORY"};
