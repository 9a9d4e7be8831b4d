/* Adam and L-BFGS on cross-entropy: their steps, and that they learn what can be learned. */
#include "near.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "linear/training/rate_schedule.h"

/* ---- Adam ---- */

static void test_rate_schedule(void **state) {
    (void)state;
    assert_near(ireneo_rate_at(0.03, 0, 1000, 50), 0.03 / 51.0, 1e-15);
    assert_near(ireneo_rate_at(0.03, 49, 1000, 50), 0.03 * 50.0 / 51.0, 1e-15);
    assert_near(ireneo_rate_at(0.03, 50, 1000, 50), 0.03, 1e-15);
    assert_near(ireneo_rate_at(0.03, 525, 1000, 50), 0.015, 1e-15);
    assert_near(ireneo_rate_at(0.03, 1000, 1000, 50), 0.0, 1e-15);
    assert_near(ireneo_rate_at(0.03, 0, 1000, 0), 0.03, 1e-15);
}

/* ---- training ---- */

typedef struct instance {
    ireneo_facts facts;
    ireneo_sample sample;
    float *keys, *values;
} instance;

static void make_instance(instance *it, size_t dim, size_t facts, bool own, uint64_t seed) {
    memset(it, 0, sizeof *it);
    it->sample = (ireneo_sample){.seed = seed, .dim_in = dim, .dim_out = dim};
    it->keys = malloc(facts * dim * sizeof *it->keys);
    it->values = malloc(facts * dim * sizeof *it->values);
    ireneo_sample_keys(&it->sample, 0, facts, it->keys);
    ireneo_sample_values(&it->sample, 0, facts, it->values);
    it->facts = (ireneo_facts){.facts = facts, .candidates = facts, .dim_in = dim, .dim_out = dim};
    it->facts.keys = it->keys;
    if (own) {
        it->facts.own_candidates = ireneo_sample_own_candidates;
        it->facts.own_context = &it->sample;
    } else {
        it->facts.values = it->values;
    }
}

static void release(instance *it) {
    free(it->keys);
    free(it->values);
}

/* 100 facts at d = 30 (the law's capacity is 164) are learned by both optimisers, full and at half rank, with
 * shared and with own candidates. */
static void test_learns(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        instance it;
        ireneo_memory *memory;
        ireneo_train_info info;
        ireneo_check_report report;
        ireneo_train_settings settings = {.max_steps = 2000, .threads = 1, .seed = 4};
        settings.optimiser = variant & 1 ? IRENEO_OPTIMISER_LBFGS : IRENEO_OPTIMISER_ADAM;
        settings.rank = variant & 2 ? 15 : 0;
        make_instance(&it, 30, 100, (variant & 4) != 0, 7);
        assert_int_equal(ireneo_train(&it.facts, &settings, &memory, &info), IRENEO_OK);
        assert_int_equal(info.status, IRENEO_STATUS_STORED);
        assert_int_equal(info.recalled, 100);
        assert_true(info.margin > 0.0 && info.loss > 0.0 && info.steps > 0 && info.sweeps >= info.steps);
        assert_int_equal(memory->rank, settings.rank);
        assert_int_equal(ireneo_check(memory, &it.facts, &(ireneo_run_settings){.threads = 1}, NULL, &report),
                         IRENEO_OK);
        assert_int_equal(report.recalled, 100);
        double loss;
        assert_int_equal(ireneo_cross_entropy(memory, &it.facts, &(ireneo_run_settings){.threads = 1}, &loss),
                         IRENEO_OK);
        assert_near(loss, info.loss, 1e-9);
        ireneo_memory_free(memory);
        release(&it);
    }
}

/* Beyond capacity the cross-entropy has a minimum (it is convex in W): both optimisers find the same one. */
static void test_same_minimum(void **state) {
    (void)state;
    instance it;
    ireneo_memory *memory;
    ireneo_train_info by_adam, by_lbfgs;
    ireneo_train_settings settings = {.max_steps = 3000, .threads = 1, .seed = 4};
    make_instance(&it, 16, 100, false, 3);
    assert_int_equal(ireneo_train(&it.facts, &settings, &memory, &by_adam), IRENEO_OK);
    ireneo_memory_free(memory);
    settings.optimiser = IRENEO_OPTIMISER_LBFGS;
    assert_int_equal(ireneo_train(&it.facts, &settings, &memory, &by_lbfgs), IRENEO_OK);
    ireneo_memory_free(memory);
    assert_int_equal(by_adam.status, IRENEO_STATUS_UNDECIDED);
    assert_int_equal(by_lbfgs.status, IRENEO_STATUS_UNDECIDED);
    assert_near(by_lbfgs.loss / by_adam.loss, 1.0, 1e-4);
    assert_true(by_lbfgs.sweeps < by_adam.sweeps / 5);
    assert_true(labs((long)by_lbfgs.recalled - (long)by_adam.recalled) <= 2);
    release(&it);
}

static int stop_at_ten(void *context, const char *stage, double done, double total) {
    (void)context, (void)stage, (void)total;
    return done >= 10.0;
}

static void test_threads_and_stopping(void **state) {
    (void)state;
    instance it;
    ireneo_memory *one, *two;
    ireneo_train_info info;
    ireneo_train_settings settings = {.max_steps = 60, .threads = 1, .past_recall = 1, .rate = 0.01};
    make_instance(&it, 20, 60, false, 3);
    assert_int_equal(ireneo_train(&it.facts, &settings, &one, NULL), IRENEO_OK);
    settings.threads = 3;
    assert_int_equal(ireneo_train(&it.facts, &settings, &two, &info), IRENEO_OK);
    assert_memory_equal(one->matrix, two->matrix, 400 * sizeof(float));
    assert_int_equal(info.steps, 60);
    ireneo_memory_free(one);
    ireneo_memory_free(two);
    ireneo_progress progress = {stop_at_ten, NULL};
    settings.progress = &progress;
    settings.max_steps = 5000;
    settings.rate = 1e-6;
    assert_int_equal(ireneo_train(&it.facts, &settings, &one, &info), IRENEO_OK);
    assert_int_equal(info.status, IRENEO_STATUS_INTERRUPTED);
    assert_int_equal(info.steps, 10);
    ireneo_memory_free(one);
    settings = (ireneo_train_settings){.rank = 21};
    assert_int_equal(ireneo_train(&it.facts, &settings, &one, &info), IRENEO_ERROR_ARGUMENT);
    settings = (ireneo_train_settings){.rate = -1.0};
    assert_int_equal(ireneo_train(&it.facts, &settings, &one, &info), IRENEO_ERROR_ARGUMENT);
    settings = (ireneo_train_settings){.warm_up = 2.0};
    assert_int_equal(ireneo_train(&it.facts, &settings, &one, &info), IRENEO_ERROR_ARGUMENT);
    settings = (ireneo_train_settings){.initial_scale = NAN};
    assert_int_equal(ireneo_train(&it.facts, &settings, &one, &info), IRENEO_ERROR_ARGUMENT);
    release(&it);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate_schedule),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_same_minimum),
        cmocka_unit_test(test_threads_and_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
