/* Draws of dense memories. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_DRAWS_H
#define IRENEO_LAB_SWEEP_RESULTS_DRAWS_H

#include "lab/sweep/draw_key.h"
#include "lab/sweep/results.h"

#include <stdbool.h>

/* Draw `index` of an experiment when it is known; keeps one, or does nothing when it is known. */
ireneo_error ireneo_results_find_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                      bool *found, ireneo_dense_draw *draw);
ireneo_error ireneo_results_add_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                     const ireneo_dense_draw *draw, double seconds);

#endif
