/* The store behind a simulation of dense memories. */
#include "lab/sweep/draws.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "dense/simulation/simulate.h"
#include "lab/sweep/results_draws.h"
#include "lab/sweep/results_share.h"

#include <string.h>

/* Draw first + i stride is number i of the shard. */
typedef struct draw_list {
    const ireneo_dense_experiment *experiment;
    size_t first, stride, count;
    ireneo_dense_draw *draws; /* (count) */
    size_t *missing;          /* (missing_count): numbers that the store did not have */
    size_t missing_count;
} draw_list;

static uint64_t index_of(const draw_list *list, size_t number) {
    return (uint64_t)list->first + (uint64_t)number * list->stride;
}

/* Known draws are read before the work begins, so that the time left is that of the missing ones. */
static ireneo_error read_known(results *store, draw_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        bool found;
        IRENEO_TRY(
            ireneo_results_find_draw(store, list->experiment, index_of(list, i), &found, &list->draws[i]));
        if (!found) list->missing[list->missing_count++] = i;
    }
    return IRENEO_OK;
}

static ireneo_error make_missing(queue_worker *worker, size_t job, void *context) {
    draw_list *list = context;
    size_t number = list->missing[job];
    return ireneo_queue_draw(worker, list->experiment, index_of(list, number), &list->draws[number]);
}

static ireneo_error run_list(results *store, const queue_settings *settings, draw_list *list) {
    IRENEO_TRY(IRENEO_ALLOCATE(&list->draws, list->count, "draws"));
    IRENEO_TRY(IRENEO_ALLOCATE(&list->missing, list->count, "the list of draws"));
    IRENEO_TRY(read_known(store, list));
    queue_settings all = *settings; /* the list is one shard already */
    all.shard = all.shards = 0;
    return ireneo_queue_run(store, &all, list->missing_count, NULL, make_missing, list);
}

static ireneo_error check_request(const queue_settings *settings, const ireneo_dense_experiment *e,
                                  size_t draws) {
    IRENEO_TRY(ireneo_dense_check(e));
    if (draws == 0) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "at least one draw is needed");
    if (settings->shards > draws)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu draws cannot be cut into %zu parts", draws,
                           settings->shards);
    return IRENEO_OK;
}

ireneo_error ireneo_draws_run(results *store, const queue_settings *settings,
                              const ireneo_dense_experiment *e, size_t draws, size_t *made,
                              ireneo_dense_summary *summary) {
    double start = ireneo_seconds();
    size_t shards = settings->shards > 0 ? settings->shards : 1, first = settings->shard % shards;
    memset(summary, 0, sizeof *summary);
    IRENEO_TRY(check_request(settings, e, draws));
    draw_list list = {
        .experiment = e, .first = first, .stride = shards, .count = (draws - first - 1) / shards + 1};
    ireneo_error failed = run_list(store, settings, &list);
    if (failed == IRENEO_OK) failed = ireneo_dense_summarise(e, list.draws, list.count, summary);
    if (made != NULL) *made = list.missing_count;
    free(list.draws);
    free(list.missing);
    summary->draws = list.count;
    summary->seconds = ireneo_seconds() - start;
    return failed;
}

ireneo_error ireneo_draws_run_in(const char *path, double wait_seconds, const queue_settings *settings,
                                 const ireneo_dense_experiment *e, size_t draws, size_t *made,
                                 ireneo_dense_summary *summary) {
    results *store;
    memset(summary, 0, sizeof *summary);
    IRENEO_TRY(check_request(settings, e, draws));
    IRENEO_TRY(ireneo_results_open_shared(path, wait_seconds, &store));
    ireneo_error failed = ireneo_draws_run(store, settings, e, draws, made, summary);
    ireneo_results_close_shared(store);
    return failed;
}

/* Draws first .. first + count - 1, by the threads of this rank. */
typedef struct rank_draws {
    const ireneo_dense_experiment *experiment;
    size_t first, count;
    ireneo_dense_draw *draws;
} rank_draws;

static ireneo_error make_draw(void *context, size_t index, int thread) {
    (void)thread;
    const rank_draws *r = context;
    return ireneo_dense_draw_one(r->experiment, (uint64_t)(r->first + index), &r->draws[index]);
}

static ireneo_error make_share(const ireneo_run_settings *settings, rank_draws *r) {
    int threads;
    const ireneo_progress *progress;
    IRENEO_TRY(IRENEO_ALLOCATE(&r->draws, r->count > 0 ? r->count : 1, "draws"));
    IRENEO_TRY(ireneo_enter_run(settings, &threads, &progress));
    return ireneo_leave(ireneo_parallel(r->count, threads, progress, "draws", make_draw, r));
}

/* Every rank makes as many draws as the others, side by side; all of them see all. */
ireneo_error ireneo_draws_simulate(const ireneo_dense_experiment *e, size_t draws,
                                   const ireneo_run_settings *settings, ireneo_dense_summary *summary) {
    ireneo_ranks *world = ireneo_ranks_world();
    double start = ireneo_seconds();
    void *all = NULL;
    size_t total = 0;
    if (world->count == 1) return ireneo_dense_simulate(e, draws, settings, NULL, summary);
    memset(summary, 0, sizeof *summary);
    IRENEO_TRY(check_request(&(queue_settings){0}, e, draws));
    size_t each = draws / world->count, more = draws % world->count, rank = world->rank;
    rank_draws mine = {
        .experiment = e, .first = rank * each + (rank < more ? rank : more), .count = each + (rank < more)};
    ireneo_error failed = ireneo_ranks_agree(world, make_share(settings, &mine));
    if (failed == IRENEO_OK)
        failed = ireneo_ranks_gather(world, IRENEO_ALL_RANKS, mine.draws, mine.count, sizeof *mine.draws,
                                     &all, &total);
    if (failed == IRENEO_OK) failed = ireneo_dense_summarise(e, all, total, summary);
    free(mine.draws);
    free(all);
    summary->draws = draws;
    summary->seconds = ireneo_seconds() - start;
    return failed;
}
