/* Reader of numbers as text. The text is gone through twice: once to check and count, once to convert. The
 * decimal point is a point in every locale. */
#include "base/table.h"

#include "base/array.h"
#include "base/ram.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BLANKS = '\0' }; /* any number of spaces and tabs between words */

typedef struct table {
    const char *path;
    const char *at, *end; /* what is left of the text */
    char separator;       /* or BLANKS */
    size_t line, column;  /* of the word at hand, from 1 */
    size_t rows, columns;
    bool whole; /* all numbers so far are whole and fit int64 */
    locale_t c_locale;
} table;

typedef struct word {
    const char *text;
    size_t length;
} word;

/* ---- Lines and words ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Without blanks at both ends; tabs are not blanks where they separate. */
static word trimmed(const table *t, const char *text, size_t length) {
    while (length > 0 && is_blank(*text) && *text != t->separator) text++, length--;
    while (length > 0 && is_blank(text[length - 1]) && text[length - 1] != t->separator) length--;
    return (word){text, length};
}

/* The next line that holds something; false at the end. Ends of lines are \n or \r\n. */
static bool next_line(table *t, word *line) {
    while (t->at < t->end) {
        const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at)), *start = t->at;
        size_t length = (size_t)((newline == NULL ? t->end : newline) - start);
        t->at = newline == NULL ? t->end : newline + 1;
        t->line++;
        if (length > 0 && start[length - 1] == '\r') length--;
        *line = trimmed(t, start, length);
        if (line->length > 0 && line->text[0] != '#') return true;
    }
    return false;
}

static char find_separator(word line) {
    static const char separators[] = "\t;,";
    for (const char *s = separators; *s != '\0'; s++)
        if (memchr(line.text, *s, line.length) != NULL) return *s;
    return BLANKS;
}

/* Cuts the next word off the line; false when there is none. After a separator there always is one, perhaps
 * empty. */
static bool next_word(const table *t, word *line, word *next) {
    if (line->text == NULL) return false;
    size_t length = 0;
    while (length < line->length &&
           (t->separator == BLANKS ? !is_blank(line->text[length]) : line->text[length] != t->separator))
        length++;
    *next = trimmed(t, line->text, length);
    if (length == line->length)
        line->text = NULL;
    else {
        *line = (word){line->text + length + 1, line->length - length - 1};
        if (t->separator == BLANKS) *line = trimmed(t, line->text, line->length);
    }
    return true;
}

/* ---- Numbers ---- */

/* Whether the word has the letters of a decimal number; strtod would also take "nan", "inf" and 0x1p3. */
static bool looks_decimal(word w) {
    bool digit = false;
    for (size_t i = 0; i < w.length; i++) {
        char c = w.text[i];
        if (c == '\0' || strchr("+-.eE0123456789", c) == NULL) return false;
        digit |= c >= '0' && c <= '9';
    }
    return digit;
}

/* The word ends where a number cannot go on, so that strtod stops there at the latest. */
static bool read_real(const table *t, word w, double *value) {
    char *end = NULL;
    if (!looks_decimal(w)) return false;
    errno = 0;
    *value = strtod_l(w.text, &end, t->c_locale);
    return end == w.text + w.length;
}

static bool read_whole(word w, int64_t *value) {
    char *end = NULL;
    if (!looks_decimal(w)) return false;
    errno = 0;
    long long whole = strtoll(w.text, &end, 10);
    *value = whole;
    return end == w.text + w.length && errno == 0;
}

static ireneo_error bad_word(const table *t, word w) {
    const char *remedy = "";
    if (w.length == 0)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: line %zu, column %zu is empty", t->path, t->line,
                           t->column);
    if (t->line == 1 && t->columns == 0) remedy = "; a heading has no numbers at all";
    if (memchr(w.text, ',', w.length) != NULL) remedy = "; write decimals with a point";
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: line %zu, column %zu: '%.*s' is not a number%s", t->path,
                       t->line, t->column, (int)(w.length < 40 ? w.length : 40), w.text, remedy);
}

static ireneo_error check_word(table *t, word w) {
    double value = 0;
    int64_t whole = 0;
    if (!read_real(t, w, &value)) return bad_word(t, w);
    if (errno == ERANGE)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: line %zu, column %zu: '%.*s' is too %s for float64",
                           t->path, t->line, t->column, (int)(w.length < 40 ? w.length : 40), w.text,
                           fabs(value) < 1 ? "small" : "large");
    t->whole = t->whole && read_whole(w, &whole);
    return IRENEO_OK;
}

/* ---- The whole ---- */

/* A first line in which nothing is a number, not even NaN or infinity. */
static bool is_heading(const table *t, word line) {
    static const char *const numbers[] = {"nan", "inf", "infinity", "-inf", "+inf", "-nan", "-infinity"};
    word w;
    double value;
    while (next_word(t, &line, &w)) {
        if (read_real(t, w, &value)) return false;
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            if (w.length == strlen(numbers[i]) && strncasecmp(w.text, numbers[i], w.length) == 0)
                return false;
    }
    return true;
}

static ireneo_error check_line(table *t, word line) {
    word w;
    t->column = 0;
    while (next_word(t, &line, &w)) {
        t->column++;
        IRENEO_TRY(check_word(t, w));
    }
    if (t->rows > 0 && t->column != t->columns)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: line %zu has %zu numbers, the lines before it have %zu",
                           t->path, t->line, t->column, t->columns);
    t->columns = t->column;
    t->rows++;
    return IRENEO_OK;
}

/* Steps to the first line of numbers and finds the separator; *line is that line. */
static bool first_line(table *t, word *line) {
    t->separator = '\t'; /* so that an empty first or last word is not trimmed away */
    if (!next_line(t, line)) return false;
    t->separator = find_separator(*line);
    if (t->separator == BLANKS) *line = trimmed(t, line->text, line->length);
    return !is_heading(t, *line) || next_line(t, line);
}

static ireneo_error check_all(table *t) {
    word line;
    for (bool more = first_line(t, &line); more; more = next_line(t, &line)) IRENEO_TRY(check_line(t, line));
    if (t->rows == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s holds no numbers", t->path);
    return IRENEO_OK;
}

/* The second time; everything was checked. */
static void convert_all(table *t, unsigned char *elements) {
    word line, w;
    for (bool more = first_line(t, &line); more; more = next_line(t, &line))
        while (next_word(t, &line, &w)) {
            double value = 0;
            int64_t whole = 0;
            if (t->whole) read_whole(w, &whole), memcpy(elements, &whole, sizeof whole);
            if (!t->whole) read_real(t, w, &value), memcpy(elements, &value, sizeof value);
            elements += sizeof value;
        }
}

static ireneo_error parse(table *t, ireneo_layout *layout, unsigned char **elements) {
    table again = *t;
    IRENEO_TRY(check_all(t));
    *layout = (ireneo_layout){.dtype = t->whole ? IRENEO_DTYPE_INT64 : IRENEO_DTYPE_FLOAT64,
                              .axes = t->rows == 1 || t->columns > 1 ? 2 : 1,
                              .shape = {t->rows, t->columns}};
    if (!ireneo_layout_measure(layout))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: larger than any memory", t->path);
    IRENEO_TRY(ireneo_ram_require((double)layout->bytes, t->path));
    IRENEO_TRY(IRENEO_ALLOCATE(elements, layout->bytes, t->path));
    again.whole = t->whole;
    convert_all(&again, *elements);
    return IRENEO_OK;
}

ireneo_error ireneo_table_parse(const char *path, const char *text, size_t length, ireneo_layout *layout,
                                unsigned char **elements) {
    bool mark =
        length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* of byte order, as some editors leave */
    table t = {.path = path, .at = text + (mark ? 3 : 0), .end = text + length, .whole = true};
    *elements = NULL;
    t.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (t.c_locale == (locale_t)0) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", path);
    ireneo_error error = parse(&t, layout, elements);
    freelocale(t.c_locale);
    return error;
}
