/* Y2, O12, the entropy and what gradients need over rho at fixed beta and T. The table's variable is
 * asinh(sigma), which resolves the change from equal weights (sigma << 1, rho near 1) to condensed ones; it
 * holds logarithms of what spans many powers of ten. */
#include "attention/theory/attention_map.h"
#include "attention/theory/rem.h"

#include <math.h>
#include <string.h>

enum { LOG_PARTICIPATION, LOG_OVERLAP, RELATIVE_ENTROPY, LOG_CONDENSED, OUTPUTS, MOST_INTERVALS = 256 };
static const double TOLERANCE =
    2e-4; /* of the table of half the size; the error of the table itself is near its square */

static ireneo_error sample(double x, double *values, void *context) {
    const ireneo_attention_map *map = context;
    double sigma = sinh(x * asinh(map->spread)), ratio = sigma / map->spread, overlap;
    ireneo_rem_row row;
    IRENEO_TRY(ireneo_rem_exact(sigma, map->keys, &row));
    IRENEO_TRY(ireneo_rem_row_overlap(sigma, fmax(0.0, 1.0 - ratio * ratio), map->keys, &overlap));
    values[LOG_PARTICIPATION] = log(row.y[2]);
    values[LOG_OVERLAP] = log(overlap);
    values[RELATIVE_ENTROPY] = row.entropy / map->log_keys;
    values[LOG_CONDENSED] = log(row.y[2] - 2.0 * row.y[3] + row.y2_squared);
    return IRENEO_OK;
}

ireneo_error ireneo_attention_map_open(double beta, double context, double keys, ireneo_attention_map *map) {
    memset(map, 0, sizeof *map);
    map->keys = keys > 0.0 ? keys : context;
    map->log_keys = log(map->keys);
    map->spread = beta * sqrt(log(context));
    if (map->spread < 1e-9) return IRENEO_OK; /* equal weights whatever rho: no table */
    return ireneo_chebyshev_build(sample, map, OUTPUTS, TOLERANCE, MOST_INTERVALS, &map->table);
}

void ireneo_attention_map_close(ireneo_attention_map *map) {
    ireneo_chebyshev_free(&map->table);
}

void ireneo_attention_map_at(const ireneo_attention_map *map, double distance,
                             ireneo_attention_averages *averages) {
    double equal = log1p(-1.0 / map->keys) - map->log_keys; /* of 1/T - 1/T^2 */
    double values[OUTPUTS] = {-map->log_keys, -map->log_keys, 1.0, equal};
    if (map->table.values != NULL)
        ireneo_chebyshev_at(&map->table, asinh(map->spread * sqrt(distance)) / asinh(map->spread), values);
    averages->participation = exp(values[LOG_PARTICIPATION]);
    averages->overlap = fmin(averages->participation, exp(values[LOG_OVERLAP]));
    averages->entropy = values[RELATIVE_ENTROPY] * map->log_keys;
    averages->condensed = exp(values[LOG_CONDENSED]);
}

void ireneo_attention_map_limit(const ireneo_attention_map *map, double distance,
                                ireneo_attention_averages *averages) {
    ireneo_rem_row row;
    ireneo_rem_limit(map->spread * sqrt(distance / map->log_keys), map->log_keys, &row);
    double condensed = row.y[2] - 2.0 * row.y[3] + row.y2_squared;
    *averages = (ireneo_attention_averages){row.y[2], 0.0, row.entropy, condensed};
}
