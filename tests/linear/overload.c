/* More facts than fit: how many are kept, and which. */
#include "linear_instance.h"

static void test_overload_keeps_many(void **state) {
    (void)state;
    instance data =
        make_instance(21, 413, 413, 50, 50, 0); /* 1.1 of the law; docs/linear.md, "Overload": 397 */
    unsigned char recalled[413];
    ireneo_store_settings settings = {.overload = 1};
    ireneo_store_result result;
    ireneo_store_info info;
    ireneo_memory *m = store_with(&data.facts, &settings, &result, &info);
    expect_status(&info, IRENEO_STATUS_PARTIAL);
    assert_true(info.recalled >= 385 && info.recalled < 413);
    brute_recalled(m, &data.facts, recalled, NULL);
    assert_memory_equal(result.kept, recalled, sizeof recalled);
    ireneo_memory_free(m);
    ireneo_store_result_free(&result);
    assert_null(result.kept);
    free_instance(&data);
}

/* Heavy facts that fit alone are all kept, whatever light ones are offered beside them. */
static void test_overload_respects_weights(void **state) {
    (void)state;
    enum { N = 300, HEAVY = 120, D = 36 };
    assert_true(HEAVY < 0.9 * law_of(D, D, 0, N));
    instance data = make_instance(22, N, N, D, D, 0);
    double weights[N];
    for (size_t i = 0; i < N; i++) weights[i] = i % 5 < 2 ? 10.0 : 1.0;
    ireneo_store_settings settings = {.overload = 1, .weights = weights};
    ireneo_store_result result;
    ireneo_store_info info;
    ireneo_memory_free(store_with(&data.facts, &settings, &result, &info));
    expect_status(&info, IRENEO_STATUS_PARTIAL);
    size_t light = 0;
    for (size_t i = 0; i < N; i++) {
        if (weights[i] > 1.0)
            assert_int_equal(result.kept[i], 1);
        else
            light += result.kept[i];
    }
    ireneo_store_result_free(&result);
    assert_true(light > 20);
    weights[3] = 0.0;
    ireneo_memory *m = NULL;
    expect_error(ireneo_store(&data.facts, &settings, &m, NULL, NULL), IRENEO_ERROR_DATA, "row 3",
                 "positive");
    weights[3] = NAN;
    expect_error(ireneo_store(&data.facts, &settings, &m, NULL, NULL), IRENEO_ERROR_DATA, "row 3",
                 "positive");
    free_instance(&data);
}

/* When everything fits, overload gives nothing up. */
static void test_overload_without_need(void **state) {
    (void)state;
    instance data = make_instance(23, 100, 100, 30, 30, 0);
    ireneo_store_settings settings = {.overload = 1};
    ireneo_store_result result;
    ireneo_store_info info;
    ireneo_memory_free(store_with(&data.facts, &settings, &result, &info));
    expect_status(&info, IRENEO_STATUS_STORED);
    for (size_t i = 0; i < 100; i++) assert_int_equal(result.kept[i], 1);
    ireneo_store_result_free(&result);
    free_instance(&data);
}

static int stop_at_once(void *context, const char *stage, double done, double total) {
    (void)context, (void)stage, (void)done, (void)total;
    return 1;
}

/* Stopped before anything was chosen: what is kept is what the memory recalls. */
static void test_overload_interrupted(void **state) {
    (void)state;
    instance data = make_instance(24, 250, 250, 40, 40, 0);
    ireneo_progress progress = {stop_at_once, NULL};
    ireneo_store_settings settings = {.overload = 1, .progress = &progress};
    ireneo_store_result result;
    ireneo_store_info info;
    unsigned char recalled[250];
    ireneo_memory *m = store_with(&data.facts, &settings, &result, &info);
    expect_status(&info, IRENEO_STATUS_INTERRUPTED);
    size_t count = brute_recalled(m, &data.facts, recalled, NULL);
    assert_true(count > 0 && count < 250);
    assert_memory_equal(result.kept, recalled, sizeof recalled);
    ireneo_memory_free(m);
    ireneo_store_result_free(&result);
    free_instance(&data);
}

static int stop_later(void *context, const char *stage, double done, double total) {
    (void)stage, (void)done, (void)total;
    return --*(int *)context < 0;
}

/* Stopped anywhere, also inside a scan or a check: a memory comes back, and what is kept is recalled. */
static void test_overload_interrupted_anywhere(void **state) {
    (void)state;
    instance data = make_instance(25, 120, 120, 16, 16, 0);
    size_t interrupted = 0;
    for (int reports = 0; reports < 400; reports += 7) {
        int left = reports;
        ireneo_progress progress = {stop_later, &left};
        ireneo_store_settings settings = {.overload = 1, .threads = 1, .progress = &progress};
        ireneo_store_result result;
        ireneo_store_info info;
        unsigned char recalled[120];
        ireneo_memory *m = store_with(&data.facts, &settings, &result, &info);
        assert_true(info.status == IRENEO_STATUS_INTERRUPTED || info.status == IRENEO_STATUS_PARTIAL);
        interrupted += info.status == IRENEO_STATUS_INTERRUPTED;
        brute_recalled(m, &data.facts, recalled, NULL);
        for (size_t i = 0; i < 120; i++) assert_true(!result.kept[i] || recalled[i]);
        ireneo_memory_free(m);
        ireneo_store_result_free(&result);
    }
    assert_true(interrupted > 10);
    free_instance(&data);
}

/* Keys that nearly depend on each other, where rounding to float32 takes away what the solver reached: facts are given up,
 * and the work ends. */
static void test_overload_that_rounding_breaks(void **state) {
    (void)state;
    static const float keys[] = {10000, 10001, 10002, 10003, 10003, 10003, 10004, 10005, 10005,
                                 10005, 10006, 10006, 10007, 10008, 10007, 10009, 10008, 10009};
    static const float values[] = {-0.794314802f, -0.555503726f};
    static const int64_t targets[] = {0, 1, 1, 0, 0, 1, 1, 0, 1};
    const ireneo_facts facts = {.facts = 9,
                                .candidates = 2,
                                .dim_in = 2,
                                .dim_out = 1,
                                .keys = keys,
                                .values = values,
                                .targets = targets};
    ireneo_store_settings settings = {.overload = 1, .threads = 1};
    ireneo_store_result result;
    ireneo_store_info info;
    unsigned char recalled[9];
    ireneo_memory *m = store_with(&facts, &settings, &result, &info);
    expect_status(&info, IRENEO_STATUS_PARTIAL);
    assert_true(brute_recalled(m, &facts, recalled, NULL) >= 5);
    assert_memory_equal(result.kept, recalled, sizeof recalled);
    ireneo_memory_free(m);
    ireneo_store_result_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overload_keeps_many),
        cmocka_unit_test(test_overload_respects_weights),
        cmocka_unit_test(test_overload_without_need),
        cmocka_unit_test(test_overload_interrupted),
        cmocka_unit_test(test_overload_interrupted_anywhere),
        cmocka_unit_test(test_overload_that_rounding_breaks),
    };
    return cmocka_run_group_tests_name("linear overload", tests, NULL, NULL);
}
