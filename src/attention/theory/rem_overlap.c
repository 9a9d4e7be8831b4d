/* Overlap of two softmax rows with correlated logits, exact at a finite number of keys T:
 *
 *     O12 = T Int Int dt dt' E[e^{x-t} e^{y-t'} exp(-e^{x-t} - e^{y-t'})]
 *                            (E exp(-e^{x-t} - e^{y-t'}))^{T-1} .
 *
 * Given the common part z ~ N(0, rho sigma^2) of x and y, the rest of variance (1 - rho) sigma^2 is
 * independent, so both two-dimensional functions are sums over z of products of one-dimensional ones: two
 * symmetric matrix products, F(t - z) w(z) F(t' - z) and M_1(t - z) w(z) M_1(t' - z). With f(t) = sum_z w F,
 * 1 - E exp(..) = f(t) + f(t') - sum_z w F F' is at least as large as f(t), so nothing cancels.
 *
 * Under a causal mask the later row sees more keys than the earlier one; each of them adds a factor 1 - f(t'). */
#include "attention/theory/rem.h"
#include "attention/theory/rem_kernel.h"
#include "base/gram.h"
#include "base/normal.h"
#include "base/ram.h"

#include <math.h>
#include <stdbool.h>

/* How finely the integrals are done. What is left out is e^log_negligible of the result. */
typedef struct overlap_accuracy {
    double log_negligible;
    double smallest_step; /* of t, in steps of the kernel grid */
    double steps;         /* of t in the spread of what rows do not share */
    double reach;         /* of z, in standard deviations */
    double z_step;        /* the same */
} overlap_accuracy;

static const overlap_accuracy FINE = {-32.0, 2.0, 16.0, 8.0, 0.7}, COARSE = {-14.0, 6.0, 3.0, 5.0, 1.0};

typedef struct overlap_grid {
    overlap_accuracy accuracy;
    ptrdiff_t stride, t_first; /* grid of t, in steps of the kernel grid */
    double z_step;             /* grid of z: (j - z_below) z_step */
    ptrdiff_t z_below;
    size_t t_count, z_count;
    double *root;                      /* (z_count): square roots of the weights of N(0, rho sigma^2) */
    double *cover, *first;             /* (t_count, z_count): root F(t - z), root M_1(t - z) */
    double *joint_cover, *joint_first; /* (t_count, t_count): lower triangles of the products */
    double *mean_cover;                /* (t_count): f(t) */
    double *alone; /* (t_count): log of the factor of the keys that only the later row sees */
    void *block;
} overlap_grid;

/* F and M_1 vary over 1, or over the spread of what is left of a logit, whichever is larger. */
static ptrdiff_t stride_for(double rest, const overlap_accuracy *accuracy) {
    return (ptrdiff_t)fmax(accuracy->smallest_step, floor(rest / accuracy->steps / IRENEO_REM_STEP));
}

/* The smallest t at which phi(t)^{T-1} still counts. */
static ireneo_error lowest_index(double sigma, double keys, ptrdiff_t top, double log_negligible,
                                 ptrdiff_t *index) {
    ireneo_rem_kernel kernel;
    ptrdiff_t low = ireneo_rem_lower_end(sigma), high = top;
    IRENEO_TRY(ireneo_rem_kernel_open(sigma, 0.0, low, top, &kernel));
    while (high - low > 1) {
        ptrdiff_t middle = low + (high - low) / 2;
        double cover;
        ireneo_rem_kernel_at(&kernel, middle, 1, &cover);
        if ((keys - 1.0) * log1p(-fmin(1.0, cover)) > log_negligible)
            high = middle;
        else
            low = middle;
    }
    ireneo_rem_kernel_close(&kernel);
    *index = low;
    return IRENEO_OK;
}

static ireneo_error allocate_grid(overlap_grid *g) {
    size_t tz = g->t_count * g->z_count, tt = g->t_count * g->t_count;
    double *block = NULL;
    IRENEO_TRY(ireneo_ram_require(16.0 * ((double)tz + (double)tt), "the overlap of attention rows"));
    IRENEO_TRY(
        IRENEO_ALLOCATE(&block, 2 * tz + 2 * tt + g->z_count + 2 * g->t_count, "overlap of attention rows"));
    g->block = block;
    g->cover = block;
    g->first = g->cover + tz;
    g->joint_cover = g->first + tz;
    g->joint_first = g->joint_cover + tt;
    g->root = g->joint_first + tt;
    g->mean_cover = g->root + g->z_count;
    g->alone = g->mean_cover + g->t_count;
    return IRENEO_OK;
}

static ireneo_error open_grid(double sigma, double rho, double keys, double later_keys, overlap_grid *g) {
    double common = sigma * sqrt(rho), rest = sigma * sqrt(1.0 - rho);
    g->stride = stride_for(rest, &g->accuracy);
    double step = (double)g->stride * IRENEO_REM_STEP;
    ptrdiff_t top = (ptrdiff_t)ceil(ireneo_rem_upper_end(sigma, later_keys, g->accuracy.log_negligible) /
                                    IRENEO_REM_STEP);
    IRENEO_TRY(lowest_index(sigma, keys, top, g->accuracy.log_negligible, &g->t_first));
    g->t_count = (size_t)((top - g->t_first) / g->stride + 1);
    double reach = g->accuracy.reach,
           above = fmin(reach + 3.0, reach + 2.0 * common); /* e^x e^y favour large z */
    g->z_step = fmin(step, g->accuracy.z_step * common);
    g->z_below = (ptrdiff_t)ceil(reach * common / g->z_step);
    g->z_count = (size_t)(g->z_below + (ptrdiff_t)ceil(above * common / g->z_step) + 1);
    IRENEO_TRY(allocate_grid(g));
    for (size_t j = 0; j < g->z_count; j++) {
        double z = (double)((ptrdiff_t)j - g->z_below) * g->z_step;
        g->root[j] = sqrt(g->z_step / common * ireneo_normal_density(z / common));
    }
    return IRENEO_OK;
}

static void put_factors(const overlap_grid *g, size_t i, size_t j, const double *averages) {
    g->cover[i * g->z_count + j] = g->root[j] * averages[0];
    g->first[i * g->z_count + j] = g->root[j] * averages[1];
}

/* t and z on one grid: both factors depend on t - z only, so a value serves a whole diagonal. */
static ireneo_error fill_diagonals(double rest, const overlap_grid *g) {
    ptrdiff_t t_count = (ptrdiff_t)g->t_count, z_count = (ptrdiff_t)g->z_count, count = t_count + z_count - 1;
    ptrdiff_t lowest = g->t_first - (z_count - 1 - g->z_below) * g->stride;
    ireneo_rem_kernel kernel;
    IRENEO_TRY(ireneo_rem_kernel_open(rest, 0.0, lowest, lowest + (count - 1) * g->stride, &kernel));
    for (ptrdiff_t s = 0; s < count; s++) {
        double averages[2];
        ireneo_rem_kernel_at(&kernel, lowest + s * g->stride, 2, averages);
        ptrdiff_t from = s - (z_count - 1) > 0 ? s - (z_count - 1) : 0, to = s < t_count ? s : t_count - 1;
        for (ptrdiff_t i = from; i <= to; i++)
            put_factors(g, (size_t)i, (size_t)(i + z_count - 1 - s), averages);
    }
    ireneo_rem_kernel_close(&kernel);
    return IRENEO_OK;
}

/* z on a finer grid, when rows have little in common: a shifted kernel for each z. */
static ireneo_error fill_columns(double rest, const overlap_grid *g) {
    for (size_t j = 0; j < g->z_count; j++) {
        double z = (double)((ptrdiff_t)j - g->z_below) * g->z_step;
        ireneo_rem_kernel kernel;
        ptrdiff_t highest = g->t_first + (ptrdiff_t)(g->t_count - 1) * g->stride;
        IRENEO_TRY(ireneo_rem_kernel_open(rest, -z, g->t_first, highest, &kernel));
        for (size_t i = 0; i < g->t_count; i++) {
            double averages[2];
            ireneo_rem_kernel_at(&kernel, g->t_first + (ptrdiff_t)i * g->stride, 2, averages);
            put_factors(g, i, j, averages);
        }
        ireneo_rem_kernel_close(&kernel);
    }
    return IRENEO_OK;
}

/* f(t), and what the keys that only the later row sees make of it. */
static void fill_means(double more_keys, const overlap_grid *g) {
    for (size_t i = 0; i < g->t_count; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < g->z_count; j++) sum += g->root[j] * g->cover[i * g->z_count + j];
        g->mean_cover[i] = sum;
        g->alone[i] = more_keys > 0.0 ? more_keys * log1p(-fmin(1.0, sum)) : 0.0;
    }
}

static double sum_grid(double keys, double later_keys, const overlap_grid *g) {
    fill_means(later_keys - keys, g);
    ireneo_gram(g->cover, g->t_count, g->z_count, g->joint_cover);
    ireneo_gram(g->first, g->t_count, g->z_count, g->joint_first);
    double total = 0.0;
    for (size_t i = 0; i < g->t_count; i++)
        for (size_t k = 0; k <= i; k++) {
            double covered = g->mean_cover[i] + g->mean_cover[k] - g->joint_cover[i * g->t_count + k];
            double exponent = (keys - 1.0) * log1p(-fmin(1.0, covered));
            if (!(exponent > 2.0 * g->accuracy.log_negligible)) continue;
            double later = exp(exponent + g->alone[i]) + (k < i ? exp(exponent + g->alone[k]) : 0.0);
            total += g->joint_first[i * g->t_count + k] * later;
        }
    double step = (double)g->stride * IRENEO_REM_STEP;
    return keys * total * step * step;
}

static ireneo_error integrate(double sigma, double rho, double keys, double later_keys,
                              const overlap_accuracy *accuracy, double *overlap) {
    *overlap = 1.0 / later_keys;
    if (sigma < 1e-12 || rho <= 0.0) return IRENEO_OK;
    rho = fmin(rho, 1.0 - 1e-12);
    sigma = fmin(sigma, IRENEO_REM_WIDEST); /* both rows pick one key, whatever more */
    overlap_grid grid = {.accuracy = *accuracy};
    IRENEO_TRY(open_grid(sigma, rho, keys, later_keys, &grid));
    double rest = sigma * sqrt(1.0 - rho);
    bool shared = grid.z_step == (double)grid.stride * IRENEO_REM_STEP;
    ireneo_error failed = shared ? fill_diagonals(rest, &grid) : fill_columns(rest, &grid);
    if (failed == IRENEO_OK) *overlap = sum_grid(keys, later_keys, &grid);
    free(grid.block);
    return failed;
}

ireneo_error ireneo_rem_causal_overlap(double sigma, double rho, double keys, double later_keys,
                                       double *overlap) {
    return integrate(sigma, rho, keys, later_keys, &COARSE, overlap);
}

ireneo_error ireneo_rem_row_overlap(double sigma, double rho, double keys, double *overlap) {
    if (sigma >= 1e-12 && 1.0 - rho < 1e-12) {
        ireneo_rem_row row;
        IRENEO_TRY(ireneo_rem_exact(sigma, keys, &row));
        *overlap = row.y[2];
        return IRENEO_OK;
    }
    return integrate(sigma, rho, keys, keys, &FINE, overlap);
}
