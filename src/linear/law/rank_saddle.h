/* The saddle point of the spherical integral that a rank brings into the free entropy. */
#ifndef IRENEO_LINEAR_LAW_RANK_SADDLE_H
#define IRENEO_LINEAR_LAW_RANK_SADDLE_H

#include "base/error.h"

/* Rank kappa = rank / d_min of matrices with d_min / d_max = aspect; 0 < aspect <= 1, 0 < kappa < 1. */
typedef struct rank_shape {
    double kappa, aspect;
} rank_shape;

/* The tilt theta under which a random projector of rank kappa holds the share `energy` of the trace of G^T G / d_max, and
 * the ends u +- iv of the cut; docs/linear.md, "Volume". */
typedef struct rank_saddle {
    double u, v, theta, energy;
} rank_saddle;

/* The saddle whose cut ends at height v > 0 over the real axis. */
ireneo_error ireneo_rank_saddle_at(rank_shape shape, double v, rank_saddle *saddle);

/* A rule for integrals over the Marchenko-Pastur law that is fine around u on the scale v: Int f(a) rho(a) da =
 * sum_k weight_k f(u + from_u_k). */
enum { RANK_RULE_MOST = 8192 };
typedef struct rank_rule {
    size_t count;
    double from_u[RANK_RULE_MOST], weight[RANK_RULE_MOST];
} rank_rule;

void ireneo_rank_rule_fill(double aspect, double u, double v, rank_rule *rule);

#endif
