/* The least change of a matrix that gives every fact its margin, or weights that show that none does. */
#ifndef IRENEO_LINEAR_EDIT_LEAST_CHANGE_H
#define IRENEO_LINEAR_EDIT_LEAST_CHANGE_H

#include "linear/edit/edit_pairs.h"

typedef struct ireneo_least_change {
    ireneo_edit_pairs pairs; /* weight: the multipliers; change: D = sum l_p z_p */
    double *least;           /* (rows) smallest gap of every fact, over all candidates */
    double norm;             /* |D|_F */
    double bound;            /* no smaller D gives the margins that this one gives */
    double shortfall;        /* largest (m - gap) / m */
    bool reached;            /* all margins, to rounding */
    bool impossible;         /* `ray` is a proof, before a judge has seen it */
    double *ray;             /* (pairs) weights of the proof, not negative; NULL: none */
    size_t rounds, steps, scans, active;
} ireneo_least_change;

/* Rounds of an augmented Lagrangian. `most` rounds (0: 200); `gap`: relative duality gap to reach (0: 1e-6). A cancelled
 * run returns IRENEO_ERROR_CANCELLED with the best change so far. Release with ireneo_least_change_free whatever comes. */
ireneo_error ireneo_least_change_find(const ireneo_edit_problem *problem, size_t most, double gap,
                                      ireneo_least_change *s);
void ireneo_least_change_free(ireneo_least_change *s);

/* Weights on listed pairs that cancel: *found when there are such, and then ray (count) holds them. */
ireneo_error ireneo_find_ray(ireneo_edit_pairs *pairs, double *ray, bool *found);

#endif
