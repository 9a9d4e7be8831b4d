/* Token ids from files, their windows, and random embeddings of them. */
#include "attention/network/token_ids.h"
#include "base/array.h"
#include "base/dtype.h"
#include "base/ram.h"
#include "base/random.h"

#include <string.h>

enum { PADDING = -1 };

/* ---- files ---- */

static ireneo_error check_shape(const char *location, const ireneo_array *array) {
    if (!ireneo_dtype_whole(array->dtype) || array->dtype == IRENEO_DTYPE_BOOL)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: the elements are %s; token ids are whole numbers, as int32 or uint16",
                           location, ireneo_dtype_name(array->dtype));
    if (array->axes != 1 && array->axes != 2)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: the array has %d axes; token ids have 1 (a stream) or 2 (sequences)",
                           location, array->axes);
    if (array->count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array is empty", location);
    return ireneo_ram_require((double)array->count * sizeof(int64_t), location);
}

/* One id as it is kept: padding becomes -1. False when it is out of range. */
static bool keep_id(int64_t id, const int64_t *padding, int64_t *kept) {
    bool padded = padding != NULL ? id == *padding : id < 0;
    *kept = padded ? PADDING : id;
    return padded || (id >= 0 && id <= INT32_MAX);
}

static ireneo_error read_ids(const char *location, const ireneo_array *array, const int64_t *padding,
                             int64_t *ids) {
    const unsigned char *source = array->data;
    size_t size = ireneo_dtype_size(array->dtype);
    for (size_t i = 0; i < array->count; i++) {
        int64_t id = 0;
        bool fits = ireneo_whole_element(array->dtype, source + i * size, &id);
        if (fits && keep_id(id, padding, &ids[i])) continue;
        size_t columns = array->axes == 2 ? array->shape[1] : array->count;
        if (fits && id < 0)
            return ireneo_fail(
                IRENEO_ERROR_DATA,
                "%s: row %zu, column %zu (counting from 0) holds the id %lld, and padding is %lld", location,
                i / columns, i % columns, (long long)id, (long long)*padding);
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: row %zu, column %zu (counting from 0) holds an id above %d", location,
                           i / columns, i % columns, INT32_MAX);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_attention_tokens_open(const char *location, const int64_t *padding,
                                          ireneo_attention_tokens *tokens) {
    IRENEO_REQUIRE(tokens != NULL, "token ids need a place to be read to");
    *tokens = (ireneo_attention_tokens){0};
    ireneo_array array;
    int64_t *ids = NULL;
    IRENEO_TRY(ireneo_array_open(location, &array));
    ireneo_error failed = check_shape(location, &array);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&ids, array.count, location);
    if (failed == IRENEO_OK) failed = read_ids(location, &array, padding, ids);
    if (failed == IRENEO_OK)
        *tokens = (ireneo_attention_tokens){.ids = ids,
                                            .sequences = array.axes == 2 ? array.shape[0] : 1,
                                            .length = array.axes == 2 ? array.shape[1] : array.count,
                                            .block = ids};
    else
        free(ids);
    ireneo_array_close(&array);
    return failed;
}

void ireneo_attention_tokens_close(ireneo_attention_tokens *tokens) {
    if (tokens == NULL) return;
    free(tokens->block);
    *tokens = (ireneo_attention_tokens){0};
}

/* ---- windows ---- */

ireneo_error ireneo_token_stream(const ireneo_attention_tokens *tokens, int32_t **ids, size_t *count) {
    *ids = NULL;
    *count = 0;
    IRENEO_REQUIRE(tokens != NULL && tokens->ids != NULL, "no token ids were given");
    IRENEO_TRY(ireneo_check_reserved(tokens->reserved, "the token ids"));
    if (tokens->length == 0 || tokens->sequences == 0 || tokens->sequences > SIZE_MAX / 16 / tokens->length)
        return ireneo_fail(IRENEO_ERROR_DATA, "%zu sequences of %zu token ids cannot be read",
                           tokens->sequences, tokens->length);
    size_t all = tokens->sequences * tokens->length;
    IRENEO_TRY(IRENEO_ALLOCATE(ids, all, "token ids"));
    for (size_t i = 0; i < all; i++) {
        int64_t id = tokens->ids[i];
        if (id < 0) continue;
        if (id > INT32_MAX) {
            free(*ids);
            *ids = NULL;
            return ireneo_fail(IRENEO_ERROR_DATA, "token id %lld is above %d", (long long)id, INT32_MAX);
        }
        (*ids)[(*count)++] = (int32_t)id;
    }
    return IRENEO_OK;
}

/* Real tokens of a row. */
static size_t row_tokens(const ireneo_attention_tokens *tokens, size_t row) {
    size_t count = 0;
    for (size_t i = 0; i < tokens->length; i++) count += tokens->ids[row * tokens->length + i] >= 0;
    return count;
}

/* Window starts, while the ids of rows that are cut close up to the front. */
static void cut_rows(const ireneo_attention_tokens *tokens, size_t context, ireneo_token_windows *w) {
    size_t from = 0, to = 0;
    for (size_t row = 0; row < tokens->sequences; row++) {
        size_t length = row_tokens(tokens, row), step = length < context ? length : context;
        for (size_t first = 0; step >= 2 && first + step <= length; first += step) {
            memmove(w->ids + to, w->ids + from + first, step * sizeof *w->ids);
            w->starts[w->count++] = to;
            to += step;
            if (step > w->longest) w->longest = step;
        }
        from += length;
    }
    w->starts[w->count] = to;
}

ireneo_error ireneo_token_windows_cut(const ireneo_attention_tokens *tokens, size_t context,
                                      ireneo_token_windows *windows) {
    size_t count = 0;
    *windows = (ireneo_token_windows){0};
    IRENEO_TRY(ireneo_token_stream(tokens, &windows->ids, &count));
    ireneo_error failed = IRENEO_ALLOCATE(&windows->starts, count / 2 + 1, "token ids");
    if (failed == IRENEO_OK) cut_rows(tokens, context, windows);
    if (failed == IRENEO_OK && windows->count == 0)
        failed = ireneo_fail(IRENEO_ERROR_DATA,
                             "the token ids hold no sequence of two tokens; the rest is padding");
    if (failed != IRENEO_OK) ireneo_token_windows_free(windows);
    return failed;
}

void ireneo_token_windows_free(ireneo_token_windows *windows) {
    free(windows->ids);
    free(windows->starts);
    *windows = (ireneo_token_windows){0};
}

ireneo_error ireneo_attention_tokens_keys(const ireneo_attention_tokens *tokens, double context, size_t draws,
                                          double *keys) {
    ireneo_token_windows windows;
    IRENEO_REQUIRE(keys != NULL, "a number of keys needs a place to be written to");
    *keys = 0.0;
    if (!(context >= 2.0 && context <= 65536.0) || draws == 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "windows have 2 to 65536 tokens, not %g", context);
    IRENEO_TRY(ireneo_token_windows_cut(tokens, (size_t)context, &windows));
    double sum = 0.0;
    for (size_t draw = 0; draw < draws; draw++) {
        size_t i = draw % windows.count;
        sum += (double)(windows.starts[i + 1] - windows.starts[i]);
    }
    *keys = sum / (double)draws;
    ireneo_token_windows_free(&windows);
    return IRENEO_OK;
}

size_t ireneo_token_windows_embed(const ireneo_token_windows *windows, size_t number, size_t width,
                                  double positions, uint64_t seed, const uint64_t streams[2], float *x) {
    enum { PIECE = 256 };
    size_t first = windows->starts[number % windows->count],
           length = windows->starts[number % windows->count + 1] - first;
    for (size_t row = 0; row < length; row++)
        ireneo_random_normals_float(seed, streams[0], (size_t)windows->ids[first + row] * width, width, 1,
                                    x + row * width);
    if (positions <= 0.0) return length;
    for (size_t at = 0; at < length * width; at += PIECE) {
        float noise[PIECE];
        size_t count = length * width - at < PIECE ? length * width - at : PIECE;
        ireneo_random_normals_float(seed, streams[1], at, count, 1, noise);
        for (size_t i = 0; i < count; i++) x[at + i] += (float)positions * noise[i];
    }
    return length;
}
