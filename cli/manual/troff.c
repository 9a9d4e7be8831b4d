/* Plain text for manual pages. */
#include "manual/troff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static void put(FILE *page, char c) {
    switch (c) {
    case '-':
        fputs("\\-", page);
        break;
    case '\\':
        fputs("\\e", page);
        break;
    case '\'':
        fputs("\\(aq", page);
        break;
    case '"':
        fputs("\\(dq", page);
        break;
    case '^':
        fputs("\\(ha", page);
        break;
    case '~':
        fputs("\\(ti", page);
        break;
    case '`':
        fputs("\\(ga", page);
        break;
    default:
        fputc(c, page);
    }
}

void troff_words(FILE *page, const char *text) {
    if (*text == '.') fputs("\\&", page); /* no request */
    for (; *text != '\0'; text++) put(page, *text);
}

/* Whether the first word is one that begins sentences; names such as bert-base or x.npy stay as they are. */
static bool may_rise(const char *phrase) {
    size_t letters = strspn(phrase, "abcdefghijklmnopqrstuvwxyz");
    return letters > 0 && (phrase[letters] == '\0' || strchr(" ,;:)'", phrase[letters]) != NULL);
}

void troff_sentence(FILE *page, const char *phrase) {
    size_t length = strlen(phrase);
    if (may_rise(phrase)) {
        fputc(toupper((unsigned char)*phrase), page);
        phrase++;
    }
    troff_words(page, phrase);
    fputs(length > 0 && strchr(".!?", phrase[strlen(phrase) - 1]) != NULL ? "\n" : ".\n", page);
}

void troff_lines(FILE *page, const char *text) {
    bool shaped = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (shaped != (*text == ' ')) fputs(shaped ? ".RE\n.fi\n.PP\n" : ".PP\n.nf\n.RS\n", page);
        shaped = *text == ' ';
        if (*text == '.') fputs("\\&", page);
        for (size_t i = shaped ? strspn(text, " ") : 0; i < length; i++) put(page, text[i]);
        fputc('\n', page);
        text += length + (text[length] == '\n');
    }
    if (shaped) fputs(".RE\n.fi\n", page);
}
