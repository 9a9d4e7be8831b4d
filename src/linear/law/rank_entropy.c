/* S_kappa(q) = extr over theta of kappa/2 log(1 - theta (1 - q)) + c/2 I(theta / c), I' = e, the energy of the tilted
 * projector (rank_saddle.c), c = d_min / d_max.
 *
 * W = U V^T with V a uniformly random frame of the narrower side and U uniform: given V, the integral over U in the field
 * of the other replicas is Gaussian and leaves the projector V V^T, tilted. The extremum is at 1 - q = e / (kappa + theta e), so
 * theta runs through all overlaps, and I is summed on the way from e and its slope e' = kappa (1 - kappa)/theta^2 -
 * v^2/4. Towards q = 1, S -> E(kappa) / (2 (1 - q)): capacity. */
#include "linear/law/rank_entropy.h"
#include "base/roots.h"
#include "linear/law/rank_spectrum.h"

#include <math.h>

static const double STEP =
    1.1; /* of v, and of theta once v is nothing; the interpolation is then good to 1e-6 */

/* What has been summed up to a tilt. */
typedef struct tilt_sum {
    double theta, energy, slope, integral;
} tilt_sum;

static void add_row(rank_shape shape, const tilt_sum *at, rank_entropy *table) {
    double product = shape.aspect * at->theta * at->energy;
    size_t k = table->count++;
    table->height[k] = log((shape.kappa + product) / at->energy);
    table->entropy[k] = -0.5 * shape.kappa * log1p(product / shape.kappa) + 0.5 * shape.aspect * at->integral;
    table->slope[k] = 0.5 * product;
}

/* Cubic in theta between two tilts, from values and slopes of the energy. */
static void go_on(tilt_sum *at, double theta, double energy, double slope) {
    double step = theta - at->theta;
    at->integral += 0.5 * step * (at->energy + energy) + step * step / 12.0 * (at->slope - slope);
    at->theta = theta;
    at->energy = energy;
    at->slope = slope;
}

ireneo_error ireneo_rank_entropy_make(rank_shape shape, rank_entropy *table) {
    double kappa = shape.kappa, c = shape.aspect, spread = kappa * (1.0 - kappa), skew = 1.0 - 2.0 * kappa;
    double full = ireneo_rank_spectrum_energy(kappa, c);
    table->count = 1;
    table->height[0] = table->entropy[0] = table->slope[0] = 0.0;
    tilt_sum at = {0};
    for (double v = 200.0 * c * sqrt(spread); v > 1e-9 * sqrt(c); v /= STEP) {
        rank_saddle s;
        IRENEO_TRY(ireneo_rank_saddle_at(shape, v, &s));
        double slope = spread / (s.theta * s.theta) - 0.25 * v * v, t = s.theta;
        if (at.theta == 0.0) /* free cumulants: those of A are 1, c, c^2 */
            at = (tilt_sum){t, s.energy, slope,
                            t * kappa + t * t / 2.0 * c * spread + t * t * t / 3.0 * c * c * spread * skew};
        else
            go_on(&at, t, s.energy, slope);
        add_row(shape, &at, table);
    }
    for (double height = 0.0; height < 7.7 && table->count < RANK_ENTROPY_MOST;
         height =
             table->height[table->count - 1]) { /* the largest eigenvalues, and fluctuations around them */
        double next = STEP * at.theta;
        at.integral += full * (next - at.theta) - spread * log(STEP);
        at.theta = next;
        at.energy = full - spread / next;
        add_row(shape, &at, table);
    }
    return IRENEO_OK;
}

double ireneo_rank_entropy_at(const rank_entropy *table, double overlap) {
    double height = -log1p(-overlap);
    size_t low = 0, high = table->count - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (table->height[middle] <= height)
            low = middle;
        else
            high = middle;
    }
    double width = table->height[high] - table->height[low], t = (height - table->height[low]) / width;
    double from = table->entropy[low], to = table->entropy[high];
    double a = width * table->slope[low] - (to - from), b = (to - from) - width * table->slope[high];
    return (1.0 - t) * from + t * to + t * (1.0 - t) * ((1.0 - t) * a + t * b);
}

typedef struct height_problem {
    rank_shape shape;
    double wanted;
    rank_saddle saddle;
    ireneo_error failed;
} height_problem;

static double height_of(rank_shape shape, const rank_saddle *s) {
    return log((shape.kappa + shape.aspect * s->theta * s->energy) / s->energy);
}

static double height_excess(double log_v, void *context) {
    height_problem *p = context;
    if (p->failed == IRENEO_OK) p->failed = ireneo_rank_saddle_at(p->shape, exp(log_v), &p->saddle);
    return p->failed == IRENEO_OK ? height_of(p->shape, &p->saddle) - p->wanted : 0.0;
}

ireneo_error ireneo_rank_saddle_of(rank_shape shape, double overlap, rank_saddle *saddle, double *lambda) {
    height_problem p = {.shape = shape, .wanted = -log1p(-overlap)};
    double root = sqrt(shape.aspect), low = log(1e-300 * root), high = log(1e7 * root), at = low;
    if (height_excess(low, &p) > 0.0 && p.failed == IRENEO_OK)
        IRENEO_TRY(ireneo_find_root(height_excess, &p, low, high, 1e-12, &at));
    IRENEO_TRY(p.failed);
    IRENEO_TRY(ireneo_rank_saddle_at(shape, exp(at), saddle));
    *lambda = shape.kappa + shape.aspect * saddle->theta * saddle->energy;
    return IRENEO_OK;
}
