/* Figure "words": facts between real word vectors. Keys and values are different words, drawn at random; the
 * candidates are 2000 words, or the whole vocabulary. What ireneo and the Hebbian rule recall, against the
 * number of facts over the law's capacity. */
#include "base/error.h"
#include "base/ram.h"
#include "base/random.h"
#include "lab/figures/average.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    SETTINGS = 2,
    POINTS = 7,
    SOLVERS = 2,
    MOST_DRAWS = 20,
    FEW_CANDIDATES = 2000,
    PERMUTATION = 0x776f7264
};
static const double FRACTIONS[POINTS] = {0.3, 0.5, 0.7, 0.9, 0.95, 1.0, 1.1};

typedef struct word_data {
    float *vectors;
    size_t words, dim;
} word_data;

typedef struct word_job {
    size_t candidates, facts;
    uint64_t seed;
    ireneo_solver solver;
    double recalled; /* share */
} word_job;

typedef struct word_list {
    word_data data;
    size_t draws, count;
    double capacity[SETTINGS];
    word_job jobs[SETTINGS * POINTS * SOLVERS * MOST_DRAWS];
} word_list;

static ireneo_error load_words(word_data *data) {
    char path[PATH_MAX];
    IRENEO_TRY(ireneo_data_path("words-100d.npy", path, sizeof path));
    return ireneo_load_matrix(path, &data->vectors, &data->words, &data->dim);
}

/* Facts whose value and key are the (2i)-th and (2i + 1)-th word of a random order. With few candidates these
 * are the first values of that order; otherwise all words are candidates, in their own order. */
static void choose_words(const word_data *data, const word_job *job, const size_t *order, float *keys,
                         float *values, int64_t *targets) {
    size_t dim = data->dim, row = dim * sizeof(float);
    bool all = job->candidates == data->words;
    for (size_t i = 0; i < job->facts; i++) {
        memcpy(keys + i * dim, data->vectors + order[2 * i + 1] * dim, row);
        targets[i] = (int64_t)(all ? order[2 * i] : i);
    }
    for (size_t j = 0; j < job->candidates; j++)
        memcpy(values + j * dim, data->vectors + (all ? j : order[2 * j]) * dim, row);
}

/* Stores all facts or, when that fails, as many as possible. */
static ireneo_error store_words(const word_job *job, const ireneo_progress *progress,
                                const ireneo_facts *facts, double *recalled) {
    ireneo_store_settings settings = {.solver = job->solver, .threads = 1, .max_iterations = 500};
    ireneo_store_info info;
    ireneo_memory *memory;
    settings.progress = progress;
    for (settings.overload = 0; settings.overload < 2; settings.overload++) {
        IRENEO_TRY(ireneo_store(facts, &settings, &memory, NULL, &info));
        ireneo_memory_free(memory);
        if (info.status == IRENEO_STATUS_INTERRUPTED)
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "interrupted");
        if (info.status == IRENEO_STATUS_STORED || job->solver == IRENEO_SOLVER_HEBBIAN_WHITE) break;
        settings.max_iterations = 0;
    }
    *recalled = (double)info.recalled / (double)info.facts;
    return IRENEO_OK;
}

typedef struct word_context {
    const word_data *data;
    const word_job *job;
} word_context;

static ireneo_error make_share(queue_worker *worker, const void *context, double *values_out, size_t count) {
    const word_context *c = context;
    const word_data *data = c->data;
    const word_job *job = c->job;
    float *keys = NULL, *values = NULL;
    int64_t *targets = NULL;
    size_t *order = NULL;
    (void)count;
    ireneo_error failed = IRENEO_ALLOCATE(&keys, job->facts * data->dim, "keys");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&values, job->candidates * data->dim, "values");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&targets, job->facts, "targets");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&order, data->words, "an order of the words");
    if (failed == IRENEO_OK) {
        ireneo_generator generator = {job->seed, PERMUTATION, 0};
        ireneo_draw_permutation(&generator, data->words, order);
        choose_words(data, job, order, keys, values, targets);
        ireneo_facts facts = {.facts = job->facts,
                              .candidates = job->candidates,
                              .dim_in = data->dim,
                              .dim_out = data->dim,
                              .keys = keys,
                              .values = values,
                              .targets = targets};
        failed = store_words(job, &worker->progress, &facts, values_out);
    }
    free(keys);
    free(values);
    free(targets);
    free(order);
    return failed;
}

static ireneo_error run_job(queue_worker *worker, size_t index, void *context) {
    word_list *list = context;
    word_job *job = &list->jobs[index];
    word_context c = {&list->data, job};
    char name[160];
    snprintf(name, sizeof name, "words most %zux%zu solver=%d candidates=%zu facts=%zu seed=%llu",
             list->data.words, list->data.dim, (int)job->solver, job->candidates, job->facts,
             (unsigned long long)job->seed);
    return ireneo_queue_array(worker, name, make_share, &c, &job->recalled, 1);
}

static ireneo_error list_jobs(const figure_request *request, word_list *list) {
    list->draws = ireneo_figure_draws(request, 2, 5);
    for (size_t s = 0; s < SETTINGS; s++) {
        size_t candidates = s == 0 ? FEW_CANDIDATES : list->data.words;
        ireneo_shape shape = {.dim_in = list->data.dim, .dim_out = list->data.dim};
        ireneo_capacity_report report;
        shape.candidates = (double)candidates;
        IRENEO_TRY(ireneo_capacity(&shape, &report));
        list->capacity[s] = report.facts_capacity;
        for (size_t p = 0; p < POINTS; p++)
            for (size_t solver = 0; solver < SOLVERS; solver++)
                for (size_t draw = 0; draw < list->draws; draw++)
                    list->jobs[list->count++] = (word_job){
                        candidates, (size_t)(FRACTIONS[p] * report.facts_capacity), request->seed + draw,
                        solver == 0 ? IRENEO_SOLVER_PROJECT : IRENEO_SOLVER_HEBBIAN_WHITE, 0.0};
    }
    return IRENEO_OK;
}

static void write_shares(const word_list *list, FILE *stream) {
    size_t at = 0;
    fprintf(stream,
            "candidates,capacity,facts,fraction,ireneo,all,hebbian,ireneo_spread,hebbian_spread\n"
            "# Shares of facts recalled, means over %zu draws, and standard deviations over the draws "
            "(spread); fraction: facts "
            "over the\n# capacity; all: share of draws in which every fact is recalled.\n",
            list->draws);
    for (size_t s = 0; s < SETTINGS; s++) {
        if (s > 0) fputs("\n\n", stream);
        for (size_t p = 0; p < POINTS; p++) {
            draw_average shares[SOLVERS] = {{0}}, all = {0};
            const word_job *first = &list->jobs[at];
            for (size_t solver = 0; solver < SOLVERS; solver++) {
                for (size_t draw = 0; draw < list->draws; draw++, at++) {
                    ireneo_average_take(&shares[solver], list->jobs[at].recalled);
                    if (solver == 0) ireneo_average_take(&all, list->jobs[at].recalled == 1.0 ? 1.0 : 0.0);
                }
            }
            fprintf(stream, "%zu,%.6g,%zu,%.6g,%.6g,%.6g,%.6g,%.4g,%.4g\n", first->candidates,
                    list->capacity[s], first->facts, (double)first->facts / list->capacity[s],
                    ireneo_average_mean(&shares[0]), ireneo_average_mean(&all),
                    ireneo_average_mean(&shares[1]), ireneo_average_spread(&shares[0]),
                    ireneo_average_spread(&shares[1]));
        }
    }
}

static ireneo_error make_from(const figure_request *request, word_list *list) {
    results *store;
    figure_csv csv;
    IRENEO_TRY(list_jobs(request, list));
    queue_settings settings = ireneo_figure_queue(request, "storing words");
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_run(store, &settings, list->count, NULL, run_job, list);
    ireneo_results_close_shared(store);
    if (failed != IRENEO_OK) return failed;
    IRENEO_TRY(ireneo_figure_note(
        request, "words",
        "Word vectors of d = %zu, %zu draw%s of keys and values a point; bars: standard deviation\nover the "
        "draws, cut at 0 and 1; beyond the law Ireneo keeps what it can",
        list->data.dim, list->draws, list->draws > 1 ? "s" : ""));
    IRENEO_TRY(ireneo_csv_open(request, "words.csv", &csv));
    write_shares(list, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

static ireneo_error make(const figure_request *request) {
    word_list list = {0};
    ireneo_error failed = load_words(&list.data);
    if (failed == IRENEO_OK) failed = make_from(request, &list);
    ireneo_free(list.data.vectors);
    return failed;
}

const figure figure_words = {"words",
                             "facts between real word vectors against the law",
                             make,
                             {0, 0, false, MOST_DRAWS, "words", false}};
