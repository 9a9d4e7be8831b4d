/* A sorted list of labels. Nearness is the least number of bytes that are inserted, left out, replaced, or swapped
 * with their neighbour (Damerau's distance, optimal string alignment). */
#include "vocabulary.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_NEAR = 128 }; /* bytes of a word for which near ones are looked for */

static int by_label(const void *a, const void *b, void *context) {
    const vocabulary *words = context;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int order = strcmp(words->labels[i], words->labels[j]);
    return order != 0 ? order : (i > j) - (i < j);
}

bool sort_vocabulary(char *const *labels, size_t count, vocabulary *words) {
    *words = (vocabulary){.labels = labels, .count = count};
    words->order = calloc(count + 1, sizeof *words->order);
    if (words->order == NULL) return false;
    for (size_t i = 0; i < count; i++) words->order[i] = i;
    qsort_r(words->order, count, sizeof *words->order, by_label, words);
    return true;
}

void free_vocabulary(vocabulary *words) {
    free(words->order);
    *words = (vocabulary){0};
}

/* The first place whose label, cut to `length` bytes, is not below the text; with `beyond`, above it. */
static size_t bound(const vocabulary *words, const char *text, size_t length, bool beyond) {
    size_t low = 0, high = words->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(words->labels[words->order[middle]], text, length);
        if (order < 0 || (beyond && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t words_with_prefix(const vocabulary *words, const char *text, size_t length, size_t *first) {
    *first = bound(words, text, length, false);
    return bound(words, text, length, true) - *first;
}

size_t find_rows(const vocabulary *words, const char *word, size_t *first) {
    return words_with_prefix(words, word, strlen(word) + 1, first); /* with its end: the whole label */
}

static char folded(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Both texts are at most 2 LONGEST_NEAR long. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3][2 * LONGEST_NEAR + 1], length = strlen(b);
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= length; j++) last[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        now[0] = i;
        for (size_t j = 1; j <= length; j++) {
            char x = folded(a[i - 1]), y = folded(b[j - 1]);
            now[j] = least(last[j - 1] + (x != y), 1 + least(last[j], now[j - 1]));
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && folded(a[i - 2]) == y)
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last, last = now, now = free_row;
    }
    return last[length];
}

/* SIZE_MAX: not near. A label that goes on where the word ends counts as one place. */
static size_t nearness(const char *word, size_t length, const char *label) {
    size_t other = strlen(label), most = (length + 2) / 4;
    if (other == 0) return SIZE_MAX;
    size_t difference = other > length ? other - length : length - other;
    size_t places = difference <= most ? distance(word, label) : SIZE_MAX;
    if (places > most) places = SIZE_MAX;
    return strncasecmp(word, label, length) == 0 ? least(places, 1) : places;
}

size_t near_words(const vocabulary *words, const char *word, size_t *rows, size_t most) {
    size_t length = strlen(word), count = 0, places[64];
    if (length == 0 || length > LONGEST_NEAR) return 0;
    if (most > sizeof places / sizeof *places) most = sizeof places / sizeof *places;
    for (size_t i = 0; i < words->count; i++) {
        size_t row = words->order[i], found = nearness(word, length, words->labels[row]), at = count;
        if (found == SIZE_MAX ||
            (i > 0 && strcmp(words->labels[row], words->labels[words->order[i - 1]]) == 0))
            continue;
        while (at > 0 && places[at - 1] > found) at--;
        if (at == most) continue;
        if (count < most) count++;
        memmove(places + at + 1, places + at, (count - at - 1) * sizeof *places);
        memmove(rows + at + 1, rows + at, (count - at - 1) * sizeof *rows);
        places[at] = found, rows[at] = row;
    }
    return count;
}
