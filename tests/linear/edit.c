/* Edits against exact small cases, generated cases with a known optimum (docs/editing.md), and an independent solver. */
#include "scratch.h"

#include "near.h"

#include <math.h>
#include <stdbool.h>

/* ---- data ---- */

typedef struct edit_case {
    ireneo_facts facts;
    ireneo_memory w0;
    float *keys, *values, *residuals, *matrix;
    int64_t *targets;
} edit_case;

/* s := (1664525 s + 1013904223) mod 2^32, entry s / 2^32 - 1/2, row by row. */
static float *draw(uint32_t *state, size_t count) {
    float *numbers = malloc(count * sizeof *numbers);
    for (size_t k = 0; k < count; k++) {
        *state = 1664525u * *state + 1013904223u;
        numbers[k] = (float)((double)*state / 4294967296.0 - 0.5);
    }
    return numbers;
}

static edit_case make_case(uint32_t seed, size_t d, size_t n, size_t p, bool offsets) {
    uint32_t state = seed;
    edit_case c = {.keys = draw(&state, n * d), .values = draw(&state, p * d)};
    if (offsets) c.residuals = draw(&state, n * d);
    c.matrix = draw(&state, d * d);
    c.targets = malloc(n * sizeof *c.targets);
    for (size_t i = 0; i < n; i++) c.targets[i] = (int64_t)((7 * i + 3) % p);
    c.facts = (ireneo_facts){.facts = n,
                             .candidates = p,
                             .dim_in = d,
                             .dim_out = d,
                             .keys = c.keys,
                             .values = c.values,
                             .targets = c.targets,
                             .residuals = c.residuals};
    c.w0 = (ireneo_memory){.dim_in = d, .dim_out = d, .matrix = c.matrix};
    return c;
}

static void free_case(edit_case *c) {
    free(c->keys), free(c->values), free(c->residuals), free(c->matrix), free(c->targets);
}

static ireneo_edit_info edit(const ireneo_memory *w0, const ireneo_facts *f, const ireneo_edit_settings *s,
                             ireneo_memory **edited, ireneo_edit_result *result) {
    ireneo_edit_info info;
    expect_ok(ireneo_edit(w0, f, s, edited, result, &info));
    assert_non_null(*edited);
    return info;
}

static void expect_edited(const ireneo_edit_info *info, double change, double tolerance) {
    if (info->status != IRENEO_STATUS_EDITED)
        fail_msg("%s, not edited: %zu of %zu, shortfall %g, %zu rounds (%s)",
                 ireneo_status_name(info->status), info->recalled, info->facts, info->shortfall, info->rounds,
                 info->reason);
    assert_int_equal(info->recalled, info->facts);
    assert_int_equal(info->protected_kept, info->protected_facts);
    assert_near(info->change_metric, change, tolerance * change);
    assert_true(info->duality_gap < 1e-3);
    assert_true(info->bound <= change * (1.0 + tolerance));
}

/* ---- exact cases ---- */

static void one_fact_by_hand(void **unused) { /* T1 */
    (void)unused;
    float key[] = {3, 4}, residual[] = {0, 2}, values[] = {1, 0, 0, 1}, zero[4] = {0};
    int64_t target[] = {0};
    ireneo_facts f = {.facts = 1,
                      .candidates = 2,
                      .dim_in = 2,
                      .dim_out = 2,
                      .keys = key,
                      .values = values,
                      .targets = target,
                      .residuals = residual};
    ireneo_memory w0 = {.dim_in = 2, .dim_out = 2, .matrix = zero}, *w;
    ireneo_edit_info info = edit(&w0, &f, &(ireneo_edit_settings){.margin = 1.0}, &w, NULL);
    expect_edited(&info, 3.0 / sqrt(50.0), 1e-6);
    const double wanted[] = {0.18, 0.24, -0.18, -0.24};
    for (int k = 0; k < 4; k++) assert_near((double)w->matrix[k], wanted[k], 1e-6);
    assert_near(info.margin, 1.0, 1e-5);
    assert_true(isinf(info.change_relative));
    ireneo_memory_free(w);
}

static void two_competitors_by_hand(void **unused) { /* T2 */
    (void)unused;
    float key[] = {1, 0}, residual[] = {-2, -3}, values[] = {1, 1, 0, 1, 1, 0}, one[] = {1, 0, 0, 1};
    int64_t target[] = {0};
    ireneo_facts f = {.facts = 1,
                      .candidates = 3,
                      .dim_in = 2,
                      .dim_out = 2,
                      .keys = key,
                      .values = values,
                      .targets = target,
                      .residuals = residual};
    ireneo_memory w0 = {.dim_in = 2, .dim_out = 2, .matrix = one}, *w;
    ireneo_edit_info info = edit(&w0, &f, &(ireneo_edit_settings){.margin = 1.0}, &w, NULL);
    expect_edited(&info, sqrt(20.0), 1e-6);
    const double wanted[] = {3, 0, 4, 1};
    for (int k = 0; k < 4; k++) assert_near((double)w->matrix[k], wanted[k], 1e-5);
    assert_near(info.change_relative, sqrt(10.0), 1e-5);
    ireneo_memory_free(w);
}

static void protected_by_hand(void **unused) { /* T3 */
    (void)unused;
    float key[] = {1, 0}, residual[] = {-1}, values[] = {1, -1}, zero[2] = {0}, kept[] = {1, 1},
          kept_residual[] = {-0.5f};
    int64_t target[] = {0}, kept_target[] = {1};
    ireneo_facts f = {.facts = 1,
                      .candidates = 2,
                      .dim_in = 2,
                      .dim_out = 1,
                      .keys = key,
                      .values = values,
                      .targets = target,
                      .residuals = residual};
    ireneo_memory w0 = {.dim_in = 2, .dim_out = 1, .matrix = zero}, *w;
    ireneo_edit_settings s = {.margin = 2.0};
    ireneo_edit_info info = edit(&w0, &f, &s, &w, NULL);
    expect_edited(&info, 2.0, 1e-6);
    ireneo_memory_free(w);
    s.protect_count = 1, s.protect_keys = kept, s.protect_residuals = kept_residual, s.share = 1.0;
    for (int given = 0; given < 2; given++) { /* what W0 says there, found or told */
        s.protect_targets = given ? kept_target : NULL;
        info = edit(&w0, &f, &s, &w, NULL);
        expect_edited(&info, 2.0 * sqrt(2.0), 1e-6);
        assert_near((double)w->matrix[0], 2.0, 1e-5);
        assert_near((double)w->matrix[1], -2.0, 1e-5);
        ireneo_memory_free(w);
    }
}

/* A proof that verify accepts, with and without its file. */
static void expect_proof(const ireneo_edit_result *r) {
    ireneo_verify_report report;
    assert_non_null(r->certificate);
    expect_ok(ireneo_verify(r->certificate, &r->all, NULL, &report));
    if (!report.accepted) fail_msg("%s", report.sentence);
    ireneo_certificate *again = NULL;
    void *folder = NULL;
    assert_int_equal(scratch_setup(&folder), 0);
    const char *path = scratch_path(&folder, "proof.safetensors");
    expect_ok(ireneo_certificate_save(r->certificate, path));
    expect_ok(ireneo_certificate_load(path, &again));
    expect_ok(ireneo_verify(again, &r->all, NULL, &report));
    assert_true(report.accepted);
    again->weights[0] *= 1.01; /* a forged one is not */
    expect_ok(ireneo_verify(again, &r->all, NULL, &report));
    assert_int_equal(report.accepted && !report.exact, 0);
    ireneo_certificate_free(again);
    scratch_teardown(&folder);
}

static void equal_keys_by_hand(void **unused) { /* T4, T5 */
    (void)unused;
    float keys[] = {1, 1}, helpful[] = {1, 0}, harmful[] = {0, 1}, values[] = {1, -1}, zero[1] = {0};
    int64_t targets[] = {0, 1};
    ireneo_facts f = {.facts = 2,
                      .candidates = 2,
                      .dim_in = 1,
                      .dim_out = 1,
                      .keys = keys,
                      .values = values,
                      .targets = targets,
                      .residuals = helpful};
    ireneo_memory w0 = {.dim_in = 1, .dim_out = 1, .matrix = zero}, *w;
    ireneo_edit_result r;
    ireneo_edit_info info = edit(&w0, &f, &(ireneo_edit_settings){.margin = 1.0}, &w, &r);
    expect_edited(&info, 0.5, 1e-5);
    assert_near((double)w->matrix[0], -0.5, 1e-5);
    ireneo_memory_free(w), ireneo_edit_result_free(&r);
    info = edit(&w0, &f, &(ireneo_edit_settings){.margin = 1.5}, &w, &r);
    assert_int_equal(info.status, IRENEO_STATUS_IMPOSSIBLE);
    assert_true(info.exact);
    expect_proof(&r);
    assert_int_equal(r.certificate->count, 2);
    assert_near(r.certificate->weights[0] / r.certificate->weights[1], 1.0, 1e-9);
    ireneo_memory_free(w), ireneo_edit_result_free(&r);
    f.residuals = harmful;
    for (double margin = 1e-3; margin < 2.0; margin *= 10.0) {
        info = edit(&w0, &f, &(ireneo_edit_settings){.margin = margin}, &w, &r);
        assert_int_equal(info.status, IRENEO_STATUS_IMPOSSIBLE);
        expect_proof(&r);
        ireneo_memory_free(w), ireneo_edit_result_free(&r);
    }
    ireneo_store_info stored;
    ireneo_store_result proof;
    expect_ok(ireneo_store(&f, NULL, &w, &proof, &stored));
    assert_int_equal(stored.status, IRENEO_STATUS_IMPOSSIBLE);
    assert_true(stored.exact);
    ireneo_store_result_free(&proof), ireneo_memory_free(w);
    f.residuals = helpful;
    expect_ok(ireneo_store(&f, NULL, &w, &proof, &stored));
    assert_int_equal(stored.status, IRENEO_STATUS_STORED);
    ireneo_store_result_free(&proof), ireneo_memory_free(w);
}

/* ---- generated cases ---- */

static void generated_with_offsets(void **unused) { /* S1 */
    (void)unused;
    edit_case c = make_case(1, 12, 30, 40, true);
    ireneo_memory *w;
    ireneo_edit_info info = edit(&c.w0, &c.facts, &(ireneo_edit_settings){.margin = 0.1}, &w, NULL);
    expect_edited(&info, 9.718843, 1e-6);
    const double first[] = {-1.278927, -1.349775, 1.003955};
    for (int k = 0; k < 3; k++) assert_near((double)(w->matrix[k] - c.matrix[k]), first[k], 1e-5);
    assert_int_equal(info.active, 97);
    ireneo_memory_free(w), free_case(&c);
}

static void generated_impossible(void **unused) { /* S2 */
    (void)unused;
    edit_case c = make_case(2, 12, 60, 40, true);
    ireneo_memory *w;
    ireneo_edit_result r;
    ireneo_edit_info info = edit(&c.w0, &c.facts, &(ireneo_edit_settings){.margin = 0.1}, &w, &r);
    assert_int_equal(info.status, IRENEO_STATUS_IMPOSSIBLE);
    assert_true(info.exact);
    expect_proof(&r);
    ireneo_memory_free(w), ireneo_edit_result_free(&r);
    ireneo_store_info stored; /* strict recall is impossible too */
    ireneo_store_result proof;
    expect_ok(ireneo_store(&c.facts, NULL, &w, &proof, &stored));
    assert_int_equal(stored.status, IRENEO_STATUS_IMPOSSIBLE);
    ireneo_store_result_free(&proof), ireneo_memory_free(w);
    ireneo_edit_settings s = {.margin = 0.1, .overload = 1};
    info = edit(&c.w0, &c.facts, &s, &w, &r);
    assert_int_equal(info.status, IRENEO_STATUS_PARTIAL);
    assert_true(info.recalled >= 30 && info.recalled < 60);
    ireneo_memory_free(w), ireneo_edit_result_free(&r), free_case(&c);
}

/* The "old" facts are the first rows, with what W0 says there. */
static void old_and_new(size_t d, size_t p, size_t old, size_t new, double alone, double together,
                        size_t kept) {
    edit_case c = make_case(3, d, old + new, p, false);
    ireneo_facts fresh = c.facts;
    int64_t *targets = malloc(new * sizeof *targets), *answers = malloc(old * sizeof *answers);
    float *scores = malloc(old * sizeof *scores);
    ireneo_memory *w;
    for (size_t i = 0; i < new; i++) targets[i] = (int64_t)((7 * i + 3) % p);
    fresh.facts = new, fresh.keys += old *d, fresh.targets = targets;
    ireneo_edit_settings s = {.margin = 1.0};
    ireneo_edit_info info = edit(&c.w0, &fresh, &s, &w, NULL);
    expect_edited(&info, alone, 2e-5);
    expect_ok(ireneo_recall(&c.w0, c.keys, old, c.values, p, 1, NULL, answers, scores));
    ireneo_facts before = c.facts;
    ireneo_check_report report;
    before.facts = old, before.targets = answers;
    expect_ok(ireneo_check(w, &before, NULL, NULL, &report));
    assert_int_equal(report.recalled, kept);
    ireneo_memory_free(w);
    s.protect_count = old, s.protect_keys = c.keys;
    info = edit(&c.w0, &fresh, &s, &w, NULL);
    expect_edited(&info, together, 2e-5);
    ireneo_memory_free(w), free(targets), free(answers), free(scores), free_case(&c);
}

static void generated_protected(void **unused) { /* S3 */
    (void)unused;
    old_and_new(40, 200, 80, 60, 8.1362, 8.807300, 10);
}

static void generated_protected_large(void **unused) {
    (void)unused;
    old_and_new(100, 1000, 500, 300, 16.4631, 17.2707, 111);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fact_by_hand),       cmocka_unit_test(two_competitors_by_hand),
        cmocka_unit_test(protected_by_hand),      cmocka_unit_test(equal_keys_by_hand),
        cmocka_unit_test(generated_with_offsets), cmocka_unit_test(generated_impossible),
        cmocka_unit_test(generated_protected),    cmocka_unit_test(generated_protected_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
