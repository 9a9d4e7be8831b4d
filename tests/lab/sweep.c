/* Grids, trials, the store of results and the work queue. */
#include "expect.h"
#include "near.h"
#include "scratch.h"

#include <sqlite3.h>

#include "lab/sweep/grid.h"
#include "lab/sweep/parts.h"
#include "lab/sweep/plan.h"
#include "lab/sweep/results_merge.h"
#include "lab/sweep/results_series.h"
#include "lab/sweep/results_trials.h"
#include "lab/sweep/threshold.h"

/* ---- grids ---- */

static void test_grid_values(void **state) {
    (void)state;
    grid list;
    expect_ok(ireneo_grid_parse("--load", "0.1:1.2:23", 0, 2, false, &list));
    assert_int_equal(list.count, 23);
    assert_true(list.values[0] == 0.1 && list.values[1] == 0.15 && list.values[22] == 1.2);
    ireneo_grid_free(&list);
    expect_ok(ireneo_grid_parse("--dim", "20,1e2,20,10:31:3", 1, 1e6, true, &list));
    assert_int_equal(list.count, 5); /* 20 100 10 21 31: the second 20 is left out, 20.5 is rounded */
    assert_true(list.values[1] == 100 && list.values[2] == 10 && list.values[3] == 21 &&
                list.values[4] == 31);
    ireneo_grid_free(&list);
    expect_ok(ireneo_grid_parse("--load", "1:0.5:3", 0, 2, false, &list)); /* downward is fine */
    assert_true(list.values[0] == 1.0 && list.values[1] == 0.75 && list.values[2] == 0.5);
    ireneo_grid_free(&list);
}

static void test_grid_errors(void **state) {
    (void)state;
    static const char *const wrong[] = {"",    ",",       "20,",   "20,,40",  "x",       "20x",
                                        "1:2", "1:2:3:4", "1:2:1", "1:2:2.5", "1:2:1e9", "nan",
                                        "inf", "1:inf:3", " 20",   "20 ",     "::",      "1::3",
                                        "0x",  "1:2:-3",  "20;40", "200",     "-1",      "1.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        grid list;
        expect_error(ireneo_grid_parse("--dim", wrong[i], 1, 100, true, &list), IRENEO_ERROR_ARGUMENT,
                     "--dim", "");
        assert_null(list.values);
    }
}

/* ---- trials and plans ---- */

static void test_trial_keys(void **state) {
    (void)state;
    char a[TRIAL_KEY_SIZE], b[TRIAL_KEY_SIZE];
    trial one = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 20, 1.0, 50, 3), two = one;
    two.rate = 0.7; /* not used by the Hebbian rule */
    ireneo_trial_key(&one, a);
    ireneo_trial_key(&two, b);
    assert_string_equal(a, b);
    one.solver = two.solver = TRIAL_ADAM;
    ireneo_trial_key(&one, a);
    ireneo_trial_key(&two, b);
    assert_string_not_equal(a, b);
    two = one;
    two.problem = TRIAL_DECOUPLED;
    ireneo_trial_key(&two, b);
    assert_string_not_equal(a, b);
}

static void test_trial_sizes(void **state) {
    (void)state;
    /* docs/linear.md: at d = 100, p_c = 1192.0 is a load of 0.8444. */
    assert_int_equal(ireneo_trial_facts(0.8444, 100, 100, 0), 1192);
    assert_int_equal(ireneo_trial_facts(1e-9, 10, 10, 0), 2);
    trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, 100, 0.25, 1192, 1);
    assert_int_equal(it.rank, 25);
    assert_near(ireneo_trial_load(&it), 0.8444, 1e-4);
    it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, 100, 1.0, 1192, 1);
    assert_int_equal(it.rank, 0);
}

static void test_nested_data(void **state) {
    (void)state;
    for (int problem = TRIAL_ORIGINAL; problem <= TRIAL_DECOUPLED; problem++) {
        trial_data small, large;
        trial it = ireneo_trial_square((trial_problem)problem, TRIAL_HEBBIAN, 12, 1.0, 20, 3);
        expect_ok(ireneo_trial_open(&it, &small));
        it.facts = it.candidates = 31;
        expect_ok(ireneo_trial_open(&it, &large));
        assert_memory_equal(small.keys, large.keys, 20 * 12 * sizeof(float));
        if (problem == TRIAL_ORIGINAL) {
            assert_memory_equal(small.values, large.values, 20 * 12 * sizeof(float));
        } else {
            float a[20 * 12], b[20 * 12], drawn[20 * 12];
            small.facts.own_candidates(small.facts.own_context, 7, 0, 20, a);
            large.facts.own_candidates(large.facts.own_context, 7, 0, 20, b);
            ireneo_sample_own_candidates(&large.sample, 7, 0, 20, drawn);
            assert_memory_equal(a, b, sizeof a);
            assert_memory_equal(a, drawn, sizeof a);
        }
        ireneo_trial_close(&small);
        ireneo_trial_close(&large);
    }
}

/* The Hebbian rule with a rank: the trial recalls what the factored memory of the store recalls, which is less
 * than the full one does. */
static void test_hebbian_trial_with_a_rank(void **state) {
    (void)state;
    trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 30, 1.0, 60, 3);
    trial_result full, factored;
    expect_ok(ireneo_trial_run(&it, 1, NULL, &full));
    it.rank = 6;
    trial_data data;
    ireneo_memory *memory = NULL;
    ireneo_check_report report;
    expect_ok(ireneo_trial_open(&it, &data));
    expect_ok(ireneo_trial_solve(&it, &data, 1, NULL, &factored, &memory));
    assert_int_equal(memory->rank, 6);
    expect_ok(ireneo_check(memory, &data.facts, &(ireneo_run_settings){.threads = 1}, NULL, &report));
    assert_int_equal(factored.recalled, report.recalled);
    assert_int_equal(factored.scans, 1);
    assert_true(factored.recalled > 0 && factored.recalled < full.recalled);
    ireneo_memory_free(memory);
    ireneo_trial_close(&data);
}

/* Rules of one pass: every parameter is part of the key, unit keys have norm one, and least squares beat Hebb, who beats
 * the delta rule, at n = 2 d (docs/linear.md; by 5 and 40 %, against standard errors of 1 and 2 %). */
static void test_one_pass_trials(void **state) {
    (void)state;
    trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 64, 1.0, 128, 5);
    it.unit_keys = true;
    trial_result hebbian, delta, gentle, squares;
    char keys[4][TRIAL_KEY_SIZE];
    expect_ok(ireneo_trial_run(&it, 1, NULL, &hebbian));
    ireneo_trial_key(&it, keys[0]);
    it.solver = TRIAL_DELTA;
    expect_ok(ireneo_trial_run(&it, 1, NULL, &delta));
    ireneo_trial_key(&it, keys[1]);
    it.delta_rate = 0.5;
    expect_ok(ireneo_trial_run(&it, 1, NULL, &gentle));
    ireneo_trial_key(&it, keys[2]);
    it.solver = TRIAL_LEAST_SQUARES;
    expect_ok(ireneo_trial_run(&it, 1, NULL, &squares));
    ireneo_trial_key(&it, keys[3]);
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < a; b++) assert_string_not_equal(keys[a], keys[b]);
    assert_non_null(strstr(keys[0], " unit"));
    assert_true(squares.recalled > hebbian.recalled && hebbian.recalled > gentle.recalled);
    assert_true(gentle.recalled > delta.recalled && delta.recalled > 50);
    trial_data data;
    expect_ok(ireneo_trial_open(&it, &data));
    for (size_t i = 0; i < it.facts; i++) {
        double square = 0.0;
        for (size_t k = 0; k < 64; k++) square += pow((double)data.keys[i * 64 + k], 2.0);
        expect_close(square, 1.0, 1e-6);
    }
    ireneo_trial_close(&data);
}

static void test_trial_errors(void **state) {
    (void)state;
    trial_data data;
    trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 12, 0.5, 20, 3);
    it.rank = 13;
    expect_error(ireneo_trial_open(&it, &data), IRENEO_ERROR_ARGUMENT, "rank 13", "12");
    it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_ADAM, 12, 1.0, 1, 3);
    expect_error(ireneo_trial_open(&it, &data), IRENEO_ERROR_ARGUMENT, "two candidates", "");
    /* A rate that makes the weights overflow is an outcome, not an error. */
    trial_result result;
    it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_ADAM, 8, 1.0, 40, 3);
    it.rate = 1e3;
    it.initial_scale = 1e3;
    it.steps = 50;
    expect_ok(ireneo_trial_run(&it, 1, NULL, &result));
    assert_true(result.recalled < 40);
}

static void test_plan(void **state) {
    (void)state;
    plan it = {.original = true, .decoupled = true, .trials = 3};
    trial *trials;
    size_t count;
    it.like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, 1, 1.0, 2, 10);
    expect_ok(ireneo_grid_parse("--dim", "10,20", 1, 100, true, &it.dims));
    expect_ok(ireneo_grid_parse("--rank-share", "0.5,1", 0, 1, false, &it.rank_shares));
    expect_ok(ireneo_grid_parse("--load", "0.5,0.5001,0.8", 0, 2, false, &it.loads));
    expect_ok(ireneo_plan_trials(&it, &trials, &count));
    assert_int_equal(count, 2 * 2 * 2 * 2 * 3); /* 0.5 and 0.5001 are the same number of facts */
    assert_int_equal(trials[0].seed, 10);
    assert_int_equal(trials[2].seed, 12);
    assert_int_equal(trials[0].rank, 5);
    assert_int_equal(trials[6].rank, 0);
    assert_int_equal(trials[count - 1].dim_in, 20);
    assert_int_equal(trials[count - 1].problem, TRIAL_DECOUPLED);
    assert_int_equal(trials[count - 1].facts, ireneo_trial_facts(0.8, 20, 20, 0));
    free(trials);
    ireneo_grid_free(&it.dims);
    ireneo_grid_free(&it.rank_shares);
    ireneo_grid_free(&it.loads);
}

/* ---- the store ---- */

static void test_store_keeps(void **state) {
    results *store;
    const char *path = scratch_path(state, "a.db");
    trial it = ireneo_trial_square(TRIAL_DECOUPLED, TRIAL_ADAM, 10, 0.5, 20, UINT64_MAX);
    trial_result kept = {.status = IRENEO_STATUS_IMPOSSIBLE,
                         .recalled = 7,
                         .accuracy = 0.35,
                         .loss = 1.0 / 3.0,
                         .margin = -0.25,
                         .norm_bound = NAN,
                         .scans = 9,
                         .iterations = 8,
                         .seconds = 0.125};
    trial_result got;
    bool found;
    double numbers[] = {1.5, -2.0, 1e300}, *read;
    size_t count;
    expect_ok(ireneo_results_open(path, 1.0, &store));
    expect_ok(ireneo_results_find(store, &it, &found, &got));
    assert_false(found);
    expect_ok(ireneo_results_add(store, &it, &kept));
    expect_ok(ireneo_results_add(store, &it, &kept)); /* twice is once */
    expect_ok(ireneo_results_add_series(store, "numbers", numbers, 3));
    ireneo_results_close(store);
    expect_ok(ireneo_results_open(path, 1.0, &store));
    expect_ok(ireneo_results_find(store, &it, &found, &got));
    assert_true(found && got.status == IRENEO_STATUS_IMPOSSIBLE && got.recalled == 7 &&
                got.loss == 1.0 / 3.0 && isnan(got.norm_bound) && got.margin == -0.25 && got.scans == 9 &&
                got.iterations == 8 && got.seconds == 0.125 && !got.failed);
    it.seed--;
    expect_ok(ireneo_results_find(store, &it, &found, &got));
    assert_false(found);
    expect_ok(ireneo_results_find_series(store, "numbers", &read, &count));
    assert_int_equal(count, 3);
    assert_memory_equal(read, numbers, sizeof numbers);
    free(read);
    expect_ok(ireneo_results_find_series(store, "nothing", &read, &count));
    assert_null(read);
    ireneo_results_close(store);
}

static void run_sql(const char *path, const char *sql) {
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void test_store_refuses(void **state) {
    results *store;
    const char *path = scratch_path(state, "other.db");
    run_sql(path, "CREATE TABLE something (x)");
    expect_error(ireneo_results_open(path, 1.0, &store), IRENEO_ERROR_DATA, "not a store of results", path);
    path = scratch_path(state, "newer.db");
    expect_ok(ireneo_results_open(path, 1.0, &store));
    ireneo_results_close(store);
    run_sql(path, "PRAGMA user_version = 99");
    expect_error(ireneo_results_open(path, 1.0, &store), IRENEO_ERROR_DATA, "version 99", path);
    path = scratch_path(state, "text.db");
    scratch_write(path, "This is a text, and long enough to be mistaken for nothing else.\n", 65);
    expect_error(ireneo_results_open(path, 1.0, &store), IRENEO_ERROR_DATA, "not a store", path);
    expect_error(ireneo_results_open("/nowhere/a.db", 1.0, &store), IRENEO_ERROR_IO, "/nowhere/a.db", "");
    expect_error(ireneo_results_open("/tmp", 1.0, &store), IRENEO_ERROR_IO, "/tmp", "not a file");
}

/* Bytes overwritten in the middle of a store with many rows are noticed, not believed. */
static void test_store_damaged(void **state) {
    results *store;
    const char *path = scratch_path(state, "damaged.db");
    trial_result result = {.accuracy = 0.5};
    expect_ok(ireneo_results_open(path, 1.0, &store));
    for (size_t i = 0; i < 300; i++) {
        trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 10, 1.0, 20, i);
        expect_ok(ireneo_results_add(store, &it, &result));
    }
    ireneo_results_close(store);
    size_t count;
    unsigned char *bytes = scratch_read(path, &count);
    assert_true(count > 40000);
    memset(bytes + 4096, 0xa5, 30000);
    scratch_write(path, bytes, count);
    free(bytes);
    expect_error(ireneo_results_open(path, 1.0, &store), IRENEO_ERROR_DATA, path, "damaged");
}

static void test_store_locked(void **state) {
    results *store;
    const char *path = scratch_path(state, "locked.db");
    trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 10, 1.0, 20, 1);
    trial_result result = {.accuracy = 0.5};
    sqlite3 *other;
    bool found;
    expect_ok(ireneo_results_open(path, 0.05, &store));
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    expect_error(ireneo_results_add(store, &it, &result), IRENEO_ERROR_IO, "locked", path);
    expect_ok(ireneo_results_find(store, &it, &found, &result)); /* reading goes on */
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    expect_ok(ireneo_results_add(store, &it, &result));
    sqlite3_close(other);
    ireneo_results_close(store);
}

static void test_merge(void **state) {
    results *one, *two;
    char first[4096], second[4096];
    size_t added, different, count;
    snprintf(first, sizeof first, "%s", scratch_path(state, "one.db"));
    snprintf(second, sizeof second, "%s", scratch_path(state, "two.db"));
    expect_ok(ireneo_results_open(first, 1.0, &one));
    expect_ok(ireneo_results_open(second, 1.0, &two));
    for (size_t i = 0; i < 10; i++) { /* 0..5 in one, 4..9 in two; 5 differs */
        trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 10, 1.0, 20, i);
        trial_result result = {.recalled = i, .accuracy = (double)i / 20.0, .loss = NAN};
        if (i <= 5) expect_ok(ireneo_results_add(one, &it, &result));
        if (i == 5) result.recalled = 17;
        if (i >= 4) expect_ok(ireneo_results_add(two, &it, &result));
    }
    ireneo_results_close(two);
    expect_ok(ireneo_results_merge(one, second, &added, &different));
    assert_int_equal(added, 4);
    assert_int_equal(different, 1);
    expect_ok(ireneo_results_count(one, &count));
    assert_int_equal(count, 10);
    expect_ok(ireneo_results_merge(one, second, &added, &different));
    assert_int_equal(added, 0);
    expect_error(ireneo_results_merge(one, "/nowhere/x.db", &added, &different), IRENEO_ERROR_IO,
                 "/nowhere/x.db", "");
    ireneo_results_close(one);
}

static size_t count_rows(const char *path) {
    results *store;
    size_t count;
    expect_ok(ireneo_results_open(path, 1.0, &store));
    expect_ok(ireneo_results_count(store, &count));
    ireneo_results_close(store);
    return count;
}

static void add_one(results *store, uint64_t seed) {
    trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, 10, 1.0, 20, seed);
    trial_result result = {.accuracy = 0.5};
    expect_ok(ireneo_results_add(store, &it, &result));
}

/* Parts of ranks: gathered with what they hold, and gone afterwards. The name means what it says, whatever a shell would
 * read into it. */
static void test_parts(void **state) {
    char path[4096], other[4096];
    snprintf(path, sizeof path, "%s", scratch_path(state, "a[ll]*?.db"));
    snprintf(other, sizeof other, "%s", scratch_path(state, "al-other?.db.rank-0"));
    expect_ok(ireneo_parts_gather(path, 1.0)); /* makes the common store */
    for (size_t rank = 0; rank < 3; rank++) {
        results *part;
        expect_ok(ireneo_part_open(path, rank, 1.0, &part));
        add_one(part, rank);
        ireneo_results_close(part);
    }
    assert_int_equal(count_rows(other), 0); /* a store of somebody else's, whose name the pattern would fit */
    expect_ok(ireneo_parts_gather(path, 1.0));
    assert_int_equal(count_rows(path), 3);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(scratch_count(*state), 2);
}

/* A part of a run that lives is neither read nor removed; when the run has ended, whoever comes next gathers it. Parts
 * that older versions left have no lock. */
static void test_living_parts(void **state) {
    char path[4096], old[4096];
    results *left;
    snprintf(path, sizeof path, "%s", scratch_path(state, "all.db"));
    snprintf(old, sizeof old, "%s", scratch_path(state, "all.db.rank-0"));
    expect_ok(ireneo_parts_gather(path, 1.0));
    results *mine, *theirs;
    expect_ok(ireneo_part_open(path, 0, 1.0, &mine));
    expect_ok(ireneo_part_open(path, 0, 1.0, &theirs));
    add_one(mine, 1);
    add_one(theirs, 2);
    expect_ok(ireneo_results_open(old, 1.0, &left));
    add_one(left, 3);
    ireneo_results_close(left);
    ireneo_results_close(theirs);
    expect_ok(ireneo_parts_gather(path, 1.0));
    assert_int_equal(count_rows(path), 2);
    assert_int_equal(scratch_count(*state),
                     5); /* the store, the living part with its lock and SQLite's two files */
    add_one(mine, 4);
    ireneo_results_close(mine);
    expect_ok(ireneo_parts_gather(path, 1.0));
    assert_int_equal(count_rows(path), 4);
    assert_int_equal(scratch_count(*state), 1);
}

/* ---- the work queue ---- */

enum { LISTED = 24 };

static void list_trials(trial *trials) {
    for (size_t i = 0; i < LISTED; i++) {
        trial_problem problem = i % 2 == 0 ? TRIAL_ORIGINAL : TRIAL_DECOUPLED;
        trial_solver solver = i % 3 == 0 ? TRIAL_HEBBIAN : i % 3 == 1 ? TRIAL_ADAM : TRIAL_LBFGS;
        trials[i] = ireneo_trial_square(problem, solver, 10, 1.0, 20 + i, i / 4);
        trials[i].steps = 40;
    }
}

static bool same_outcome(const trial_result *a, const trial_result *b) {
    return a->status == b->status && a->recalled == b->recalled && a->scans == b->scans &&
           (a->loss == b->loss || (isnan(a->loss) && isnan(b->loss))) && a->margin == b->margin;
}

/* One thread, two threads and three shards give the same rows. */
static void test_sweep_same_rows(void **state) {
    trial trials[LISTED];
    trial_result one[LISTED], two[LISTED], part[LISTED];
    results *store;
    size_t rows = 0, count;
    list_trials(trials);
    queue_settings settings = {.threads = 1, .stage = "trials"};
    expect_ok(ireneo_results_open(scratch_path(state, "1.db"), 1.0, &store));
    expect_ok(ireneo_queue_trials(store, &settings, trials, LISTED, one));
    ireneo_results_close(store);
    settings.threads = 2;
    expect_ok(ireneo_results_open(scratch_path(state, "2.db"), 1.0, &store));
    expect_ok(ireneo_queue_trials(store, &settings, trials, LISTED, two));
    ireneo_results_close(store);
    for (size_t i = 0; i < LISTED; i++) assert_true(same_outcome(&one[i], &two[i]));
    expect_ok(ireneo_results_open(scratch_path(state, "3.db"), 1.0, &store));
    settings.shards = 3;
    for (settings.shard = 0; settings.shard < 3; settings.shard++) {
        expect_ok(ireneo_queue_trials(store, &settings, trials, LISTED, part));
        for (size_t i = 0; i < LISTED; i++) {
            if (isnan(part[i].accuracy)) continue;
            assert_int_equal(i % 3, settings.shard);
            assert_true(same_outcome(&part[i], &one[i]));
            rows++;
        }
    }
    assert_int_equal(rows, LISTED);
    expect_ok(ireneo_results_count(store, &count));
    assert_int_equal(count, LISTED);
    ireneo_results_close(store);
}

static int stop_after_five(void *context, const char *stage, double done, double total) {
    (void)stage, (void)total;
    *(double *)context = done;
    return done > 5.0;
}

/* A sweep that is stopped keeps what is finished and goes on from there. */
static void test_sweep_resumes(void **state) {
    trial trials[LISTED];
    trial_result whole[LISTED], resumed[LISTED];
    results *store;
    size_t kept, count;
    double reached = 0.0;
    ireneo_progress progress = {stop_after_five, &reached};
    list_trials(trials);
    queue_settings settings = {.threads = 2, .stage = "trials", .progress = &progress};
    expect_ok(ireneo_results_open(scratch_path(state, "a.db"), 1.0, &store));
    expect_error(ireneo_queue_trials(store, &settings, trials, LISTED, resumed), IRENEO_ERROR_CANCELLED, "",
                 "");
    expect_ok(ireneo_results_count(store, &kept));
    assert_true(kept > 0 && kept < LISTED);
    settings.progress = NULL;
    expect_ok(ireneo_queue_trials(store, &settings, trials, LISTED, resumed));
    expect_ok(ireneo_results_count(store, &count));
    assert_int_equal(count, LISTED);
    ireneo_results_close(store);
    expect_ok(ireneo_results_open(scratch_path(state, "b.db"), 1.0, &store));
    expect_ok(ireneo_queue_trials(store, &settings, trials, LISTED, whole));
    ireneo_results_close(store);
    for (size_t i = 0; i < LISTED; i++) assert_true(same_outcome(&whole[i], &resumed[i]));
}

/* An error in a worker reaches the caller with its sentence, and rows before it stay. */
static void test_sweep_error(void **state) {
    trial trials[LISTED];
    trial_result outcomes[LISTED];
    results *store;
    list_trials(trials);
    trials[11].rank = 1000;
    queue_settings settings = {.threads = 2, .stage = "trials"};
    expect_ok(ireneo_results_open(scratch_path(state, "a.db"), 1.0, &store));
    expect_error(ireneo_queue_trials(store, &settings, trials, LISTED, outcomes), IRENEO_ERROR_ARGUMENT,
                 "rank 1000", "");
    ireneo_results_close(store);
}

/* With a list for them, trials that fail end no other; the first in the order of the list is told, whoever came first. */
static void test_failed_trials(void **state) {
    trial trials[LISTED];
    trial_result outcomes[LISTED];
    queue_failures failures;
    results *store;
    size_t count;
    list_trials(trials);
    trials[11].rank = 1000;
    trials[5].rank = 999;
    queue_settings settings = {.threads = 2, .stage = "trials", .failures = &failures};
    expect_ok(ireneo_results_open(scratch_path(state, "a.db"), 1.0, &store));
    expect_ok(ireneo_queue_trials(store, &settings, trials, LISTED, outcomes));
    assert_int_equal(failures.count, 2);
    assert_int_equal(failures.first, 5);
    assert_int_equal(failures.error, IRENEO_ERROR_ARGUMENT);
    assert_non_null(strstr(failures.sentence, "rank 999"));
    expect_ok(ireneo_results_count(store, &count));
    assert_int_equal(count, LISTED - 2);
    for (size_t i = 0; i < LISTED; i++) assert_int_equal(isnan(outcomes[i].accuracy) != 0, i == 5 || i == 11);
    ireneo_results_close(store);
}

static ireneo_error count_up(queue_worker *worker, const void *context, double *values, size_t count) {
    (void)worker;
    int *calls = *(int *const *)context;
    ++*calls;
    for (size_t i = 0; i < count; i++) values[i] = (double)i * 0.5;
    return IRENEO_OK;
}

static ireneo_error ask_array(queue_worker *worker, size_t index, void *context) {
    double values[5];
    (void)index;
    IRENEO_TRY(ireneo_queue_array(worker, "halves", count_up, &context, values, 5));
    return values[4] == 2.0 ? IRENEO_OK : IRENEO_ERROR_DATA;
}

static void test_sweep_array(void **state) {
    results *store;
    int calls = 0;
    queue_settings settings = {.threads = 1, .stage = "arrays"};
    expect_ok(ireneo_results_open(scratch_path(state, "a.db"), 1.0, &store));
    expect_ok(ireneo_queue_run(store, &settings, 3, NULL, ask_array, &calls));
    expect_ok(ireneo_queue_run(store, &settings, 3, NULL, ask_array, &calls));
    assert_int_equal(calls, 1);
    ireneo_results_close(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_values),
        cmocka_unit_test(test_grid_errors),
        cmocka_unit_test(test_trial_keys),
        cmocka_unit_test(test_trial_sizes),
        cmocka_unit_test(test_nested_data),
        cmocka_unit_test(test_hebbian_trial_with_a_rank),
        cmocka_unit_test(test_one_pass_trials),
        cmocka_unit_test(test_trial_errors),
        cmocka_unit_test(test_plan),
        scratch_test(test_store_keeps),
        scratch_test(test_store_refuses),
        scratch_test(test_store_damaged),
        scratch_test(test_store_locked),
        scratch_test(test_merge),
        scratch_test(test_parts),
        scratch_test(test_living_parts),
        scratch_test(test_sweep_same_rows),
        scratch_test(test_sweep_resumes),
        scratch_test(test_sweep_error),
        scratch_test(test_failed_trials),
        scratch_test(test_sweep_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
