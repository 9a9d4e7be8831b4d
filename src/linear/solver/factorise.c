/* Truncation of the singular value decomposition: both factors take the square root of the values. */
#include "linear/solver/factorise.h"
#include "base/ram.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

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
                             "the singular value decomposition of the memory did not converge");
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
