/* Whether any real matrix recalls all facts, decided without rounding.
 *
 * Either some W has (y_target - y_j)^T W x_i > 0 for every pair (i, j), or some weights r >= 0 with sum 1 have
 * sum r_ij (y_target - y_j) x_i^T = 0 (Gordan). Weights are looked for by the first phase of the simplex method on
 * whole numbers; when there are none, its multipliers are W. Either answer is checked again, exactly, before it is
 * given. Facts with offsets r: W is (W, s) with s > 0, a pair has the entry (y_target - y_j)^T r besides, and one more pair asks
 * for s > 0; W / s recalls what (W, s) does. The linear program is  max t, a_ij . W >= t, t <= 1  seen from its dual side, which is smaller. */
#ifndef IRENEO_TESTS_ATTACK_EXACT_LP_H
#define IRENEO_TESTS_ATTACK_EXACT_LP_H

#include "exact.h"

typedef enum exact_verdict { EXACT_INFEASIBLE, EXACT_FEASIBLE } exact_verdict;

/* Meant for dims up to 6, 12 facts, 12 candidates. *pivots may be NULL. Ends the program if its own check fails. */
exact_verdict exact_lp(const ireneo_facts *facts, size_t *pivots);

#endif
