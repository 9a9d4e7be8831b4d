/* The reader of grids. */
#include "lab/sweep/grid.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

enum { MOST_VALUES = 10000, MOST_PIECE = 64 };

typedef struct grid_reader {
    const char *option, *text;
    double lower, upper;
    bool whole;
} grid_reader;

static ireneo_error add_value(const grid_reader *reader, double value, grid *list) {
    if (!(value >= reader->lower && value <= reader->upper))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s must lie between %g and %g, not %g", reader->option,
                           reader->lower, reader->upper, value);
    if (reader->whole && value != floor(value))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s takes whole numbers, not %g", reader->option, value);
    for (size_t i = 0; i < list->count; i++)
        if (list->values[i] == value) return IRENEO_OK;
    if (list->count == MOST_VALUES)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s has more than %d values", reader->option, MOST_VALUES);
    if ((list->count & (list->count - 1)) == 0) { /* grow at powers of two */
        double *wider = realloc(list->values, (list->count == 0 ? 1 : 2 * list->count) * sizeof *wider);
        if (wider == NULL)
            return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", reader->option);
        list->values = wider;
    }
    list->values[list->count++] = value;
    return IRENEO_OK;
}

static ireneo_error malformed(const grid_reader *reader, const char *piece) {
    return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                       "%s: '%s' in '%s' is neither a number nor FROM:TO:COUNT (such as 20,40 or 0.1:1.2:23)",
                       reader->option, piece, reader->text);
}

/* Numbers between colons; *count of them, at most 3. False when a part is not a finite number. */
static bool read_parts(const char *piece, double parts[3], size_t *count) {
    const char *at = piece;
    for (*count = 0; *count < 3;) {
        char *end;
        if (*at == '\0' || strchr(" \t\n", *at) != NULL) return false;
        parts[*count] = strtod(at, &end);
        if (end == at || !isfinite(parts[*count])) return false;
        ++*count;
        if (*end == '\0') return true;
        if (*end != ':') return false;
        at = end + 1;
    }
    return false;
}

static ireneo_error add_piece(const grid_reader *reader, const char *piece, grid *list) {
    double parts[3];
    size_t count;
    if (!read_parts(piece, parts, &count) || count == 2) return malformed(reader, piece);
    if (count == 1) return add_value(reader, parts[0], list);
    if (parts[2] != floor(parts[2]) || parts[2] < 2.0 || parts[2] > MOST_VALUES)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "%s: the count in '%s' must be a whole number between 2 and %d", reader->option,
                           piece, MOST_VALUES);
    size_t steps = (size_t)parts[2] - 1;
    for (size_t i = 0; i <= steps; i++) {
        double at = (double)i / (double)steps, value = (1.0 - at) * parts[0] + at * parts[1];
        /* 12 digits: 0.1:1.2:23 holds 0.15 itself, not its neighbour. */
        value = round(value * 1e12) / 1e12;
        IRENEO_TRY(add_value(reader, reader->whole ? round(value) : value, list));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_grid_parse(const char *option, const char *text, double lower, double upper, bool whole,
                               grid *list) {
    grid_reader reader = {option, text, lower, upper, whole};
    memset(list, 0, sizeof *list);
    ireneo_error failed = IRENEO_OK;
    for (const char *at = text; failed == IRENEO_OK && at != NULL;) {
        const char *comma = strchr(at, ',');
        size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        char piece[MOST_PIECE];
        if (length == 0) {
            failed = ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s: '%s' holds an empty place", option, text);
        } else if (length >= sizeof piece) {
            failed =
                ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s: '%.40s...' is too long for a number", option, at);
        } else {
            memcpy(piece, at, length);
            piece[length] = '\0';
            failed = add_piece(&reader, piece, list);
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
    if (failed != IRENEO_OK) ireneo_grid_free(list);
    return failed;
}

void ireneo_grid_free(grid *list) {
    free(list->values);
    memset(list, 0, sizeof *list);
}
