/* A memory in float64, for the places where float32 could err. */
#include "base/memory.h"
#include "linear/proof.h"

#include <cblas.h>
#include <string.h>

static ireneo_error widen(const float *values, size_t count, double **out) {
    if (values == NULL) return IRENEO_OK;
    IRENEO_TRY(IRENEO_ALLOCATE(out, count, "memory in float64"));
    for (size_t k = 0; k < count; k++) (*out)[k] = (double)values[k];
    return IRENEO_OK;
}

ireneo_error ireneo_wide_memory_make(const ireneo_memory *m, ireneo_wide_memory *wide) {
    memset(wide, 0, sizeof *wide);
    wide->dim_in = m->dim_in, wide->dim_out = m->dim_out, wide->rank = m->rank;
    ireneo_error failed = widen(m->matrix, m->dim_out * m->dim_in, &wide->matrix);
    if (failed == IRENEO_OK) failed = widen(m->left, m->dim_out * m->rank, &wide->left);
    if (failed == IRENEO_OK) failed = widen(m->right, m->dim_in * m->rank, &wide->right);
    if (failed != IRENEO_OK) ireneo_wide_memory_free(wide);
    return failed;
}

void ireneo_wide_memory_free(ireneo_wide_memory *wide) {
    free(wide->matrix);
    free(wide->left);
    free(wide->right);
    memset(wide, 0, sizeof *wide);
}

void ireneo_wide_memory_apply(const ireneo_wide_memory *w, const float *keys, size_t count, double *scratch,
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
