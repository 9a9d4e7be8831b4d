/* O12 of two rows of a causal layer from a table over four variables, each smooth: the logarithm of the later row's
 * keys t, log s / log t of the earlier one's, asinh of the spread, and the correlation. */
#include "attention/theory/causal.h"
#include "base/ram.h"

#include <math.h>

enum { LATER = 4, EARLIER = 5, SPREAD = 6, RHO = 6 }; /* intervals */
enum { ENTRIES = (LATER + 1) * (EARLIER + 1) * (SPREAD + 1) * (RHO + 1) };

static double later_keys(const ireneo_causal_overlap *table, double x) {
    return exp(log(2.0) + x * log(table->rows / 2.0));
}

static double earlier_keys(double later, double x) {
    double low = log(2.0) / log(later);
    return fmin(later, exp(log(later) * (low + x * (1.0 - low))));
}

ireneo_error ireneo_causal_overlap_open(double rows, double widest, ireneo_causal_overlap *table) {
    *table = (ireneo_causal_overlap){fmax(rows, 2.0 + 1e-9), fmax(widest, 1e-6), NULL};
    IRENEO_TRY(IRENEO_ALLOCATE(&table->values, ENTRIES, "overlaps of causal rows"));
    for (size_t i = 0; i < ENTRIES; i++) {
        size_t rho = i % (RHO + 1), spread = i / (RHO + 1) % (SPREAD + 1);
        size_t earlier = i / ((RHO + 1) * (SPREAD + 1)) % (EARLIER + 1),
               later = i / ((RHO + 1) * (SPREAD + 1) * (EARLIER + 1));
        double t = later_keys(table, ireneo_chebyshev_point(later, LATER));
        double s = earlier_keys(t, ireneo_chebyshev_point(earlier, EARLIER)), overlap;
        double sigma = sinh(ireneo_chebyshev_point(spread, SPREAD) * asinh(table->widest));
        double correlation = fmin(0.99, ireneo_chebyshev_point(rho, RHO));
        IRENEO_TRY(ireneo_rem_causal_overlap(sigma, correlation, s, t, &overlap));
        table->values[i] = log(t * overlap);
    }
    return IRENEO_OK;
}

/* Weights of the points of one variable at x. */
static void weights(size_t intervals, double x, double *weight) {
    double total = 0.0;
    for (size_t j = 0; j <= intervals; j++) {
        double gap = x - ireneo_chebyshev_point(j, intervals);
        if (fabs(gap) < 1e-14) {
            for (size_t k = 0; k <= intervals; k++) weight[k] = k == j ? 1.0 : 0.0;
            return;
        }
        weight[j] = (j % 2 == 0 ? 1.0 : -1.0) * (j == 0 || j == intervals ? 0.5 : 1.0) / gap;
        total += weight[j];
    }
    for (size_t j = 0; j <= intervals; j++) weight[j] /= total;
}

double ireneo_causal_overlap_at(const ireneo_causal_overlap *table, double keys, double later_keys,
                                double sigma, double rho) {
    if (keys < 1.5) return 1.0 / later_keys; /* the first row has one key */
    double w[4][8], low = log(2.0) / log(later_keys), sum = 0.0;
    double span = 1.0 - low, place = span > 1e-9 ? (log(keys) / log(later_keys) - low) / span : 1.0;
    weights(LATER, fmin(1.0, fmax(0.0, log(later_keys / 2.0) / log(table->rows / 2.0))), w[0]);
    weights(EARLIER, fmin(1.0, fmax(0.0, place)), w[1]);
    weights(SPREAD, fmin(1.0, asinh(sigma) / asinh(table->widest)), w[2]);
    weights(RHO, fmin(1.0, fmax(0.0, rho)), w[3]);
    const double *value = table->values;
    for (size_t a = 0; a <= LATER; a++)
        for (size_t b = 0; b <= EARLIER; b++)
            for (size_t c = 0; c <= SPREAD; c++)
                for (size_t d = 0; d <= RHO; d++) sum += w[0][a] * w[1][b] * w[2][c] * w[3][d] * *value++;
    return fmin(1.0, exp(sum) / later_keys);
}
