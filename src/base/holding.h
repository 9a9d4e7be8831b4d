/* The rows that a rank holds.
 *
 * Rows are cut into groups, by their number alone; sums are formed of each group and added along one binary tree over the
 * groups (base/tree_sum.h), so that no bit depends on ranks or threads. A rank holds the rows of consecutive groups. What
 * is done to rows in tiles must not let a tile cross the border of a group: BLAS may round a row differently in a tile of
 * another size. */
#ifndef IRENEO_BASE_HOLDING_H
#define IRENEO_BASE_HOLDING_H

#include "base/ranks.h"

enum { IRENEO_MOST_GROUPS = 4096 };

typedef struct ireneo_holding {
    ireneo_ranks *ranks; /* NULL: one process holds everything */
    size_t total;        /* rows of the whole */
    size_t first, rows;  /* held here: rows first .. first + rows - 1 of the whole, numbered from 0 here */
    size_t groups;       /* of the whole: a power of two */
    size_t first_group, last_group; /* held here: first_group .. last_group - 1 */
} ireneo_holding;

/* Groups that so many rows are cut into: at least 16, at most 4096, a power of two, of 512 rows or more where that leaves
 * as many. */
size_t ireneo_group_count(size_t total);

/* Everything in one process. */
ireneo_holding ireneo_holding_whole(size_t total);

/* Rows that every rank can see, such as the candidates, spread over the ranks for work on them; a rank may get none.
 * ranks may be NULL. */
ireneo_holding ireneo_holding_spread(ireneo_ranks *ranks, size_t total);

/* The same over the ranks of this node alone, for what each node makes for itself; nothing is summed over it. */
ireneo_holding ireneo_holding_in_node(const ireneo_ranks *ranks, size_t total);

/* This rank's share of `total` rows. Fails, alike on all ranks, when there are more ranks than groups, or than rows. */
ireneo_error ireneo_holding_make(ireneo_ranks *ranks, size_t total, ireneo_holding *holding);

/* Rows first .. last - 1 of the whole that some rank holds. */
void ireneo_rank_rows(const ireneo_holding *holding, size_t rank, size_t *first, size_t *last);

/* Rows first .. last - 1, as numbered here, of one of the groups held here (counted in the whole). */
void ireneo_group_rows(const ireneo_holding *holding, size_t group, size_t *first, size_t *last);

/* Number of tiles of at most `tile` rows that the held rows are cut into without crossing a group, and the rows of one,
 * which may be none. */
size_t ireneo_holding_tiles(const ireneo_holding *holding, size_t tile);
void ireneo_tile_rows(const ireneo_holding *holding, size_t tile, size_t index, size_t *first, size_t *last);

#endif
