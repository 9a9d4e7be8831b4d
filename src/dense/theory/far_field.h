/* The mean field of the bulk: spherical patterns whose overlap with a fixed direction e stays below a level.
 *
 * At a state x = sqrt(N) (m e + w f), f at right angles to e, patterns xi = sqrt(N) (c e + sqrt(1-c^2) u)
 * with c < t sum up to Z = count Int_{-1}^{t} p(c) exp(lambda N m c) M_{N-1}(lambda N w sqrt(1-c^2)) dc on
 * average, and pull towards the mean of xi under that measure, which lies in the plane of e and f. */
#ifndef IRENEO_DENSE_THEORY_FAR_FIELD_H
#define IRENEO_DENSE_THEORY_FAR_FIELD_H

#include "dense/theory/overlap_law.h"

enum { IRENEO_FAR_FIELD_NODES = 64 };

typedef struct ireneo_far_field {
    ireneo_overlap_law law;
    double level; /* t */
    double
        log_count; /* log of `count` above: count p(c) dc patterns have their overlap between c and c + dc */
    double nodes[IRENEO_FAR_FIELD_NODES], weights[IRENEO_FAR_FIELD_NODES]; /* Gauss rule on [0, 1] */
} ireneo_far_field;

ireneo_far_field ireneo_far_field_of(ireneo_overlap_law law, double level, double log_count);

/* log Z for along = lambda N m and across = lambda N w >= 0, and the mean of xi / sqrt(N) along e and f. */
double ireneo_far_field_log_sum(const ireneo_far_field *bulk, double along, double across, double *mean_along,
                                double *mean_across);

#endif
