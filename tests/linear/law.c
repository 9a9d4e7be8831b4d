/* The capacity law: tables of docs/linear.md, the same integrals done another way with GSL, Monte Carlo.
 * Monte-Carlo checks have fixed seeds; a right formula with another seed would fail one of
 * them with chance below 1e-4 in all. */
#include "base/random.h"
#include "expect.h"
#include "linear/law/capacity.h"
#include "linear/law/cone.h"
#include "scratch.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

static double delta_of(double candidates) {
    double delta = NAN;
    expect_ok(ireneo_cone_delta(candidates, &delta));
    return delta;
}

static double variance_of(double candidates) {
    double variance = NAN;
    expect_ok(ireneo_cone_variance(candidates, &variance));
    return variance;
}

/* ---- delta and v ---- */

/* docs/linear.md, "The law": P, delta, v. */
static void test_cone_table(void **state) {
    (void)state;
    static const double rows[][3] = {{10, 1.992089368, 1.51499},
                                     {100, 4.793318980, 5.13661},
                                     {1000, 8.120237806, 10.46149},
                                     {1e6, 19.597587537, 31.51389}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect_close(delta_of(rows[i][0]), rows[i][1], 1e-9);
        expect_close(variance_of(rows[i][0]), rows[i][2], 5.01e-6);
    }
    expect_close(delta_of(1e6), 19.597587537, 1e-8);
    expect_close(delta_of(1e12), 44.886230, 1e-6);
}

/* P = 2: N is a fair coin. P = 3: delta = 5/6; N = 2 when g_1 is below both and the pull of the higher one
 * does not lift the level over the lower one, so Var N = 5/6 + 2 Pr[N = 2] - 25/36 with Pr[N = 2] = 1/6. */
static void test_cone_exact_values(void **state) {
    (void)state;
    expect_close(delta_of(2), 0.5, 1e-9);
    expect_close(variance_of(2), 0.25, 1e-9);
    expect_close(delta_of(3), 5.0 / 6.0, 1e-9);
    expect_close(variance_of(3), 17.0 / 36.0, 1e-9);
}

static void test_cone_is_smooth_and_grows(void **state) {
    (void)state;
    double before = 0.0;
    for (double p = 2.0; p < 1e13; p = floor(p * 1.9)) {
        double delta = delta_of(p), rough, distance;
        assert_true(delta > before);
        before = delta;
        expect_ok(ireneo_cone_delta_rough(p, &rough));
        expect_ratio(rough, delta, 2e-6);
        expect_ok(ireneo_cone_margin_distance(p, 0.0, &distance));
        assert_true(distance == delta);
    }
    double answer;
    expect_error(ireneo_cone_delta(1.0, &answer), IRENEO_ERROR_ARGUMENT, "between 2", "");
    expect_error(ireneo_cone_variance(1e14, &answer), IRENEO_ERROR_ARGUMENT, "1e13", "");
    expect_error(ireneo_cone_delta(NAN, &answer), IRENEO_ERROR_ARGUMENT, "between 2", "");
    expect_error(ireneo_cone_margin_distance(10.0, -1.0, &answer), IRENEO_ERROR_ARGUMENT, "margin", "-1");
}

/* From 20 candidates on delta and v come from a series; the places lie between those that it was made from. */
static void test_cone_series(void **state) {
    (void)state;
    for (double p = 20.0; p < 1e13; p *= 1.37) {
        double delta, variance;
        expect_ok(ireneo_cone_quadrature(p, &delta, &variance));
        expect_ratio(delta_of(p), delta, 1e-11);
        expect_ratio(variance_of(p), variance, 2e-9);
    }
    expect_ratio(delta_of(nextafter(20.0, 0.0)), delta_of(20.0), 1e-11);
    expect_ratio(variance_of(nextafter(20.0, 0.0)), variance_of(20.0), 2e-9);
}

/* P need not be whole: between whole numbers delta goes along the polynomial through six of them, but for the sixth
 * differences of a smooth function. */
static void test_cone_between_whole_numbers(void **state) {
    (void)state;
    static const double weights[] = {150.0 / 256, -25.0 / 256, 3.0 / 256};
    for (double p = 5.5; p < 12.0; p += 2.0) {
        double between = 0.0;
        for (size_t k = 0; k < COUNT(weights); k++)
            between += weights[k] * (delta_of(p - 0.5 - (double)k) + delta_of(p + 0.5 + (double)k));
        expect_ratio(delta_of(p), between, p < 7.0 ? 2e-5 : 2e-6);
    }
}

/* The same integral with nothing in common but its definition: E e^{iw (g - t)_+} by a Gauss rule on the
 * density itself instead of the Faddeeva function, Gil-Pelaez and the mean over t by GSL. */
typedef struct direct {
    double n, t;
    double u[80], weight[80];
    gsl_integration_workspace *inner, *outer;
} direct;

static double direct_integrand(double w, void *context) {
    const direct *d = context;
    double re = 0.0, im = 0.0; /* of E e^{iw(g - t)_+} - 1 */
    for (size_t k = 0; k < COUNT(d->u); k++) {
        double half = sin(0.5 * w * d->u[k]);
        re += d->weight[k] * -2.0 * half * half;
        im += d->weight[k] * sin(w * d->u[k]);
    }
    double modulus = d->n * 0.5 * log1p(2.0 * re + re * re + im * im) - 0.5 * w * w;
    double phase = d->n * atan2(im, 1.0 + re) - w * d->t;
    return exp(modulus) * sin(phase) / w;
}

static double direct_level(double t, void *context) {
    direct *d = context;
    d->t = t;
    double mean = -t, variance = 1.0, span = t > 0.0 ? fmin(12.0, 40.0 / fmax(t, 3.0)) : 12.0 - t;
    gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc(COUNT(d->u));
    for (size_t k = 0; k < COUNT(d->u); k++) {
        gsl_integration_glfixed_point(0.0, span, k, &d->u[k], &d->weight[k], table);
        d->weight[k] *= exp(-0.5 * (t + d->u[k]) * (t + d->u[k])) / sqrt(2.0 * M_PI);
        mean += d->n * d->weight[k] * d->u[k];
        variance += d->n * d->weight[k] * d->u[k] * d->u[k];
    }
    gsl_integration_glfixed_table_free(table);
    if (mean > 12.0 * sqrt(variance)) return 0.0;
    gsl_function f = {direct_integrand, d};
    double result, error;
    gsl_integration_qag(&f, 1e-12, 9.0, 1e-10, 1e-8, 500, GSL_INTEG_GAUSS21, d->inner, &result, &error);
    return exp(-0.5 * t * t) / sqrt(2.0 * M_PI) * (0.5 - result / M_PI);
}

static double direct_delta(double candidates, double lower, double upper) {
    direct d = {.n = candidates - 2.0,
                .inner = gsl_integration_workspace_alloc(500),
                .outer = gsl_integration_workspace_alloc(500)};
    gsl_function f = {direct_level, &d};
    double result, error;
    gsl_integration_qag(&f, lower, upper, 0.0, 3e-8, 500, GSL_INTEG_GAUSS31, d.outer, &result, &error);
    gsl_integration_workspace_free(d.inner);
    gsl_integration_workspace_free(d.outer);
    return (candidates - 1.0) * result;
}

static void test_delta_by_another_integral(void **state) {
    (void)state;
    expect_ratio(delta_of(10), direct_delta(10, -6.0, 7.0), 1e-6);
    expect_ratio(delta_of(1e6), direct_delta(1e6, 2.5, 8.5), 1e-6);
    expect_ratio(delta_of(1e12), direct_delta(1e12, 5.0, 10.5), 1e-6);
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* Projection by sorting: t is the mean of target and top k competitors for the right k. */
static size_t project(double *g, size_t candidates, double *distance) {
    double target = g[0], sum = g[0];
    size_t k = 0;
    qsort(g + 1, candidates - 1, sizeof *g, descending);
    while (k + 1 < candidates && g[k + 1] > sum / ((double)k + 1.0)) sum += g[++k];
    double t = sum / ((double)k + 1.0);
    *distance = (target - t) * (target - t);
    for (size_t j = 1; j <= k; j++) *distance += (g[j] - t) * (g[j] - t);
    return k;
}

typedef struct moments {
    double n, mean, square, third, fourth; /* about zero */
} moments;

static void add_moment(moments *m, double x) {
    m->n += 1.0;
    m->mean += x;
    m->square += x * x;
    m->third += x * x * x;
    m->fourth += x * x * x * x;
}

/* Mean and variance within 5 standard errors (chance 6e-7 each). */
static void expect_mean(const moments *m, double wanted) {
    double mean = m->mean / m->n;
    expect_close(mean, wanted, 5.0 * sqrt((m->square / m->n - mean * mean) / m->n));
}
static void expect_variance(const moments *m, double wanted) {
    double a = m->mean / m->n, b = m->square / m->n, c = m->third / m->n, d = m->fourth / m->n;
    double variance = b - a * a, central = d - 4.0 * a * c + 6.0 * a * a * b - 3.0 * a * a * a * a;
    expect_close(variance, wanted, 5.0 * sqrt((central - variance * variance) / m->n));
}

static void test_cone_against_sorting(void **state) {
    (void)state;
    static const size_t cases[][2] = {{3, 200000}, {4, 200000}, {10, 200000}, {100, 40000}, {1000, 5000}};
    double g[1000];
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t p = cases[c][0];
        moments number = {0}, distance = {0};
        for (size_t k = 0; k < cases[c][1]; k++) {
            double d;
            ireneo_fill_normals(41, c, k * p, p, g);
            add_moment(&number, (double)project(g, p, &d));
            add_moment(&distance, d);
        }
        expect_mean(&number, delta_of((double)p));
        expect_mean(&distance, delta_of((double)p));
        expect_variance(&number, variance_of((double)p));
    }
}

static void test_margin_distance_against_sorting(void **state) {
    (void)state;
    static const double cases[][3] = {
        {10, 0.5, 60000}, {100, 0.1, 20000}, {100, 2.0, 20000}, {1000, 0.7, 3000}};
    double g[1000];
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t p = (size_t)cases[c][0];
        moments distance = {0};
        for (size_t k = 0; k < (size_t)cases[c][2]; k++) {
            double d;
            ireneo_fill_normals(42, c, k * p, p, g);
            g[0] -= cases[c][1];
            project(g, p, &d);
            add_moment(&distance, d);
        }
        double wanted;
        expect_ok(ireneo_cone_margin_distance(cases[c][0], cases[c][1], &wanted));
        expect_mean(&distance, wanted);
    }
}

/* Pr[level <= t] against the share of draws, 5 standard errors. */
static void test_level_distribution(void **state) {
    (void)state;
    enum { P = 50, N = 40000 };
    static const double places[] = {0.6, 1.0, 1.2, 1.4, 1.7, 2.2};
    double g[P], below[COUNT(places)] = {0};
    for (size_t k = 0; k < N; k++) {
        ireneo_fill_normals(43, 0, k * P, P, g);
        double target = g[0] - 0.3, sum = target;
        size_t many = 0;
        qsort(g + 1, P - 1, sizeof *g, descending);
        while (many + 1 < P && g[many + 1] > sum / ((double)many + 1.0)) sum += g[++many];
        for (size_t i = 0; i < COUNT(places); i++) below[i] += sum / ((double)many + 1.0) <= places[i];
    }
    for (size_t i = 0; i < COUNT(places); i++) {
        double wanted = ireneo_cone_level_cdf(P - 1, 0.3, places[i]);
        expect_close(below[i] / N, wanted, 5.0 * sqrt(wanted * (1.0 - wanted) / N) + 1e-12);
    }
}

/* ---- capacity ---- */

/* The decoupled problem: n delta(P) = D and nothing else. What sharing changes is tested in shared.c. */
static ireneo_capacity_report capacity(ireneo_shape shape) {
    ireneo_capacity_report report;
    shape.problem = IRENEO_PROBLEM_DECOUPLED;
    expect_ok(ireneo_capacity(&shape, &report));
    return report;
}

/* docs/linear.md, "The law": d, p_c, alpha_c(d). The last digits of the table carry the rounding of its own
 * delta (3e-6 of the value); the identity p delta(p) = d^2 is the definition. */
static void test_square_capacity_table(void **state) {
    (void)state;
    static const double rows[][3] = {{20, 86.9, 0.9696},      {50, 375.6, 0.8906},
                                     {100, 1192.0, 0.8444},   {512, 20274.6, 0.7670},
                                     {1024, 69881.9, 0.7434}, {4096, 867137.8, 0.7067}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t d = (size_t)rows[i][0];
        ireneo_capacity_report r = capacity((ireneo_shape){.dim_in = d, .dim_out = d});
        double p = r.facts_capacity, area = rows[i][0] * rows[i][0];
        expect_ratio(p * delta_of(p), area, d < 50 ? 2e-6 : 1e-9); /* N > d counts as d */
        expect_close(p, rows[i][1], fmax(0.0501, 3e-6 * p));
        expect_close(r.load, rows[i][2], 5.1e-5);
        expect_ratio(r.load, p * log(p) / area, 1e-12);
        expect_ratio(r.delta, delta_of(p), 1e-6);
        expect_ratio(r.variance, variance_of(p), 1e-6);
        expect_ratio(r.bits_per_parameter, log2(p) / delta_of(p), 2e-6);
        expect_ratio(r.facts_capacity_asymptotic * log(r.facts_capacity_asymptotic), 0.5 * area, 1e-10);
        expect_ratio(r.facts_capacity_hebbian * log(r.facts_capacity_hebbian), area / 8.0, 1e-10);
        assert_true(r.candidates == p && r.effective_dimension == area && r.parameters == area);
        assert_true(r.fraction_of_capacity == 1.0 && isnan(r.probability_all_fit));
    }
    ireneo_capacity_report r = capacity((ireneo_shape){.dim_in = 100, .dim_out = 100});
    expect_close(r.facts_capacity, 1192.0, 0.1);
    expect_close(r.bits_per_parameter, 1.22, 0.005);
    expect_close(capacity((ireneo_shape){.dim_in = 4096, .dim_out = 4096}).facts_capacity, 867136.393, 1e-3);
    expect_close(capacity((ireneo_shape){.dim_in = 1024, .dim_out = 1024}).facts_capacity, 69881.788, 1e-3);
}

static void test_other_shapes(void **state) {
    (void)state;
    ireneo_shape f64 = {.dim_in = 30, .dim_out = 50, .candidates = 500},
                 tall = {.dim_in = 50, .dim_out = 30, .candidates = 500};
    expect_close(capacity(f64).facts_capacity, 211.9, 0.0501);
    expect_ratio(capacity(f64).facts_capacity, capacity(tall).facts_capacity, 1e-6);
    expect_close(capacity((ireneo_shape){.dim_in = 40, .dim_out = 40, .candidates = 5000}).facts_capacity,
                 150.3, 0.0501);
    expect_close(capacity((ireneo_shape){.dim_in = 40, .dim_out = 40, .candidates = 50}).facts_capacity,
                 412.1, 0.0501);
    /* docs/linear.md, "Checks": kappa = 1/2 and 1/4 at d = 40, where the mean of E over matrices of that very
     * size puts capacity 1 % higher than its limit does */
    expect_ratio(capacity((ireneo_shape){.dim_in = 40, .dim_out = 40, .rank = 20}).facts_capacity, 241.0,
                 0.015);
    expect_ratio(capacity((ireneo_shape){.dim_in = 40, .dim_out = 40, .rank = 10}).facts_capacity, 180.0,
                 0.015);
    /* rank 25 of 100: D = d^2 E(1/4), by the identity */
    ireneo_capacity_report r = capacity((ireneo_shape){.dim_in = 100, .dim_out = 100, .rank = 25});
    expect_ratio(r.effective_dimension, 1e4 * 2.0 * 0.3114562756, 1e-9);
    expect_ratio(r.facts_capacity * delta_of(r.facts_capacity), r.effective_dimension, 1e-9);
    assert_true(r.parameters == 25.0 * 200.0);
    expect_ratio(r.bits_per_parameter, r.facts_capacity * log2(r.facts_capacity) / 5000.0, 1e-12);
    /* full rank given as a number changes the count of parameters only */
    r = capacity((ireneo_shape){.dim_in = 30, .dim_out = 50, .rank = 30, .candidates = 500});
    expect_close(r.facts_capacity, 211.9, 0.0501);
    /* the smallest memories and the largest */
    assert_true(capacity((ireneo_shape){.dim_in = 1, .dim_out = 1}).facts_capacity >= 2.0);
    r = capacity((ireneo_shape){.dim_in = 10000000, .dim_out = 10000000});
    expect_ratio(r.facts_capacity * delta_of(r.facts_capacity), 1e14, 1e-8);
    r = capacity((ireneo_shape){.dim_in = 100, .dim_out = 100, .candidates = 1e12});
    expect_ratio(r.facts_capacity, 1e4 / 44.886230, 2e-5); /* one in 1e8 targets lies in the hull */
}

static void test_chance_that_facts_fit(void **state) {
    (void)state;
    /* docs/linear.md, "Checks" (d, n, chance) of the decoupled problem. */
    static const double rows[][3] = {{30, 156, 0.97}, {30, 164, 0.53}, {30, 172, 0.05},
                                     {50, 357, 1.0},  {50, 376, 0.47}, {50, 395, 0.00}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t d = (size_t)rows[i][0];
        ireneo_shape shape = {
            .dim_in = d, .dim_out = d, .facts = rows[i][1], .problem = IRENEO_PROBLEM_DECOUPLED};
        double chance, n = rows[i][1];
        expect_ok(ireneo_capacity_probability(&shape, &chance));
        expect_close(chance, rows[i][2], 0.0101);
        expect_close(chance,
                     gsl_cdf_ugaussian_P(((double)(d * d) - n * delta_of(n)) / sqrt(n * variance_of(n))),
                     1e-9);
        assert_true(capacity(shape).probability_all_fit == chance);
    }
    ireneo_shape shape = {.dim_in = 50, .dim_out = 50, .facts = 376};
    expect_close(capacity(shape).probability_all_fit, 0.474, 0.01);
    expect_ratio(capacity(shape).fraction_of_capacity, 376 / 375.560656, 1e-8);
}

/* The best margin is the one with which n facts just fit. */
static void test_margin_law(void **state) {
    (void)state;
    static const double facts[] = {10, 300, 450, 480, 500};
    for (size_t i = 0; i < COUNT(facts); i++) {
        ireneo_shape shape = {
            .dim_in = 60, .dim_out = 60, .facts = facts[i], .problem = IRENEO_PROBLEM_DECOUPLED};
        double margin, distance;
        expect_ok(ireneo_capacity_margin(&shape, &margin));
        assert_true(margin > 0.0 && margin < 1e3);
        expect_ok(ireneo_cone_margin_distance(facts[i], margin, &distance));
        expect_ratio(facts[i] * distance, 3600.0, 1e-7);
        shape.margin = margin;
        expect_ratio(capacity(shape).facts_capacity, facts[i], 1e-7);
        expect_close(capacity(shape).probability_all_fit, 0.5, 1e-6);
    }
    ireneo_shape beyond = {.dim_in = 60, .dim_out = 60, .facts = 600};
    double margin;
    expect_ok(ireneo_capacity_margin(&beyond, &margin));
    assert_true(margin == 0.0);
}

static void expect_rejected(ireneo_shape shape, const char *text) {
    ireneo_capacity_report report;
    double number;
    expect_error(ireneo_capacity(&shape, &report), IRENEO_ERROR_ARGUMENT, text, "");
    expect_error(ireneo_capacity_probability(&shape, &number), IRENEO_ERROR_ARGUMENT, text, "");
    expect_error(ireneo_capacity_margin(&shape, &number), IRENEO_ERROR_ARGUMENT, text, "");
}

static void test_bad_shapes(void **state) {
    (void)state;
    expect_rejected((ireneo_shape){.dim_in = 0, .dim_out = 10}, "at least 1");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 0}, "at least 1");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 20, .rank = 11}, "rank 11");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .candidates = 1}, "candidates");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .candidates = 1e30}, "candidates");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .candidates = NAN}, "candidates");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .facts = -3}, "facts");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .facts = 1e30}, "facts");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .facts = 0.5}, "facts");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .facts = 1}, "one candidate");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .facts = 5, .margin = -1}, "margin");
    expect_rejected((ireneo_shape){.dim_in = 10, .dim_out = 10, .facts = 5, .margin = NAN}, "margin");
    expect_rejected((ireneo_shape){.dim_in = (size_t)1 << 62, .dim_out = 10}, "range");
    ireneo_shape no_facts = {.dim_in = 10, .dim_out = 10};
    double number;
    expect_error(ireneo_capacity_probability(&no_facts, &number), IRENEO_ERROR_ARGUMENT, "number", "");
    expect_error(ireneo_capacity_margin(&no_facts, &number), IRENEO_ERROR_ARGUMENT, "number", "");
}

/* What a store asks before it begins, beside the whole report: n = P by one rough secant step, and fixed P. */
static void test_rough_capacity(void **state) {
    (void)state;
    static const size_t dims[][3] = {{20, 20, 0}, {100, 60, 0}, {100, 100, 25}, {1000, 1000, 0}, {40, 12, 0}};
    for (size_t k = 0; k < COUNT(dims); k++) {
        ireneo_shape shape = {.dim_in = dims[k][0], .dim_out = dims[k][1], .rank = dims[k][2]};
        ireneo_capacity_report report;
        double facts;
        shape.problem = k % 2 == 0 ? IRENEO_PROBLEM_ORIGINAL : IRENEO_PROBLEM_DECOUPLED;
        expect_ok(ireneo_capacity(&shape, &report));
        shape.candidates = round(0.8 * report.facts_capacity);
        expect_ok(ireneo_capacity_rough(&shape, true, &facts));
        expect_ratio(facts, report.facts_capacity, 1e-3);
        expect_ok(ireneo_capacity(&shape, &report));
        expect_ok(ireneo_capacity_rough(&shape, false, &facts));
        expect_ratio(facts, report.facts_capacity, 1e-3);
    }
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rough_capacity),
        cmocka_unit_test(test_cone_table),
        cmocka_unit_test(test_cone_series),
        cmocka_unit_test(test_cone_between_whole_numbers),
        cmocka_unit_test(test_cone_exact_values),
        cmocka_unit_test(test_cone_is_smooth_and_grows),
        cmocka_unit_test(test_delta_by_another_integral),
        cmocka_unit_test(test_cone_against_sorting),
        cmocka_unit_test(test_margin_distance_against_sorting),
        cmocka_unit_test(test_level_distribution),
        cmocka_unit_test(test_square_capacity_table),
        cmocka_unit_test(test_other_shapes),
        cmocka_unit_test(test_chance_that_facts_fit),
        cmocka_unit_test(test_margin_law),
        cmocka_unit_test(test_bad_shapes),
    };
    return cmocka_run_group_tests_name("linear law", tests, NULL, NULL);
}
