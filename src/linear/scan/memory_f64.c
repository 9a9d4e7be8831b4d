/* A memory in float64, for the places where float32 could err. */
#include "linear/scan/memory_f64.h"
#include "base/ram.h"

#include <cblas.h>
#include <string.h>

static ireneo_error widen(const float *values, size_t count, double **out) {
    if (values == NULL) return IRENEO_OK;
    IRENEO_TRY(IRENEO_ALLOCATE(out, count, "memory in float64"));
    for (size_t k = 0; k < count; k++) (*out)[k] = (double)values[k];
    return IRENEO_OK;
}

ireneo_error ireneo_memory_f64_make(const ireneo_memory *m, ireneo_memory_f64 *f64) {
    memset(f64, 0, sizeof *f64);
    f64->dim_in = m->dim_in, f64->dim_out = m->dim_out, f64->rank = m->rank;
    ireneo_error failed = widen(m->matrix, m->dim_out * m->dim_in, &f64->matrix);
    if (failed == IRENEO_OK) failed = widen(m->left, m->dim_out * m->rank, &f64->left);
    if (failed == IRENEO_OK) failed = widen(m->right, m->dim_in * m->rank, &f64->right);
    if (failed != IRENEO_OK) ireneo_memory_f64_free(f64);
    return failed;
}

void ireneo_memory_f64_free(ireneo_memory_f64 *f64) {
    free(f64->matrix);
    free(f64->left);
    free(f64->right);
    memset(f64, 0, sizeof *f64);
}

void ireneo_memory_f64_apply(const ireneo_memory_f64 *w, const float *keys, size_t count, double *scratch,
                             double *h) {
    int n = (int)count, in = (int)w->dim_in, out = (int)w->dim_out, rank = (int)w->rank;
    for (size_t k = 0; k < count * w->dim_in; k++) scratch[k] = (double)keys[k];
    if (w->matrix != NULL) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, out, in, 1.0, scratch, in, w->matrix, in, 0.0,
                    h, out);
        return;
    }
    double *middle = scratch + count * w->dim_in;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, rank, in, 1.0, scratch, in, w->right, rank, 0.0,
                middle, rank);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, out, rank, 1.0, middle, rank, w->left, rank, 0.0,
                h, out);
}
