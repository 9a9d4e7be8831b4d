/* One trial: random facts, one way of storing them, what came out. A pure function of its parameters: the
 * same trial gives the same result on every machine, in every order and on any number of threads (but for the
 * seconds). */
#ifndef IRENEO_LAB_SWEEP_TRIAL_H
#define IRENEO_LAB_SWEEP_TRIAL_H

#include "base/error.h"

#include <stdbool.h>

typedef enum trial_problem {
    TRIAL_ORIGINAL, /* all keys compete over the same candidates */
    TRIAL_DECOUPLED /* every key has candidates of its own */
} trial_problem;

typedef enum trial_solver {
    TRIAL_PROJECT,
    TRIAL_ADAM,
    TRIAL_LBFGS,
    TRIAL_HEBBIAN,
    TRIAL_DELTA,
    TRIAL_LEAST_SQUARES
} trial_solver;

typedef struct trial {
    trial_problem problem;
    trial_solver solver;
    size_t dim_in, dim_out;
    size_t rank; /* 0: full */
    size_t facts;
    size_t candidates; /* at least 2 */
    /* Fact i has candidate i, or i modulo the candidates when facts are more; or one that is drawn, as
     * ireneo_sample_targets has it. */
    ireneo_targets targets;
    double zipf;
    size_t top; /* a fact counts when its target is among so many best; 0: 1 */
    uint64_t seed;
    /* Training: as in ireneo_train_settings, but with the defaults written out. */
    double rate, warm_up, initial_scale;
    size_t steps;
    bool past_recall;
    bool overload; /* project: when not all facts fit, keep as many as possible */
    bool brief;    /* project: what some hundred iterations do not decide stays undecided */
    /* Rules of one pass: 0 is the usual one. */
    double delta_rate, ridge;
    bool unit_keys; /* keys are brought to norm one */
} trial;

typedef struct trial_result {
    ireneo_status status;
    bool failed; /* the numbers went astray (a rate too high); nothing but the seconds below holds */
    size_t recalled;
    double accuracy;
    double loss;       /* mean cross-entropy of trained memories; NaN for the others */
    double margin;     /* least gap over the score spread */
    double norm_bound; /* of the certificate; NaN without one */
    size_t scans;      /* passes over all candidates */
    size_t iterations; /* steps of the minimiser */
    double seconds;
} trial_result;

const char *ireneo_trial_problem_name(trial_problem problem);

/* The shape whose law a trial is measured by: facts that share candidates, or not. With own_values, n = P. */
ireneo_shape ireneo_trial_shape(const trial *t, bool own_values);

/* How the answers are chosen: "each", "random" or "zipf:S". */
enum { TRIAL_RULE_SIZE = 32 };
const char *ireneo_trial_targets_text(const trial *t, char text[TRIAL_RULE_SIZE]);

const char *ireneo_trial_solver_name(trial_solver solver);
bool ireneo_trial_solver_find(const char *name, trial_solver *solver);

/* Whether a solver sees every fact once and searches for nothing. */
bool ireneo_trial_one_pass(trial_solver solver);

/* A square trial of the theory's setting: n = P. rank_fraction 1 is a full matrix. Training defaults filled
 * in. */
trial ireneo_trial_square(trial_problem problem, trial_solver solver, size_t dim, double rank_fraction,
                          size_t facts, uint64_t seed);

/* The number of facts p with p log p = load dim_in dim_out, or with P candidates n log P = load dim_in
 * dim_out; at least 2. */
size_t ireneo_trial_facts(double load, size_t dim_in, size_t dim_out, size_t candidates);

/* n log P / (dim_in dim_out). */
double ireneo_trial_load(const trial *t);

enum { TRIAL_KEY_SIZE = 384 };

/* The canonical text of the parameters: equal for equal trials, different for different ones. Parameters that
 * the solver does not use are left out. */
void ireneo_trial_key(const trial *t, char key[TRIAL_KEY_SIZE]);

/* How long it may take, in units that only matter relative to each other. */
double ireneo_trial_cost(const trial *t);

/* The facts of a trial, and what they stand on; the facts point into it, so it must not be moved. */
typedef struct trial_data {
    ireneo_facts facts;
    ireneo_sample sample;
    float *keys, *values, *own;
    int64_t *targets;
} trial_data;

ireneo_error ireneo_trial_open(const trial *t, trial_data *data);
void ireneo_trial_close(trial_data *data);

/* Stores the facts the trial's way. *memory may be NULL when it is not wanted. IRENEO_ERROR_CANCELLED when
 * the progress callback asked to stop. */
ireneo_error ireneo_trial_solve(const trial *t, const trial_data *data, int threads,
                                const ireneo_progress *progress, trial_result *result,
                                ireneo_memory **memory);

/* Open, solve, close. */
ireneo_error ireneo_trial_run(const trial *t, int threads, const ireneo_progress *progress,
                              trial_result *result);

#endif
