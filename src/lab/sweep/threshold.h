/* The largest number of facts that can be stored, by bisection.
 *
 * Facts of a smaller instance are a prefix of those of a larger one, so what fits once fits at every smaller
 * number. Every probe is an ordinary trial in the store.
 *
 * Close to the threshold a probe may end undecided. The exact search counts that as not stored and says so; a search
 * `within` a share ends between a number that was stored and one that is proved impossible, as soon as they are that
 * close, and for large sizes is the only one that ends in time.
 *
 * What the Hebbian rule recalls need not be recalled among fewer facts, so its bisection finds one of the numbers at which
 * recall of all facts ends. That number lies above the first one asked about, the law's, exactly when all facts are
 * recalled there: over draws, the median is where half of them recall everything, as long as it is close to the law. */
#ifndef IRENEO_LAB_SWEEP_THRESHOLD_H
#define IRENEO_LAB_SWEEP_THRESHOLD_H

#include "lab/sweep/queue.h"

typedef struct threshold {
    size_t stored; /* the largest number that was stored */
    size_t
        not_stored; /* the next one, which was not; within a share: the smallest that was proved impossible */
    bool certified; /* that one is proved impossible; false: the solver only gave up */
    size_t probes;  /* trials that were asked */
} threshold;

/* The law's answer for a trial's shape: facts that fit, or that the Hebbian rule holds in half of all draws. `own` when
 * candidates are as many as facts. */
ireneo_error ireneo_threshold_law(const trial *like, bool own, double *facts);

/* The middle of what the threshold may be: `stored` when the search was exact. */
double ireneo_threshold_middle(const threshold *found);

/* Searches (count) with the trials' parameters, spread over the cores; a trial's facts and, when they are
 * equal, its candidates are chosen by the search, which begins at the capacity law's answer. within = 0 is
 * exact. Those of other shards, and those that failed, have stored = not_stored = 0. */
ireneo_error ireneo_threshold_all(results *store, const queue_settings *settings, const trial *likes,
                                  size_t count, double within, threshold *found);

#endif
