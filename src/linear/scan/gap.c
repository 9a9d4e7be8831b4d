/* Gaps of single pairs.
 *
 * With u = 2^-53 a float64 sum of d products of rounded numbers errs by at most (d + 3) u sum |h_k| |a_k - b_k|
 * (difference, product, d - 1 additions in any order), and that is at most (d + 3) u |h| |a - b|. What is unknown of h
 * itself adds |h - W x| |a - b|. Bounds are formed with a little more than that, so that their own rounding is
 * covered. Products of float32 numbers neither overflow nor vanish in float64. */
#include "linear/scan/gap.h"
#include "base/vectorised.h"
#include "linear/facts/scale.h"

#include <math.h>
#include <string.h>

static const double UNIT = 0x1p-53, MORE = 1.0 + 1e-6; /* rounding of a bound that is itself computed */

double ireneo_gap_error_rate(const ireneo_memory *m) {
    double terms = (double)m->dim_in + (double)m->rank + 4.0, size;
    if (m->rank == 0)
        size = ireneo_norm_f32(m->matrix, m->dim_out * m->dim_in);
    else
        size =
            ireneo_norm_f32(m->left, m->dim_out * m->rank) * ireneo_norm_f32(m->right, m->dim_in * m->rank);
    return terms * UNIT * size * MORE;
}

IRENEO_VECTORISED
static void sum_differences(const double *h, const float *a, const float *b, size_t dim, double *gap,
                            double *square) {
    double sum = 0.0, norm = 0.0;
#pragma omp simd reduction(+ : sum, norm)
    for (size_t k = 0; k < dim; k++) {
        double difference = (double)a[k] - (double)b[k];
        sum += h[k] * difference;
        norm += difference * difference;
    }
    *gap = sum;
    *square = norm;
}

double ireneo_gap_f64(const ireneo_gap_row *row, const float *target, const float *other, double *error) {
    size_t dim = row->memory->dim_out;
    double gap, square;
    sum_differences(row->h, target, other, dim, &gap, &square);
    *error = (((double)dim + 4.0) * UNIT * row->norm + row->error) * sqrt(square) * MORE;
    return gap;
}

/* sum += w x, in units of 2^-298. */
static void add_product(ireneo_exact *sum, float w, float x) {
    int32_t m, n;
    unsigned e = ireneo_exact_split(w, &m), f = ireneo_exact_split(x, &n);
    if (m != 0 && n != 0) ireneo_exact_add(sum, (int64_t)m * n, e + f);
}

static void add_multiple(ireneo_exact *sum, const ireneo_exact *number, float factor) {
    int32_t m;
    unsigned e = ireneo_exact_split(factor, &m);
    ireneo_exact_add_multiple(sum, number, m, e);
}

/* W x without rounding: in units of 2^-298, or 2^-447 for two factors. */
static void make_exact(ireneo_gap_row *row) {
    const ireneo_memory *m = row->memory;
    ireneo_exact *h = row->exact, *middle = h + m->dim_out;
    memset(h, 0, (m->dim_out + m->rank) * sizeof *h);
    for (size_t a = 0; m->rank == 0 && a < m->dim_out; a++)
        for (size_t b = 0; b < m->dim_in; b++) add_product(&h[a], m->matrix[a * m->dim_in + b], row->key[b]);
    for (size_t b = 0; b < m->dim_in; b++)
        for (size_t r = 0; r < m->rank; r++) add_product(&middle[r], m->right[b * m->rank + r], row->key[b]);
    for (size_t a = 0; a < m->dim_out; a++)
        for (size_t r = 0; r < m->rank; r++) add_multiple(&h[a], &middle[r], m->left[a * m->rank + r]);
    row->known = true;
}

double ireneo_gap_exact(ireneo_gap_row *row, const float *target, const float *other) {
    ireneo_exact gap = {{0}};
    if (!row->known) make_exact(row);
    for (size_t a = 0; a < row->memory->dim_out; a++) {
        if (target[a] == other[a]) continue;
        add_multiple(&gap, &row->exact[a], target[a]);
        add_multiple(&gap, &row->exact[a], -other[a]);
    }
    return ireneo_exact_value(&gap, (row->memory->rank == 0 ? 3 : 4) * IRENEO_EXACT_UNIT);
}
