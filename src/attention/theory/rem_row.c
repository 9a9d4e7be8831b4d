/* One softmax row at a finite number of keys T, from Z^-n = 1/Gamma(n) Int dt e^{-n t} exp(-Z e^{-t}):
 *
 *     E Y_n   = T / Gamma(n) Int dt M_n(t) phi(t)^{T-1} ,        phi = 1 - F
 *     E Y_2^2 = E Y_4 + T (T-1) / Gamma(4) Int dt M_2(t)^2 phi(t)^{T-2}
 *     entropy = -d/dn E Y_n at n = 1 = psi(1) - T Int dt D(t) phi(t)^{T-1}
 *     E log Z = entropy + sigma^2 (1 - E Y_2)                    (Gaussian integration by parts)
 *
 * by the trapezoid rule in t. phi^T is formed as exp(T log1p(-F)), which holds for T = 1e12. */
#include "attention/theory/rem.h"
#include "attention/theory/rem_kernel.h"

#include <math.h>
#include <string.h>

static const double LOG_NEGLIGIBLE = -45.0;

/* The integrands vary over sigma / sqrt(2 log T) or over 1, whichever is larger. */
static ptrdiff_t stride_for(double sigma) {
    double steps = floor(sigma / 64.0 / IRENEO_REM_STEP);
    return steps > 1.0 ? (ptrdiff_t)steps : 1;
}

int ireneo_rem_add_point(const double *a, double keys, ireneo_rem_row *sums) {
    static const double GAMMA[] = {1.0, 1.0, 1.0, 2.0, 6.0};
    double log_phi = log1p(-fmin(a[IRENEO_REM_F], 1.0)), others = (keys - 1.0) * log_phi;
    if (!(others > LOG_NEGLIGIBLE)) return 0;
    double power = exp(others);
    for (int n = 1; n <= IRENEO_REM_MOMENTS; n++) sums->y[n] += keys / GAMMA[n] * a[n] * power;
    sums->y2_squared += keys * (keys - 1.0) / GAMMA[4] * a[2] * a[2] * exp((keys - 2.0) * log_phi);
    sums->entropy -= keys * a[IRENEO_REM_D] * power;
    return 1;
}

void ireneo_rem_finish(double step, double keys, ireneo_rem_row *row) {
    row->y[0] = keys;
    for (int n = 1; n <= IRENEO_REM_MOMENTS; n++) row->y[n] *= step;
    row->y2_squared = row->y2_squared * step + row->y[4];
    row->entropy = row->entropy * step + ireneo_digamma(1.0);
    ireneo_rem_uncapped(row);
}

static ireneo_error integrate_row(double sigma, double keys, ireneo_rem_row *row) {
    ireneo_rem_kernel kernel;
    ptrdiff_t bottom = ireneo_rem_lower_end(sigma), stride = stride_for(sigma);
    ptrdiff_t top = (ptrdiff_t)ceil(ireneo_rem_upper_end(sigma, keys, LOG_NEGLIGIBLE) / IRENEO_REM_STEP);
    IRENEO_TRY(ireneo_rem_kernel_open(sigma, 0.0, bottom, top, &kernel));
    memset(row, 0, sizeof *row);
    for (ptrdiff_t i = top; i >= bottom; i -= stride) {
        double averages[IRENEO_REM_AVERAGES];
        ireneo_rem_kernel_at(&kernel, i, IRENEO_REM_AVERAGES, averages);
        if (!ireneo_rem_add_point(averages, keys, row)) break;
    }
    ireneo_rem_kernel_close(&kernel);
    ireneo_rem_finish((double)stride * IRENEO_REM_STEP, keys, row);
    row->log_partition = row->entropy + sigma * sigma * (1.0 - row->y[2]);
    return IRENEO_OK;
}

static void equal_weights(double keys, ireneo_rem_row *row) {
    for (int n = 0; n <= IRENEO_REM_MOMENTS; n++) row->y[n] = pow(keys, 1.0 - n);
    row->y2_squared = row->y[3];
    row->log_partition = row->entropy = log(keys);
    ireneo_rem_uncapped(row);
}

/* For very wide logits 1 - Y_n and the entropy are proportional to the chance that the two largest logits lie
 * within a few units of each other, that is to 1 / sigma. */
void ireneo_rem_shrink(ireneo_rem_row *row, double factor) {
    for (int n = 2; n <= IRENEO_REM_MOMENTS; n++) row->y[n] = 1.0 - (1.0 - row->y[n]) * factor;
    row->y2_squared = 1.0 - (1.0 - row->y2_squared) * factor;
    row->entropy *= factor;
    ireneo_rem_uncapped(row);
}

ireneo_error ireneo_rem_exact(double sigma, double keys, ireneo_rem_row *row) {
    if (sigma < 1e-12) {
        equal_weights(keys, row);
        return IRENEO_OK;
    }
    IRENEO_TRY(integrate_row(fmin(sigma, IRENEO_REM_WIDEST), keys, row));
    row->y[0] = keys;
    if (sigma > IRENEO_REM_WIDEST) {
        ireneo_rem_shrink(row, IRENEO_REM_WIDEST / sigma);
        row->log_partition = row->entropy + sigma * sigma * (1.0 - row->y[2]);
    }
    if (fabs(row->y[1] - 1.0) > 1e-8)
        return ireneo_fail(IRENEO_ERROR_NUMERIC,
                           "attention weights over %g keys with logit spread %g sum to %.10g instead of 1",
                           keys, sigma, row->y[1]);
    return IRENEO_OK;
}
