/* Lists of numbers as people write them: "20,40", "0.1:1.2:23" (from, to, how many), or both joined. */
#ifndef IRENEO_LAB_SWEEP_GRID_H
#define IRENEO_LAB_SWEEP_GRID_H

#include "base/error.h"

#include <stdbool.h>

typedef struct grid {
    double *values; /* in the order given, repetitions left out */
    size_t count;
} grid;

/* `option` names the list in error sentences ("--dim"); every value must lie in [lower, upper] and, on
 * request, be whole (values between two ends are rounded). Release with ireneo_grid_free. */
ireneo_error ireneo_grid_parse(const char *option, const char *text, double lower, double upper, bool whole,
                               grid *list);
void ireneo_grid_free(grid *list);

#endif
