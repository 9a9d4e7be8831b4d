/* The option parser on arbitrary words, which zero bytes separate: it accepts only what is in range, and every word
 * that it hands back is one that was given. */
#include "fuzz.h"
#include "options.h"

#include <math.h>
#include <string.h>

enum { MOST_WORDS = 16, LARGEST = 512 };

static int split(const uint8_t *bytes, size_t count, char *text, char **words) {
    int found = 0;
    size_t length = count < LARGEST - 1 ? count : LARGEST - 1;
    memcpy(text, bytes, length);
    text[length] = '\0';
    for (size_t at = 0; at < length && found < MOST_WORDS; at += strlen(text + at) + 1)
        words[found++] = text + at;
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const command self = {"fuzz", "arbitrary words", NULL, "A [B]", "details"};
    char text[LARGEST], *words[MOST_WORDS];
    bool flag = false;
    size_t size = 7, found = 0;
    double real = 0.5;
    uint64_t seed = 1;
    const char *name = NULL, *choice = "one", *positional[2] = {NULL, NULL};
    option options[] = {FLAG("flag", &flag, "a flag"),
                        COUNT("size", &size, "N", "a size", 2, 1e6),
                        NUMBER("real", &real, "X", "a number", -1, 1),
                        SEED("seed", &seed, "a seed"),
                        TEXT("o", &name, "FILE", "a file"),
                        CHOICE("pick", &choice, "one|two", "a choice"),
                        OPTIONS_END};
    int word_count = split(bytes, count, text, words);
    int outcome = parse_options(&self, word_count, words, options, positional, 1, 2, &found);
    if (outcome != 0 && outcome != PARSE_FINISHED && outcome != EXIT_USAGE) abort();
    if (outcome != 0) return 0;
    if (found < 1 || found > 2 || positional[0] < text || positional[0] >= text + LARGEST) abort();
    if (size < 2 || size > 1000000 || !(real >= -1.0 && real <= 1.0)) abort();
    if (strcmp(choice, "one") != 0 && strcmp(choice, "two") != 0) abort();
    return 0;
}
