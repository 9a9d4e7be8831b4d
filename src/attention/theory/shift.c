/* Shifts by cubic interpolation. Only the ends look where they are; the rest is four straight sums. */
#include "attention/theory/shift.h"

#include <math.h>

void ireneo_cubic(double u, double *weight) {
    weight[0] = -u * (u - 1.0) * (u - 2.0) / 6.0;
    weight[1] = (u + 1.0) * (u - 1.0) * (u - 2.0) / 2.0;
    weight[2] = -(u + 1.0) * u * (u - 2.0) / 2.0;
    weight[3] = (u + 1.0) * u * (u - 1.0) / 6.0;
}

static ptrdiff_t within(ptrdiff_t i, ptrdiff_t count) {
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

static void add_ends(const double *from, ptrdiff_t count, ptrdiff_t place, const double *weight,
                     ptrdiff_t first, ptrdiff_t end, double *to) {
    for (ptrdiff_t i = first; i < end; i++)
        for (int k = 0; k < 4; k++) to[i] += weight[k] * from[within(i + place + k - 1, count)];
}

void ireneo_add_shifted(const double *from, size_t points, double shift, double share, double *to) {
    ptrdiff_t count = (ptrdiff_t)points, most = count + 4; /* farther away all is one end */
    double floored = fmax(-(double)most, fmin((double)most, floor(shift))), weight[4];
    ptrdiff_t place = (ptrdiff_t)floored;
    ireneo_cubic(fmin(1.0, fmax(0.0, shift - floored)), weight);
    for (int k = 0; k < 4; k++) weight[k] *= share;
    ptrdiff_t first = within(1 - place, count + 1), end = within(count - 2 - place, count + 1);
    if (end < first) end = first;
    add_ends(from, count, place, weight, 0, first, to);
    for (ptrdiff_t i = first; i < end; i++) {
        const double *at = from + (i + place);
        to[i] += weight[0] * at[-1] + weight[1] * at[0] + weight[2] * at[1] + weight[3] * at[2];
    }
    add_ends(from, count, place, weight, end, count, to);
}
