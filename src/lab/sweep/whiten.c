/* Mean, covariance and its inverse root by an eigenvalue decomposition, in double precision. */
#include "lab/sweep/whiten.h"
#include "base/ram.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

ireneo_error ireneo_centre_rows(float *values, size_t rows, size_t columns) {
    double *mean;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&mean, columns, "mean"));
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < columns; i++) mean[i] += (double)values[r * columns + i] / (double)rows;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < columns; i++)
            values[r * columns + i] = (float)((double)values[r * columns + i] - mean[i]);
    free(mean);
    return IRENEO_OK;
}

ireneo_error ireneo_rows_to_sphere(float *values, size_t rows, size_t columns) {
    for (size_t r = 0; r < rows; r++) {
        double square = 0.0;
        for (size_t i = 0; i < columns; i++) {
            double x = (double)values[r * columns + i];
            square += x * x;
        }
        if (!(square > 0.0)) return ireneo_fail(IRENEO_ERROR_DATA, "row %zu is all zeros", r);
        double scale = sqrt((double)columns / square);
        for (size_t i = 0; i < columns; i++)
            values[r * columns + i] = (float)(scale * (double)values[r * columns + i]);
    }
    return IRENEO_OK;
}

/* C^(-1/2) of the covariance of centred rows, into root (columns, columns). */
static ireneo_error inverse_root(const float *values, size_t rows, size_t columns, double *covariance,
                                 double *spectrum, double *root) {
    int n = (int)columns;
    memset(covariance, 0, columns * columns * sizeof *covariance);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < columns; i++)
            for (size_t j = 0; j < columns; j++)
                covariance[i * columns + j] +=
                    (double)values[r * columns + i] * (double)values[r * columns + j] / (double)rows;
    if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', n, covariance, n, spectrum) != 0)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "the covariance has no eigenvalue decomposition");
    if (!(spectrum[0] > 1e-12 * spectrum[columns - 1]))
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the rows do not fill their %zu dimensions and cannot be whitened", columns);
    for (size_t i = 0; i < columns; i++) /* columns of the eigenvectors times lambda^(-1/4) */
        for (size_t k = 0; k < columns; k++) covariance[i * columns + k] /= sqrt(sqrt(spectrum[k]));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, covariance, n, covariance, n, 0.0,
                root, n);
    return IRENEO_OK;
}

static void apply(float *values, size_t rows, size_t columns, const double *root, double *row) {
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < columns; i++) {
            row[i] = 0.0;
            for (size_t j = 0; j < columns; j++)
                row[i] += root[i * columns + j] * (double)values[r * columns + j];
        }
        for (size_t i = 0; i < columns; i++) values[r * columns + i] = (float)row[i];
    }
}

ireneo_error ireneo_whiten_rows(float *values, size_t rows, size_t columns) {
    double *covariance = NULL, *root = NULL, *spectrum = NULL;
    IRENEO_TRY(ireneo_centre_rows(values, rows, columns));
    ireneo_error error = IRENEO_ALLOCATE(&covariance, columns * columns, "covariance");
    if (error == IRENEO_OK) error = IRENEO_ALLOCATE(&root, columns * columns, "root of the covariance");
    if (error == IRENEO_OK) error = IRENEO_ALLOCATE(&spectrum, columns, "spectrum");
    if (error == IRENEO_OK) error = inverse_root(values, rows, columns, covariance, spectrum, root);
    if (error == IRENEO_OK) apply(values, rows, columns, root, spectrum);
    free(covariance);
    free(root);
    free(spectrum);
    return error;
}
