/* Inside simulation: what the five methods share.
 *
 * One-step methods make the overlaps of the crowd, all patterns but the one looked for, with the start, and
 * one_step.c reads every measure off their partition function. Methods of many steps make runs, and
 * threshold_search.c finds thresholds by trying. */
#ifndef IRENEO_DENSE_SIMULATION_SIMULATE_H
#define IRENEO_DENSE_SIMULATION_SIMULATE_H

#include "base/random.h"

/* Streams of one draw; each use of random numbers has its own. */
typedef enum ireneo_dense_stream {
    IRENEO_STREAM_TARGET,
    IRENEO_STREAM_START,
    IRENEO_STREAM_PATTERNS,
    IRENEO_STREAM_SCALARS,
    IRENEO_STREAM_TAIL,
    IRENEO_STREAM_BULK,
    IRENEO_STREAM_DIRECTIONS,
    IRENEO_STREAM_CONDITION_WIDE,
    IRENEO_STREAM_CONDITION_SHORT,
    IRENEO_STREAM_USES = 16
} ireneo_dense_stream;

static inline uint64_t ireneo_dense_stream_of(uint64_t index, ireneo_dense_stream use) {
    return index * IRENEO_STREAM_USES + (uint64_t)use;
}

/* Whether the experiment can be made at all; ireneo_dense_draw_one and ireneo_dense_simulate ask it first. */
ireneo_error ireneo_dense_check(const ireneo_dense_experiment *e);

/* The mean or median of the values of all (draws), with its error; leaves the number of draws and the seconds
 * alone. */
ireneo_error ireneo_dense_summarise(const ireneo_dense_experiment *e, const ireneo_dense_draw *all,
                                    size_t draws, ireneo_dense_summary *summary);

/* P - 1 for methods that count: an error above 2^63. */
ireneo_error ireneo_dense_crowd_size(const ireneo_dense_experiment *e, size_t *size);

/* u = chi^2_N / N, the squared length of a Gaussian pattern over N; 1 for the other ensembles. */
double ireneo_dense_target_power(const ireneo_dense_experiment *e, uint64_t index);

/* ---- one step ---- */

/* The overlaps v_mu of the other patterns with the start: x0 . xi_mu = unit v_mu. */
typedef struct ireneo_crowd {
    /* log sum_mu exp(s v_mu), and the mean of v under these weights. */
    double (*log_sum)(void *context, double s, double *mean);
    void *context;
    double unit;
    double signal; /* x0 . xi_1 = unit signal cos(angle) */
} ireneo_crowd;

/* Every measure of a one-step draw from its crowd. */
ireneo_error ireneo_one_step(const ireneo_dense_experiment *e, const ireneo_crowd *crowd,
                             ireneo_dense_draw *draw);

/* ---- many steps ---- */

/* Runs the same draw at `count` pairs (lambda, angle); value is 1 or 0. */
typedef ireneo_error (*ireneo_dense_run)(void *context, const double *lambdas, const double *angles,
                                         size_t count, ireneo_dense_draw *ends);

enum { IRENEO_RUNS_AT_ONCE = 7 };

/* A run ends when a step is shorter than this times |xi|. */
#define IRENEO_STANDSTILL 1e-6

/* Retrieved or not, from how a run ended: value becomes 1 or 0. After one step the pattern must have more
 * than half of the attention, after many |x - xi|^2 must be below closeness |xi|^2. */
void ireneo_dense_judge(const ireneo_dense_experiment *e, ireneo_dense_draw *end);

/* The measure from runs, `at_once` of them side by side. */
ireneo_error ireneo_dense_search(const ireneo_dense_experiment *e, ireneo_dense_run run, void *context,
                                 size_t at_once, ireneo_dense_draw *draw);

/* ---- the methods ---- */

ireneo_error ireneo_draw_direct(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw);
ireneo_error ireneo_draw_scalars(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw);
ireneo_error ireneo_draw_tail(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw);
ireneo_error ireneo_draw_conditioning(const ireneo_dense_experiment *e, uint64_t index,
                                      ireneo_dense_draw *draw);
ireneo_error ireneo_draw_hybrid(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw);

#endif
