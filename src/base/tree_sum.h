/* Sums over rows that depend on nothing but the rows: each group of a holding is summed by itself, and the sums are added
 * along the binary tree over all groups, whoever holds them. Threads add two sums as soon as both are there, so that few
 * are held at a time. Ranks hold whole subtrees; the sums of those are what they exchange.
 *
 * A rank with k such subtrees (one, when the ranks are a power of two) sends (k + 1) (ranks - 1) / ranks times the length
 * of the sum: every rank adds up its own slice of the vector, and slices are handed around. */
#ifndef IRENEO_BASE_TREE_SUM_H
#define IRENEO_BASE_TREE_SUM_H

#include "base/holding.h"

/* The sum over one group (counted in the whole), into `sum`, which holds anything. */
typedef void (*ireneo_group_sum)(void *context, size_t group, int thread, void *sum);

typedef enum ireneo_sum_kind { IRENEO_SUM_F32, IRENEO_SUM_F64 } ireneo_sum_kind;

/* Room for sums of one length, used again and again. */
typedef struct ireneo_tree_sum {
    ireneo_holding holding;
    ireneo_sum_kind kind;
    size_t length;
    int threads;
    struct ireneo_tree_room *room;
} ireneo_tree_sum;

ireneo_error ireneo_tree_sum_allocate(const ireneo_holding *holding, ireneo_sum_kind kind, size_t length,
                                      int threads, ireneo_tree_sum *tree);
void ireneo_tree_sum_free(ireneo_tree_sum *tree);

/* Bytes that it takes at most. */
double ireneo_tree_sum_bytes(size_t rows, ireneo_sum_kind kind, double length, int threads);

/* The sum over all groups of all ranks, into out (length) on every rank. */
void ireneo_tree_sum_run(ireneo_tree_sum *tree, ireneo_group_sum sum, void *context, void *out);

/* The same for a few numbers (width) a group that are there already: groups (held groups, width) are changed. */
void ireneo_sum_groups(const ireneo_holding *holding, size_t width, double *groups, double *out);

#endif
