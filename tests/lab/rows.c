/* Rows as CSV: stores of trials written and read back, thresholds of sweeps, and what is refused. */
#include "expect.h"
#include "near.h"
#include "scratch.h"

#include "lab/figures/average.h"
#include "lab/figures/threshold_figure.h"
#include "lab/sweep/results_rows.h"
#include "lab/sweep/results_series.h"
#include "lab/sweep/results_trials.h"

static const char TRIALS[] =
    "key,status,recalled,accuracy,loss,margin,norm_bound,scans,iterations,seconds,values\n";
static const char THRESHOLDS[] = "problem,solver,dim_in,dim_out,rank,seed,law,stored,not_stored,certified\n";

static void write_rows(void **state, const char *name, results *store) {
    FILE *stream = fopen(scratch_path(state, name), "w");
    assert_non_null(stream);
    expect_ok(ireneo_results_write_rows(store, stream));
    assert_int_equal(fclose(stream), 0);
}

/* Everything that a figure asks a store for comes through a file unchanged. */
static void test_round_trip(void **state) {
    results *store, *other;
    trial it = ireneo_trial_square(TRIAL_DECOUPLED, TRIAL_ADAM, 20, 0.5, 80, UINT64_MAX);
    trial_result kept = {.status = IRENEO_STATUS_PARTIAL,
                         .recalled = 40,
                         .accuracy = 0.5,
                         .loss = 0.125,
                         .margin = -0.25,
                         .norm_bound = NAN,
                         .scans = 9,
                         .iterations = 8,
                         .seconds = 1.5},
                 got;
    const double numbers[3] = {0.5, 1e-300, 3.0};
    double *read;
    size_t count, added;
    bool found;
    expect_ok(ireneo_results_open(scratch_path(state, "a.db"), 1.0, &store));
    expect_ok(ireneo_results_add(store, &it, &kept));
    it.solver = TRIAL_PROJECT;
    kept.failed = true;
    kept.loss = NAN;
    expect_ok(ireneo_results_add(store, &it, &kept));
    expect_ok(ireneo_results_add_series(store, "spectrum of it", numbers, 3));
    write_rows(state, "a.csv", store);
    ireneo_results_close(store);

    expect_ok(ireneo_results_open(scratch_path(state, "b.db"), 1.0, &other));
    expect_ok(ireneo_results_read_rows(other, scratch_path(state, "a.csv"), &added));
    assert_int_equal(added, 2);
    expect_ok(ireneo_results_find(other, &it, &found, &got));
    assert_true(found && got.failed);
    it.solver = TRIAL_ADAM;
    expect_ok(ireneo_results_find(other, &it, &found, &got));
    assert_true(found && !got.failed && got.status == IRENEO_STATUS_PARTIAL && got.recalled == 40 &&
                got.accuracy == 0.5 && got.loss == 0.125 && got.margin == -0.25 && isnan(got.norm_bound) &&
                got.scans == 9 && got.iterations == 8 && got.seconds == 1.5);
    expect_ok(ireneo_results_find_series(other, "spectrum of it", &read, &count));
    assert_int_equal(count, 3);
    assert_memory_equal(read, numbers, sizeof numbers);
    free(read);
    expect_ok(ireneo_results_read_rows(other, scratch_path(state, "a.csv"), &added)); /* twice is once */
    assert_int_equal(added, 0);
    write_rows(state, "b.csv", other);
    ireneo_results_close(other);

    size_t first, second;
    unsigned char *a = scratch_read(scratch_path(state, "a.csv"), &first),
                  *b = scratch_read(scratch_path(state, "b.csv"), &second);
    assert_int_equal(first, second);
    assert_memory_equal(a, b, first);
    free(a);
    free(b);
}

/* A file with a fault adds nothing, not even its good rows. */
static void test_refused_trials(void **state) {
    static const char good[] =
        "original project in=4 out=4 rank=0 facts=9 candidates=9 seed=1,stored,9,1,,0.1,,3,4,0.5,\n";
    static const char *const wrong[] = {
        "original project in=4 out=4 rank=0 facts=9 candidates=9 "
        "seed=2,stored,10,1,,0.1,,3,4,0.5,\n", /* 10 of 9 */
        "original project in=4 out=4 rank=0 facts=9 candidates=9 "
        "seed=2,solved,9,1,,0.1,,3,4,0.5,\n",
        "original project in=4 out=4 rank=0 facts=9 candidates=9,stored,9,1,,0.1,,3,4,0.5,\n",
        "original project in=0 out=4 rank=0 facts=9 candidates=9 "
        "seed=2,stored,9,1,,0.1,,3,4,0.5,\n",
        "original project in=4 out=4 rank=0 facts=9 candidates=9 "
        "seed=2,stored,9,2,,0.1,,3,4,0.5,\n",
        "original project in=4 out=4 rank=0 facts=9 candidates=9 "
        "seed=2,stored,9,1,x,0.1,,3,4,0.5,\n",
        "original project in=4 out=4 rank=0 facts=9 candidates=9 "
        "seed=2,stored,9,1,,0.1,,-3,4,0.5,\n",
        "original project in=4 out=4 rank=0 facts=9 candidates=9 "
        "seed=2,stored,9,1,,0.1,,3,4,nan,\n",
        "original project in=4 out=4 rank=0 facts=9 candidates=9 seed=2,stored,9\n",
        "name,,,,,,,,,,1 2 x\n",
        "\"name,,,,,,,,,,1 2\n",
    };
    results *store;
    size_t count, added;
    char text[1024];
    expect_ok(ireneo_results_open(scratch_path(state, "a.db"), 1.0, &store));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "%s%s%s", TRIALS, good, wrong[i]);
        scratch_write(scratch_path(state, "a.csv"), text, strlen(text));
        expect_error(ireneo_results_read_rows(store, scratch_path(state, "a.csv"), &added), IRENEO_ERROR_DATA,
                     "a.csv", "line 3");
        expect_ok(ireneo_results_count(store, &count));
        assert_int_equal(count, 0);
    }
    scratch_write(scratch_path(state, "a.csv"), THRESHOLDS, strlen(THRESHOLDS));
    expect_error(ireneo_results_read_rows(store, scratch_path(state, "a.csv"), &added), IRENEO_ERROR_DATA,
                 "rows of trials", "");
    scratch_write(scratch_path(state, "a.csv"), "", 0);
    expect_error(ireneo_results_read_rows(store, scratch_path(state, "a.csv"), &added), IRENEO_ERROR_DATA,
                 "empty", "");
    ireneo_results_close(store);
}

/* Draws with brackets, with gaps between their seeds, and of two files one behind the other. */
static void test_thresholds(void **state) {
    static const char rows[] = "original,project,20,20,0,1,89,88,89,1\n"
                               "original,project,20,20,0,7,89,90,95,1\n"
                               "problem,solver,dim_in,dim_out,rank,seed,law,stored,not_stored,certified\n"
                               "original,project,20,20,0,9,89,90,91,0\n"
                               "original,project,10,20,0,1,50,45,46,1\n"
                               "original,adam,20,20,0,1,89,70,71,0\n"
                               "decoupled,project,30,30,0,1,164,160,161,1\n"
                               "original,project,10,10,0,1,30,31,32,1\n";
    char text[2048];
    threshold_rows known;
    threshold_group groups[4];
    figure_request request = {
        .directory = *state, .thresholds = scratch_path(state, "thresholds.csv"), .threads = 1};
    snprintf(text, sizeof text, "%s%s", THRESHOLDS, rows);
    scratch_write(request.thresholds, text, strlen(text));
    expect_ok(ireneo_threshold_known(&request, &known));
    assert_int_equal(known.count, 7);
    assert_int_equal(ireneo_threshold_squares(&known, TRIAL_ORIGINAL, groups, 4), 2);
    assert_true(groups[0].like.dim_in == 10 && groups[1].like.dim_in == 20 && groups[1].draws == 3);
    expect_ok(ireneo_threshold_groups(&request, "thresholds", &known, groups, 2));
    assert_int_equal(scratch_count(*state), 1); /* nothing was searched: no store was made */
    /* 88, 92 (between 90 and 94) and 90: mean 90, deviation 2, the widest bracket leaves 4 numbers open. */
    assert_near(groups[1].mean, 90.0, 1e-12);
    assert_near(groups[1].error, 2.0 / sqrt(3.0) + 2.0, 1e-12);
    assert_true(groups[1].open == 4 && groups[1].certified == 2 && groups[1].median == 90.0);
    trial like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, 10, 1.0, 2, 1);
    like.dim_out = 20;
    assert_int_equal(ireneo_threshold_rows_find(&known, &like, true)->stored, 45);
    assert_null(ireneo_threshold_rows_find(&known, &like, false));
    like.seed = 2;
    assert_null(ireneo_threshold_rows_find(&known, &like, true));
    ireneo_threshold_rows_free(&known);
}

/* Thresholds of other questions are not taken for plain ones. */
static void test_other_questions(void **state) {
    static const char text[] =
        "problem,solver,dim_in,dim_out,rank,seed,law,stored,not_stored,certified,targets,top,candidates\n"
        "original,project,20,20,0,1,89,88,89,1,each,1,0\noriginal,project,20,20,0,2,89,88,89,1,zipf:1,1,0\n"
        "original,project,20,20,0,3,89,88,89,1,each,5,0\noriginal,project,20,20,0,4,89,88,89,1,each,1,40\n";
    threshold_rows rows;
    threshold_group groups[2];
    (void)state;
    expect_ok(ireneo_threshold_rows_parse("t.csv", text, strlen(text), &rows));
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.rows[1].like.candidates, 40);
    assert_int_equal(ireneo_threshold_squares(&rows, TRIAL_ORIGINAL, groups, 2), 1);
    assert_int_equal(groups[0].draws, 1);
    ireneo_threshold_rows_free(&rows);
}

static void test_refused_thresholds(void **state) {
    static const char *const wrong[] = {
        "originel,project,20,20,0,1,89,88,89,1\n",  "original,prayer,20,20,0,1,89,88,89,1\n",
        "original,project,20,20,0,1,89,89,89,1\n",  "original,project,20,20,0,1,89,0,1,1\n",
        "original,project,20,20,0,1,89,88,89,2\n",  "original,project,0,20,0,1,89,88,89,1\n",
        "original,project,20,20,0,-1,89,88,89,1\n", "original,project,20,20,0,1,89,88\n",
        "original,project,20,20,0,1,89,88,1e9,1\n",
    };
    (void)state;
    threshold_rows rows;
    char text[512];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(text, sizeof text, "%s%s", THRESHOLDS, wrong[i]);
        expect_error(ireneo_threshold_rows_parse("t.csv", text, strlen(text), &rows), IRENEO_ERROR_DATA,
                     "t.csv", "line 2");
        ireneo_threshold_rows_free(&rows);
    }
    expect_error(ireneo_threshold_rows_parse("t.csv", TRIALS, strlen(TRIALS), &rows), IRENEO_ERROR_DATA,
                 "no column 'problem'", "sweep --threshold --csv");
}

static void test_average(void **state) {
    (void)state;
    draw_average a = {0};
    assert_true(isnan(ireneo_average_mean(&a)) && ireneo_average_spread(&a) == 0.0);
    for (int i = 0; i < 3; i++) ireneo_average_take(&a, 0.1);
    assert_true(ireneo_average_mean(&a) == 0.1 && ireneo_average_spread(&a) == 0.0); /* no digits lost */
    ireneo_average_take(&a, NAN);
    ireneo_average_take(&a, 0.5);
    assert_near(ireneo_average_mean(&a), 0.2, 1e-15);
    assert_near(ireneo_average_spread(&a), 0.2, 1e-15); /* (3 * 0.01 + 0.09) / 3 = 0.04 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(test_round_trip),
        scratch_test(test_refused_trials),
        scratch_test(test_thresholds),
        cmocka_unit_test(test_other_questions),
        cmocka_unit_test(test_refused_thresholds),
        cmocka_unit_test(test_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
