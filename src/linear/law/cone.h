/* The recall cone C = { u in R^P : u_1 >= u_j + K for all j } and the projection of a Gaussian vector on it.
 *
 * A fact is recalled with margin K when its scores lie in C. Everything the capacity law knows about a fact
 * is how far a Gaussian score vector is from this cone (docs/linear.md, "The law"). */
#ifndef IRENEO_LINEAR_LAW_CONE_H
#define IRENEO_LINEAR_LAW_CONE_H

#include "base/error.h"

#include <complex.h>

/* delta(P) = E dist^2(g, C) for K = 0: the mean number of competitors that the projection pulls down.
 * P is real, so that capacity can be a root in P; 2 <= P <= 1e13. */
ireneo_error ireneo_cone_delta(double candidates, double *delta);

/* The same with less effort: off by 1e-6 of delta up to P = 1e4, 1e-5 up to 1e6, 3e-4 at 1e13, and on one thread
 * about twenty times as fast. */
ireneo_error ireneo_cone_delta_rough(double candidates, double *delta);

/* The same with v(P), the variance of that number; and the variance alone. */
ireneo_error ireneo_cone_moments(double candidates, double *delta, double *variance);
ireneo_error ireneo_cone_variance(double candidates, double *variance);

/* E dist^2(g, C) for K >= 0 (equal to delta at K = 0). */
ireneo_error ireneo_cone_margin_distance(double candidates, double margin, double *distance);

/* h_t(w) = E[ e^{iw(g - t)} ; g > t ] of a normal number g. */
double complex ireneo_partial_transform(double t, double w);

/* Pr[ level of the projection <= t ] for n competitors and a target of mean -K. */
double ireneo_cone_level_cdf(double competitors, double margin, double t);

#endif
