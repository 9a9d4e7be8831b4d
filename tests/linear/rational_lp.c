/* The rational simplex: every verdict is checked by what it leaves behind, a matrix whose gaps are positive or a
 * certificate that is exact. Instances of 2 to 12 facts around their capacity, at every scale. */
#include "linear/certificate/rational_lp.h"
#include "base/random.h"
#include "linear/certificate/certificate.h"
#include "linear/facts/facts.h"
#include "scratch.h"

#include <math.h>

enum { MOST = 12, DIM = 4 };

typedef struct instance {
    float keys[MOST * DIM], values[MOST * DIM];
    uint32_t fact[MOST * MOST], candidate[MOST * MOST];
    ireneo_facts f;
    size_t pairs;
} instance;

static void list_pairs(instance *s) {
    s->pairs = 0;
    for (size_t i = 0; i < s->f.facts; i++)
        for (size_t j = 0; j < s->f.candidates; j++)
            if (j != i) s->fact[s->pairs] = (uint32_t)i, s->candidate[s->pairs++] = (uint32_t)j;
}

static void draw(ireneo_generator *g, int scales, bool whole, instance *s) {
    size_t in = 1 + ireneo_draw_below(g, DIM), out = 1 + ireneo_draw_below(g, DIM),
           n = 2 + ireneo_draw_below(g, MOST - 1);
    s->f = (ireneo_facts){
        .facts = n, .candidates = n, .dim_in = in, .dim_out = out, .keys = s->keys, .values = s->values};
    for (size_t i = 0; i < n; i++) {
        int e = scales > 0 ? (int)ireneo_draw_below(g, 2 * (uint64_t)scales) - scales : 0;
        for (size_t k = 0; k < in; k++)
            s->keys[i * in + k] =
                whole ? (float)ireneo_draw_below(g, 5) - 2.0f : ldexpf((float)ireneo_draw_normal(g), e);
        for (size_t k = 0; k < out; k++)
            s->values[i * out + k] =
                whole ? (float)ireneo_draw_below(g, 5) - 2.0f : (float)ireneo_draw_normal(g);
    }
    list_pairs(s);
}

/* Smallest <w, a> over |w| |a| of the listed pairs, in long double. */
static double smallest_angle(const instance *s, const double *w) {
    double smallest = INFINITY;
    for (size_t k = 0; k < s->pairs; k++) {
        long double gap = 0.0L, size = 0.0L, norm = 0.0L;
        size_t i = s->fact[k], j = s->candidate[k];
        for (size_t a = 0; a < s->f.dim_out; a++)
            for (size_t b = 0; b < s->f.dim_in; b++) {
                long double entry = ((long double)s->values[i * s->f.dim_out + a] -
                                     (long double)s->values[j * s->f.dim_out + a]) *
                                    (long double)s->keys[i * s->f.dim_in + b];
                gap += entry * (long double)w[a * s->f.dim_in + b];
                size += entry * entry;
                norm += (long double)w[a * s->f.dim_in + b] * (long double)w[a * s->f.dim_in + b];
            }
        smallest = fmin(smallest, (double)(gap / sqrtl(size * norm)));
    }
    return smallest;
}

static bool certificate_exact(const instance *s, const double *weights) {
    ireneo_certificate *c = NULL;
    ireneo_verify_report report;
    size_t count = 0;
    for (size_t k = 0; k < s->pairs; k++) count += weights[k] > 0.0;
    assert_int_equal(ireneo_certificate_allocate(count, &c), IRENEO_OK);
    count = 0;
    for (size_t k = 0; k < s->pairs; k++) {
        if (!(weights[k] > 0.0)) continue;
        c->facts[count] = s->fact[k];
        c->candidates[count] = s->candidate[k];
        c->weights[count++] = weights[k];
    }
    assert_int_equal(ireneo_facts_hash(&s->f, c->facts_hash), IRENEO_OK);
    assert_int_equal(ireneo_verify(c, &s->f, NULL, &report), IRENEO_OK);
    ireneo_certificate_free(c);
    return report.accepted && report.exact;
}

static void decide_many(int scales, bool whole, uint64_t seed) {
    ireneo_generator g = {.seed = seed, .stream = 1};
    size_t possible = 0, impossible = 0;
    for (int trial = 0; trial < 300; trial++) {
        instance s;
        double w[DIM * DIM], weights[MOST * MOST];
        ireneo_rational_verdict verdict;
        draw(&g, scales, whole, &s);
        assert_int_equal(ireneo_rational_lp(&s.f, s.fact, s.candidate, s.pairs, w, weights, &verdict),
                         IRENEO_OK);
        assert_int_not_equal(verdict, IRENEO_RATIONAL_OPEN);
        if (verdict == IRENEO_RATIONAL_POSSIBLE) {
            possible++;
            assert_true(smallest_angle(&s, w) > 0.0);
        } else {
            impossible++;
            assert_true(certificate_exact(&s, weights));
        }
    }
    assert_true(possible > 30 && impossible > 30);
}

static void test_ordinary(void **state) {
    (void)state;
    decide_many(0, false, 1);
}
static void test_scales(void **state) {
    (void)state;
    decide_many(100, false, 2);
}
static void test_whole_numbers(void **state) {
    (void)state;
    decide_many(0, true, 3);
}

/* Keys (1000, 1001) and (1001, 1002) with opposite values: an angle of 1e-6, but it can be done. */
static void test_thin_cone(void **state) {
    (void)state;
    instance s = {.keys = {1000.0f, 1001.0f, 1001.0f, 1002.0f}, .values = {1.0f, -1.0f}};
    double w[2], weights[2];
    ireneo_rational_verdict verdict;
    s.f = (ireneo_facts){
        .facts = 2, .candidates = 2, .dim_in = 2, .dim_out = 1, .keys = s.keys, .values = s.values};
    list_pairs(&s);
    assert_int_equal(ireneo_rational_lp(&s.f, s.fact, s.candidate, 2, w, weights, &verdict), IRENEO_OK);
    assert_int_equal(verdict, IRENEO_RATIONAL_POSSIBLE);
    assert_true(smallest_angle(&s, w) > 1e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ordinary), cmocka_unit_test(test_scales),
                                       cmocka_unit_test(test_whole_numbers),
                                       cmocka_unit_test(test_thin_cone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
