/* Newton's method in the space of pairs. */
#ifndef IRENEO_LINEAR_EDIT_PAIR_NEWTON_H
#define IRENEO_LINEAR_EDIT_PAIR_NEWTON_H

#include "linear/edit/edit_pairs.h"

/* Minimises  ridge |D|^2 / 2 + sum_p (t_p - (Q a)_p)_+^2 / 2  over D = sum a_p z_p, with t = c + ridge l. At the minimum
 * a = (t - Q a)_+ / ridge. Starts at pairs->a, whose product must be in pairs->gap, and leaves both there; change
 * and moved are those of some other point. *converged tells whether the minimum was reached. */
ireneo_error ireneo_pair_newton(ireneo_edit_pairs *pairs, double ridge, size_t *steps, bool *converged);

/* x (count) with (Q + ridge) x = right among the pairs listed, right and x over all pairs, zero elsewhere. */
ireneo_error ireneo_pair_solve(ireneo_edit_pairs *pairs, const size_t *list, size_t count, double ridge,
                               const double *right, double *x);

/* Bytes that a solve with so many active pairs takes. */
double ireneo_pair_solve_bytes(double count);

#endif
