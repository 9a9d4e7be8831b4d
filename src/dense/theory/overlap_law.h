/* The law of one overlap: how a random pattern looks from a fixed direction.
 *
 * For spherical patterns v = x.xi / (|x| sqrt N) has density proportional to (1 - v^2)^((N-3)/2); for
 * Gaussian ones v = x.xi / |x| is N(0, 1). Both are log-concave, which is all that the tail sampler and the
 * integrals use. Tails are in the log domain: probabilities of e^-3000 are everyday numbers here. */
#ifndef IRENEO_DENSE_THEORY_OVERLAP_LAW_H
#define IRENEO_DENSE_THEORY_OVERLAP_LAW_H

#include "base/random.h"

typedef struct ireneo_overlap_law {
    ireneo_dense_ensemble ensemble; /* spherical (neurons >= 4) or Gaussian */
    double neurons;
    double log_norm; /* of the density */
} ireneo_overlap_law;

ireneo_overlap_law ireneo_overlap_law_of(ireneo_dense_ensemble ensemble, size_t neurons);

double ireneo_overlap_log_density(const ireneo_overlap_law *law, double v);

/* log Pr[v > t], t > 0. */
double ireneo_overlap_log_tail(const ireneo_overlap_law *law, double t);

/* t > 0 with log Pr[v > t] = log_tail, for log_tail < log(1/2). */
double ireneo_overlap_tail_point(const ireneo_overlap_law *law, double log_tail);

/* v given v > t > 0, exactly: rejection from the exponential that touches the density at t. */
double ireneo_overlap_draw_tail(const ireneo_overlap_law *law, double t, ireneo_generator *generator);

/* The split of the other patterns at a level: about `kept` of them above it, but at most a twentieth. */
typedef struct ireneo_tail {
    double log_crowd; /* log n, n = P - 1 */
    double level;     /* t */
    double log_q;     /* log Pr[v > t] */
} ireneo_tail;
ireneo_error ireneo_tail_choose(const ireneo_overlap_law *law, double log_patterns, double kept,
                                ireneo_tail *tail);

/* Whether P patterns can be split in a tail and a bulk, and the log of the number that is kept then. */
ireneo_error ireneo_tail_check(double log_patterns, double kept, double *log_kept);

/* How many of the n patterns lie above the level: binomial, or Poisson when n > 1e15, where the two laws
 * differ by less than 1e-12. */
size_t ireneo_tail_draw_number(const ireneo_tail *tail, ireneo_generator *generator);

/* Nodes and weights of the Gauss rule that the integrals below share. */
enum { IRENEO_BULK_NODES = 96 };
typedef struct ireneo_bulk_rule {
    double nodes[IRENEO_BULK_NODES], weights[IRENEO_BULK_NODES]; /* on [0, 1] */
} ireneo_bulk_rule;
void ireneo_bulk_rule_fill(ireneo_bulk_rule *rule);

/* The measure e^(s v) 1[v < t]: log of its mass, and mean and variance of v under it. s >= 0. */
typedef struct ireneo_tilted {
    double log_mass, mean, variance;
} ireneo_tilted;
ireneo_tilted ireneo_overlap_tilt(const ireneo_overlap_law *law, const ireneo_bulk_rule *rule, double s,
                                  double t);

/* log I_x(a, b), the regularised incomplete beta function, 0 < x < 1. */
double ireneo_log_incomplete_beta(double a, double b, double x);

#endif
