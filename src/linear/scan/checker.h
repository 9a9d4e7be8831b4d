/* A check under way: what its two ways, shared values (check_shared.c) and own candidates (check_own.c), have in
 * common. */
#ifndef IRENEO_LINEAR_SCAN_CHECKER_H
#define IRENEO_LINEAR_SCAN_CHECKER_H

#include "linear/scan/check.h"
#include "linear/scan/gap.h"
#include "linear/scan/memory_f64.h"

enum { IRENEO_SAMPLED_FACTS = 64 }; /* facts whose scores tell the spread */

/* What one thread has found. */
typedef struct ireneo_check_thread {
    double gap;          /* smallest gap so far; of each fact, the one to its top-th best competitor */
    double seen;         /* every gap up to this one was looked at */
    size_t recomputed;   /* pairs that float32 could not decide */
    size_t exact_fact;   /* whose exact sums the space below holds; facts: none */
    ireneo_exact *exact; /* (dim_out + rank) */
    ireneo_pairs near;
    int infinite; /* an own candidate was not finite */
} ireneo_check_thread;

/* One fact under check. */
typedef struct ireneo_check_row {
    ireneo_gap_row gap;
    size_t fact, shown, wanted; /* candidates whose gap is decided; close competitors that are still wanted */
    double reach;               /* in the caller's score units */
    size_t beaten;              /* gaps that are not positive */
    bool fails;                 /* as many as `top` of them */
    double *least;              /* (top) its smallest gaps so far, rising, when top > 1 */
    size_t held;                /* how many those are */
} ireneo_check_row;

typedef struct ireneo_checker {
    const ireneo_memory *memory;
    const ireneo_facts *facts;
    size_t top; /* a fact is recalled when its target is among so many best */
    ireneo_memory_f64 f64;
    int threads;
    const ireneo_progress *progress;
    double error_rate;           /* bound on |h - W x| over |x| */
    const ireneo_near *near;     /* what close competitors are wanted, or NULL */
    ireneo_check_thread *thread; /* (threads) */
    unsigned char *recalled;     /* (facts) */
    double spread;               /* rms spread of a fact's scores, over sampled facts */
} ireneo_checker;

/* Begins a fact whose W x is h (dim_out); `least` (top) is space for its smallest gaps, not looked at for top = 1. */
void ireneo_check_begin(const ireneo_checker *checker, size_t fact, const double *h, double *least,
                        ireneo_check_row *row);

/* Decides one pair by its values (dim_out) and keeps what follows from it. */
void ireneo_check_pair(const ireneo_checker *checker, int thread, ireneo_check_row *row, size_t candidate,
                       const float *target, const float *other);

/* Keeps a pair that is decided and whose gap is known well enough. */
void ireneo_check_keep(const ireneo_checker *checker, int thread, ireneo_check_row *row, size_t candidate,
                       double gap);

/* Ends a fact: it is recalled when all candidates but the target, and top - 1 of them, were shown to score less. */
void ireneo_check_end(const ireneo_checker *checker, const ireneo_check_row *row);

/* Every how many facts one is sampled. */
size_t ireneo_check_stride(const ireneo_checker *checker);

/* The two ways. They fill recalled, spread and what the threads found. */
ireneo_error ireneo_check_shared(ireneo_checker *checker);
ireneo_error ireneo_check_own(ireneo_checker *checker);

/* Forgets what the threads found. */
void ireneo_check_restart(ireneo_checker *checker);

#endif
