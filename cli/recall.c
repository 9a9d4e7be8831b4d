/* ireneo recall: the best answers of a memory to queries. */
#include "base/foreign.h"
#include "base/ram.h"
#include "commands.h"
#include "facts_files.h"
#include "folder.h"
#include "job.h"
#include "labels.h"
#include "matrix_files.h"
#include "stored_top.h"
#include "streamed_queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recall_request {
    const char *files[2];
    const char *values, *residual, *labels, *query_labels, *pick, *output;
    char *scores; /* beside an .npy of indices; NULL when one file holds both, or none is asked for */
    size_t top, threads;
    bool json;
} recall_request;

/* Rows of the query matrix that are asked about: all, or those that --pick names. */
typedef struct selection {
    size_t *rows;
    size_t count;
} selection;

static int add_pick(const command *self, const char *word, const label_file *names, size_t available,
                    selection *chosen) {
    double number;
    for (size_t k = 0; k < names->count; k++)
        if (k < available && strcmp(names->lines[k], word) == 0) {
            chosen->rows[chosen->count++] = k;
            return 0;
        }
    if (parse_real(word, &number) && number >= 0.0 && number < (double)available && number == floor(number)) {
        chosen->rows[chosen->count++] = (size_t)number;
        return 0;
    }
    return complain(self, EXIT_DATA, "--pick: '%s' is neither a row from 0 to %zu nor a label of a query",
                    word, available - 1);
}

/* The next word of a list split by commas, cut off in place; a word in quotes may hold commas, and quotes when doubled.
 * Returns NULL at the end. */
static char *next_word(char **rest) {
    if (*rest == NULL || **rest != '"') return strsep(rest, ",");
    char *word = *rest, *to = word, *from = word + 1;
    for (; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
        if (*from == '"') from++;
        *to++ = *from;
    }
    if (*from == '"') from++;
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return word;
}

static int choose_rows(const command *self, const recall_request *q, const label_file *names,
                       size_t available, selection *chosen) {
    chosen->rows = calloc(available + (q->pick != NULL ? strlen(q->pick) : 0) + 1, sizeof *chosen->rows);
    if (chosen->rows == NULL) return complain(self, EXIT_MACHINE, "not enough memory for the queries");
    if (q->pick == NULL) {
        for (size_t k = 0; k < available; k++) chosen->rows[k] = k;
        chosen->count = available;
        return 0;
    }
    char *words = strdup(q->pick), *rest = words, *word;
    if (words == NULL) return complain(self, EXIT_MACHINE, "not enough memory for the queries");
    int outcome = 0;
    while (outcome == 0 && (word = next_word(&rest)) != NULL)
        outcome = add_pick(self, word, names, available, chosen);
    free(words);
    return outcome;
}

typedef struct recall_data {
    ireneo_memory *memory;
    float *queries, *values, *residuals; /* residuals (count, dim_out), or NULL */
    size_t count, query_dim, candidates, value_dim;
    label_file labels, names;
    selection chosen;
    ireneo_shared shared[3]; /* queries, values and offsets, over ranks: once a node */
    int64_t *indices;        /* (chosen, top) with -o, else (a batch, top) */
    float *scores;           /* likewise */
} recall_data;

/* The rows of a batch that this rank answers. */
typedef struct share {
    ireneo_holding holding;
    bool alone; /* too few to be spread: rank 0 answers all */
} share;

static int print_json_answer(const command *self, const recall_request *q, size_t row,
                             const label_file *names, const label_file *labels, const int64_t *index,
                             const float *score) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "query", row);
    if (names->count > 0) ireneo_json_text(&json, "query_label", label_of(names, (int64_t)row));
    ireneo_json_begin_array(&json, "answers");
    for (size_t k = 0; k < q->top && index[k] >= 0; k++) {
        ireneo_json_begin_object(&json, NULL);
        ireneo_json_size(&json, "index", (uint64_t)index[k]);
        ireneo_json_text(&json, "label", label_of(labels, index[k]));
        ireneo_json_number(&json, "score", (double)score[k]);
        ireneo_json_end_object(&json);
    }
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    if (!json.broken) puts(json.text);
    bool broken = json.broken;
    ireneo_json_free(&json);
    return broken ? complain(self, EXIT_MACHINE, "not enough memory for the JSON report") : 0;
}

static int print_answer(const command *self, const recall_request *q, size_t row, const label_file *names,
                        const label_file *labels, const int64_t *index, const float *score) {
    (void)self;
    if (label_of(names, (int64_t)row) != NULL)
        print_words(label_of(names, (int64_t)row));
    else
        printf("%zu", row);
    fputs(" ->", stdout);
    for (size_t k = 0; k < q->top && index[k] >= 0; k++) {
        putchar(' ');
        if (label_of(labels, index[k]) != NULL)
            print_words(label_of(labels, index[k]));
        else
            printf("%lld", (long long)index[k]);
        printf(" (%.4g)%s", (double)score[k], k + 1 < q->top && index[k + 1] >= 0 ? "," : "");
    }
    putchar('\n');
    return 0;
}

/* Few queries are one rank's: spread, each tile of them would be too small to be worth a pass over the values. */
static share share_of(size_t count) {
    enum { SPREAD_FROM = 768 };
    ireneo_ranks *world = ireneo_ranks_world();
    share s = {.alone = count < SPREAD_FROM};
    s.holding =
        s.alone ? ireneo_holding_whole(count) : ireneo_holding_spread(world->count > 1 ? world : NULL, count);
    if (s.alone && !speaks()) s.holding.rows = 0;
    return s;
}

/* This rank's rows of a batch that begins at `first`, into indices and scores. */
static ireneo_error answer_share(const recall_request *q, const recall_data *d, size_t first, const share *s,
                                 int64_t *indices, float *scores) {
    size_t dim = d->memory->dim_in, out = d->memory->dim_out, count = s->holding.rows;
    float *rows = NULL, *offsets = NULL;
    if (count == 0) return IRENEO_OK;
    IRENEO_TRY(ireneo_allocate((void **)&rows, count, (dim + out) * sizeof *rows, "queries"));
    if (d->residuals != NULL) offsets = rows + count * dim;
    for (size_t k = 0; k < count; k++) {
        size_t row = d->chosen.rows[first + s->holding.first + k];
        memcpy(rows + k * dim, d->queries + row * dim, dim * sizeof *rows);
        if (offsets != NULL) memcpy(offsets + k * out, d->residuals + row * out, out * sizeof *rows);
    }
    ireneo_run_settings settings = {.threads = (int)q->threads, .holding = s->alone ? NULL : &s->holding};
    ireneo_error failed = ireneo_recall_with_residuals(d->memory, rows, offsets, count, d->values,
                                                       d->candidates, q->top, &settings, indices, scores);
    free(rows);
    return failed;
}

/* Answers of all ranks, in the order of the queries, to `to` (count, size) on rank 0. */
static ireneo_error bring(const void *mine, size_t rows, size_t size, void *to) {
    void *all = NULL;
    size_t total = 0;
    IRENEO_TRY(ireneo_ranks_gather(ireneo_ranks_world(), 0, mine, rows, size, &all, &total));
    if (speaks() && all != NULL && to != NULL) memcpy(to, all, total * size);
    free(all);
    return IRENEO_OK;
}

/* One batch of the queries, from `first` on, into indices and scores of rank 0. */
static ireneo_error answer_batch(const recall_request *q, const recall_data *d, size_t first, size_t count,
                                 int64_t *indices, float *scores) {
    ireneo_ranks *world = ireneo_ranks_world();
    share s = share_of(count);
    if (world->count == 1) return answer_share(q, d, first, &s, indices, scores);
    size_t rows = s.holding.rows, room = rows > 0 ? rows : 1;
    int64_t *mine = NULL;
    float *values = NULL;
    ireneo_error failed = ireneo_allocate((void **)&mine, room, q->top * sizeof *mine, "answers");
    if (failed == IRENEO_OK)
        failed = ireneo_allocate((void **)&values, room, q->top * sizeof *values, "answers");
    if (failed == IRENEO_OK) failed = answer_share(q, d, first, &s, mine, values);
    failed = ireneo_ranks_agree(world, failed);
    if (failed == IRENEO_OK) failed = bring(mine, rows, q->top * sizeof *mine, indices);
    if (failed == IRENEO_OK) failed = bring(values, rows, q->top * sizeof *values, scores);
    free(mine);
    free(values);
    return failed;
}

static int print_batch(const command *self, const recall_request *q, const recall_data *d, size_t first,
                       size_t count) {
    int outcome = 0;
    for (size_t k = 0; outcome == 0 && k < count; k++)
        outcome = (q->json ? print_json_answer : print_answer)(self, q, d->chosen.rows[first + k], &d->names,
                                                               &d->labels, d->indices + k * q->top,
                                                               d->scores + k * q->top);
    return outcome;
}

/* Answers in batches, so that a million queries that are only printed need no more memory than some thousand. */
static int answer(const command *self, const recall_request *q, recall_data *d) {
    enum { BATCH = 16384 };
    ireneo_ranks *world = ireneo_ranks_world();
    bool keep = q->output != NULL && speaks(), stop = false;
    size_t all = d->chosen.count, batch = all < BATCH ? all : BATCH, room = keep ? all : batch;
    d->indices = calloc(room, q->top * sizeof *d->indices);
    d->scores = calloc(room, q->top * sizeof *d->scores);
    int outcome = agree(self, d->indices == NULL || d->scores == NULL
                                  ? complain(self, EXIT_MACHINE, "not enough memory for the answers")
                                  : 0);
    for (size_t first = 0; outcome == 0 && first < all && !stop; first += batch) {
        size_t count = all - first < batch ? all - first : batch, place = keep ? first * q->top : 0;
        outcome = report_error(self, answer_batch(q, d, first, count, d->indices + place, d->scores + place));
        if (outcome == 0 && q->output == NULL && speaks()) outcome = print_batch(self, q, d, first, count);
        outcome = agree(self, outcome);
        stop = ireneo_ranks_any(world, interrupted() || ferror(stdout));
    }
    return outcome == 0 && ireneo_ranks_any(world, interrupted()) ? EXIT_INTERRUPTED : outcome;
}

/* Indices and scores as one .safetensors, or as two .npy. */
static ireneo_error save_answers(const recall_request *q, const recall_data *d) {
    size_t shape[2] = {d->chosen.count, q->top};
    if (q->scores == NULL) {
        const ireneo_tensor tensors[] = {
            {"indices", IRENEO_DTYPE_INT64, 2, {shape[0], shape[1]}, d->indices},
            {"scores", IRENEO_DTYPE_FLOAT32, 2, {shape[0], shape[1]}, d->scores}};
        const char *metadata[] = {"format", "ireneo-answers-1", "ireneo_version", ireneo_version()};
        return ireneo_save_safetensors(q->output, tensors, 2, metadata, 2);
    }
    ireneo_error failed = ireneo_save_npy(q->output, IRENEO_DTYPE_INT64, 2, shape, d->indices);
    return failed == IRENEO_OK ? ireneo_save_npy(q->scores, IRENEO_DTYPE_FLOAT32, 2, shape, d->scores)
                               : failed;
}

static int write_answers(const command *self, const recall_request *q, const recall_data *d) {
    if (!speaks()) return EXIT_DONE;
    if (q->output == NULL) return finish_output(self, EXIT_DONE);
    ireneo_error failed = save_answers(q, d);
    if (failed != IRENEO_OK) return report_error(self, failed);
    const char *scores = q->scores != NULL ? q->scores : q->output;
    if (!q->json) {
        printf("%zu queries answered: indices in %s, scores in %s\n", d->chosen.count, q->output, scores);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "queries", d->chosen.count);
    ireneo_json_size(&json, "top", q->top);
    ireneo_json_text(&json, "indices", q->output);
    ireneo_json_text(&json, "scores", scores);
    add_job(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

/* x.npy has its scores in x.scores.npy; any other name holds both, as .safetensors. */
static int name_scores(const command *self, recall_request *q) {
    if (q->output == NULL || !ireneo_ends_with(q->output, ".npy")) return 0;
    size_t length = strlen(q->output);
    q->scores = malloc(length + sizeof ".scores");
    if (q->scores == NULL) return complain(self, EXIT_MACHINE, "not enough memory for a path");
    snprintf(q->scores, length + sizeof ".scores", "%.*s.scores.npy", (int)(length - 4), q->output);
    return 0;
}

static int check_files(const command *self, const recall_request *q) {
    output_kind kind = q->scores != NULL ? OUTPUT_ARRAY : OUTPUT_ANSWERS;
    const output_file outputs[] = {{"-o", q->output, kind, NULL}, {"-o", q->scores, OUTPUT_ARRAY, NULL}};
    const char *const inputs[] = {q->files[0], q->files[1], q->values,
                                  q->residual, q->labels,   q->query_labels};
    return check_outputs(self, outputs, 2, inputs, sizeof inputs / sizeof inputs[0]);
}

enum { QUERIES, VALUES, OFFSETS };

/* A matrix: over ranks once a node. */
static ireneo_error load_once(const command *self, const char *path, ireneo_matrix_reading reading,
                              ireneo_shared *shared, float **values, size_t *rows, size_t *columns) {
    if (ireneo_ranks_world()->count > 1)
        return load_shared(self, path, reading, shared, values, rows, columns);
    return reading == IRENEO_READ_QUERIES ? load_queries(self, path, values, rows, columns)
                                          : load_matrix(self, path, values, rows, columns);
}

/* Standard input is rank 0's, which tells the others. */
static int load_piped_queries(const command *self, const char *path, recall_data *d) {
    ireneo_ranks *world = ireneo_ranks_world();
    int outcome =
        agree(self, speaks() ? load_streamed_queries(self, path, &d->queries, &d->count, &d->query_dim) : 0);
    if (outcome != 0 || world->count == 1) return outcome;
    size_t sizes[2] = {d->count, d->query_dim};
    ireneo_ranks_broadcast(world, 0, sizes, sizeof sizes);
    d->count = sizes[0], d->query_dim = sizes[1];
    if (!speaks()) d->queries = malloc(d->count * d->query_dim * sizeof *d->queries);
    outcome = agree(
        self, d->queries == NULL ? complain(self, EXIT_MACHINE, "not enough memory for the queries") : 0);
    if (outcome == 0)
        ireneo_ranks_broadcast(world, 0, d->queries, d->count * d->query_dim * sizeof *d->queries);
    return outcome;
}

static int load_query_rows(const command *self, const char *path, recall_data *d) {
    if (is_stream(path)) return load_piped_queries(self, path, d);
    return report_error(self, load_once(self, path, IRENEO_READ_QUERIES, &d->shared[QUERIES], &d->queries,
                                        &d->count, &d->query_dim));
}

static int load_residuals(const command *self, const recall_request *q, recall_data *d) {
    size_t rows = 0, columns = 0;
    if (q->residual == NULL) return 0;
    ireneo_error failed = load_once(self, q->residual, IRENEO_READ_QUERIES, &d->shared[OFFSETS],
                                    &d->residuals, &rows, &columns);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (rows == d->count && columns == d->value_dim) return 0;
    return complain(self, EXIT_DATA,
                    "%s is %zu x %zu, but %zu queries and values of %zu dimensions need %zu x %zu",
                    q->residual, rows, columns, d->count, d->value_dim, d->count, d->value_dim);
}

static int load_values(const command *self, const recall_request *q, recall_data *d) {
    char inner[4200];
    int inside = 0;
    ireneo_error failed = IRENEO_OK;
    if (q->values == NULL) failed = ireneo_safetensors_has(q->files[0], "values", &inside);
    failed = ireneo_ranks_agree(ireneo_ranks_world(), failed);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (q->values == NULL && !inside)
        return complain(self, EXIT_USAGE,
                        "%s holds no values; give them with --values FILE, or store with --with-values",
                        q->files[0]);
    snprintf(inner, sizeof inner, "%s:values", q->files[0]);
    return report_error(self, load_once(self, q->values != NULL ? q->values : inner, IRENEO_READ_ROWS,
                                        &d->shared[VALUES], &d->values, &d->candidates, &d->value_dim));
}

static int load_data(const command *self, const recall_request *q, recall_data *d) {
    int outcome = agree(self, report_error(self, ireneo_memory_load(q->files[0], &d->memory)));
    if (outcome == 0) outcome = agree(self, load_query_rows(self, q->files[1], d));
    if (outcome == 0) outcome = agree(self, load_values(self, q, d));
    if (outcome != 0) return outcome;
    if (d->query_dim != d->memory->dim_in || d->value_dim != d->memory->dim_out)
        return complain(self, EXIT_DATA,
                        "the memory is %zu x %zu, but queries have %zu dimensions and values %zu",
                        d->memory->dim_out, d->memory->dim_in, d->query_dim, d->value_dim);
    outcome = load_residuals(self, q, d);
    if (outcome == 0 && q->labels != NULL)
        outcome = load_labels_of(self, q->labels, d->candidates, "values", &d->labels);
    if (outcome == 0 && q->query_labels != NULL)
        outcome = load_labels_of(self, q->query_labels, d->count, "queries", &d->names);
    return agree(self, outcome);
}

static void free_data(recall_data *d) {
    ireneo_memory_free(d->memory);
    if (d->shared[QUERIES].bytes == NULL) ireneo_free(d->queries);
    if (d->shared[VALUES].bytes == NULL) ireneo_free(d->values);
    if (d->shared[OFFSETS].bytes == NULL) ireneo_free(d->residuals);
    for (size_t k = 0; k < sizeof d->shared / sizeof d->shared[0]; k++) ireneo_shared_free(&d->shared[k]);
    free_labels(&d->labels);
    free_labels(&d->names);
    free(d->chosen.rows);
    free(d->indices);
    free(d->scores);
}

static int run(const command *self, int argc, char **argv) {
    recall_request q = {0};
    option options[] = {
        TEXT("values", &q.values, "FILE", "values to choose from (default: those in MEMORY)"),
        RESIDUAL(&q.residual),
        COUNT("top", &q.top, "K", "answers a query (default: as the memory was stored, mostly 1)", 1, 500),
        TEXT("labels", &q.labels, "FILE", "names of the values, one a line"),
        TEXT("query-labels", &q.query_labels, "FILE", "names of the queries, one a line"),
        TEXT("pick", &q.pick, "A,B,..",
             "only these queries, by label or row; \"quoted\" when a label holds a comma"),
        TEXT("o", &q.output, "FILE",
             "indices as FILE.npy and scores as FILE.scores.npy, or both as .safetensors"),
        THREADS(&q.threads),
        FLAG("json", &q.json, "one object a line"),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 2, 2, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    outcome = name_scores(self, &q);
    if (outcome == 0 && speaks()) outcome = check_files(self, &q);
    if (outcome == 0 && q.top == 0) outcome = find_stored_top(self, q.files[0], &q.top);
    outcome = agree(self, outcome);
    recall_data d = {0};
    begin_phase("load");
    if (outcome == 0) outcome = load_data(self, &q, &d);
    catch_interrupts();
    if (outcome == 0) outcome = agree(self, choose_rows(self, &q, &d.names, d.count, &d.chosen));
    begin_phase("recall");
    if (outcome == 0) outcome = answer(self, &q, &d);
    if (outcome == 0) end_phases();
    if (outcome == 0) outcome = write_answers(self, &q, &d);
    free_data(&d);
    free(q.scores);
    return outcome;
}

const command command_recall = {"recall", "the best answers of a memory to queries", run, "MEMORY QUERIES",
                                "QUERIES is a matrix, one query a row, or - for standard input: .npy, "
                                ".safetensors or text of numbers. With -o\n"
                                "nothing is printed but where the answers went: int64 indices and float32 "
                                "scores (queries, K), best first,\n"
                                "-1 and -infinity where there are fewer than K values."};
