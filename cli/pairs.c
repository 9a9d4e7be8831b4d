/* ireneo pairs: facts from named rows of an embedding matrix, as store takes them. */
#include "commands.h"
#include "csv.h"
#include "facts_files.h"
#include "folder.h"
#include "labels.h"
#include "matrix_files.h"
#include "text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pairs_request {
    const char *files[3]; /* EMBEDDINGS LABELS PAIRS */
    const char *output, *columns;
    size_t random;
    uint64_t seed;
    bool json, header;
} pairs_request;

typedef struct pairs_data {
    float *rows;
    size_t count, dim;
    label_file labels;
    csv_table table;                      /* of PAIRS */
    size_t first;                         /* its first record that is a fact */
    size_t column[2];                     /* its columns of keys and values */
    size_t *order;                        /* (count) rows sorted by label, for look-up */
    size_t *keys;                         /* chosen rows, at most count */
    int64_t *targets;                     /* and their values */
    unsigned char *used_key, *used_value; /* (count) */
    unsigned char *ambiguous;             /* (count) rows whose label another row has, too */
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

/* ---- PAIRS.csv ---- */

/* The column that a word of --columns means: a number counts from 1, a name is one of the heading. */
static int find_column(const command *self, const pairs_request *q, const pairs_data *d, const char *word,
                       size_t *column) {
    size_t count = d->table.count > 0 ? d->table.records[0].count : 0;
    double number = 0;
    if (parse_real(word, &number)) {
        *column = number >= 1 && number <= 1e6 ? (size_t)number - 1 : 0;
        if ((double)(*column + 1) == number) return 0;
        return complain(self, EXIT_USAGE, "--columns counts from 1, not '%s'", word);
    }
    for (*column = 0; *column < count; ++*column)
        if (strcmp(csv_field(&d->table, 0, *column), word) == 0) return 0;
    return complain(self, EXIT_DATA, "%s: line %zu, the heading, has no column '%s'", q->files[2],
                    count > 0 ? d->table.records[0].line : 1, word);
}

/* Which columns are meant, and whether the first record is a heading: names of columns need one. */
static int choose_columns(const command *self, const pairs_request *q, pairs_data *d) {
    csv_table words = {0};
    char *copy = strdup(q->columns != NULL ? q->columns : "1,2");
    if (copy == NULL) return complain(self, EXIT_MACHINE, "not enough memory for %s", q->files[2]);
    d->first = q->header ? 1 : 0;
    int outcome = parse_csv(self, "--columns", copy, &words);
    if (outcome == 0 && (words.count != 1 || words.records[0].count != 2))
        outcome =
            complain(self, EXIT_USAGE, "--columns takes two names or numbers, A,B, not '%s'", q->columns);
    for (size_t side = 0; side < 2 && outcome == 0; side++) {
        double number;
        const char *word = csv_field(&words, 0, side);
        if (!parse_real(word, &number)) d->first = 1;
        outcome = find_column(self, q, d, word, &d->column[side]);
    }
    free_csv(&words);
    return outcome;
}

static int check_width(const command *self, const pairs_request *q, const pairs_data *d, size_t record) {
    const csv_record *r = &d->table.records[record];
    size_t needed = (d->column[0] > d->column[1] ? d->column[0] : d->column[1]) + 1;
    if (r->count < needed && needed == 2)
        return complain(self, EXIT_DATA, "%s: line %zu, '%s', has no comma; expected key,value", q->files[2],
                        r->line, csv_field(&d->table, record, 0));
    if (r->count < needed)
        return complain(self, EXIT_DATA, "%s: line %zu, '%s', has %zu columns; --columns %s needs %zu",
                        q->files[2], r->line, csv_field(&d->table, record, 0), r->count, q->columns, needed);
    if (q->columns == NULL && r->count > 2)
        return complain(self, EXIT_DATA,
                        "%s: line %zu has %zu columns, the third is '%s'; choose two with --columns, or put "
                        "names with commas into quotes",
                        q->files[2], r->line, r->count, csv_field(&d->table, record, 2));
    return 0;
}

/* The row of a word of PAIRS.csv; it must be the label of one row. */
static int find_word(const command *self, const pairs_request *q, const pairs_data *d, size_t record,
                     const char *word, size_t *row) {
    size_t line = d->table.records[record].line;
    *row = find_row(d, word);
    if (*row == d->count)
        return complain(self, EXIT_DATA, "%s: line %zu: '%s' is not among the labels of %s%s", q->files[2],
                        line, word, q->files[1],
                        record == 0 && !q->header ? "; if this line is a heading, give --header" : "");
    if (!d->ambiguous[*row]) return 0;
    size_t other = 0;
    while (other == *row || strcmp(d->labels.lines[other], word) != 0) other++;
    return complain(self, EXIT_DATA, "%s: line %zu: '%s' is the label of rows %zu and %zu of %s", q->files[2],
                    line, word, *row < other ? *row : other, *row < other ? other : *row, q->files[1]);
}

static int read_pairs(const command *self, const pairs_request *q, pairs_data *d) {
    int outcome = choose_columns(self, q, d);
    for (size_t k = d->first; outcome == 0 && k < d->table.count; k++) {
        size_t row[2];
        outcome = check_width(self, q, d, k);
        for (size_t side = 0; side < 2 && outcome == 0; side++)
            outcome = find_word(self, q, d, k, csv_field(&d->table, k, d->column[side]), &row[side]);
        if (outcome == 0 && d->used_key[row[0]])
            outcome = complain(self, EXIT_DATA, "%s: line %zu: the key '%s' comes twice", q->files[2],
                               d->table.records[k].line, csv_field(&d->table, k, d->column[0]));
        if (outcome == 0) add_fact(d, row[0], row[1]);
    }
    return outcome;
}

/* ---- All facts ---- */

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

static int load_files(const command *self, const pairs_request *q, pairs_data *d) {
    char *text = NULL;
    size_t length = 0;
    ireneo_error failed = load_matrix(self, q->files[0], &d->rows, &d->count, &d->dim);
    if (failed != IRENEO_OK) return report_error(self, failed);
    int outcome = load_labels_of(self, q->files[1], d->count, "rows", &d->labels);
    if (outcome == 0) outcome = read_text_file(self, q->files[2], &text, &length);
    if (outcome == 0) outcome = parse_csv(self, q->files[2], text, &d->table);
    return outcome;
}

static int sort_labels(const command *self, pairs_data *d) {
    d->order = calloc(d->count, sizeof *d->order);
    d->keys = calloc(d->count, sizeof *d->keys);
    d->targets = calloc(d->count, sizeof *d->targets);
    d->used_key = calloc(d->count, 1);
    d->used_value = calloc(d->count, 1);
    d->ambiguous = calloc(d->count, 1);
    if (d->order == NULL || d->keys == NULL || d->targets == NULL || d->used_key == NULL ||
        d->used_value == NULL || d->ambiguous == NULL)
        return complain(self, EXIT_MACHINE, "not enough memory for %zu labels", d->count);
    for (size_t k = 0; k < d->count; k++) d->order[k] = k;
    sorted_labels = &d->labels;
    qsort(d->order, d->count, sizeof *d->order, by_label);
    for (size_t k = 1; k < d->count; k++)
        if (by_label(&d->order[k - 1], &d->order[k]) == 0)
            d->ambiguous[d->order[k - 1]] = d->ambiguous[d->order[k]] = 1;
    return 0;
}

/* The labels of the keys, one a line; NULL when memory ran out. */
static char *join_labels(const pairs_data *d, size_t *length) {
    *length = 0;
    for (size_t k = 0; k < d->facts; k++) *length += strlen(d->labels.lines[d->keys[k]]) + 1;
    char *names = malloc(*length + 1), *end = names;
    for (size_t k = 0; names != NULL && k < d->facts; k++) {
        end = stpcpy(end, d->labels.lines[d->keys[k]]);
        *end++ = '\n';
    }
    return names;
}

static float *copy_keys(const pairs_data *d) {
    float *keys = calloc(d->facts + 1, (d->dim + 1) * sizeof *keys); /* (facts, dim), and never nothing */
    for (size_t k = 0; keys != NULL && k < d->facts; k++)
        memcpy(keys + k * d->dim, d->rows + d->keys[k] * d->dim, d->dim * sizeof *keys);
    return keys;
}

static ireneo_error write_files(const pairs_request *q, const pairs_data *d) {
    char path[4200];
    size_t shape[2] = {d->facts, d->dim}, length = 0;
    float *keys = copy_keys(d);
    char *names = join_labels(d, &length);
    ireneo_error failed = keys == NULL || names == NULL ? IRENEO_ERROR_MEMORY : IRENEO_OK;
    snprintf(path, sizeof path, "%s/keys.npy", q->output);
    if (failed == IRENEO_OK) failed = ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, shape, keys);
    snprintf(path, sizeof path, "%s/targets.npy", q->output);
    if (failed == IRENEO_OK) failed = ireneo_save_npy(path, IRENEO_DTYPE_INT64, 1, shape, d->targets);
    snprintf(path, sizeof path, "%s/keys.txt", q->output);
    if (failed == IRENEO_OK) failed = ireneo_save_bytes(path, names, length);
    free(keys);
    free(names);
    return failed;
}

static int make_pairs(const command *self, const pairs_request *q, pairs_data *d) {
    int outcome = load_files(self, q, d);
    if (outcome == 0) outcome = sort_labels(self, d);
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

/* Whether the files of the folder, when it is there, may be replaced. */
static int check_files(const command *self, const pairs_request *q) {
    char keys[4200], targets[4200], names[4200];
    if (!is_folder(q->output)) return 0;
    snprintf(keys, sizeof keys, "%s/keys.npy", q->output);
    snprintf(targets, sizeof targets, "%s/targets.npy", q->output);
    snprintf(names, sizeof names, "%s/keys.txt", q->output);
    const output_file outputs[] = {{"-o", keys, OUTPUT_ARRAY, NULL},
                                   {"-o", targets, OUTPUT_ARRAY, NULL},
                                   {"-o", names, OUTPUT_LABELS, NULL}};
    return check_outputs(self, outputs, 3, q->files, 3);
}

static int run(const command *self, int argc, char **argv) {
    pairs_request q = {.seed = 1};
    option options[] = {
        TEXT("o", &q.output, "DIR", "folder for keys.npy, targets.npy and keys.txt"),
        FLAG("header", &q.header, "the first line of PAIRS.csv is a heading"),
        TEXT("columns", &q.columns, "A,B", "columns of key and value, by name or number (default 1,2)"),
        COUNT("random", &q.random, "N", "add N random facts between other rows", 0, 1e9),
        SEED("seed", &q.seed, "seed of the random facts (default 1)"),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 3, 3, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (q.output == NULL) return complain(self, EXIT_USAGE, "give the output folder with -o DIR");
    outcome = check_files(self, &q);
    if (outcome != 0) return outcome;
    pairs_data d = {0};
    outcome = make_pairs(self, &q, &d);
    ireneo_free(d.rows);
    free_labels(&d.labels);
    free_csv(&d.table);
    free(d.order), free(d.keys), free(d.targets), free(d.used_key), free(d.used_value), free(d.ambiguous);
    return outcome;
}

const command command_pairs = {
    "pairs", "facts from named rows of an embedding matrix", run, "EMBEDDINGS LABELS PAIRS.csv",
    "LABELS has one name a line, row by row; PAIRS.csv has lines key,value of such names,\n"
    "with quotes where names hold commas; tabs and semicolons separate, too. Afterwards:\n"
    "  ireneo store DIR/keys.npy EMBEDDINGS --targets DIR/targets.npy -o MEMORY"};
