/* How many competitors the projection on the recall cone lowers: the whole distribution of N, where cone.h has its mean
 * and variance. It tells how often a target lies in the hull of the other candidates, and how the demand of a fact
 * spreads when it must win by a margin (docs/linear.md, "Narrow values" and "The law"). */
#ifndef IRENEO_LINEAR_LAW_LOWERED_H
#define IRENEO_LINEAR_LAW_LOWERED_H

#include "base/error.h"

/* What goes with N = k: its chance, and the first two moments of the lift t - g_1 of the target times that chance. */
typedef struct ireneo_lowered {
    double chance, lift, lift_squared;
} ireneo_lowered;

/* Of N = 0 .. count - 1, with margin K >= 0; count at most P (whole). */
void ireneo_lowered_distribution(double candidates, double margin, size_t count, ireneo_lowered *of);

/* Values of so few dimensions, Gaussian: the chance that a target lies in the convex hull of the other candidates and can
 * never win, 2 (Pr[N = dim + 1] + Pr[N = dim + 3] + ...); and the dimensions that a fact uses, E min(N, dim), given
 * delta = E N. */
typedef struct ireneo_narrowness {
    double hull_probability, delta;
} ireneo_narrowness;
ireneo_narrowness ireneo_narrow_values(double dim_out, double candidates, double delta);

/* E[N/(N+1)] (E[L^2] - E[N/(N+1)]), L the lift of the target, given delta = E N: how much the recall cone of white values of
 * many dimensions leans. */
double ireneo_lowered_lean(double candidates, double delta);

/* The variance of what a fact demands when it must win by a margin K: Var(N + K L) + K E L, L the lift of the target. At
 * K = 0 it is v(P). */
ireneo_error ireneo_lowered_variance(double candidates, double margin, double *variance);

#endif
