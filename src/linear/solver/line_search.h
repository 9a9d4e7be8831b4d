/* How far to go along the search direction. */
#ifndef IRENEO_LINEAR_SOLVER_LINE_SEARCH_H
#define IRENEO_LINEAR_SOLVER_LINE_SEARCH_H

#include "linear/kernels/row_projection.h"
#include "linear/solver/minimiser.h"

/* Loss, slope and curvature of the loss at step a, and the rows that are violated there. */
ireneo_row_sums ireneo_line_sums(const ireneo_minimiser *minimiser, double step);

/* The step at which the slope is below a tenth of its start: Newton on the slope, kept inside the bracket. 0 when nothing
 * is gained. *violations: of the last step tried. */
double ireneo_line_search(const ireneo_minimiser *minimiser, bool newton_start, double *violations);

#endif
