/* The names that can be asked for: finding them, completing them, and what a misspelt one may have meant. */
#ifndef IRENEO_CLI_VOCABULARY_H
#define IRENEO_CLI_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vocabulary {
    char *const *labels; /* (count), the caller's */
    size_t count;
    size_t *order; /* (count) rows in the order of their labels, equal ones in the order of rows */
} vocabulary;

/* false: not enough RAM. */
bool sort_vocabulary(char *const *labels, size_t count, vocabulary *words);
void free_vocabulary(vocabulary *words);

/* How many labels begin with the first `length` bytes of `text`; they stand at order[*first] and behind. */
size_t words_with_prefix(const vocabulary *words, const char *text, size_t length, size_t *first);

/* Rows whose label is this word, at order[*first] and behind: 0, 1, or more when a label comes several times. */
size_t find_rows(const vocabulary *words, const char *word, size_t *first);

/* Up to `most` rows whose labels are near the word, nearest first: it differs from them in few places, or they go
 * on where it ends. Case does not count. Returns how many. */
size_t near_words(const vocabulary *words, const char *word, size_t *rows, size_t most);

#endif
