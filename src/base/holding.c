/* Rows over ranks, by groups. */
#include "base/holding.h"

enum { FEWEST_GROUPS = 16, GROUP_ROWS = 512 };

size_t ireneo_group_count(size_t total) {
    size_t groups = FEWEST_GROUPS;
    while (groups < IRENEO_MOST_GROUPS && total / (2 * groups) >= GROUP_ROWS) groups *= 2;
    return groups;
}

/* index * total / parts without overflow: both are below 2^32 or parts is small. */
static size_t border(size_t index, size_t total, size_t parts) {
    return total / parts * index + total % parts * index / parts;
}

static ireneo_holding hold(ireneo_ranks *ranks, size_t total, size_t rank, size_t count) {
    ireneo_holding h = {.ranks = ranks, .total = total, .groups = ireneo_group_count(total)};
    h.first_group = border(rank, h.groups, count);
    h.last_group = border(rank + 1, h.groups, count);
    h.first = border(h.first_group, total, h.groups);
    h.rows = border(h.last_group, total, h.groups) - h.first;
    return h;
}

ireneo_holding ireneo_holding_whole(size_t total) {
    return hold(NULL, total, 0, 1);
}

ireneo_holding ireneo_holding_spread(ireneo_ranks *ranks, size_t total) {
    return ranks != NULL ? hold(ranks, total, ranks->rank, ranks->count) : ireneo_holding_whole(total);
}

ireneo_holding ireneo_holding_in_node(const ireneo_ranks *ranks, size_t total) {
    return ranks != NULL ? hold(NULL, total, ranks->rank_in_node, ranks->ranks_in_node)
                         : ireneo_holding_whole(total);
}

ireneo_error ireneo_holding_make(ireneo_ranks *ranks, size_t total, ireneo_holding *holding) {
    size_t groups = ireneo_group_count(total), most = groups < total ? groups : total;
    *holding = hold(ranks, total, ranks->rank, ranks->count);
    if (ranks->count <= most) return IRENEO_OK;
    return ireneo_ranks_agree(ranks, ireneo_fail(IRENEO_ERROR_ARGUMENT,
                                                 "%zu rows are too few for %zu ranks; start at most %zu",
                                                 total, ranks->count, most));
}

void ireneo_rank_rows(const ireneo_holding *h, size_t rank, size_t *first, size_t *last) {
    ireneo_holding theirs = hold(NULL, h->total, rank, h->ranks != NULL ? h->ranks->count : 1);
    *first = theirs.first;
    *last = theirs.first + theirs.rows;
}

void ireneo_group_rows(const ireneo_holding *h, size_t group, size_t *first, size_t *last) {
    *first = border(group, h->total, h->groups) - h->first;
    *last = border(group + 1, h->total, h->groups) - h->first;
}

/* Every group is cut into as many tiles as the largest needs, so that a tile is found without searching. Tiles are of
 * whole kernels, eight rows each, but for the last of a group. */
static size_t tiles_a_group(const ireneo_holding *h, size_t tile) {
    size_t largest = (h->total + h->groups - 1) / h->groups;
    return largest > tile ? (largest + tile - 1) / tile : 1;
}

size_t ireneo_holding_tiles(const ireneo_holding *h, size_t tile) {
    return (h->last_group - h->first_group) * tiles_a_group(h, tile);
}

void ireneo_tile_rows(const ireneo_holding *h, size_t tile, size_t index, size_t *first, size_t *last) {
    size_t tiles = tiles_a_group(h, tile), begin, end;
    ireneo_group_rows(h, h->first_group + index / tiles, &begin, &end);
    size_t rows = end - begin, each = ((rows + tiles - 1) / tiles + 7) / 8 * 8, from = index % tiles * each;
    if (each > tile) each = tile, from = index % tiles * each;
    *first = begin + (from < rows ? from : rows);
    *last = begin + (from + each < rows ? from + each : rows);
}
