/* What a store over many nodes takes: operations, bytes over the network, memory a node (docs/scale.md, "The cost model").
 * A node is told by the speed of its float32 products; what everything else costs beside those was measured. */
#ifndef IRENEO_LAB_SCALE_COST_H
#define IRENEO_LAB_SCALE_COST_H

#include "base/error.h"

typedef struct ireneo_job {
    double facts, candidates, dim_in, dim_out;
    double scans, checks,
        iterations; /* scans for competitors, checks of all scores, steps of the minimiser */
} ireneo_job;

typedef struct ireneo_machine {
    double nodes, ranks;     /* ranks a node */
    double cores, flops;     /* of a node; operations a second of a plain float32 product */
    double network, latency; /* bytes a second into or out of a node; seconds of a message */
    double scan;             /* time of an integer scan beside that of a float32 product of its size */
} ireneo_machine;

/* Times in seconds, of the slowest rank. Bytes are the sum over all ranks, as `bytes_sent` of a store. */
typedef struct ireneo_cost {
    double groups;            /* of rows: there can be no more ranks */
    double busiest;           /* rows of the rank that has most, times the ranks, over all rows: 1 is even */
    double seconds_prepare;   /* white coordinates, starting point */
    double seconds_scan;      /* one of them */
    double seconds_check;     /* one */
    double seconds_iteration; /* one, the network's part included */
    double seconds_network;   /* the network's part of an iteration */
    double seconds;           /* in all */
    double bytes_prepare, bytes_scan, bytes_check, bytes_iteration, bytes;
    double ram; /* of a node */
} ireneo_cost;

/* Fails when there are more ranks than groups of rows. */
ireneo_error ireneo_cost_of(const ireneo_job *job, const ireneo_machine *machine, ireneo_cost *cost);

/* The first power of two of nodes at which the network takes half of an iteration or more; infinite when rows are not
 * enough for so many. */
double ireneo_cost_network_limit(const ireneo_job *job, const ireneo_machine *machine);

#endif
