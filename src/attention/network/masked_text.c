/* Bytes to symbols, frequencies, masks. */
#include "attention/network/masked_text.h"
#include "base/ram.h"
#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Numbers the bytes that occur; numbers[byte] is -1 for the others. */
static void number_bytes(const unsigned char *bytes, size_t length, ireneo_text *text, int *numbers) {
    size_t counts[256] = {0};
    for (size_t i = 0; i < length; i++) counts[bytes[i]]++;
    for (size_t byte = 0; byte < 256; byte++) {
        numbers[byte] = -1;
        if (counts[byte] == 0) continue;
        double frequency = (double)counts[byte] / (double)length;
        text->frequency[text->distinct] = frequency;
        text->entropy -= frequency * log(frequency);
        numbers[byte] = (int)text->distinct++;
    }
}

ireneo_error ireneo_text_read(const unsigned char *bytes, size_t length, size_t context, const char *name,
                              ireneo_text *text) {
    int numbers[256];
    memset(text, 0, sizeof *text);
    if (length == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s is empty", name);
    if (length < 10 * context)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s holds %zu bytes; a context of %zu needs at least %zu, a tenth of which is held "
            "out",
            name, length, context, 10 * context);
    number_bytes(bytes, length, text, numbers);
    if (text->distinct < 2)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s holds one kind of byte only; there is nothing to predict",
                           name);
    IRENEO_TRY(IRENEO_ALLOCATE(&text->symbols, length, "the text"));
    for (size_t i = 0; i < length; i++) text->symbols[i] = numbers[bytes[i]];
    text->length = length;
    text->training = length - length / 10;
    return IRENEO_OK;
}

void ireneo_text_free(ireneo_text *text) {
    free(text->symbols);
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
