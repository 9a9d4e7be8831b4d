/* The sum of a sequence's unit vectors says how alike they are: |sum u|^2 = n + n (n - 1) rho. So one pass over the rows of
 * the embedding is enough, each added wherever its token occurs. */
#include "attention/models/embedding.h"

#include "attention/models/tensor_scan.h"
#include "base/dtype.h"
#include "base/ram.h"
#include "base/source.h"

#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 20 };

/* A token at a place. */
typedef struct occurrence {
    int64_t id;
    size_t sequence, place;
} occurrence;

typedef struct measurement {
    const ireneo_embedding_request *request;
    size_t sequences;
    occurrence *sorted; /* (sequences length) by id; NULL: every token once */
    size_t next, count; /* of them: the first that has not been met, and all without padding */
    double *sums;       /* (sequences, width) */
    double *counts;     /* (sequences) */
    double *vector;     /* (width) */
    double squares, tokens;
} measurement;

static int by_id(const void *a, const void *b) {
    const occurrence *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static ireneo_error sort_ids(measurement *m) {
    const ireneo_attention_tokens *t = m->request->tokens;
    size_t places = t->sequences * t->length;
    IRENEO_TRY(IRENEO_ALLOCATE(&m->sorted, places, "the places of tokens"));
    for (size_t i = 0; i < places; i++)
        if (t->ids[i] >= 0) m->sorted[m->count++] = (occurrence){t->ids[i], i / t->length, i % t->length};
    qsort(m->sorted, m->count, sizeof *m->sorted, by_id);
    return IRENEO_OK;
}

/* Adds a token at a place; false when its vector is not finite. */
static bool add_token(measurement *m, const float *row, size_t sequence, size_t place) {
    const ireneo_embedding_request *r = m->request;
    const float *position = r->positions != NULL ? r->positions + place * r->width : NULL;
    double *x = m->vector, *sum = m->sums + sequence * r->width, mean = 0.0, square = 0.0;
    for (size_t k = 0; k < r->width; k++) {
        x[k] = (double)row[k] + (position != NULL ? (double)position[k] : 0.0) +
               (r->segment != NULL ? (double)r->segment[k] : 0.0);
        mean += x[k] / (double)r->width;
    }
    if (!r->centred) mean = 0.0;
    for (size_t k = 0; k < r->width; k++) {
        x[k] -= mean;
        square += x[k] * x[k];
    }
    if (!isfinite(square)) return false;
    m->squares += square;
    m->tokens += 1.0;
    if (square == 0.0) return true;
    double unit = 1.0 / sqrt(square);
    for (size_t k = 0; k < r->width; k++) sum[k] += x[k] * unit;
    m->counts[sequence] += 1.0;
    return true;
}

/* A row of the embedding, wherever its token is. */
static bool add_row(measurement *m, const float *row, size_t id) {
    bool fine = true;
    if (m->sorted == NULL) return add_token(m, row, id % m->sequences, id / m->sequences);
    for (; m->next < m->count && m->sorted[m->next].id == (int64_t)id; m->next++)
        fine = add_token(m, row, m->sorted[m->next].sequence, m->sorted[m->next].place) && fine;
    return fine;
}

static ireneo_error read_rows(measurement *m, ireneo_source *source, unsigned char *block, float *rows,
                              size_t most) {
    size_t width = m->request->width, row_bytes = width * ireneo_dtype_size(source->layout.dtype);
    for (size_t first = 0, many; first < source->layout.shape[0]; first += many) {
        many = source->layout.shape[0] - first < most ? source->layout.shape[0] - first : most;
        IRENEO_TRY(ireneo_source_read(source, block, many * row_bytes));
        ireneo_elements_to_float(source->layout.dtype, block, many * width, rows);
        for (size_t i = 0; i < many; i++)
            if (!add_row(m, rows + i * width, first + i))
                return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu holds NaN or infinity", source->location,
                                   first + i);
    }
    return IRENEO_OK;
}

static ireneo_error read_source(measurement *m, ireneo_source *source) {
    unsigned char *block = NULL;
    float *rows = NULL;
    size_t bytes = m->request->width * ireneo_dtype_size(source->layout.dtype);
    size_t most = bytes < BLOCK_BYTES ? BLOCK_BYTES / bytes : 1;
    ireneo_error failed = IRENEO_ALLOCATE(&block, most * bytes, "rows of the embedding");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&rows, most * m->request->width, "rows of the embedding");
    if (failed == IRENEO_OK) failed = read_rows(m, source, block, rows, most);
    free(block);
    free(rows);
    return failed;
}

static ireneo_error read_embedding(measurement *m) {
    char *location = NULL;
    ireneo_source source;
    IRENEO_TRY(ireneo_tensor_location(m->request->path, m->request->embedding, &location));
    ireneo_error failed = ireneo_source_open(location, &source);
    if (failed == IRENEO_OK) failed = read_source(m, &source);
    ireneo_source_close(&source);
    free(location);
    return failed;
}

/* Mean over sequences of two tokens and more. */
static ireneo_error mean_cosine(const measurement *m, double *rho) {
    double total = 0.0, sequences = 0.0;
    for (size_t s = 0; s < m->sequences; s++) {
        double n = m->counts[s], square = 0.0;
        if (n < 2.0) continue;
        const double *sum = m->sums + s * m->request->width;
        for (size_t k = 0; k < m->request->width; k++) square += sum[k] * sum[k];
        total += (square - n) / (n * (n - 1.0));
        sequences += 1.0;
    }
    if (sequences == 0.0)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s:%s: no sequence holds two tokens whose vectors are not zero", m->request->path,
                           m->request->embedding);
    *rho = total / sequences;
    return IRENEO_OK;
}

static ireneo_error measure(measurement *m, double *rho, double *q) {
    const ireneo_embedding_request *r = m->request;
    if (r->tokens != NULL) IRENEO_TRY(sort_ids(m));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&m->sums, m->sequences * r->width, "sums over sequences"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&m->counts, m->sequences, "sums over sequences"));
    IRENEO_TRY(IRENEO_ALLOCATE(&m->vector, r->width, "a token"));
    IRENEO_TRY(read_embedding(m));
    IRENEO_TRY(mean_cosine(m, rho));
    *q = r->scale * r->scale * m->squares / (m->tokens * (double)r->width);
    return IRENEO_OK;
}

ireneo_error ireneo_embedding_measure(const ireneo_embedding_request *request, double *rho, double *q) {
    measurement m = {.request = request, .sequences = 1};
    if (request->tokens != NULL)
        m.sequences = request->tokens->sequences;
    else if (request->positions != NULL)
        m.sequences = (request->vocabulary + request->position_count - 1) / request->position_count;
    ireneo_error failed = measure(&m, rho, q);
    free(m.sorted);
    free(m.sums);
    free(m.counts);
    free(m.vector);
    return failed;
}

ireneo_error ireneo_tokens_count(const char *location, const ireneo_attention_tokens *tokens,
                                 size_t vocabulary, size_t *count, size_t *longest) {
    *count = *longest = 0;
    for (size_t s = 0; s < tokens->sequences; s++) {
        size_t own = 0;
        for (size_t k = 0; k < tokens->length; k++) {
            int64_t id = tokens->ids[s * tokens->length + k];
            if (id >= 0 && (uint64_t)id >= vocabulary)
                return ireneo_fail(
                    IRENEO_ERROR_DATA,
                    "%s: sequence %zu has the id %lld at place %zu, but the embedding has rows 0 to %zu",
                    location, s, (long long)id, k, vocabulary - 1);
            own += id >= 0;
        }
        *count += own;
        if (own > *longest) *longest = own;
    }
    if (*longest < 2) return ireneo_fail(IRENEO_ERROR_DATA, "%s: no sequence has two tokens", location);
    return IRENEO_OK;
}
