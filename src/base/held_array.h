/* Matrices from files, over the ranks of a job: rows that each rank reads for itself, and matrices that lie once on every
 * node. All ranks call these functions, with the same files before them, and fail alike; what differs between the nodes
 * is found out. */
#ifndef IRENEO_BASE_HELD_ARRAY_H
#define IRENEO_BASE_HELD_ARRAY_H

#include "base/array.h"
#include "base/holding.h"

/* What a file says of itself, the same on all ranks. */
ireneo_error ireneo_held_describe(ireneo_ranks *ranks, const char *location, ireneo_array *array);

/* The held rows of a matrix of `holding->total` rows, in *values (rows, columns), to be released with free(). With
 * IRENEO_READ_STACK a row of the holding is a matrix of the stack. Nobody reads more than its rows, but of files whose rows
 * do not lie side by side (.npz, Fortran order, text) and of float64, whose rounding is judged over all rows. */
ireneo_error ireneo_held_load(const char *location, ireneo_matrix_reading reading,
                              const ireneo_holding *holding, float **values, size_t *columns,
                              ireneo_load_notes *notes);

/* The same of a vector of whole numbers, as ireneo_load_indices. */
ireneo_error ireneo_held_indices(const char *location, const ireneo_holding *holding, int64_t **values);

/* A matrix once a node: the first rank of each reads it. */
ireneo_error ireneo_shared_load(ireneo_ranks *ranks, const char *location, ireneo_matrix_reading reading,
                                ireneo_shared *shared, size_t *rows, size_t *columns,
                                ireneo_load_notes *notes);

#endif
