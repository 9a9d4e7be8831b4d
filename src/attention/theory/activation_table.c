/* The table is smooth in log q. In the distance it bends where q distance is about 1, the sharper the larger q is, so
 * that its points are spread as sinh does: root(distance) = sinh(y asinh(root q)) / root q with y from 0 to 1. */
#include "attention/theory/activation_table.h"
#include "attention/theory/activation_average.h"

#include <math.h>
#include <string.h>

static const double LEAST = 1e-5, MOST = 399.0; /* variances in the table; SiLU is a ramp beyond */
static const double TOLERANCE = 1e-5;           /* of the table of half the size */
enum { DISTANCES = 20, MOST_SCALES = 64 };

static double scale_at(double x) {
    return LEAST * pow(MOST / LEAST, x);
}

static ireneo_error sample(double x, double *values, void *context) {
    const ireneo_activation_table *table = context;
    double q = scale_at(x), root = sqrt(q);
    for (size_t j = 0; j <= DISTANCES; j++) {
        double u = sinh(ireneo_chebyshev_point(j, DISTANCES) * asinh(root)) / root,
               distance = fmin(1.0, u * u);
        values[j] = distance > 1e-9 ? ireneo_activation_gap(table->activation, q, distance) / (q * distance)
                                    : ireneo_activation_slope(table->activation, q);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_activation_table_open(ireneo_activation activation, ireneo_activation_table *table) {
    memset(table, 0, sizeof *table);
    table->activation = activation;
    return ireneo_chebyshev_build(sample, table, DISTANCES + 1, TOLERANCE, MOST_SCALES, &table->table);
}

void ireneo_activation_table_close(ireneo_activation_table *table) {
    ireneo_chebyshev_free(&table->table);
}

double ireneo_activation_table_at(const ireneo_activation_table *table, double q, double distance) {
    if (table->table.values == NULL || !(q >= LEAST && q <= MOST))
        return ireneo_activation_gap(table->activation, q, distance);
    double at_scale[DISTANCES + 1], ratio;
    ireneo_chebyshev_at(&table->table, log(q / LEAST) / log(MOST / LEAST), at_scale);
    const ireneo_chebyshev distances = {DISTANCES, 1, at_scale, 0.0};
    ireneo_chebyshev_at(&distances, asinh(sqrt(q * distance)) / asinh(sqrt(q)), &ratio);
    return ratio * q * distance;
}
