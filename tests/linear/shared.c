/* What sharing candidates changes in the law: narrow values, shared candidates, skewed answers. Formulas against exact
 * values, brute force and certified thresholds; Monte-Carlo checks have fixed seeds, and a right formula with another
 * seed would fail one of them with chance below 1e-4 in all. */
#include "linear/law/shared.h"
#include "base/random.h"
#include "expect.h"
#include "linear/law/cone.h"
#include "linear/law/lowered.h"
#include "linear/law/targets.h"
#include "scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the distribution of N ---- */

enum { MOST = 400 };

/* cone.c finds delta, v and the margin's distance by other integrals. */
static void test_distribution_has_the_known_moments(void **state) {
    (void)state;
    static const double cases[] = {2, 3, 10, 87, 1000, 1e6, 1e12}, margins[] = {0.0, 0.1, 0.7, 2.5, 12.0};
    static ireneo_lowered of[MOST];
    for (size_t c = 0; c < COUNT(cases); c++) {
        for (size_t k = 0; k < COUNT(margins); k++) {
            double p = cases[c], sum = 0.0, mean = 0.0, square = 0.0, lift = 0.0, delta, v, distance;
            size_t count = p < MOST ? (size_t)p : MOST;
            ireneo_lowered_distribution(p, margins[k], count, of);
            for (size_t n = 0; n < count; n++) {
                sum += of[n].chance;
                mean += (double)n * of[n].chance;
                square += (double)(n * n) * of[n].chance;
                lift += of[n].lift;
            }
            if (margins[k] > 3.0 && p > 100) continue; /* N beyond the table */
            expect_close(sum, 1.0, 1e-10);
            expect_ok(ireneo_cone_margin_distance(p, margins[k], &distance));
            expect_ratio(mean + margins[k] * lift, distance, margins[k] > 3.0 ? 1e-6 : 1e-9);
            if (margins[k] > 0.0) continue;
            expect_ok(ireneo_cone_moments(p, &delta, &v));
            expect_ratio(mean, delta, 1e-10);
            expect_ratio(square - mean * mean, v, 1e-8);
        }
    }
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* The spread of demand with a margin is Var dist^2 - 2 E dist^2, here by sorting; at margin 0 it is v. */
static void test_margin_variance(void **state) {
    (void)state;
    enum { P = 30, DRAWS = 60000 };
    static const double margins[] = {0.0, 0.3, 1.5};
    double g[P];
    for (size_t k = 0; k < COUNT(margins); k++) {
        double mean = 0.0, square = 0.0, fourth = 0.0, wanted;
        for (size_t i = 0; i < DRAWS; i++) {
            ireneo_fill_normals(77, k, i * P, P, g);
            double target = g[0] - margins[k], sum = target;
            size_t many = 0;
            qsort(g + 1, P - 1, sizeof *g, descending);
            while (many + 1 < P && g[many + 1] > sum / ((double)many + 1.0)) sum += g[++many];
            double t = sum / ((double)many + 1.0), d = (target - t) * (target - t);
            for (size_t j = 1; j <= many; j++) d += (g[j] - t) * (g[j] - t);
            mean += d / DRAWS;
            square += d * d / DRAWS;
            fourth += d * d * d * d / DRAWS;
        }
        expect_ok(ireneo_lowered_variance(P, margins[k], &wanted));
        double error = sqrt((fourth - square * square) / DRAWS); /* of E dist^4, the larger part */
        expect_close(square - mean * mean - 2.0 * mean, wanted, 5.0 * error);
    }
    double narrow, fallback;
    expect_ok(ireneo_lowered_variance(1e6, 4.0, &narrow));
    expect_ok(ireneo_lowered_variance(1e6, 30.0, &fallback));
    assert_true(narrow > 0.0 && fallback > narrow && isfinite(fallback));
}

/* On a line all but the two ends lie inside; P values in P - 1 dimensions never do. docs/linear.md, "Narrow values": share
 * of points inside, by linear programs, R^8 with 60 points and R^10 with 87. */
static void test_hull(void **state) {
    (void)state;
    for (double p = 3; p < 50; p++) {
        double delta;
        expect_ok(ireneo_cone_delta(p, &delta));
        expect_close(ireneo_narrow_values(1, p, delta).hull_probability, 1.0 - 2.0 / p, 1e-10);
        /* a fact on a line uses its one dimension unless nothing was above it */
        expect_close(ireneo_narrow_values(1, p, delta).delta, 1.0 - 1.0 / p, 1e-10);
        assert_true(ireneo_narrow_values(p - 1.0, p, delta).hull_probability == 0.0);
        assert_true(ireneo_narrow_values(p - 1.0, p, delta).delta == delta);
    }
    double delta;
    expect_ok(ireneo_cone_delta(60, &delta));
    expect_close(ireneo_narrow_values(8, 60, delta).hull_probability, 0.0375, 3.0 * 0.0032);
    expect_ok(ireneo_cone_delta(87, &delta));
    expect_close(ireneo_narrow_values(10, 87, delta).hull_probability, 0.0102, 3.0 * 0.0015);
    expect_ok(ireneo_cone_delta(1e12, &delta));
    assert_true(ireneo_narrow_values(500, 1e12, delta).hull_probability == 0.0);
}

/* In the plane a point is a vertex when all others lie in an angle below pi, seen from it. */
static void test_hull_in_the_plane(void **state) {
    (void)state;
    enum { P = 12, DRAWS = 4000 };
    double y[2 * P], angle[P], inside = 0.0, delta;
    for (size_t i = 0; i < DRAWS; i++) {
        ireneo_fill_normals(78, 0, i * 2 * P, 2 * P, y);
        double widest = 0.0;
        for (size_t j = 1; j < P; j++) angle[j - 1] = atan2(y[2 * j + 1] - y[1], y[2 * j] - y[0]);
        qsort(angle, P - 1, sizeof *angle, descending);
        for (size_t j = 0; j + 2 < P; j++) widest = fmax(widest, angle[j] - angle[j + 1]);
        widest = fmax(widest, 2.0 * M_PI - (angle[0] - angle[P - 2]));
        inside += widest < M_PI ? 1.0 / DRAWS : 0.0;
    }
    expect_ok(ireneo_cone_delta(P, &delta));
    expect_close(ireneo_narrow_values(2, P, delta).hull_probability, inside,
                 4.5 * sqrt(inside * (1.0 - inside) / DRAWS));
}

/* ---- how the cones lean ---- */

/* P = d + 1 white values are a regular simplex, and by its symmetry B and M are known but for their entry along the target:
 * b = E[N/(N+1)] P/(P-1) and m = E[lift^2] P/(P-1). Then s = (m - b) (b - (delta - b)/(P - 2)) and u = 0. */
static void test_lean_of_a_simplex(void **state) {
    (void)state;
    static const size_t dims[] = {2, 3, 5, 8, 12, 20, 32, 50, 80, 128};
    static ireneo_lowered of[MOST];
    for (size_t k = 0; k < COUNT(dims); k++) {
        double p = (double)dims[k] + 1.0, b = 0.0, m = 0.0, delta;
        ireneo_lowered_distribution(p, 0.0, dims[k] + 1, of);
        expect_ok(ireneo_cone_delta(p, &delta));
        for (size_t n = 0; n <= dims[k]; n++) {
            b += (double)n / ((double)n + 1.0) * of[n].chance * p / (p - 1.0);
            m += of[n].lift_squared * p / (p - 1.0);
        }
        ireneo_lean lean = ireneo_cone_lean((double)dims[k], p);
        expect_close(lean.self, (m - b) * (b - (delta - b) / (p - 2.0)), 0.03 + 0.03 * lean.self);
        expect_close(lean.tilt, 0.0, 0.15);
    }
}

static void test_lean_is_smooth(void **state) {
    (void)state;
    for (double d = 2; d < 5000; d *= 1.37) {
        for (double ratio = 1.0; ratio < 1e4; ratio *= 1.5) {
            ireneo_lean a = ireneo_cone_lean(d, 1.0 + ratio * d),
                        b = ireneo_cone_lean(d * 1.001, 1.0 + ratio * d * 1.001);
            assert_true(isfinite(a.self) && isfinite(a.tilt) && fabs(a.self) < 20.0 && fabs(a.tilt) < 60.0);
            expect_close(a.self, b.self, 0.02);
            expect_close(a.tilt, b.tilt, 0.1);
        }
    }
}

/* ---- targets ---- */

static void test_targets_in_turn(void **state) {
    (void)state;
    ireneo_shape shape = {.dim_in = 9, .dim_out = 9, .candidates = 7};
    ireneo_target_law law;
    expect_ok(ireneo_target_law_make(&shape, 7, &law));
    for (size_t n = 2; n < 40; n++) {
        double pairs = 0.0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) pairs += i != k && i % 7 == k % 7;
        expect_close(ireneo_target_coincidence(&law, (double)n), pairs / (double)(n * (n - 1)), 1e-12);
        assert_true(ireneo_target_distinct(&law, (double)n) == (n < 7 ? (double)n : 7.0));
    }
}

static void test_targets_by_zipf(void **state) {
    (void)state;
    static const double exponents[] = {0.0, 0.5, 1.0, 1.2, 3.0}, sizes[] = {2, 64, 65, 1000, 30000};
    for (size_t e = 0; e < COUNT(exponents); e++) {
        for (size_t s = 0; s < COUNT(sizes); s++) {
            ireneo_shape shape = {.dim_in = 9,
                                  .dim_out = 9,
                                  .candidates = sizes[s],
                                  .targets = IRENEO_TARGETS_ZIPF,
                                  .zipf = exponents[e]};
            ireneo_target_law law;
            double sum = 0.0, squares = 0.0, distinct = 0.0;
            expect_ok(ireneo_target_law_make(&shape, sizes[s], &law));
            for (double t = 1; t <= sizes[s]; t++) sum += pow(t, -exponents[e]);
            for (double t = 1; t <= sizes[s]; t++) {
                double p = pow(t, -exponents[e]) / sum;
                squares += p * p;
                distinct += 1.0 - pow(1.0 - p, 500.0);
            }
            expect_ratio(ireneo_target_coincidence(&law, 500.0), squares, 1e-6);
            expect_ratio(ireneo_target_distinct(&law, 500.0), distinct, 0.01);
        }
    }
}

static void test_targets_that_were_counted(void **state) {
    (void)state;
    const double counts[] = {5, 0, 1, 3, 0, 1};
    ireneo_shape shape = {.dim_in = 9, .dim_out = 9, .candidates = 6, .frequencies = counts};
    ireneo_target_law law;
    expect_ok(ireneo_target_law_make(&shape, 6, &law));
    expect_close(ireneo_target_coincidence(&law, 4), (5 * 4 + 3 * 2) / 90.0, 1e-12);
    expect_close(ireneo_target_distinct(&law, 10), 4.0, 1e-12);
    expect_close(ireneo_target_distinct(&law, 5), (1 - pow(0.5, 5)) + 0.5 + (1 - 0.125) + 0.5, 1e-12);
    const double none[] = {0, 0, 0, 0, 0, 0}, wrong[] = {1, NAN, 0, 0, 0, 0},
                 negative[] = {1, -1, 0, 0, 0, 0};
    ireneo_capacity_report report;
    shape.frequencies = none;
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, "no fact", "");
    shape.frequencies = wrong;
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, "frequency 1", "");
    shape.frequencies = negative;
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, "frequency 1", "");
    shape.candidates = 0;
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, "number of candidates", "");
    shape = (ireneo_shape){.dim_in = 9, .dim_out = 9, .zipf = -1};
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, "exponent", "");
    shape = (ireneo_shape){.dim_in = 9, .dim_out = 9, .problem = (ireneo_problem_kind)7};
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, "problem number 7", "");
    shape = (ireneo_shape){.dim_in = 9,
                           .dim_out = 9,
                           .candidates = 9,
                           .targets = IRENEO_TARGETS_ZIPF,
                           .problem = IRENEO_PROBLEM_DECOUPLED};
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, "candidates of its own", "");
    assert_string_equal(ireneo_problem_kind_name(IRENEO_PROBLEM_DECOUPLED), "decoupled");
}

/* ---- the law against certified thresholds ---- */

static ireneo_capacity_report capacity(ireneo_shape shape) {
    ireneo_capacity_report report;
    expect_ok(ireneo_capacity(&shape, &report));
    return report;
}

/* docs/linear.md, "Shared candidates": measured over the decoupled law, n = P, standard error in per cent. */
static void test_shared_candidates_table(void **state) {
    (void)state;
    static const double rows[][5] = {/* d_in, d_out, shift in %, its error, allowed in % */
                                     {20, 20, 2.59, 0.30, 0.7}, {30, 30, 2.42, 0.28, 0.7},
                                     {50, 50, 2.14, 0.18, 0.7}, {80, 80, 1.60, 0.30, 0.7},
                                     {10, 40, 7.38, 0.29, 2.0}, {10, 80, 10.45, 0.26, 2.0},
                                     {20, 40, 4.11, 0.26, 2.0}, {40, 20, 2.42, 0.26, 2.0},
                                     {80, 20, 0.80, 0.50, 2.0}, {20, 80, 5.81, 0.30, 2.0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ireneo_capacity_report r =
            capacity((ireneo_shape){.dim_in = (size_t)rows[i][0], .dim_out = (size_t)rows[i][1]});
        double shift = 100.0 * (r.facts_capacity / r.facts_capacity_decoupled - 1.0);
        expect_close(shift, rows[i][2], rows[i][4]);
        assert_true(r.correction > 0.0 && r.correction < 0.2);
        expect_ratio(r.facts_capacity * r.delta / (1.0 + r.correction), r.effective_dimension, 2e-3);
    }
}

/* Candidates that are fewer than the facts, each asked for equally often, d = 20: P, shift, error in per cent. */
static void test_fixed_candidates_table(void **state) {
    (void)state;
    static const double rows[][3] = {{30, 2.6, 0.5}, {50, 3.4, 0.3}, {87, 3.8, 0.4}, {200, 2.3, 0.5}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ireneo_capacity_report r =
            capacity((ireneo_shape){.dim_in = 20, .dim_out = 20, .candidates = rows[i][0]});
        expect_close(100.0 * (r.facts_capacity / r.facts_capacity_decoupled - 1.0), rows[i][1],
                     2.5 * rows[i][2]);
    }
    /* and at random: the spread of counts takes the facts' own part away */
    ireneo_capacity_report r = capacity(
        (ireneo_shape){.dim_in = 20, .dim_out = 20, .candidates = 87, .targets = IRENEO_TARGETS_ZIPF});
    expect_close(100.0 * (r.facts_capacity / r.facts_capacity_decoupled - 1.0), 2.2, 3.0 * 0.5);
}

/* Ten values span nine dimensions: 92 facts, not 201. And 40 x 10, where one value in a hundred is inside the hull. */
static void test_few_and_narrow_candidates(void **state) {
    (void)state;
    ireneo_capacity_report r = capacity((ireneo_shape){.dim_in = 20, .dim_out = 20, .candidates = 10});
    assert_true(r.effective_dimension == 180.0);
    expect_between(r.facts_capacity, 90.0, 92.0);
    expect_close(r.facts_capacity_decoupled, 400.0 / r.delta, 1e-6);
    r = capacity((ireneo_shape){.dim_in = 40, .dim_out = 10});
    double law =
        capacity((ireneo_shape){.dim_in = 20, .dim_out = 20}).facts_capacity_decoupled; /* of 400 entries */
    expect_close(r.facts_capacity / law, 0.809, 0.018 + 0.01);
    expect_between(r.hull_probability, 0.005, 0.02);
    ireneo_shape asked = {.dim_in = 40, .dim_out = 10, .facts = 70};
    expect_between(capacity(asked).probability_all_fit, 0.3, 0.7);
    /* the smallest memories and the emptiest */
    r = capacity((ireneo_shape){.dim_in = 30, .dim_out = 1});
    assert_true(r.facts_capacity >= 2.0 && isfinite(r.facts_capacity));
    r = capacity((ireneo_shape){.dim_in = 1, .dim_out = 1, .candidates = 2});
    assert_true(r.facts_capacity > 0.0 && isfinite(r.facts_capacity));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distribution_has_the_known_moments),
        cmocka_unit_test(test_margin_variance),
        cmocka_unit_test(test_hull),
        cmocka_unit_test(test_hull_in_the_plane),
        cmocka_unit_test(test_lean_of_a_simplex),
        cmocka_unit_test(test_lean_is_smooth),
        cmocka_unit_test(test_targets_in_turn),
        cmocka_unit_test(test_targets_by_zipf),
        cmocka_unit_test(test_targets_that_were_counted),
        cmocka_unit_test(test_shared_candidates_table),
        cmocka_unit_test(test_fixed_candidates_table),
        cmocka_unit_test(test_few_and_narrow_candidates),
    };
    return cmocka_run_group_tests_name("shared candidates", tests, NULL, NULL);
}
