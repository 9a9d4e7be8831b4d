/* Bytes or ids to symbols, frequencies, masks. */
#include "attention/network/masked_text.h"
#include "base/ram.h"
#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Different ids in order, into `sorted` (length), with their frequencies. */
static size_t count_ids(const int32_t *ids, size_t length, int32_t *sorted, double *frequency) {
    memcpy(sorted, ids, length * sizeof *sorted);
    qsort(sorted, length, sizeof *sorted, compare_ids);
    size_t distinct = 0;
    for (size_t i = 0, next; i < length; i = next) {
        for (next = i; next < length && sorted[next] == sorted[i]; next++) continue;
        sorted[distinct] = sorted[i];
        frequency[distinct++] = (double)(next - i) / (double)length;
    }
    return distinct;
}

static ireneo_error number_ids(const int32_t *ids, size_t length, ireneo_text *text) {
    int32_t *sorted = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&text->symbols, length, "the text"));
    IRENEO_TRY(IRENEO_ALLOCATE(&text->frequency, length, "the text"));
    IRENEO_TRY(IRENEO_ALLOCATE(&sorted, length, "the text"));
    text->distinct = count_ids(ids, length, sorted, text->frequency);
    for (size_t i = 0; i < length; i++) {
        const int32_t *at = bsearch(&ids[i], sorted, text->distinct, sizeof *sorted, compare_ids);
        text->symbols[i] = (int)(at - sorted);
    }
    for (size_t i = 0; i < text->distinct; i++) text->entropy -= text->frequency[i] * log(text->frequency[i]);
    text->length = length;
    text->training = length - length / 10;
    free(sorted);
    return IRENEO_OK;
}

/* Ids to symbols; `unit` says what they are in sentences. */
static ireneo_error read_symbols(const int32_t *ids, size_t length, const char *name, const char *unit,
                                 ireneo_text *text) {
    ireneo_error failed = number_ids(ids, length, text);
    if (failed == IRENEO_OK && text->distinct < 2)
        failed = ireneo_fail(IRENEO_ERROR_DATA, "%s holds one kind of %s only; there is nothing to predict",
                             name, unit);
    if (failed != IRENEO_OK) ireneo_text_free(text);
    return failed;
}

static ireneo_error check_length(size_t length, size_t context, const char *name, const char *unit) {
    if (length == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s is empty", name);
    if (length >= 10 * context) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA,
                       "%s holds %zu %ss; a context of %zu needs at least %zu, a tenth of which is held out",
                       name, length, unit, context, 10 * context);
}

ireneo_error ireneo_text_read(const unsigned char *bytes, size_t length, size_t context, const char *name,
                              ireneo_text *text) {
    int32_t *ids = NULL;
    memset(text, 0, sizeof *text);
    IRENEO_TRY(check_length(length, context, name, "byte"));
    IRENEO_TRY(IRENEO_ALLOCATE(&ids, length, "the text"));
    for (size_t i = 0; i < length; i++) ids[i] = bytes[i];
    ireneo_error failed = read_symbols(ids, length, name, "byte", text);
    free(ids);
    return failed;
}

ireneo_error ireneo_text_read_ids(const int32_t *ids, size_t length, size_t context, const char *name,
                                  ireneo_text *text) {
    memset(text, 0, sizeof *text);
    IRENEO_TRY(check_length(length, context, name, "token id"));
    return read_symbols(ids, length, name, "token id", text);
}

void ireneo_text_free(ireneo_text *text) {
    free(text->symbols);
    free(text->frequency);
    memset(text, 0, sizeof *text);
}

void ireneo_text_mask(const ireneo_text *text, size_t start, size_t count, double share, uint64_t seed,
                      uint64_t stream, int *tokens, int *targets) {
    ireneo_generator generator = {.seed = seed, .stream = stream};
    for (size_t i = 0; i < count; i++) {
        bool hidden = ireneo_draw_uniform(&generator) < share;
        int symbol = text->symbols[start + i];
        tokens[i] = hidden ? (int)text->distinct : symbol;
        targets[i] = hidden ? symbol : -1;
    }
}

void ireneo_text_follow(const ireneo_text *text, size_t start, size_t count, int *tokens, int *targets) {
    memcpy(tokens, text->symbols + start, count * sizeof *tokens);
    memcpy(targets, text->symbols + start + 1, count * sizeof *targets);
}

ireneo_error ireneo_text_pairs(const ireneo_text *text, double **surprise) {
    size_t n = text->distinct, count;
    IRENEO_TRY(ireneo_multiply_sizes(n, n, &count, "pairs of symbols"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(surprise, count, "pairs of symbols"));
    for (size_t i = 0; i + 1 < text->length; i++)
        (*surprise)[(size_t)text->symbols[i] * n + (size_t)text->symbols[i + 1]] += 1.0;
    for (size_t first = 0; first < n; first++) {
        double *row = *surprise + first * n, sum = 0.0;
        for (size_t i = 0; i < n; i++) sum += row[i];
        for (size_t i = 0; i < n; i++) row[i] = log(sum) - log(row[i]);
    }
    return IRENEO_OK;
}
