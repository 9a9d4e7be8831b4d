/* Hebbian or given start in white coordinates; truncation to a rank by the singular value decomposition. */
#include "linear/solver/start.h"
#include "base/ram.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* The given memory as a white matrix (dim_out, dim_in). */
static ireneo_error import_memory(const ireneo_problem *p, const ireneo_memory *m, float *w) {
    if (m->rank == 0) return ireneo_matrix_to_white(p, m->matrix, w);
    float *full = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&full, m->dim_out * m->dim_in, "memory to start from"));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m->dim_out, (int)m->dim_in, (int)m->rank, 1.0f,
                m->left, (int)m->rank, m->right, (int)m->rank, 0.0f, full, (int)m->dim_in);
    ireneo_error failed = ireneo_matrix_to_white(p, full, w);
    free(full);
    return failed;
}

/* Scores have spread |h| and rms |h| = |W|_F / sqrt(dim_in): this norm makes it one. */
static void scale_to_unit_spread(const ireneo_problem *p, float *w) {
    size_t area = p->dim_out * p->dim_in;
    double norm = sqrt(ireneo_dot(w, w, area, p->threads));
    if (norm > 0.0) cblas_sscal((int)area, (float)(sqrt((double)p->dim_in) / norm), w, 1);
}

ireneo_error ireneo_factorise(float *matrix, size_t rows, size_t columns, size_t rank, float *left,
                              float *right) {
    size_t smaller = rows < columns ? rows : columns, use = rank < smaller ? rank : smaller;
    float *values = NULL, *u = NULL, *v = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&values, smaller, "singular values");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&u, rows * smaller, "singular vectors");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&v, smaller * columns, "singular vectors");
    if (failed == IRENEO_OK &&
        LAPACKE_sgesdd(LAPACK_ROW_MAJOR, 'S', (lapack_int)rows, (lapack_int)columns, matrix,
                       (lapack_int)columns, values, u, (lapack_int)smaller, v, (lapack_int)columns) != 0)
        failed = ireneo_fail(IRENEO_ERROR_NUMERIC,
                             "the singular value decomposition of the start did not converge");
    if (failed == IRENEO_OK) {
        memset(left, 0, rows * rank * sizeof *left);
        memset(right, 0, columns * rank * sizeof *right);
        for (size_t k = 0; k < use; k++) {
            float root = sqrtf(values[k]);
            for (size_t i = 0; i < rows; i++) left[i * rank + k] = root * u[i * smaller + k];
            for (size_t j = 0; j < columns; j++) right[j * rank + k] = root * v[k * columns + j];
        }
    }
    free(values);
    free(u);
    free(v);
    return failed;
}

ireneo_error ireneo_start(const ireneo_problem *p, const ireneo_memory *initial, size_t rank,
                          ireneo_minimiser *minimiser) {
    if (p->dim_in == 0 || p->dim_out == 0) return IRENEO_OK;
    IRENEO_TRY(initial != NULL ? import_memory(p, initial, minimiser->w)
                               : ireneo_problem_hebbian(p, minimiser->w));
    scale_to_unit_spread(p, minimiser->w);
    if (rank > 0) {
        IRENEO_TRY(ireneo_factorise(minimiser->w, p->dim_out, p->dim_in, rank, minimiser->point,
                                    minimiser->point + p->dim_out * rank));
        ireneo_minimiser_compose(minimiser);
    }
    return IRENEO_OK;
}

void ireneo_row_product(const ireneo_problem *p, const float *w, size_t row, float *h) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)p->dim_out, (int)p->dim_in, 1.0f, w, (int)p->dim_in,
                p->x + row * p->dim_in, 1, 0.0f, h, 1);
}

/* Second moment of each coordinate (dim) of whitened data whose white coordinates have second moment `white`.
 */
static void coordinate_moments(const ireneo_whitening *w, double white, double *moments) {
    for (size_t a = 0; a < w->dim; a++) {
        moments[a] = 0.0;
        for (size_t k = 0; k < w->span; k++)
            moments[a] += w->back[a * w->span + k] * w->back[a * w->span + k] * white;
    }
}

/* Rounding changes entry W_ab by about 2^-25 |W_ab|, independently: the spread of the change of y^T W x is
 * 2^-25 sqrt(sum W_ab^2 y_a^2 x_b^2). The gap is eight spreads of the difference of two scores, averaged over
 * the data. */
double ireneo_rounding_gap(const ireneo_problem *p, const ireneo_minimiser *minimiser) {
    const double least = 1e-5, most = fmax(least, 0.25 * (double)minimiser->margin);
    size_t in = p->keys.dim, out = p->values.dim;
    float *matrix = NULL;
    double *keys = NULL, *values = NULL, gap = least;
    if (p->dim_in == 0 || p->dim_out == 0) return least;
    if (IRENEO_ALLOCATE(&matrix, in * out, "memory") == IRENEO_OK &&
        IRENEO_ALLOCATE(&keys, in, "moments") == IRENEO_OK &&
        IRENEO_ALLOCATE(&values, out, "moments") == IRENEO_OK &&
        ireneo_matrix_from_white(p, minimiser->w, matrix) == IRENEO_OK) {
        double total = 0.0;
        coordinate_moments(&p->keys, 1.0 / (double)p->keys.span, keys);
        coordinate_moments(&p->values, 1.0, values);
        for (size_t a = 0; a < out; a++)
            for (size_t b = 0; b < in; b++)
                total += (double)matrix[a * in + b] * (double)matrix[a * in + b] * values[a] * keys[b];
        gap = 8.0 * 0x1p-25 * sqrt(2.0 * total);
    }
    free(matrix);
    free(keys);
    free(values);
    return fmin(fmax(least, gap), most);
}
