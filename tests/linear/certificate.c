/* Certificates of impossibility: real ones are accepted, by the library and by sums in extended precision
 * made here; altered ones are not. */
#include "linear/facts/equal_rows.h"
#include "linear_instance.h"

#include <math.h>
#include <stdbool.h>

static ireneo_certificate *prove_impossible(const ireneo_facts *f, ireneo_store_info *info) {
    ireneo_store_settings settings = {.threads = 1};
    ireneo_store_result result;
    ireneo_memory_free(store_with(f, &settings, &result, info));
    expect_status(info, IRENEO_STATUS_IMPOSSIBLE);
    assert_non_null(result.certificate);
    return result.certificate;
}

static ireneo_verify_report verify(const ireneo_certificate *c, const ireneo_facts *f) {
    ireneo_verify_report report;
    expect_ok(ireneo_verify(c, f, &(ireneo_verify_settings){.threads = 1}, &report));
    return report;
}

static void expect_rejected_at(const ireneo_certificate *c, const ireneo_facts *f, const char *reason,
                               const char *file, int line) {
    ireneo_verify_report report = verify(c, f);
    if (!report.accepted && strstr(report.sentence, "rejected") != NULL &&
        strstr(report.sentence, reason) != NULL)
        return;
    print_error("wanted a rejection with '%s', got: %s\n", reason, report.sentence);
    _fail(file, line);
}
#define expect_rejected(c, f, reason) expect_rejected_at((c), (f), (reason), __FILE__, __LINE__)

static ireneo_certificate *copy_of(const ireneo_certificate *c) {
    ireneo_certificate *copy = malloc(sizeof *copy);
    *copy = *c;
    copy->facts = malloc(c->count * sizeof *c->facts);
    copy->candidates = malloc(c->count * sizeof *c->candidates);
    copy->weights = malloc(c->count * sizeof *c->weights);
    memcpy(copy->facts, c->facts, c->count * sizeof *c->facts);
    memcpy(copy->candidates, c->candidates, c->count * sizeof *c->candidates);
    memcpy(copy->weights, c->weights, c->count * sizeof *c->weights);
    return copy;
}

/* sum R / |E|_F on normalised data, in extended precision. */
static double brute_bound(const ireneo_certificate *c, const ireneo_facts *f) {
    long double *e = calloc(f->dim_in * f->dim_out, sizeof *e), keys = 0.0L, values = 0.0L, sum = 0.0L;
    for (size_t k = 0; k < f->facts * f->dim_in; k++)
        keys += (long double)f->keys[k] * (long double)f->keys[k];
    for (size_t a = 0; a < f->dim_out; a++) {
        long double mean = 0.0L;
        for (size_t j = 0; j < f->candidates; j++) mean += (long double)f->values[j * f->dim_out + a];
        mean /= (long double)f->candidates;
        for (size_t j = 0; j < f->candidates; j++) {
            long double d = (long double)f->values[j * f->dim_out + a] - mean;
            values += d * d;
        }
    }
    for (size_t k = 0; k < c->count; k++) {
        size_t i = (size_t)c->facts[k], j = (size_t)c->candidates[k];
        sum += (long double)c->weights[k];
        for (size_t a = 0; a < f->dim_out; a++)
            for (size_t b = 0; b < f->dim_in; b++)
                e[a * f->dim_in + b] += (long double)c->weights[k] *
                                        ((long double)f->values[target_of(f, i) * f->dim_out + a] -
                                         (long double)f->values[j * f->dim_out + a]) *
                                        (long double)f->keys[i * f->dim_in + b];
    }
    long double square = 0.0L, unit = sqrtl(keys / (long double)f->facts) *
                                      sqrtl(values / (long double)(f->candidates * f->dim_out));
    for (size_t k = 0; k < f->dim_in * f->dim_out; k++) square += e[k] * e[k];
    free(e);
    return (double)(sum * unit / sqrtl(square));
}

static void test_impossible_instances_have_certificates(void **state) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        instance it = make_instance(seed, 180, 180, 30, 30, 0);
        ireneo_store_info info;
        ireneo_certificate *c = prove_impossible(&it.facts, &info), *loaded = NULL;
        ireneo_verify_report report = verify(c, &it.facts);
        assert_true(report.accepted);
        assert_true(report.norm_bound > 1e6);
        assert_true(info.certificate_norm_bound == report.norm_bound);
        assert_true(report.norm_bound <= brute_bound(c, &it.facts)); /* rounding only counts against it */
        assert_true(report.weights == c->count && c->count > 900);

        const char *path = scratch_path(state, "certificate.safetensors");
        expect_ok(ireneo_certificate_save(c, path));
        expect_ok(ireneo_certificate_load(path, &loaded));
        assert_int_equal(loaded->count, c->count);
        assert_memory_equal(loaded->facts, c->facts, c->count * sizeof *c->facts);
        assert_memory_equal(loaded->candidates, c->candidates, c->count * sizeof *c->candidates);
        assert_memory_equal(loaded->weights, c->weights, c->count * sizeof *c->weights);
        assert_true(verify(loaded, &it.facts).norm_bound == report.norm_bound);
        ireneo_certificate_free(loaded);
        ireneo_certificate_free(c);
        free_instance(&it);
    }
}

static void test_altered_certificates_are_rejected(void **state) {
    (void)state;
    instance it = make_instance(7, 180, 180, 30, 30, 0);
    ireneo_store_info info;
    ireneo_certificate *c = prove_impossible(&it.facts, &info), *bad = copy_of(c);
    double mean = 1.0 / (double)c->count;
    size_t altered = 0;
    for (size_t k = 0; k < c->count; k += 7) { /* weights large enough to matter, one at a time, by half */
        if (c->weights[k] < 0.05 * mean) continue;
        bad->weights[k] *= 1.5;
        expect_rejected(bad, &it.facts, "do not cancel");
        bad->weights[k] = c->weights[k];

        bad->candidates[k] = (c->candidates[k] + 1) % 180;
        if (bad->candidates[k] == bad->facts[k]) bad->candidates[k] = (bad->candidates[k] + 1) % 180;
        expect_rejected(bad, &it.facts, "do not cancel");
        bad->candidates[k] = c->candidates[k];
        altered++;
    }
    assert_true(altered > 50);
    bad->facts_hash[7] ^= 1;
    expect_rejected(bad, &it.facts, "other facts");
    memcpy(bad->facts_hash, c->facts_hash, sizeof c->facts_hash);
    assert_true(verify(bad, &it.facts).accepted); /* all alterations were undone */

    const double weights[] = {0.0, -1e-300, -1.0, NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < COUNT(weights); k++) {
        bad->weights[11] = weights[k];
        expect_rejected(bad, &it.facts, "not a positive number");
    }
    bad->weights[11] = c->weights[11];
    bad->candidates[3] = 180;
    expect_rejected(bad, &it.facts, "candidate is out of range");
    bad->candidates[3] = -1;
    expect_rejected(bad, &it.facts, "candidate is out of range");
    bad->candidates[3] = bad->facts[3];
    expect_rejected(bad, &it.facts, "own value");
    bad->candidates[3] = c->candidates[3];
    bad->facts[bad->count - 1] = 180;
    expect_rejected(bad, &it.facts, "fact is out of range");
    bad->facts[bad->count - 1] = 0;
    expect_rejected(bad, &it.facts, "not sorted");
    bad->facts[bad->count - 1] = c->facts[c->count - 1];
    bad->count--;
    if (c->weights[c->count - 1] > 0.05 * mean) expect_rejected(bad, &it.facts, "do not cancel");
    bad->count = 0;
    expect_rejected(bad, &it.facts, "no weights");
    ireneo_certificate_free(bad);
    ireneo_certificate_free(c);
    free_instance(&it);
}

static void test_other_data_are_rejected(void **state) {
    (void)state;
    instance it = make_instance(8, 180, 180, 30, 30, 0), other = make_instance(9, 180, 180, 30, 30, 0);
    ireneo_store_info info;
    ireneo_certificate *c = prove_impossible(&it.facts, &info);
    expect_rejected(c, &other.facts, "other facts");
    it.keys[1234] = nextafterf(it.keys[1234], 10.0f); /* one bit */
    expect_rejected(c, &it.facts, "other facts");
    it.keys[1234] = nextafterf(it.keys[1234], -10.0f);
    assert_true(verify(c, &it.facts).accepted);
    it.values[77] = nextafterf(it.values[77], 10.0f);
    expect_rejected(c, &it.facts, "other facts");
    it.values[77] = nextafterf(it.values[77], -10.0f);
    int64_t targets[180];
    for (int64_t i = 0; i < 180; i++) targets[i] = i;
    targets[5] = 6;
    it.facts.targets = targets;
    expect_rejected(c, &it.facts, "other facts");
    targets[5] = 5; /* the identity written out is the identity */
    assert_true(verify(c, &it.facts).accepted);

    expect_ok(ireneo_facts_hash(&other.facts,
                                c->facts_hash)); /* a forged fingerprint does not make the weights cancel */
    expect_rejected(c, &other.facts, "do not cancel");
    ireneo_certificate_free(c);
    free_instance(&it);
    free_instance(&other);
}

/* Facts that can be stored have no certificate: whatever the weights, the bound stays below the norm of the
 * memory that stores them. */
static void test_solvable_facts_have_no_certificate(void **state) {
    (void)state;
    instance it = make_instance(10, 60, 60, 20, 20, 0);
    ireneo_store_info info;
    ireneo_memory *m = store(&it.facts, NULL, &info);
    expect_status(&info, IRENEO_STATUS_STORED);
    double gap, square = 0.0;
    brute_recalled(m, &it.facts, NULL, &gap);
    for (size_t k = 0; k < 400; k++) square += (double)m->matrix[k] * (double)m->matrix[k];
    int64_t facts[600], candidates[600];
    double weights[600];
    ireneo_certificate c = {.count = 600, .facts = facts, .candidates = candidates, .weights = weights};
    expect_ok(ireneo_facts_hash(&it.facts, c.facts_hash));
    ireneo_generator g = {5, 5, 0};
    for (int draw = 0; draw < 20; draw++) {
        for (size_t k = 0; k < 600; k++) {
            facts[k] = (int64_t)k / 10;
            candidates[k] = (facts[k] + 1 + (int64_t)ireneo_draw_below(&g, 59)) % 60;
            weights[k] = ireneo_draw_exponential(&g);
        }
        ireneo_verify_report report = verify(&c, &it.facts);
        assert_false(report.accepted);
        expect_ratio(report.norm_bound, brute_bound(&c, &it.facts), 1e-9);
        assert_true(report.norm_bound < 21.0 * sqrt(square) / gap); /* 21: |x| |y| of unnormalised data */
    }
    ireneo_memory_free(m);
    free_instance(&it);
}

/* ---- contradictions that can be read off the data ---- */

static void expect_contradiction(const ireneo_facts *f, size_t count, const char *sentence) {
    ireneo_store_info info;
    ireneo_certificate *c = prove_impossible(f, &info);
    ireneo_verify_report report = verify(c, f);
    assert_int_equal(c->count, count);
    assert_true(report.accepted);
    assert_true(isinf(report.norm_bound) && isinf(info.certificate_norm_bound));
    if (strstr(report.sentence, sentence) == NULL) fail_msg("no '%s' in: %s", sentence, report.sentence);
    ireneo_certificate_free(c);
}

static void test_contradictions(void **state) {
    (void)state;
    instance it = make_instance(11, 12, 12, 8, 6, 0);
    memset(it.keys + 3 * 8, 0, 8 * sizeof(float));
    expect_contradiction(&it.facts, 1, "key of fact 3 is zero");
    free_instance(&it);

    it = make_instance(12, 12, 12, 8, 6, 0);
    memcpy(it.values + 9 * 6, it.values + 4 * 6, 6 * sizeof(float));
    expect_contradiction(&it.facts, 1, "candidates 4 and 9 are equal");
    free_instance(&it);

    it = make_instance(13, 12, 12, 8, 6, 0);
    memcpy(it.keys + 10 * 8, it.keys + 2 * 8, 8 * sizeof(float));
    expect_contradiction(&it.facts, 2, "facts 2 and 10 have equal keys");
    free_instance(&it);

    it = make_instance(14, 12, 12, 8, 6, 0); /* -0 is 0 */
    for (size_t k = 0; k < 8; k++) it.keys[5 * 8 + k] = k % 2 ? -0.0f : 0.0f;
    expect_contradiction(&it.facts, 1, "key of fact 5 is zero");
    free_instance(&it);
}

/* Equal things that contradict nothing: equal keys with one value, equal candidates that are no fact's. */
static void test_harmless_twins(void **state) {
    (void)state;
    instance it = make_instance(15, 10, 14, 8, 6, 0);
    memcpy(it.keys + 8, it.keys, 8 * sizeof(float));
    it.targets[1] = it.targets[0];
    size_t spare[2], found = 0;
    for (size_t j = 0; j < 14 && found < 2; j++) {
        bool used = false;
        for (size_t i = 0; i < 10; i++) used = used || it.targets[i] == (int64_t)j;
        if (!used) spare[found++] = j;
    }
    memcpy(it.values + spare[1] * 6, it.values + spare[0] * 6, 6 * sizeof(float));
    ireneo_store_info info = outcome(&it.facts, NULL);
    expect_status(&info, IRENEO_STATUS_STORED);
    free_instance(&it);
}

/* A key that is a multiple of another with a different value: impossible, by weights that cancel exactly in
 * mathematics though not entry by entry. */
static void test_opposite_keys(void **state) {
    (void)state;
    instance it = make_instance(16, 12, 12, 8, 6, 0);
    for (size_t k = 0; k < 8; k++) it.keys[7 * 8 + k] = 4.0f * it.keys[2 * 8 + k]; /* exactly */
    ireneo_store_info info;
    ireneo_certificate *c = prove_impossible(&it.facts, &info);
    assert_true(verify(c, &it.facts).norm_bound > 1e6);
    ireneo_certificate_free(c);
    free_instance(&it);
}

static void test_damaged_files(void **state) {
    instance it = make_instance(17, 12, 12, 4, 3, 0);
    ireneo_store_info info;
    ireneo_certificate *c = prove_impossible(&it.facts, &info), *loaded = NULL;
    const char *good = scratch_path(state, "good.safetensors"), *bad = scratch_path(state, "bad.safetensors");
    expect_ok(ireneo_certificate_save(c, good));
    size_t length;
    unsigned char *bytes = scratch_read(good, &length);
    for (size_t cut = 0; cut < length; cut += cut < 64 ? 1 : 13) {
        scratch_write(bad, bytes, cut);
        assert_int_equal(ireneo_certificate_load(bad, &loaded), IRENEO_ERROR_DATA);
        assert_null(loaded);
    }
    size_t data = length - c->count * 24; /* every bit of the entries is under the checksum */
    for (size_t at = data; at < length; at += 5) {
        bytes[at] ^= (unsigned char)(1u << (at % 8));
        scratch_write(bad, bytes, length);
        expect_error(ireneo_certificate_load(bad, &loaded), IRENEO_ERROR_DATA, "bad.safetensors", "");
        bytes[at] ^= (unsigned char)(1u << (at % 8));
    }
    scratch_write(bad, bytes, length);
    expect_ok(ireneo_certificate_load(bad, &loaded));
    ireneo_certificate_free(loaded);

    c->weights[0] = NAN; /* written as it is, judged when it is verified */
    expect_ok(ireneo_certificate_save(c, bad));
    ireneo_error failed = ireneo_certificate_load(bad, &loaded);
    if (failed == IRENEO_OK)
        expect_rejected(loaded, &it.facts, "not a positive number");
    else
        assert_int_equal(failed, IRENEO_ERROR_DATA);
    ireneo_certificate_free(loaded);
    free(bytes);
    ireneo_certificate_free(c);
    free_instance(&it);
}

/* Against comparing all pairs: neighbours among equal rows, with 0 and -0 equal. */
static void test_equal_rows(void **state) {
    (void)state;
    enum { ROWS = 300, DIM = 3 };
    ireneo_generator g = {31, 0, 0};
    for (int trial = 0; trial < 50; trial++) {
        float rows[ROWS * DIM];
        for (size_t k = 0; k < ROWS * DIM; k++)
            rows[k] =
                ((float)ireneo_draw_below(&g, 7) - 3.0f) * (ireneo_draw_below(&g, 2) == 0 ? 1.0f : -1.0f);
        ireneo_equal_rows equal;
        expect_ok(ireneo_equal_rows_find(rows, ROWS, DIM, &equal));
        size_t wanted = 0;
        for (size_t b = 1; b < ROWS; b++) {
            size_t a = b; /* the last equal row before b */
            while (a > 0)
                if (rows[--a * DIM] == rows[b * DIM] && rows[a * DIM + 1] == rows[b * DIM + 1] &&
                    rows[a * DIM + 2] == rows[b * DIM + 2]) {
                    size_t k = 0;
                    while (k < equal.count && !(equal.first[k] == a && equal.second[k] == b)) k++;
                    assert_true(k < equal.count);
                    wanted++;
                    break;
                }
        }
        assert_int_equal(equal.count, wanted);
        ireneo_equal_rows_free(&equal);
    }
    const float different[4] = {1.0f, 2.0f, 2.0f, 1.0f};
    ireneo_equal_rows none;
    expect_ok(ireneo_equal_rows_find(different, 2, 2, &none));
    assert_int_equal(none.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_rows),
        scratch_test(test_impossible_instances_have_certificates),
        cmocka_unit_test(test_altered_certificates_are_rejected),
        cmocka_unit_test(test_other_data_are_rejected),
        cmocka_unit_test(test_solvable_facts_have_no_certificate),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_harmless_twins),
        cmocka_unit_test(test_opposite_keys),
        scratch_test(test_damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
