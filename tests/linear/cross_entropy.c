/* Cross-entropy: against a naive double implementation and finite differences; blocks and threads change
 * nothing. */
#include "near.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "linear/training/cross_entropy.h"

enum { FACTS = 37, CANDIDATES = 53, IN = 9, OUT = 7 };

typedef struct instance {
    ireneo_facts facts;
    ireneo_sample sample;
    float keys[FACTS * IN], values[CANDIDATES * OUT];
    int64_t targets[FACTS];
} instance;

static void make_instance(instance *it, bool own) {
    memset(it, 0, sizeof *it);
    it->sample = (ireneo_sample){.seed = 5, .dim_in = IN, .dim_out = OUT};
    ireneo_sample_keys(&it->sample, 0, FACTS, it->keys);
    ireneo_sample_values(&it->sample, 0, CANDIDATES, it->values);
    for (int i = 0; i < FACTS; i++) it->targets[i] = (i * 17 + 3) % CANDIDATES;
    it->facts = (ireneo_facts){.facts = FACTS, .candidates = CANDIDATES, .dim_in = IN, .dim_out = OUT};
    it->facts.keys = it->keys;
    it->facts.targets = it->targets;
    if (own) {
        it->facts.own_candidates = ireneo_sample_own_candidates;
        it->facts.own_context = &it->sample;
    } else {
        it->facts.values = it->values;
    }
}

/* The matrix that the parameters stand for, in double. */
static void expand(const double *parameters, size_t rank, double matrix[OUT][IN]) {
    for (size_t a = 0; a < OUT; a++) {
        for (size_t b = 0; b < IN; b++) {
            if (rank == 0) {
                matrix[a][b] = parameters[a * IN + b];
                continue;
            }
            matrix[a][b] = 0.0;
            for (size_t k = 0; k < rank; k++)
                matrix[a][b] += parameters[a * rank + k] * parameters[OUT * rank + b * rank + k];
        }
    }
}

/* Loss, number of recalled facts and gradient with respect to the matrix, straight from the definitions. */
static double naive_loss(const ireneo_facts *facts, double matrix[OUT][IN], size_t *recalled,
                         double gradient[OUT][IN]) {
    double loss = 0.0;
    float own[CANDIDATES * OUT];
    if (gradient != NULL) memset(gradient, 0, OUT * sizeof *gradient);
    *recalled = 0;
    for (size_t i = 0; i < FACTS; i++) {
        double scores[CANDIDATES], largest = -INFINITY, total = 0.0;
        const float *key = facts->keys + i * IN, *values = facts->values;
        size_t target = (size_t)facts->targets[i], winner = 0;
        if (values == NULL) {
            facts->own_candidates(facts->own_context, i, 0, CANDIDATES, own);
            values = own;
        }
        for (size_t j = 0; j < CANDIDATES; j++) {
            scores[j] = 0.0;
            for (size_t a = 0; a < OUT; a++)
                for (size_t b = 0; b < IN; b++)
                    scores[j] += (double)values[j * OUT + a] * matrix[a][b] * (double)key[b];
            if (scores[j] > largest) {
                largest = scores[j];
                winner = j;
            }
        }
        if (winner == target) ++*recalled;
        for (size_t j = 0; j < CANDIDATES; j++) total += exp(scores[j] - largest);
        loss += log(total) + largest - scores[target];
        for (size_t j = 0; gradient != NULL && j < CANDIDATES; j++) {
            double weight = exp(scores[j] - largest) / total - (j == target ? 1.0 : 0.0);
            for (size_t a = 0; a < OUT; a++)
                for (size_t b = 0; b < IN; b++)
                    gradient[a][b] += weight * (double)values[j * OUT + a] * (double)key[b] / FACTS;
        }
    }
    return loss / FACTS;
}

static void check_against_naive(bool own, size_t rank, float scale) {
    instance it;
    cross_entropy objective;
    cross_entropy_point point;
    float parameters[OUT * IN + 64], gradient[OUT * IN + 64];
    double f64[OUT * IN + 64], matrix[OUT][IN], by_matrix[OUT][IN];
    size_t recalled;
    make_instance(&it, own);
    assert_int_equal(ireneo_cross_entropy_open(&it.facts, rank, 1, 0, &objective), IRENEO_OK);
    size_t count = ireneo_cross_entropy_parameters(&objective);
    assert_true(count <= OUT * IN + 64);
    ireneo_fill_normal_floats(11, 3, 0, count, parameters);
    for (size_t i = 0; i < count; i++) f64[i] = (double)(parameters[i] *= scale);
    ireneo_cross_entropy_evaluate(&objective, parameters, gradient, &point);
    expand(f64, rank, matrix);
    double loss = naive_loss(&it.facts, matrix, &recalled, by_matrix);
    assert_near(point.loss, loss, 2e-6 * (1.0 + loss));
    assert_int_equal(point.recalled, recalled);
    double largest = 0.0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs((double)gradient[i]));
    for (size_t i = 0; i < count; i++) { /* finite differences of the naive loss, for any parametrisation */
        double step = 1e-5, shifted[2];
        for (int side = 0; side < 2; side++) {
            f64[i] = (double)parameters[i] + (side == 0 ? step : -step);
            expand(f64, rank, matrix);
            shifted[side] = naive_loss(&it.facts, matrix, &recalled, NULL);
        }
        f64[i] = (double)parameters[i];
        assert_near(gradient[i], (shifted[0] - shifted[1]) / (2.0 * step), 1e-5 * largest + 1e-7);
        if (rank == 0) assert_near(gradient[i], by_matrix[i / IN][i % IN], 3e-6 * largest + 1e-8);
    }
    ireneo_cross_entropy_close(&objective);
}

static void test_shared_full(void **state) {
    (void)state;
    check_against_naive(false, 0, 0.05f);
    check_against_naive(false, 0, 1.0f);
    check_against_naive(false, 0, 20.0f); /* nearly one-hot softmax, losses of hundreds */
}

static void test_shared_rank(void **state) {
    (void)state;
    check_against_naive(false, 3, 0.5f);
    check_against_naive(false, 1, 1.0f);
}

static void test_own_full(void **state) {
    (void)state;
    check_against_naive(true, 0, 0.05f);
    check_against_naive(true, 0, 1.0f);
}

static void test_own_rank(void **state) {
    (void)state;
    check_against_naive(true, 4, 0.7f);
}

/* Any width of the blocks gives the loss of one block to rounding; any thread count the same bits. */
static void test_blocks_and_threads(void **state) {
    (void)state;
    enum { COUNT = OUT * IN };
    for (int own = 0; own < 2; own++) {
        instance it;
        make_instance(&it, own != 0);
        float parameters[COUNT], whole[COUNT], part[COUNT];
        cross_entropy_point one, other;
        ireneo_fill_normal_floats(2, 9, 0, COUNT, parameters);
        cross_entropy objective;
        assert_int_equal(ireneo_cross_entropy_open(&it.facts, 0, 1, CANDIDATES, &objective), IRENEO_OK);
        ireneo_cross_entropy_evaluate(&objective, parameters, whole, &one);
        ireneo_cross_entropy_close(&objective);
        static const size_t widths[] = {1, 7, 16, 52};
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            float first[COUNT] = {0.0f};
            for (int threads = 1; threads <= 3; threads += 2) {
                assert_int_equal(ireneo_cross_entropy_open(&it.facts, 0, threads, widths[w], &objective),
                                 IRENEO_OK);
                ireneo_cross_entropy_evaluate(&objective, parameters, part, &other);
                ireneo_cross_entropy_close(&objective);
                assert_near(other.loss, one.loss, 1e-6 * one.loss);
                assert_int_equal(other.recalled, one.recalled);
                assert_near(other.least_gap, one.least_gap, 1e-5);
                for (size_t i = 0; i < COUNT; i++) assert_near(part[i], whole[i], 2e-6);
                if (threads == 1)
                    memcpy(first, part, sizeof first);
                else
                    assert_memory_equal(first, part, sizeof first);
            }
        }
    }
}

/* A fact that is nearly certain keeps its digits: two candidates, loss = log1p(exp(-gap)). */
static void test_small_losses(void **state) {
    (void)state;
    float key[] = {1.0f}, values[] = {1.0f, 0.0f}, matrix[] = {0.0f}, gradient[1];
    int64_t targets[] = {0};
    ireneo_facts facts = {.facts = 1,
                          .candidates = 2,
                          .dim_in = 1,
                          .dim_out = 1,
                          .keys = key,
                          .values = values,
                          .targets = targets};
    cross_entropy objective;
    cross_entropy_point point;
    assert_int_equal(ireneo_cross_entropy_open(&facts, 0, 1, 0, &objective), IRENEO_OK);
    for (float gap = -60.0f; gap <= 60.0f; gap += 7.5f) {
        matrix[0] = gap;
        ireneo_cross_entropy_evaluate(&objective, matrix, gradient, &point);
        double expected = gap > 0 ? log1p(exp(-(double)gap)) : -(double)gap + log1p(exp((double)gap));
        assert_near(point.loss / expected, 1.0, 1e-5);
        assert_near((double)gradient[0] * (1.0 + exp((double)gap)), -1.0, 1e-5);
        assert_int_equal(point.recalled, gap > 0.0f);
        assert_near(point.least_gap, gap, 0.0);
    }
    ireneo_cross_entropy_close(&objective);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_full),        cmocka_unit_test(test_shared_rank),
        cmocka_unit_test(test_own_full),           cmocka_unit_test(test_own_rank),
        cmocka_unit_test(test_blocks_and_threads), cmocka_unit_test(test_small_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
