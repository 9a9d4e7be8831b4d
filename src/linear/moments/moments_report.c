/* What moments say of their keys: how large they are, and how many directions they use. */
#include "base/ram.h"
#include "linear/moments/moments.h"

#include <math.h>
#include <string.h>

/* (tr C)^2 / tr C^2 of C - centre centre^T. */
static double participation(const double *second, const double *centre, size_t dim) {
    double trace = 0.0, square = 0.0;
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++) {
            double entry = second[i * dim + j] - centre[i] * centre[j];
            if (i == j) trace += entry;
            square += entry * entry;
        }
    return trace * trace / square; /* NaN when nothing varies */
}

static void fill(const ireneo_moments *m, const double *second, const double *mean, const double *zero,
                 ireneo_moments_report *report) {
    double of_mean = 0.0;
    *report = (ireneo_moments_report){.dim = m->dim, .count = m->count};
    for (size_t j = 0; j < m->dim; j++) {
        report->mean_square += second[j * m->dim + j];
        of_mean += mean[j] * mean[j];
    }
    report->mean_share = of_mean / report->mean_square;
    report->participation = participation(second, zero, m->dim);
    /* A mean that takes all but rounding leaves nothing to divide by. */
    report->participation_centred =
        1.0 - report->mean_share > 1e-12 ? participation(second, mean, m->dim) : (double)NAN;
}

ireneo_error ireneo_moments_describe(const ireneo_moments *moments, ireneo_moments_report *report) {
    IRENEO_REQUIRE(report != NULL, "describing moments needs a place for the report");
    memset(report, 0, sizeof *report);
    IRENEO_REQUIRE(moments != NULL, "describing moments needs the moments");
    double *space = NULL; /* second moment, mean, and zeros */
    size_t dim = moments->dim;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&space, dim * dim + 2 * dim, "second moment"));
    double *mean = space + dim * dim;
    ireneo_error failed = ireneo_moments_read(moments, space, mean);
    if (failed == IRENEO_OK) fill(moments, space, mean, mean + dim, report);
    free(space);
    return failed;
}
