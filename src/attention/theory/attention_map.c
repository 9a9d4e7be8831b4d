/* Y2, O12, the entropy and what gradients and finite widths need over rho at a fixed law of logits. The table's
 * variable is asinh(sigma), which resolves the change from equal weights (sigma << 1, rho near 1) to condensed
 * ones; it holds logarithms of what spans many powers of ten.
 *
 * Without a norm before attention the spread follows the scale q of the tokens. Then sigma runs to where rows
 * have picked their largest logit, beyond which what is missing to that falls as 1 / sigma, and O12 stands at
 * several rho beside each other. */
#include "attention/theory/attention_map.h"

#include <math.h>
#include <string.h>

enum { LOG_PARTICIPATION, RELATIVE_ENTROPY, LOG_CONDENSED, TILT, LOG_OVERLAP, OUTPUTS };
enum { MOST_INTERVALS = 256, RHO_INTERVALS = 12, UNBOUND_OUTPUTS = LOG_OVERLAP + RHO_INTERVALS + 1 };
static const double TOLERANCE =
    2e-4; /* of the table of half the size; the error of the table itself is near its square */
static const double UNBOUND_TOLERANCE = 1e-2, WIDEST = 24.0; /* sigma */

static void write_row(const ireneo_rem_row *row, double log_keys, double *values) {
    values[LOG_PARTICIPATION] = log(row->y[2]);
    values[RELATIVE_ENTROPY] = row->entropy / log_keys;
    values[LOG_CONDENSED] = log(row->condensed);
    values[TILT] = row->slope * row->slope * ireneo_rem_tilt(row);
}

static ireneo_error sample(double x, double *values, void *context) {
    const ireneo_attention_map *map = context;
    double ratio = sinh(x * asinh(map->law.spread)) / map->law.spread, overlap;
    ireneo_rem_row row;
    IRENEO_TRY(ireneo_row_averages(&map->law, fmin(1.0, ratio * ratio), &row));
    IRENEO_TRY(ireneo_row_overlap(&map->law, fmin(1.0, ratio * ratio), &overlap));
    write_row(&row, map->log_keys, values);
    values[LOG_OVERLAP] = log(overlap);
    return IRENEO_OK;
}

/* Place of a distance among those at which O12 stands: what rows do not share, as sigma sees it. */
static double rho_place(double sigma, double distance) {
    return asinh(sigma * sqrt(distance)) / asinh(sigma);
}

static ireneo_error sample_unbound(double x, double *values, void *context) {
    const ireneo_attention_map *map = context;
    double sigma = fmax(1e-3, sinh(x * asinh(WIDEST)));
    ireneo_rem_row row;
    IRENEO_TRY(ireneo_rem_exact(sigma, map->law.keys, &row));
    write_row(&row, map->log_keys, values);
    for (size_t j = 0; j <= RHO_INTERVALS; j++) {
        double root = sinh(ireneo_chebyshev_point(j, RHO_INTERVALS) * asinh(sigma)) / sigma, overlap;
        double rho = fmax(0.0, 1.0 - root * root);
        IRENEO_TRY(ireneo_rem_causal_overlap(sigma, rho, map->law.keys, map->law.keys, &overlap));
        values[LOG_OVERLAP + j] = log(overlap * map->law.shared);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_attention_map_open(const ireneo_transformer *transformer, ireneo_attention_map *map) {
    memset(map, 0, sizeof *map);
    IRENEO_TRY(ireneo_row_law_open(transformer, &map->law));
    map->log_keys = log(map->law.keys);
    map->unbound = ireneo_logits_unbound(transformer);
    if (map->law.spread < 1e-9) return IRENEO_OK; /* equal weights whatever rho: no table */
    if (map->unbound)
        return ireneo_chebyshev_build(sample_unbound, map, UNBOUND_OUTPUTS, UNBOUND_TOLERANCE, 64,
                                      &map->table);
    return ireneo_chebyshev_build(sample, map, OUTPUTS, TOLERANCE, MOST_INTERVALS, &map->table);
}

void ireneo_attention_map_close(ireneo_attention_map *map) {
    ireneo_chebyshev_free(&map->table);
}

static void look_up(const ireneo_attention_map *map, double q, double distance, double *values) {
    double sigma = map->law.spread * q * sqrt(distance);
    if (!map->unbound) {
        ireneo_chebyshev_at(&map->table, asinh(sigma) / asinh(map->law.spread), values);
        return;
    }
    double all[UNBOUND_OUTPUTS], beyond = fmax(1.0, sigma / WIDEST);
    sigma = fmax(1e-3, fmin(sigma, WIDEST));
    ireneo_chebyshev_at(&map->table, asinh(sigma) / asinh(WIDEST), all);
    ireneo_chebyshev rho = {RHO_INTERVALS, 1, all + LOG_OVERLAP, 0.0};
    memcpy(values, all, LOG_OVERLAP * sizeof *values);
    ireneo_chebyshev_at(&rho, rho_place(sigma, distance), &values[LOG_OVERLAP]);
    values[LOG_PARTICIPATION] = log1p(expm1(fmin(0.0, values[LOG_PARTICIPATION])) / beyond);
    values[RELATIVE_ENTROPY] /= beyond;
    values[LOG_CONDENSED] -= log(beyond);
}

void ireneo_attention_map_at(const ireneo_attention_map *map, double q, double distance,
                             ireneo_attention_averages *averages) {
    double keys = map->law.keys;
    double values[OUTPUTS] = {[LOG_PARTICIPATION] = -map->log_keys,
                              [RELATIVE_ENTROPY] = 1.0,
                              [LOG_CONDENSED] = log1p(-1.0 / keys) - map->log_keys, /* of 1/T - 1/T^2 */
                              [TILT] = 1.0,
                              [LOG_OVERLAP] = log(map->law.shared) - map->log_keys};
    if (map->table.values != NULL) look_up(map, q, distance, values);
    averages->participation = exp(values[LOG_PARTICIPATION]);
    averages->overlap = fmin(averages->participation, exp(values[LOG_OVERLAP]));
    averages->entropy = values[RELATIVE_ENTROPY] * map->log_keys;
    averages->condensed = exp(values[LOG_CONDENSED]);
    averages->tilt = values[TILT];
}

void ireneo_attention_map_limit(const ireneo_attention_map *map, double q, double distance,
                                ireneo_attention_averages *averages) {
    ireneo_rem_row row;
    double scale = map->law.cap > 0.0 ? 0.0
                   : map->unbound     ? q
                                      : 1.0; /* capped logits end up far below sqrt(log T) */
    double apart = ireneo_row_distance(&map->law, distance);
    ireneo_rem_limit(scale * map->law.spread * sqrt(apart / map->log_keys), map->log_keys, &row);
    *averages = (ireneo_attention_averages){row.y[2], 0.0, row.entropy, row.condensed, 0.0};
}
