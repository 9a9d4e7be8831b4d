/* Whitening: rows of zero mean and unit covariance. */
#ifndef IRENEO_LAB_SWEEP_WHITEN_H
#define IRENEO_LAB_SWEEP_WHITEN_H

#include "ireneo.h"

/* values (rows, columns) lose their mean and are multiplied with the inverse root of their covariance;
 * directions without variance are an error. */
ireneo_error ireneo_whiten_rows(float *values, size_t rows, size_t columns);

/* Rows lose their mean only. */
ireneo_error ireneo_centre_rows(float *values, size_t rows, size_t columns);

/* Every row to length sqrt(columns); a row of zeros is an error. */
ireneo_error ireneo_rows_to_sphere(float *values, size_t rows, size_t columns);

#endif
