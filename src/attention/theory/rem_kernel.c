/* F(t) and M_n(t) on a grid; see rem_kernel.h. */
#include "attention/theory/rem_kernel.h"
#include "base/normal.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

/* Window of u = x - t in which what is averaged varies, in grid steps. Below it all shapes are 0; above it
 * the moments are 0 and 1 - exp(-e^u), the shape of F, is 1. At the ends, u = -70 and 4, 1e12 keys times
 * e^-70 and exp(-e^4) are below 1e-17. */
enum { WINDOW_LOW = -560, WINDOW_HIGH = 32, WINDOW = WINDOW_HIGH - WINDOW_LOW + 1 };

enum { NARROW_REACH = 10 }; /* nodes on each side, NARROW_STEP sigma apart */
static const double NARROW_STEP = 0.8;
static const double NARROW_BELOW = 2.0 * IRENEO_REM_STEP;

static void fill_shapes(double **shape) {
    for (int k = 0; k < WINDOW; k++) {
        double u = (WINDOW_LOW + k) * IRENEO_REM_STEP, e = exp(u), power = exp(-e);
        shape[0][k] = -expm1(-e);
        for (int n = 1; n <= IRENEO_REM_MOMENTS; n++) {
            power *= e;
            shape[n][k] = power;
        }
        shape[IRENEO_REM_D][k] = u * shape[1][k];
    }
}

static void fill_densities(ireneo_rem_kernel *kernel) {
    double sigma = kernel->sigma, scale = IRENEO_REM_STEP / sigma;
    ptrdiff_t count = kernel->last - kernel->first + 1;
    kernel->tail[count] = 0.0;
    for (ptrdiff_t j = count; j-- > 0;) { /* from the far tail, so that small numbers meet small numbers */
        kernel->density[j] =
            scale * ireneo_normal_density((double)(kernel->first + j) * scale + kernel->offset / sigma);
        kernel->tail[j] = kernel->tail[j + 1] + kernel->density[j];
    }
}

ireneo_error ireneo_rem_kernel_open(double sigma, double offset, ptrdiff_t lowest, ptrdiff_t highest,
                                    ireneo_rem_kernel *kernel) {
    memset(kernel, 0, sizeof *kernel);
    kernel->sigma = sigma;
    kernel->offset = offset;
    if (sigma < NARROW_BELOW) return IRENEO_OK;
    kernel->first = lowest + WINDOW_LOW;
    kernel->last = highest + WINDOW_HIGH;
    size_t count = (size_t)(kernel->last - kernel->first + 1);
    double *block = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&block, 2 * count + 1 + IRENEO_REM_AVERAGES * WINDOW,
                               "averages over attention logits"));
    kernel->density = block;
    kernel->tail = block + count;
    for (int n = 0; n < IRENEO_REM_AVERAGES; n++)
        kernel->shape[n] = block + 2 * count + 1 + (size_t)n * WINDOW;
    fill_shapes(kernel->shape);
    fill_densities(kernel);
    return IRENEO_OK;
}

void ireneo_rem_kernel_close(ireneo_rem_kernel *kernel) {
    free(kernel->density);
    memset(kernel, 0, sizeof *kernel);
}

static double dot_product(const double *a, const double *b) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < WINDOW; k++) sum += a[k] * b[k];
    return sum;
}

static void narrow_at(double sigma, double t, double *averages) {
    for (int n = 0; n < IRENEO_REM_AVERAGES; n++) averages[n] = 0.0;
    int reach = sigma > 0.0 ? NARROW_REACH : 0;
    for (int j = -reach; j <= reach; j++) {
        double weight = reach > 0 ? NARROW_STEP * ireneo_normal_density(NARROW_STEP * j) : 1.0;
        double u = NARROW_STEP * j * sigma - t, e = exp(u), power = weight * exp(-e);
        averages[IRENEO_REM_F] += weight * -expm1(-e);
        averages[IRENEO_REM_D] += u * e * power;
        for (int n = 1; n <= IRENEO_REM_MOMENTS; n++) {
            power *= e;
            averages[n] += power;
        }
    }
}

void ireneo_rem_kernel_at(const ireneo_rem_kernel *kernel, ptrdiff_t index, int count, double *averages) {
    if (kernel->density == NULL) {
        double all[IRENEO_REM_AVERAGES];
        narrow_at(kernel->sigma, (double)index * IRENEO_REM_STEP + kernel->offset, all);
        memcpy(averages, all, (size_t)count * sizeof *averages);
        return;
    }
    const double *density = kernel->density + (index + WINDOW_LOW - kernel->first);
    for (int n = 0; n < count; n++) averages[n] = dot_product(density, kernel->shape[n]);
    averages[IRENEO_REM_F] += kernel->tail[index + WINDOW_HIGH + 1 - kernel->first];
}

/* log E min(1, e^{x - t}) */
static double log_bound(double sigma, double t) {
    if (sigma <= 0.0) return fmin(0.0, -t);
    double above = ireneo_normal_log_tail(t / sigma);
    double below = 0.5 * sigma * sigma - t + ireneo_normal_log_cdf((t - sigma * sigma) / sigma);
    return fmax(above, below) + log1p(exp(-fabs(above - below)));
}

double ireneo_rem_upper_end(double sigma, double keys, double log_level) {
    double level = log_level - log(keys), low = -40.0 * sigma, high = 0.5 * sigma * sigma - level + 1.0;
    for (int i = 0; i < 60 && high - low > IRENEO_REM_STEP; i++) {
        double t = 0.5 * (low + high);
        if (log_bound(sigma, t) > level)
            low = t;
        else
            high = t;
    }
    return high;
}

ptrdiff_t ireneo_rem_lower_end(double sigma) {
    return -(ptrdiff_t)((10.0 * sigma + 60.0) / IRENEO_REM_STEP);
}
