/* How a figure runs trials: in which store their results are, and on how many cores. */
#ifndef IRENEO_LAB_FIGURES_FIGURE_TRIALS_H
#define IRENEO_LAB_FIGURES_FIGURE_TRIALS_H

#include "lab/figures/figure.h"
#include "lab/sweep/queue.h"
#include "lab/sweep/results_share.h"

/* The store of a request, for all ranks: the database it names, or results.db in its folder. Close it with
 * ireneo_results_close_shared. */
ireneo_error ireneo_figure_store(const figure_request *request, results **store);

/* How a figure's jobs are run. */
queue_settings ireneo_figure_queue(const figure_request *request, const char *stage);

/* The trials of the request's rows go into its store; there may be no such file yet. */
ireneo_error ireneo_figure_take_rows(const figure_request *request);

/* The trials of its store go into the file. `failed`: how the figure went; returns what went wrong first. */
ireneo_error ireneo_figure_keep_rows(const figure_request *request, ireneo_error failed);

#endif
