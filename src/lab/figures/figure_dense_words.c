/* Figure "dense_words": word vectors as patterns. The 10 085 vectors of data/, whitened and brought to length
 * sqrt(N), are queried from growing angles; beside them as many random patterns, the same words only centred
 * instead of whitened, and theta_c of the theory (docs/dense-simulation.md). */
#include "base/ram.h"
#include "base/whiten.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double LAMBDAS[] = {0.15, 0.25, 0.5, 1.0};
enum { CROWDS = 3, LAMBDA_COUNT = sizeof LAMBDAS / sizeof *LAMBDAS, STREAM_ASIDE = 1, STREAM_RANDOM };
static const double CLOSENESS = 0.1; /* retrieved: |x - xi|^2 < 0.1 N */

typedef struct crowd {
    const char *name;
    float *patterns; /* (count, neurons) */
    size_t count, neurons;
} crowd;

typedef struct questions {
    size_t count;
    size_t *asked;           /* (count): the pattern of each query */
    float *queries, *states; /* (count, neurons) */
} questions;

/* Queries at an angle from their patterns, in directions that do not depend on the angle. */
static void make_queries(const crowd *c, const questions *q, double angle, uint64_t seed) {
    size_t n = c->neurons;
    ireneo_random_normals_float(seed, STREAM_ASIDE, 0, q->count * n, 1, q->queries);
    for (size_t k = 0; k < q->count; k++) {
        float *x = q->queries + k * n;
        const float *xi = c->patterns + q->asked[k] * n;
        double inner = 0.0, square = 0.0;
        for (size_t i = 0; i < n; i++) inner += (double)x[i] * (double)xi[i] / (double)n;
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)((double)x[i] - inner * (double)xi[i]);
            square += (double)x[i] * (double)x[i];
        }
        double aside = sin(angle) * sqrt((double)n / square);
        for (size_t i = 0; i < n; i++) x[i] = (float)(cos(angle) * (double)xi[i] + aside * (double)x[i]);
    }
}

static size_t count_retrieved(const crowd *c, const questions *q) {
    size_t n = c->neurons, retrieved = 0;
    for (size_t k = 0; k < q->count; k++) {
        double distance = 0.0;
        for (size_t i = 0; i < n; i++) {
            double d = (double)q->states[k * n + i] - (double)c->patterns[q->asked[k] * n + i];
            distance += d * d;
        }
        retrieved += distance < CLOSENESS * (double)n;
    }
    return retrieved;
}

static ireneo_error ask(const figure_request *request, FILE *stream, const crowd *c, const questions *q,
                        double lambda) {
    ireneo_dense_recall_settings settings = {.preparation = IRENEO_DENSE_PREPARATION_RAW};
    settings.lambda = lambda;
    settings.steps = request->quick ? 40 : 200;
    settings.tolerance = 1e-4;
    settings.threads = request->threads;
    settings.progress = request->progress;
    ireneo_dense_point point = {.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL,
                                .lambda = lambda,
                                .neurons = (double)c->neurons,
                                .patterns = (double)c->count};
    ireneo_dense_basins_report theory;
    IRENEO_TRY(ireneo_dense_basins(&point, &theory));
    ireneo_dense_recall_result result = {.states = q->states};
    int angles = request->quick ? 18 : 30;
    for (int i = 0; i < angles; i++) {
        double angle = 0.5 * M_PI * i / angles;
        make_queries(c, q, angle, request->seed);
        IRENEO_TRY(ireneo_dense_recall(c->patterns, c->count, c->neurons, q->queries, q->count, &settings,
                                       &result, NULL));
        double share = (double)count_retrieved(c, q) / (double)q->count;
        fprintf(stream, "%s,%g,%.6g,%.6g,%.3g,%.8g,%.8g\n", c->name, lambda, angle, share,
                sqrt((share * (1.0 - share) + 0.25 / (double)q->count) / (double)q->count), theory.theta_c,
                theory.theta_converged);
    }
    fprintf(stream, "\n\n");
    return IRENEO_OK;
}

static ireneo_error ask_all(const figure_request *request, FILE *stream, const crowd *c, const questions *q) {
    for (int l = 0; l < LAMBDA_COUNT; l++) IRENEO_TRY(ask(request, stream, c, q, LAMBDAS[l]));
    return IRENEO_OK;
}

/* A spread of the list, which is ordered by frequency. */
static ireneo_error make_room(const crowd *c, size_t count, questions *q) {
    q->count = count < c->count ? count : c->count;
    IRENEO_TRY(IRENEO_ALLOCATE(&q->asked, q->count, "queries"));
    IRENEO_TRY(IRENEO_ALLOCATE(&q->queries, q->count * c->neurons, "queries"));
    IRENEO_TRY(IRENEO_ALLOCATE(&q->states, q->count * c->neurons, "states"));
    for (size_t k = 0; k < q->count; k++) q->asked[k] = k * c->count / q->count;
    return IRENEO_OK;
}

static int queries(const figure_request *request) {
    return request->quick ? 120 : 2000;
}

static ireneo_error write_shares(const figure_request *request, figure_csv *csv, const crowd *crowds) {
    questions q = {0};
    ireneo_error error = make_room(&crowds[0], (size_t)queries(request), &q);
    fprintf(csv->stream, "patterns,lambda,angle,retrieved,error,theta_c,theta_converged\n"
                         "# retrieved: share of queries at that angle (radians) that come back, and its "
                         "standard error; theta: of random patterns.\n");
    for (int k = 0; k < CROWDS && error == IRENEO_OK; k++)
        error = ask_all(request, csv->stream, &crowds[k], &q);
    free(q.asked);
    free(q.queries);
    free(q.states);
    return error;
}

/* values (rows, columns) lose their mean. */
static ireneo_error centre_rows(float *values, size_t rows, size_t columns) {
    double *mean = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&mean, columns, "mean"));
    ireneo_error failed = ireneo_mean_row(values, rows, columns, 1, mean);
    for (size_t k = 0; failed == IRENEO_OK && k < rows * columns; k++)
        values[k] = (float)((double)values[k] - mean[k % columns]);
    free(mean);
    return failed;
}

/* values (rows, columns) get zero mean and the identity as covariance. */
static ireneo_error whiten_rows(float *values, size_t rows, size_t columns) {
    float *white = NULL;
    ireneo_whitening whitening;
    IRENEO_TRY(ireneo_whitening_make(values, rows, columns, true, false, 1, &whitening));
    ireneo_error failed = IRENEO_OK;
    if (whitening.span < columns)
        failed = ireneo_fail(IRENEO_ERROR_DATA,
                             "the rows do not fill their %zu dimensions and cannot be whitened", columns);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&white, rows * columns, "white rows");
    if (failed == IRENEO_OK) failed = ireneo_whitening_apply(&whitening, values, rows, columns, 1, white);
    if (failed == IRENEO_OK) memcpy(values, white, rows * columns * sizeof *values);
    ireneo_whitening_free(&whitening);
    free(white);
    return failed;
}

static ireneo_error load_words(const char *name, ireneo_error (*prepare)(float *, size_t, size_t),
                               crowd *words) {
    char path[PATH_MAX];
    *words = (crowd){.name = name};
    IRENEO_TRY(ireneo_data_path("words-100d.npy", path, sizeof path));
    IRENEO_TRY(ireneo_load_matrix(path, &words->patterns, &words->count, &words->neurons));
    IRENEO_TRY(prepare(words->patterns, words->count, words->neurons));
    return ireneo_dense_normalise(words->patterns, words->count, words->neurons);
}

static ireneo_error make_random(uint64_t seed, const crowd *words, crowd *random) {
    *random = (crowd){"random", NULL, words->count, words->neurons};
    IRENEO_TRY(IRENEO_ALLOCATE(&random->patterns, random->count * random->neurons, "random patterns"));
    ireneo_random_normals_float(seed, STREAM_RANDOM, 0, random->count * random->neurons, 1, random->patterns);
    return ireneo_dense_normalise(random->patterns, random->count, random->neurons);
}

static ireneo_error make(const figure_request *request) {
    crowd crowds[CROWDS] = {{0}};
    ireneo_error error = load_words("whitened", whiten_rows, &crowds[0]);
    if (error == IRENEO_OK) error = make_random(request->seed, &crowds[0], &crowds[1]);
    if (error == IRENEO_OK) error = load_words("centred", centre_rows, &crowds[2]);
    figure_csv csv;
    if (error == IRENEO_OK)
        error = ireneo_figure_note(
            request, "dense_words",
            "P = %zu patterns of N = %zu, %d queries a point; lines: random patterns of the same sizes "
            "(λ = 0.5 and 1 lie on each other); θ_c: theory",
            crowds[0].count, crowds[0].neurons, queries(request));
    if (error == IRENEO_OK) error = ireneo_csv_open(request, "dense_words.csv", &csv);
    if (error == IRENEO_OK) {
        error = write_shares(request, &csv, crowds);
        error = ireneo_csv_close(&csv, error);
    }
    for (int k = 0; k < CROWDS; k++) ireneo_free(crowds[k].patterns);
    return error;
}

const figure figure_dense_words = {
    "dense_words", "dense memories: word vectors queried from growing angles", make, {0}};
