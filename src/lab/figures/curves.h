/* What most figures are made of: outcomes of trials averaged over draws, against the load. */
#ifndef IRENEO_LAB_FIGURES_CURVES_H
#define IRENEO_LAB_FIGURES_CURVES_H

#include "lab/figures/figure.h"
#include "lab/sweep/queue.h"

/* One curve: trials like this one at the loads from `from` to `to`. */
typedef struct curve {
    trial like; /* its facts and candidates are chosen by the load */
    double from, to;
    size_t points, draws;
} curve;

/* Runs all trials of all curves and writes a block of lines per curve, with a header line and two empty lines
 * between blocks: problem,dim,rank,load,facts,accuracy,spread,all,loss,loss_spread,seconds,draws. */
ireneo_error ireneo_curves_write(const figure_request *request, const char *stage, const curve *curves,
                                 size_t count, FILE *stream);

/* Loads and draws of the request's own, where it has some. */
void ireneo_curve_resize(const figure_request *request, curve *c);

/* The column names of those lines, and what they mean. */
extern const char ireneo_curves_header[];

/* Loads at which the law and the limit formula put capacity, for a square memory of rank kappa d. */
ireneo_error ireneo_critical_load(trial_problem problem, size_t dim, double kappa, double *law,
                                  double *limit);

#endif
