/* Lists without overlap, after Shewchuk (Discrete & Computational Geometry 18, 1997), and their rounding to nearest. */
#include "linear/moments/expansion.h"

#include <math.h>

/* Adds a number to a list without overlap, smallest first, which stays one; returns its new length. */
static size_t grow(double *list, size_t count, double number) {
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        double error;
        ireneo_two_sum(number, list[k], &number, &error);
        if (error != 0.0) list[kept++] = error;
    }
    if (number != 0.0) list[kept++] = number;
    return kept;
}

/* The sum of a list without overlap, rounded to nearest, ties to even. The largest number and the first that does not
 * vanish in it decide, but for a tie between two neighbours, which the number after that breaks. */
static double rounded(const double *list, size_t count) {
    double sum = list[count - 1], error = 0.0;
    size_t k = count - 1;
    while (k > 0 && error == 0.0) ireneo_two_sum(sum, list[--k], &sum, &error);
    if (k > 0 && error != 0.0 && (error < 0.0) == (list[k - 1] < 0.0)) {
        double twice = 2.0 * error, next = sum + twice;
        if (next - sum == twice) sum = next; /* exactly half a step: the rest pushes it over */
    }
    return sum;
}

size_t ireneo_expansion_canonical(const double *numbers, size_t count, double *parts) {
    double list[IRENEO_EXPANSION_MOST + 1];
    size_t length = 0, found = 0;
    for (size_t k = 0; k < count; k++) length = grow(list, length, numbers[k]);
    while (length > 0 && found < IRENEO_EXPANSION_MOST) {
        parts[found] = rounded(list, length);
        length = grow(list, length, -parts[found++]);
    }
    return found;
}
