/* printf writes the decimal point of the locale, which may be several bytes long. A locale of our own would have to be
 * allocated, so what is no part of a number is put right instead. */
#include "base/number_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_point(char *text) {
    char *odd = text + strspn(text, "0123456789+-");
    if (*odd == '\0' || *odd == '.' || strchr("einfa", *odd) != NULL) return;
    size_t length = strcspn(odd, "0123456789e");
    *odd = '.';
    memmove(odd + 1, odd + length, strlen(odd + length) + 1);
}

const char *ireneo_written_double(double value, int digits, char *buffer) {
    snprintf(buffer, 32, "%.*g", digits, value);
    put_point(buffer);
    return buffer;
}

const char *ireneo_shortest_double(double value, char *buffer) {
    /* 15 digits always tell normal doubles of that many digits apart; subnormal ones hold fewer. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break; /* both in the same locale */
    }
    put_point(buffer);
    return buffer;
}
