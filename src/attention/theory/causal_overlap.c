/* O12 of two rows of a causal layer from a table over four variables, each smooth: the logarithm of the later row's
 * keys t, log s / log t of the earlier one's, asinh of the spread, and the correlation. */
#include "attention/theory/causal.h"
#include "base/ram.h"

#include <math.h>
#include <stdbool.h>

enum { LATER = 4, EARLIER = 5, SPREAD = 6, RHO = 6 }; /* intervals */
enum { LEAVES = (SPREAD + 1) * (RHO + 1), ENTRIES = (LATER + 1) * (EARLIER + 1) * LEAVES };

static double later_keys(const ireneo_causal_overlap *table, double x) {
    return exp(log(2.0) + x * log(table->rows / 2.0));
}

static double earlier_keys(double later, double x) {
    double low = log(2.0) / log(later);
    return fmin(later, exp(log(later) * (low + x * (1.0 - low))));
}

ireneo_error ireneo_causal_overlap_open(double rows, double widest, ireneo_causal_overlap *table) {
    *table = (ireneo_causal_overlap){fmax(rows, 2.0 + 1e-9), fmax(widest, 1e-6), NULL, NULL};
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

/* What is left of the table for two numbers of keys: (SPREAD + 1, RHO + 1). */
static void contract(const ireneo_causal_overlap *table, double keys, double later_keys, double *left) {
    double later[LATER + 1], earlier[EARLIER + 1], low = log(2.0) / log(later_keys);
    double span = 1.0 - low, place = span > 1e-9 ? (log(keys) / log(later_keys) - low) / span : 1.0;
    weights(LATER, fmin(1.0, fmax(0.0, log(later_keys / 2.0) / log(table->rows / 2.0))), later);
    weights(EARLIER, fmin(1.0, fmax(0.0, place)), earlier);
    const double *value = table->values;
    for (size_t k = 0; k < LEAVES; k++) left[k] = 0.0;
    for (size_t a = 0; a <= LATER; a++)
        for (size_t b = 0; b <= EARLIER; b++)
            for (size_t k = 0; k < LEAVES; k++) left[k] += later[a] * earlier[b] * *value++;
}

static double interpolate(const ireneo_causal_overlap *table, const double *left, double later_keys,
                          double sigma, double rho) {
    double spread[SPREAD + 1], correlation[RHO + 1], sum = 0.0;
    weights(SPREAD, fmin(1.0, asinh(sigma) / asinh(table->widest)), spread);
    weights(RHO, fmin(1.0, fmax(0.0, rho)), correlation);
    for (size_t c = 0; c <= SPREAD; c++)
        for (size_t d = 0; d <= RHO; d++) sum += spread[c] * correlation[d] * *left++;
    return fmin(1.0, exp(sum) / later_keys);
}

static bool sees_one(double keys) { /* as the first row does */
    return keys < 1.5;
}

double ireneo_causal_overlap_at(const ireneo_causal_overlap *table, double keys, double later_keys,
                                double sigma, double rho) {
    double left[LEAVES];
    if (sees_one(keys)) return 1.0 / later_keys;
    contract(table, keys, later_keys, left);
    return interpolate(table, left, later_keys, sigma, rho);
}

ireneo_error ireneo_causal_overlap_fix(const ireneo_causal_grid *grid, ireneo_causal_overlap *table) {
    IRENEO_TRY(IRENEO_ALLOCATE(&table->pairs, grid->count * grid->count * LEAVES, "overlaps of causal rows"));
    for (size_t i = 0; i < grid->count; i++)
        for (size_t j = i; j < grid->count; j++)
            if (!sees_one(grid->row[i]))
                contract(table, grid->row[i], grid->row[j], table->pairs + (i * grid->count + j) * LEAVES);
    return IRENEO_OK;
}

double ireneo_causal_overlap_of(const ireneo_causal_overlap *table, const ireneo_causal_grid *grid, size_t i,
                                size_t j, double sigma, double rho) {
    if (sees_one(grid->row[i])) return 1.0 / grid->row[j];
    return interpolate(table, table->pairs + (i * grid->count + j) * LEAVES, grid->row[j], sigma, rho);
}

void ireneo_causal_overlap_close(ireneo_causal_overlap *table) {
    free(table->values);
    free(table->pairs);
    *table = (ireneo_causal_overlap){0};
}
