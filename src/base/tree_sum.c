/* Nodes of the tree are numbered as in a heap: 1 is the root, 2 v and 2 v + 1 are below v, and groups + g is group g. A
 * node whose groups are all held here is whole; the largest whole ones are what this rank has to give. Adding two numbers
 * gives the same in either order, so it does not matter which of two sums came first. */
#include "base/tree_sum.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST_LEVELS = 13, MOST_TOPS = 2 * MOST_LEVELS }; /* 4096 groups */

/* The largest whole nodes of a rank, in the order of groups. */
typedef struct tops {
    size_t count, node[MOST_TOPS];
} tops;

struct ireneo_tree_room {
    char *block; /* (places, bytes) */
    size_t bytes, places, free_count;
    void **free_places;       /* (places) */
    pthread_mutex_t lock;     /* of the two above */
    _Atomic(void *) *waiting; /* (2 groups) sum of one node below each, until the other comes */
    tops mine, *of_rank;      /* (ranks) */
    void *top_sum[MOST_TOPS];
    char *sent, *received; /* slices on their way */
};

/* ---- the tree ---- */

static size_t levels_of(size_t groups) {
    size_t levels = 0;
    while ((size_t)1 << levels < groups) levels++;
    return levels;
}

/* Groups first .. last - 1, cut into the largest nodes of the tree that they fill. */
static tops find_tops(size_t groups, size_t first, size_t last) {
    tops t = {0};
    while (first < last) {
        size_t size = 1;
        while (first % (2 * size) == 0 && first + 2 * size <= last && 2 * size <= groups) size *= 2;
        t.node[t.count++] = (groups + first) / size;
        first += size;
    }
    return t;
}

/* Is the node whole: do its groups lie within the held ones? */
static bool is_whole(const ireneo_holding *h, size_t node) {
    size_t first = node, size = 1;
    while (first < h->groups) first *= 2, size *= 2;
    first -= h->groups;
    return first >= h->first_group && first + size <= h->last_group;
}

static size_t ranks_of(const ireneo_holding *h) {
    return h->ranks != NULL && h->ranks->count > 1 ? h->ranks->count : 1;
}

/* What each rank holds, by the rule of base/holding.h. */
static tops tops_of_rank(const ireneo_holding *h, size_t rank) {
    size_t count = ranks_of(h);
    return find_tops(h->groups, rank * h->groups / count, (rank + 1) * h->groups / count);
}

/* ---- adding ---- */

IRENEO_VECTORISED
static void add_f32(float *restrict to, const float *restrict from, size_t length) {
    for (size_t k = 0; k < length; k++) to[k] += from[k];
}

IRENEO_VECTORISED
static void add_f64(double *restrict to, const double *restrict from, size_t length) {
    for (size_t k = 0; k < length; k++) to[k] += from[k];
}

static void add(ireneo_sum_kind kind, void *to, const void *from, size_t length) {
    if (kind == IRENEO_SUM_F32)
        add_f32(to, from, length);
    else
        add_f64(to, from, length);
}

static size_t size_of(ireneo_sum_kind kind) {
    return kind == IRENEO_SUM_F32 ? sizeof(float) : sizeof(double);
}

/* Sums that all ranks gave, by node. */
typedef struct given {
    ireneo_sum_kind kind;
    size_t groups, length;
    const tops *of_rank;
    size_t ranks;
    char *const *sums; /* (ranks): the rank's nodes one after the other */
} given;

/* The sum of a node whole on this rank, or NULL. */
static void *find_given(const given *g, size_t node) {
    for (size_t r = 0; r < g->ranks; r++)
        for (size_t k = 0; k < g->of_rank[r].count; k++)
            if (g->of_rank[r].node[k] == node) return g->sums[r] + k * g->length * size_of(g->kind);
    return NULL;
}

/* The sum below a node, in the place of its first part. */
static void *add_below(const given *g, size_t node) { /* NOLINT(misc-no-recursion): twelve levels */
    void *sum = find_given(g, node);
    if (sum != NULL || node >= g->groups) return sum;
    void *left = add_below(g, 2 * node), *right = add_below(g, 2 * node + 1);
    add(g->kind, left, right, g->length);
    return left;
}

/* ---- room ---- */

void ireneo_tree_sum_free(ireneo_tree_sum *t) {
    struct ireneo_tree_room *r = t->room;
    if (r != NULL) {
        free(r->block), free((void *)r->free_places), free((void *)r->waiting), free(r->of_rank);
        free(r->sent), free(r->received);
        pthread_mutex_destroy(&r->lock);
        free(r);
    }
    memset(t, 0, sizeof *t);
}

/* A sum that waits has a group in work, or the next one to be, beside it in the tree; those have as many nodes above
 * them as there are levels. */
static size_t places_for(size_t held, size_t groups, int threads) {
    size_t most = ((size_t)threads + 1) * levels_of(groups) + (size_t)threads + MOST_TOPS;
    return held < most ? held : most;
}

double ireneo_tree_sum_bytes(size_t rows, ireneo_sum_kind kind, double length, int threads) {
    size_t groups = ireneo_group_count(rows);
    return (double)places_for(groups, groups, threads) * length * (double)size_of(kind);
}

/* Entries first .. last - 1 of the vector are added up by rank r. */
static void slice_of(const ireneo_tree_sum *t, size_t r, size_t *first, size_t *last) {
    size_t ranks = ranks_of(&t->holding);
    *first = t->length / ranks * r + t->length % ranks * r / ranks;
    *last = t->length / ranks * (r + 1) + t->length % ranks * (r + 1) / ranks;
}

static size_t slice_bytes(const ireneo_tree_sum *t, size_t r) {
    size_t first, last;
    slice_of(t, r, &first, &last);
    return (last - first) * size_of(t->kind);
}

static ireneo_error allocate_exchange(ireneo_tree_sum *t) {
    struct ireneo_tree_room *r = t->room;
    size_t ranks = ranks_of(&t->holding), given_nodes = 0;
    IRENEO_TRY(IRENEO_ALLOCATE(&r->of_rank, ranks, "sums"));
    for (size_t k = 0; k < ranks; k++) {
        r->of_rank[k] = tops_of_rank(&t->holding, k);
        given_nodes += r->of_rank[k].count;
    }
    if (ranks == 1) return IRENEO_OK;
    size_t mine = slice_bytes(t, t->holding.ranks->rank);
    if (r->mine.count > 1)
        IRENEO_TRY(IRENEO_ALLOCATE(&r->sent, r->mine.count * t->length * size_of(t->kind), "sums of ranks"));
    return IRENEO_ALLOCATE(&r->received, given_nodes * mine, "sums of ranks");
}

ireneo_error ireneo_tree_sum_allocate(const ireneo_holding *holding, ireneo_sum_kind kind, size_t length,
                                      int threads, ireneo_tree_sum *t) {
    *t = (ireneo_tree_sum){.holding = *holding, .kind = kind, .length = length, .threads = threads};
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&t->room, 1, "sums"));
    struct ireneo_tree_room *r = t->room;
    pthread_mutex_init(&r->lock, NULL);
    size_t held = holding->last_group - holding->first_group;
    r->mine = find_tops(holding->groups, holding->first_group, holding->last_group);
    r->places = places_for(held, holding->groups, threads);
    r->bytes = (length * size_of(kind) + 63) / 64 * 64;
    ireneo_error failed = ireneo_allocate((void **)&r->block, r->places, r->bytes, "sums of groups of rows");
    if (failed == IRENEO_OK)
        failed = ireneo_allocate((void **)&r->free_places, r->places + 1, sizeof *r->free_places, "sums");
    if (failed == IRENEO_OK)
        failed =
            ireneo_allocate_zeroed((void **)&r->waiting, 2 * holding->groups, sizeof *r->waiting, "sums");
    if (failed == IRENEO_OK) failed = allocate_exchange(t);
    if (failed != IRENEO_OK) ireneo_tree_sum_free(t);
    return failed;
}

static void *take_place(struct ireneo_tree_room *r) {
    pthread_mutex_lock(&r->lock);
    void *place = r->free_places[--r->free_count];
    pthread_mutex_unlock(&r->lock);
    return place;
}

static void leave_place(struct ireneo_tree_room *r, void *place) {
    pthread_mutex_lock(&r->lock);
    r->free_places[r->free_count++] = place;
    pthread_mutex_unlock(&r->lock);
}

/* ---- the sum of the rows held here ---- */

typedef struct climb {
    ireneo_tree_sum *tree;
    ireneo_group_sum sum;
    void *context;
} climb;

static void keep_top(struct ireneo_tree_room *r, size_t node, void *sum) {
    for (size_t k = 0; k < r->mine.count; k++)
        if (r->mine.node[k] == node) r->top_sum[k] = sum;
}

/* Sums one group and goes up as far as the other side has come already. */
static void sum_and_climb(void *context, size_t index, int thread) {
    const climb *c = context;
    struct ireneo_tree_room *r = c->tree->room;
    const ireneo_holding *h = &c->tree->holding;
    size_t node = h->groups + h->first_group + index;
    void *sum = take_place(r);
    c->sum(c->context, h->first_group + index, thread, sum);
    while (node > 1 && is_whole(h, node / 2)) {
        void *other = atomic_exchange(&r->waiting[node / 2], sum);
        if (other == NULL) return;
        add(c->tree->kind, sum, other, c->tree->length);
        leave_place(r, other);
        node /= 2;
    }
    keep_top(r, node, sum);
}

static void sum_held(climb *c) {
    ireneo_tree_sum *t = c->tree;
    struct ireneo_tree_room *r = t->room;
    for (size_t k = 0; k < 2 * t->holding.groups; k++) atomic_store(&r->waiting[k], NULL);
    for (size_t k = 0; k < r->places; k++) r->free_places[k] = r->block + k * r->bytes;
    r->free_count = r->places;
    ireneo_share(t->holding.last_group - t->holding.first_group, t->threads, sum_and_climb, c);
}

/* ---- the sums of other ranks ---- */

/* Where each rank's slice of this rank's sums lies; several sums are laid side by side first. */
static void lay_out_slices(const ireneo_tree_sum *t, const void **out, size_t *sizes) {
    struct ireneo_tree_room *r = t->room;
    char *to = r->sent;
    for (size_t k = 0; k < ranks_of(&t->holding); k++) {
        size_t first, last, bytes = slice_bytes(t, k);
        slice_of(t, k, &first, &last);
        sizes[k] = r->mine.count * bytes;
        out[k] = r->mine.count == 1 ? (char *)r->top_sum[0] + first * size_of(t->kind) : to;
        for (size_t n = 0; r->mine.count > 1 && n < r->mine.count; n++, to += bytes)
            memcpy(to, (char *)r->top_sum[n] + first * size_of(t->kind), bytes);
    }
}

/* This rank's slice from everybody, its sum, and all slices together. */
static void exchange(ireneo_tree_sum *t, const void **out, size_t *out_sizes, void **in, size_t *in_sizes,
                     void *whole) {
    struct ireneo_tree_room *r = t->room;
    ireneo_ranks *ranks = t->holding.ranks;
    size_t mine = slice_bytes(t, ranks->rank), at = 0;
    lay_out_slices(t, out, out_sizes);
    for (size_t k = 0; k < ranks->count; k++) {
        in[k] = r->received + at;
        in_sizes[k] = r->of_rank[k].count * mine;
        at += in_sizes[k];
    }
    ireneo_ranks_exchange(ranks, out, out_sizes, in, in_sizes);
    given g = {.kind = t->kind,
               .groups = t->holding.groups,
               .length = mine / size_of(t->kind),
               .of_rank = r->of_rank,
               .ranks = ranks->count,
               .sums = (char *const *)in};
    const void *sum = add_below(&g, 1);
    for (size_t k = 0; k < ranks->count; k++) out_sizes[k] = slice_bytes(t, k);
    ireneo_ranks_gather_into(ranks, sum, out_sizes, whole);
}

void ireneo_tree_sum_run(ireneo_tree_sum *t, ireneo_group_sum sum, void *context, void *out) {
    climb c = {t, sum, context};
    size_t ranks = ranks_of(&t->holding);
    sum_held(&c);
    if (ranks == 1) {
        memcpy(out, t->room->top_sum[0], t->length * size_of(t->kind));
        return;
    }
    const void **from = ireneo_ranks_room(ranks, sizeof *from);
    void **in = ireneo_ranks_room(ranks, sizeof *in);
    size_t *from_sizes = ireneo_ranks_room(ranks, sizeof *from_sizes),
           *in_sizes = ireneo_ranks_room(ranks, sizeof *in_sizes);
    exchange(t, from, from_sizes, in, in_sizes, out);
    free((void *)from), free((void *)in), free(from_sizes), free(in_sizes);
}

/* ---- a few numbers ---- */

/* Adds up the groups below a whole node, in the place of the first. */
static double *add_few(const ireneo_holding *h, size_t node, size_t width,
                       double *groups) { /* NOLINT(misc-no-recursion) */
    if (node >= h->groups) return groups + (node - h->groups - h->first_group) * width;
    double *left = add_few(h, 2 * node, width, groups), *right = add_few(h, 2 * node + 1, width, groups);
    add_f64(left, right, width);
    return left;
}

void ireneo_sum_groups(const ireneo_holding *h, size_t width, double *groups, double *out) {
    size_t ranks = ranks_of(h);
    if (ranks == 1) {
        memcpy(out, add_few(h, 1, width, groups), width * sizeof *out);
        return;
    }
    tops mine = find_tops(h->groups, h->first_group, h->last_group),
         *of_rank = ireneo_ranks_room(ranks, sizeof *of_rank);
    size_t *sizes = ireneo_ranks_room(ranks, sizeof *sizes), all = 0;
    double *sums = ireneo_ranks_room(mine.count * width, sizeof *sums);
    char **in = ireneo_ranks_room(ranks, sizeof *in);
    for (size_t k = 0; k < ranks; k++) {
        of_rank[k] = tops_of_rank(h, k);
        sizes[k] = of_rank[k].count * width * sizeof *sums;
        all += sizes[k];
    }
    for (size_t k = 0; k < mine.count; k++)
        memcpy(sums + k * width, add_few(h, mine.node[k], width, groups), width * sizeof *sums);
    char *received = ireneo_ranks_room(all, 1);
    for (size_t k = 0, at = 0; k < ranks; at += sizes[k++]) in[k] = received + at;
    ireneo_ranks_gather_into(h->ranks, sums, sizes, received);
    given g = {IRENEO_SUM_F64, h->groups, width, of_rank, ranks, in};
    memcpy(out, add_below(&g, 1), width * sizeof *out);
    free(of_rank), free(sizes), free(sums), free((void *)in), free(received);
}
