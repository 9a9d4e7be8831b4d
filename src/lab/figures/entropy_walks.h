/* Walks through the solutions of random facts: volume and overlap against the load, one row a draw and load. */
#ifndef IRENEO_LAB_FIGURES_ENTROPY_WALKS_H
#define IRENEO_LAB_FIGURES_ENTROPY_WALKS_H

#include "lab/figures/figure.h"

/* Draws of one shape: square memories, facts with answer i mod candidates. */
typedef struct entropy_group {
    bool decoupled;
    size_t dim, rank; /* rank = dim: full */
    size_t candidates, draws, steps;
    double load_to; /* loads 0, 0.1, 0.2 .. up to this one, at most 1.5, as nearly as whole facts allow */
} entropy_group;

typedef struct entropy_row {
    bool decoupled;
    size_t dim, rank, candidates, draw, facts;
    double load, entropy, difference, error, overlap, apart, fourth;
} entropy_row;

typedef struct entropy_rows {
    entropy_row *rows;
    size_t count, room;
} entropy_rows;

/* Facts of the load k / 10; false: the group has no such load. */
bool ireneo_entropy_facts(const entropy_group *group, size_t k, size_t *facts);

/* Reads the rows of a file; a file that is not there has none. */
ireneo_error ireneo_entropy_read(const char *path, entropy_rows *rows);
void ireneo_entropy_free(entropy_rows *rows);

/* Walks for all draws of the groups that have no row yet, and keeps the rows of each in directory/entropy_rows.csv as soon as
 * they are there. */
ireneo_error ireneo_entropy_run(const figure_request *request, const entropy_group *groups, size_t count,
                                entropy_rows *rows);

/* The rows as CSV. */
void ireneo_entropy_write(const entropy_rows *rows, FILE *stream);

#endif
