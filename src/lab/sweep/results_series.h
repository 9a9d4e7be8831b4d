/* Arrays of numbers under a name: spectra and histograms of figures. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_SERIES_H
#define IRENEO_LAB_SWEEP_RESULTS_SERIES_H

#include "lab/sweep/results.h"

/* An array under a name: *values is NULL when it is not there; release with free. */
ireneo_error ireneo_results_find_series(results *store, const char *name, double **values, size_t *count);
ireneo_error ireneo_results_add_series(results *store, const char *name, const double *values, size_t count);

#endif
