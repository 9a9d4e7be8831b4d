/* Volume and overlap of the solutions of facts, counted by walking through them. */
#ifndef IRENEO_LINEAR_SAMPLING_VOLUME_H
#define IRENEO_LINEAR_SAMPLING_VOLUME_H

#include "base/progress.h"
#include "linear/sampling/chain.h"

typedef struct volume_settings {
    size_t rank; /* 0: full */
    size_t
        steps; /* of a walk at each level of a fact; four times as many where overlaps are measured. 0: 100 */
    uint64_t seed;
    const ireneo_progress *progress; /* NULL: none */
} volume_settings;

/* The solutions of the first k facts, from two walks that know nothing of each other. */
typedef struct volume_row {
    double log_volume; /* log of the share of all matrices that are solutions: the mean of two walks */
    double difference; /* of the first walk from the second */
    double error;      /* standard error of log_volume, from the spread within walks */
    double overlap; /* of independent solutions of norm 1: of the mean of one walk with that of the other */
    double apart;   /* steps after which a walk has forgotten where it was, from the overlap with itself */
    double fourth;  /* mean of s^4 over all singular values, that of s^2 being 1 */
} volume_row;

/* Rows 0 .. facts into rows (facts + 1). *reached: the last number of facts that the walks came to; fewer than there are when
 * no solution of more was met. */
ireneo_error ireneo_solution_volume(const solution_cone *cone, const volume_settings *settings,
                                    volume_row *rows, size_t *reached);

/* The same at the last number of facts alone, from walks that begin at a memory w (dim_out, dim_in) of the rank that recalls
 * them all and go on for `steps` each, after a tenth as many: only overlap, apart and fourth. */
ireneo_error ireneo_solution_overlap(const solution_cone *cone, const volume_settings *settings,
                                     const double *w, volume_row *row);

#endif
