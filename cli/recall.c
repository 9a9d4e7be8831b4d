/* ireneo recall: the best answers of a memory to queries. */
#include "commands.h"
#include "facts_files.h"
#include "labels.h"
#include "matrix_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recall_request {
    const char *files[2];
    const char *values, *labels, *query_labels, *pick;
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
    while (outcome == 0 && (word = strsep(&rest, ",")) != NULL)
        outcome = add_pick(self, word, names, available, chosen);
    free(words);
    return outcome;
}

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

/* Answers in batches, so that a million queries need no more memory than a thousand. */
static int answer(const command *self, const recall_request *q, const ireneo_memory *memory,
                  const float *queries, const selection *chosen, const float *values, size_t candidates,
                  const label_file *names, const label_file *labels) {
    enum { BATCH = 4096 };
    size_t dim = memory->dim_in, batch = chosen->count < BATCH ? chosen->count : BATCH;
    float *rows = malloc(batch * dim * sizeof *rows), *scores = malloc(batch * q->top * sizeof *scores);
    int64_t *indices = malloc(batch * q->top * sizeof *indices);
    bool enough = rows != NULL && scores != NULL && indices != NULL;
    int outcome = enough ? 0 : complain(self, EXIT_MACHINE, "not enough memory for the answers");
    for (size_t first = 0; enough && outcome == 0 && first < chosen->count && !interrupted();
         first += batch) {
        size_t count = chosen->count - first < batch ? chosen->count - first : batch;
        for (size_t k = 0; k < count; k++)
            memcpy(rows + k * dim, queries + chosen->rows[first + k] * dim, dim * sizeof *rows);
        ireneo_error failed =
            ireneo_recall(memory, rows, count, values, candidates, q->top,
                          &(ireneo_run_settings){.threads = (int)q->threads}, indices, scores);
        if (failed != IRENEO_OK) outcome = report_error(self, failed);
        for (size_t k = 0; outcome == 0 && k < count; k++)
            outcome = (q->json ? print_json_answer : print_answer)(
                self, q, chosen->rows[first + k], names, labels, indices + k * q->top, scores + k * q->top);
    }
    free(rows);
    free(scores);
    free(indices);
    if (outcome == 0 && interrupted()) outcome = EXIT_INTERRUPTED;
    return outcome == 0 ? finish_output(self, EXIT_DONE) : outcome;
}

typedef struct recall_data {
    ireneo_memory *memory;
    float *queries, *values;
    size_t count, query_dim, candidates, value_dim;
    label_file labels, names;
    selection chosen;
} recall_data;

static int load_data(const command *self, const recall_request *q, recall_data *d) {
    ireneo_error failed = ireneo_memory_load(q->files[0], &d->memory);
    if (failed == IRENEO_OK) failed = load_queries(self, q->files[1], &d->queries, &d->count, &d->query_dim);
    int inside = 0;
    if (failed == IRENEO_OK && q->values == NULL)
        failed = ireneo_safetensors_has(q->files[0], "values", &inside);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (q->values == NULL && !inside)
        return complain(self, EXIT_USAGE,
                        "%s holds no values; give them with --values FILE, or store with --with-values",
                        q->files[0]);
    char inner[4200];
    snprintf(inner, sizeof inner, "%s:values", q->files[0]);
    failed =
        load_matrix(self, q->values != NULL ? q->values : inner, &d->values, &d->candidates, &d->value_dim);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (d->query_dim != d->memory->dim_in || d->value_dim != d->memory->dim_out)
        return complain(self, EXIT_DATA,
                        "the memory is %zu x %zu, but queries have %zu dimensions and values %zu",
                        d->memory->dim_out, d->memory->dim_in, d->query_dim, d->value_dim);
    int outcome = q->labels != NULL ? load_labels(self, q->labels, &d->labels) : 0;
    if (outcome == 0 && q->query_labels != NULL) outcome = load_labels(self, q->query_labels, &d->names);
    return outcome;
}

static int run(const command *self, int argc, char **argv) {
    recall_request q = {.top = 1};
    option options[] = {
        TEXT("values", &q.values, "FILE", "values to choose from (default: those in MEMORY)"),
        COUNT("top", &q.top, "K", "answers a query (default 1)", 1, 500),
        TEXT("labels", &q.labels, "FILE", "names of the values, one a line"),
        TEXT("query-labels", &q.query_labels, "FILE", "names of the queries, one a line"),
        TEXT("pick", &q.pick, "A,B,..", "only these queries, by label or row"),
        THREADS(&q.threads),
        FLAG("json", &q.json, "one object a line"),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, q.files, 2, 2, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    recall_data d = {0};
    outcome = load_data(self, &q, &d);
    catch_interrupts();
    if (outcome == 0) outcome = choose_rows(self, &q, &d.names, d.count, &d.chosen);
    if (outcome == 0)
        outcome =
            answer(self, &q, d.memory, d.queries, &d.chosen, d.values, d.candidates, &d.names, &d.labels);
    ireneo_memory_free(d.memory);
    ireneo_free(d.queries);
    ireneo_free(d.values);
    free_labels(&d.labels);
    free_labels(&d.names);
    free(d.chosen.rows);
    return outcome;
}

const command command_recall = {"recall", "the best answers of a memory to queries", run, "MEMORY QUERIES",
                                ""};
