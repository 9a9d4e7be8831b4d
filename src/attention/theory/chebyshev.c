/* Adaptive Chebyshev tables with the barycentric formula; points are nested, so that doubling keeps the old
 * ones. */
#include "attention/theory/chebyshev.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

enum { FIRST_INTERVALS = 8, MOST_OUTPUTS = 24 };

/* Accurate near x = 0, where distances between points are small. */
double ireneo_chebyshev_point(size_t j, size_t intervals) {
    if (j == intervals) return 0.0;
    double c = cos(0.5 * M_PI * (double)j / (double)intervals);
    return c * c;
}

void ireneo_chebyshev_at(const ireneo_chebyshev *table, double x, double *values) {
    double above[MOST_OUTPUTS] = {0}, below = 0.0;
    for (size_t j = 0; j <= table->intervals; j++) {
        double distance = x - ireneo_chebyshev_point(j, table->intervals);
        const double *sample = table->values + j * table->outputs;
        if (distance == 0.0) {
            memcpy(values, sample, table->outputs * sizeof *values);
            return;
        }
        double weight = (j % 2 == 0 ? 1.0 : -1.0) / distance;
        if (j == 0 || j == table->intervals) weight *= 0.5;
        for (size_t k = 0; k < table->outputs; k++) above[k] += weight * sample[k];
        below += weight;
    }
    for (size_t k = 0; k < table->outputs; k++) values[k] = above[k] / below;
}

void ireneo_chebyshev_free(ireneo_chebyshev *table) {
    free(table->values);
    memset(table, 0, sizeof *table);
}

static ireneo_error sample_first(ireneo_sampler f, void *context, ireneo_chebyshev *table) {
    table->intervals = FIRST_INTERVALS;
    IRENEO_TRY(
        IRENEO_ALLOCATE(&table->values, (FIRST_INTERVALS + 1) * table->outputs, "interpolation table"));
    for (size_t j = 0; j <= FIRST_INTERVALS; j++)
        IRENEO_TRY(
            f(ireneo_chebyshev_point(j, FIRST_INTERVALS), table->values + j * table->outputs, context));
    table->error = INFINITY;
    return IRENEO_OK;
}

static ireneo_error refine(ireneo_sampler f, void *context, ireneo_chebyshev *table) {
    ireneo_chebyshev finer = {2 * table->intervals, table->outputs, NULL, 0.0};
    size_t n = table->outputs;
    IRENEO_TRY(IRENEO_ALLOCATE(&finer.values, (finer.intervals + 1) * n, "interpolation table"));
    ireneo_error failed = IRENEO_OK;
    for (size_t j = 0; j <= finer.intervals && failed == IRENEO_OK; j++) {
        double *sample = finer.values + j * n, guess[MOST_OUTPUTS];
        if (j % 2 == 0) {
            memcpy(sample, table->values + j / 2 * n, n * sizeof *sample);
            continue;
        }
        double x = ireneo_chebyshev_point(j, finer.intervals);
        failed = f(x, sample, context);
        ireneo_chebyshev_at(table, x, guess);
        for (size_t k = 0; k < n; k++) finer.error = fmax(finer.error, fabs(guess[k] - sample[k]));
    }
    ireneo_chebyshev_free(table);
    *table = finer;
    return failed;
}

ireneo_error ireneo_chebyshev_build(ireneo_sampler f, void *context, size_t outputs, double tolerance,
                                    size_t most_intervals, ireneo_chebyshev *table) {
    *table = (ireneo_chebyshev){.outputs = outputs};
    ireneo_error failed = sample_first(f, context, table);
    while (failed == IRENEO_OK && table->error > tolerance && 2 * table->intervals <= most_intervals)
        failed = refine(f, context, table);
    if (failed != IRENEO_OK) ireneo_chebyshev_free(table);
    return failed;
}
