/* Storing: what the law says fits is stored and verified by brute force, what does not is not; invariances,
 * threads, starts, cancellation, small and odd cases, files. */
#include "linear_instance.h"

/* ---- up to capacity, and beyond ---- */

/* d = 100, law 1192: 0.90 and 0.95 of it, two seeds each. */
static void test_stores_near_capacity(void **state) {
    (void)state;
    static const size_t facts[] = {1073, 1132};
    for (size_t k = 0; k < COUNT(facts); k++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            instance data = make_instance(seed, facts[k], facts[k], 100, 100, 0);
            ireneo_store_info info = outcome(&data.facts, NULL);
            expect_status(&info, IRENEO_STATUS_STORED);
            expect_between((double)info.scans, 1.0, 4.0);
            expect_close(info.facts_capacity, 1208.2, 3.0); /* ireneo capacity --dim 100 */
            expect_ratio(info.fraction_of_capacity, (double)facts[k] / 1208.2, 3e-3);
            assert_int_equal(info.span_in, 100);
            assert_int_equal(info.span_out, 100);
            free_instance(&data);
        }
}

static void test_does_not_store_beyond_capacity(void **state) {
    (void)state;
    instance data = make_instance(1, 1240, 1240, 100, 100, 0);
    ireneo_store_settings settings = {.max_iterations = 400};
    ireneo_store_info info = outcome(&data.facts, &settings);
    assert_true(info.status != IRENEO_STATUS_STORED);
    assert_true(info.recalled < 1240);
    free_instance(&data);
}

static void test_stores_with_a_rank(void **state) {
    (void)state;
    static const size_t ranks[] = {15, 30};
    for (size_t k = 0; k < COUNT(ranks); k++) {
        size_t n = (size_t)(0.95 * law_of(60, 60, ranks[k], 0.0));
        instance data = make_instance(3, n, n, 60, 60, 0);
        ireneo_store_settings settings = {.rank = ranks[k]};
        ireneo_store_info info;
        ireneo_memory *m = store(&data.facts, &settings, &info);
        expect_status(&info, IRENEO_STATUS_STORED);
        assert_int_equal(m->rank, ranks[k]);
        assert_null(m->matrix);
        ireneo_memory_free(m);
        free_instance(&data);
    }
}

/* (d_in, d_out, P) at 0.93 of the law, each fact its own value and many keys to one. */
static void test_stores_other_shapes(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{30, 50, 500}, {50, 30, 500}, {40, 40, 5000}, {40, 40, 50}};
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (int many = 0; many < 2; many++) {
            double law = law_of(shapes[k][0], shapes[k][1], 0, (double)shapes[k][2]);
            size_t n = (size_t)(0.93 * law);
            if (!many && n > shapes[k][2]) continue;
            instance data = make_instance(4, n, shapes[k][2], shapes[k][0], shapes[k][1], many);
            ireneo_store_info info = outcome(&data.facts, NULL);
            expect_status(&info, IRENEO_STATUS_STORED);
            expect_ratio(info.facts_capacity, law, 0.04); /* the decoupled law, but for what sharing brings */
            free_instance(&data);
        }
}

/* Few answers for many facts, by Zipf's law with exponent 1.2: lists of competitors that were made anew would forget what
 * checks had added, and go round in circles. The first set is stored; the second is settled by an exact method, which has to
 * be asked again with what its first answer brought to light. */
static void test_decides_skewed_answers(void **state) {
    (void)state;
    static const struct {
        size_t dim, facts, candidates;
        uint64_t seed;
        ireneo_status status;
    } sets[] = {{100, 570, 1000, 1, IRENEO_STATUS_STORED}, {50, 230, 400, 10, IRENEO_STATUS_IMPOSSIBLE}};
    for (size_t k = 0; k < COUNT(sets); k++) {
        instance data =
            make_instance(sets[k].seed, sets[k].facts, sets[k].candidates, sets[k].dim, sets[k].dim, 1);
        ireneo_sample sample = {sets[k].seed, sets[k].dim, sets[k].dim};
        int64_t *targets = malloc(sets[k].facts * sizeof *targets);
        assert_int_equal(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, 1.2, sets[k].candidates, 0,
                                               sets[k].facts, targets),
                         IRENEO_OK);
        data.facts.targets = targets;
        ireneo_store_info info = outcome(&data.facts, NULL);
        expect_status(&info, sets[k].status);
        free(targets);
        free_instance(&data);
    }
}

static void test_stores_decoupled_facts(void **state) {
    (void)state;
    enum { N = 350, D = 50 };
    ireneo_sample sample = {5, D, D};
    float *keys = malloc(N * D * sizeof *keys);
    ireneo_sample_keys(&sample, 0, N, keys);
    ireneo_facts facts = {.facts = N,
                          .candidates = N,
                          .dim_in = D,
                          .dim_out = D,
                          .keys = keys,
                          .own_candidates = ireneo_sample_own_candidates,
                          .own_context = &sample};
    ireneo_store_info info = outcome(&facts, NULL);
    expect_status(&info, IRENEO_STATUS_STORED);
    free(keys);
}

/* ---- invariances ---- */

/* rows (count, dim) -> A row + shift, where A is random with condition number about `condition`: a random
 * matrix, times a diagonal, times a random matrix. */
static void deform(uint64_t seed, float *rows, size_t count, size_t dim, double condition, double shift) {
    double *a = malloc(2 * dim * dim * sizeof *a), *x = malloc(3 * dim * sizeof *x), *y = x + dim,
           *c = y + dim;
    ireneo_fill_normals(seed, 0, 0, 2 * dim * dim, a);
    ireneo_fill_normals(seed, 1, 0, dim, c);
    for (int side = 0; side < 2; side++) /* make both rotations: Gram-Schmidt */
        for (size_t i = 0; i < dim; i++) {
            double *row = a + (size_t)side * dim * dim + i * dim, norm = 0.0;
            for (size_t j = 0; j < i; j++) {
                const double *other = a + (size_t)side * dim * dim + j * dim;
                double dot = 0.0;
                for (size_t k = 0; k < dim; k++) dot += row[k] * other[k];
                for (size_t k = 0; k < dim; k++) row[k] -= dot * other[k];
            }
            for (size_t k = 0; k < dim; k++) norm += row[k] * row[k];
            for (size_t k = 0; k < dim; k++) row[k] /= sqrt(norm);
        }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < dim; j++) {
            y[j] = 0.0;
            for (size_t k = 0; k < dim; k++) y[j] += a[j * dim + k] * (double)rows[i * dim + k];
            y[j] *= pow(condition, -(double)j / (double)(dim - 1));
        }
        for (size_t j = 0; j < dim; j++) {
            x[j] = shift * c[j];
            for (size_t k = 0; k < dim; k++) x[j] += a[dim * dim + j * dim + k] * y[k];
        }
        for (size_t j = 0; j < dim; j++) rows[i * dim + j] = (float)x[j];
    }
    free(a), free(x);
}

/* x -> A x, y -> B y, y -> y + c: the same verdict, in about as many scans. */
static void test_invariance(void **state) {
    (void)state;
    enum { D = 50 };
    static const size_t facts[] = {340, 415};
    static const double deformations[][4] = {
        {1e3, 1, 0, 0}, {1, 1e3, 0, 0}, {1, 1, 100, 0}, {1e3, 1e3, 10, 0}, {30, 30, 1, 1e-4}};
    for (size_t f = 0; f < COUNT(facts); f++) {
        instance plain = make_instance(6, facts[f], facts[f], D, D, 0);
        ireneo_store_settings settings = {.max_iterations = 600};
        ireneo_store_info wanted = outcome(&plain.facts, &settings);
        assert_int_equal(wanted.status == IRENEO_STATUS_STORED, f == 0);
        for (size_t k = 0; k < COUNT(deformations); k++) {
            instance data = make_instance(6, facts[f], facts[f], D, D, 0);
            double scale = deformations[k][3] > 0.0 ? deformations[k][3] : 1.0;
            deform(7, data.keys, facts[f], D, deformations[k][0], 0.0);
            deform(8, data.values, facts[f], D, deformations[k][1], deformations[k][2]);
            for (size_t q = 0; q < facts[f] * D; q++) data.keys[q] *= (float)scale;
            ireneo_store_info info = outcome(&data.facts, &settings);
            assert_int_equal(info.status == IRENEO_STATUS_STORED, f == 0);
            if (f == 0) expect_between((double)info.scans, 1.0, (double)wanted.scans + 2.0);
            expect_ratio(info.facts_capacity, wanted.facts_capacity, 1e-6);
            free_instance(&data);
        }
        free_instance(&plain);
    }
}

/* Embeddings that do not fill their space: their ranks count, and are reported. */
static void test_rank_deficient_embeddings(void **state) {
    (void)state;
    enum { SMALL = 30, LARGE = 45 };
    size_t n = (size_t)(0.92 * law_of(SMALL, SMALL, 0, 0.0));
    instance core = make_instance(9, n, n, SMALL, SMALL, 0);
    float *keys = malloc(n * LARGE * sizeof *keys), *values = malloc(n * LARGE * sizeof *values),
          mix[LARGE * SMALL];
    ireneo_fill_normal_floats(10, 0, 0, LARGE * SMALL, mix);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < LARGE; j++) {
            double x = 0.0, y = 2.0; /* the offset of the values adds no dimension */
            for (size_t k = 0; k < SMALL; k++) {
                x += (double)mix[j * SMALL + k] * (double)core.keys[i * SMALL + k];
                y += (double)mix[(LARGE - 1 - j) * SMALL + k] * (double)core.values[i * SMALL + k];
            }
            keys[i * LARGE + j] = (float)x;
            values[i * LARGE + j] = (float)y;
        }
    ireneo_facts facts = {
        .facts = n, .candidates = n, .dim_in = LARGE, .dim_out = LARGE, .keys = keys, .values = values};
    ireneo_store_info info = outcome(&facts, NULL);
    expect_status(&info, IRENEO_STATUS_STORED);
    assert_int_equal(info.span_in, SMALL);
    assert_int_equal(info.span_out, SMALL);
    expect_ratio(info.fraction_of_capacity, 0.90, 0.015); /* 0.92 of the decoupled law */
    free(keys), free(values);
    free_instance(&core);
}

/* ---- threads, starts, stops ---- */

static void expect_same_memory(const ireneo_memory *a, const ireneo_memory *b) {
    assert_int_equal(a->rank, b->rank);
    if (a->rank == 0) {
        assert_memory_equal(a->matrix, b->matrix, a->dim_in * a->dim_out * sizeof(float));
        return;
    }
    assert_memory_equal(a->left, b->left, a->dim_out * a->rank * sizeof(float));
    assert_memory_equal(a->right, b->right, a->dim_in * a->rank * sizeof(float));
}

/* The same bytes with 1, 2 and 7 threads: full, with a rank, decoupled, impossible, overloaded, Hebbian. */
static void test_threads_give_the_same_bytes(void **state) {
    (void)state;
    static const int threads[] = {2, 7};
    for (int kind = 0; kind < 6; kind++) {
        size_t d = kind == 0 ? 100 : 40, n = kind == 0 ? 1100 : kind == 3 ? 290 : kind == 4 ? 330 : 150;
        instance data = make_instance(11, n, n, d, d, 0);
        ireneo_sample sample = {11, d, d};
        if (kind == 2) {
            data.facts.values = NULL;
            data.facts.own_candidates = ireneo_sample_own_candidates;
            data.facts.own_context = &sample;
        }
        ireneo_store_settings settings = {.rank = kind == 1 ? 20 : 0,
                                          .threads = 1,
                                          .max_iterations = 300,
                                          .overload = kind == 4,
                                          .solver =
                                              kind == 5 ? IRENEO_SOLVER_HEBBIAN : IRENEO_SOLVER_PROJECT};
        ireneo_store_info info, other;
        ireneo_memory *one = NULL, *many = NULL;
        expect_ok(ireneo_store(&data.facts, &settings, &one, NULL, &info));
        for (size_t t = 0; t < COUNT(threads); t++) {
            settings.threads = threads[t];
            expect_ok(ireneo_store(&data.facts, &settings, &many, NULL, &other));
            assert_int_equal(info.status, other.status);
            assert_int_equal(info.recalled, other.recalled);
            assert_int_equal(info.iterations, other.iterations);
            expect_same_memory(one, many);
            ireneo_memory_free(many);
        }
        ireneo_memory_free(one);
        free_instance(&data);
    }
}

/* A stored memory as the start is recognised at once; a useless start does no harm. */
static void test_given_start(void **state) {
    (void)state;
    for (size_t rank = 0; rank <= 25; rank += 25) {
        size_t n = (size_t)(0.93 * law_of(50, 50, rank, 0.0));
        instance data = make_instance(12, n, n, 50, 50, 0);
        ireneo_store_settings settings = {.rank = rank};
        ireneo_store_info first, second;
        ireneo_memory *m = store(&data.facts, &settings, &first);
        expect_status(&first, IRENEO_STATUS_STORED);
        settings.initial = m;
        ireneo_memory_free(store(&data.facts, &settings, &second));
        expect_status(&second, IRENEO_STATUS_STORED);
        assert_true(second.iterations < first.iterations / 2);
        float *cells = rank == 0 ? m->matrix : m->left;
        ireneo_fill_normal_floats(13, 0, 0, rank == 0 ? 2500 : 50 * rank, cells);
        ireneo_memory_free(store(&data.facts, &settings, &second));
        expect_status(&second, IRENEO_STATUS_STORED);
        ireneo_memory_free(m);
        free_instance(&data);
    }
    instance data = make_instance(12, 20, 20, 6, 5, 0);
    ireneo_memory wrong = {.dim_in = 5, .dim_out = 6}, *m = NULL;
    ireneo_store_settings settings = {.initial = &wrong};
    expect_error(ireneo_store(&data.facts, &settings, &m, NULL, NULL), IRENEO_ERROR_DATA, "6 x 5", "5 x 6");
    assert_null(m);
    free_instance(&data);
}

typedef struct stopper {
    int calls, after;
} stopper;

static int stop_after(void *context, const char *stage, double done, double total) {
    stopper *s = context;
    assert_non_null(stage);
    assert_true(done >= 0.0 && total > 0.0);
    return ++s->calls > s->after;
}

/* Stopped after any number of reports: interrupted (or done), with a memory that can be gone on from. */
static void test_cancel_and_go_on(void **state) {
    (void)state;
    size_t n = (size_t)(0.95 * law_of(50, 50, 0, 0.0));
    instance data = make_instance(14, n, n, 50, 50, 0);
    int interrupted = 0;
    for (int after = 0; after < 60; after = after * 2 + 1) {
        stopper s = {0, after};
        ireneo_progress progress = {stop_after, &s};
        ireneo_store_settings settings = {.progress = &progress};
        ireneo_store_info info, rest;
        ireneo_memory *m = store(&data.facts, &settings, &info);
        assert_true(s.calls <= after + 2);
        if (info.status != IRENEO_STATUS_STORED) {
            expect_status(&info, IRENEO_STATUS_INTERRUPTED);
            interrupted++;
        }
        ireneo_store_settings go_on = {.initial = m};
        ireneo_memory_free(store(&data.facts, &go_on, &rest));
        expect_status(&rest, IRENEO_STATUS_STORED);
        ireneo_memory_free(m);
    }
    assert_true(interrupted >= 3);
    free_instance(&data);
}

static void test_limits(void **state) {
    (void)state;
    instance data = make_instance(15, 370, 370, 50, 50, 0);
    ireneo_store_settings settings = {.max_iterations = 2};
    ireneo_store_info info = outcome(&data.facts, &settings);
    expect_status(&info, IRENEO_STATUS_UNDECIDED);
    assert_true(info.iterations <= 7); /* the first few do not ask */
    free_instance(&data);
}

/* ---- small and odd cases ---- */

static void test_small_cases(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        instance one = make_instance(seed, 1, 5, 3, 3, 1), two = make_instance(seed, 1, 2, 1, 1, 1),
                 pair = make_instance(seed, 6, 2, 8, 3, 1);
        ireneo_store_info info = outcome(&one.facts, NULL);
        assert_true(info.status == IRENEO_STATUS_STORED ||
                    info.status == IRENEO_STATUS_IMPOSSIBLE); /* the value may lie inside the others */
        info = outcome(&two.facts, NULL);
        expect_status(&info, IRENEO_STATUS_STORED);
        info = outcome(&pair.facts, NULL);
        expect_status(&info, IRENEO_STATUS_STORED);
        free_instance(&one), free_instance(&two), free_instance(&pair);
    }
}

static void test_duplicate_keys(void **state) {
    (void)state;
    instance data = make_instance(16, 60, 40, 12, 12, 1);
    for (size_t i = 30; i < 60; i++) { /* the same fact twice */
        memcpy(data.keys + i * 12, data.keys + (i - 30) * 12, 12 * sizeof(float));
        data.targets[i] = data.targets[i - 30];
    }
    ireneo_store_info info = outcome(&data.facts, NULL);
    expect_status(&info, IRENEO_STATUS_STORED);
    data.targets[59] = (data.targets[29] + 1) % 40; /* one key with two values */
    info = outcome(&data.facts, NULL);
    expect_status(&info, IRENEO_STATUS_IMPOSSIBLE);
    assert_true(isinf(info.certificate_norm_bound));
    free_instance(&data);
}

static void test_zero_key_and_equal_values(void **state) {
    (void)state;
    instance data = make_instance(17, 30, 30, 12, 12, 0);
    memset(data.keys + (size_t)7 * 12, 0, 12 * sizeof(float));
    ireneo_store_info info = outcome(&data.facts, NULL);
    expect_status(&info, IRENEO_STATUS_IMPOSSIBLE);
    free_instance(&data);
    data = make_instance(17, 30, 30, 12, 12, 0);
    memcpy(data.values + (size_t)3 * 12, data.values + (size_t)9 * 12, 12 * sizeof(float));
    info = outcome(&data.facts, NULL);
    expect_status(&info, IRENEO_STATUS_IMPOSSIBLE);
    for (size_t k = 0; k < 30 * 12; k++) data.values[k] = 1.0f; /* nothing varies */
    info = outcome(&data.facts, NULL);
    expect_status(&info, IRENEO_STATUS_IMPOSSIBLE);
    free_instance(&data);
}

static void test_store_refuses(void **state) {
    (void)state;
    instance data = make_instance(18, 10, 10, 4, 5, 0);
    ireneo_memory *m = NULL;
    ireneo_store_settings settings = {.rank = 5};
    expect_error(ireneo_store(&data.facts, &settings, &m, NULL, NULL), IRENEO_ERROR_ARGUMENT, "rank 5", "4");
    settings = (ireneo_store_settings){.margin = -1.0};
    expect_error(ireneo_store(&data.facts, &settings, &m, NULL, NULL), IRENEO_ERROR_ARGUMENT, "margin", "");
    ireneo_facts bad = data.facts;
    bad.candidates = 9;
    expect_error(ireneo_store(&bad, NULL, &m, NULL, NULL), IRENEO_ERROR_DATA, "10 facts", "9 values");
    bad.candidates = 1;
    expect_error(ireneo_store(&bad, NULL, &m, NULL, NULL), IRENEO_ERROR_DATA, "one candidate", "");
    bad = data.facts, bad.facts = 0;
    expect_error(ireneo_store(&bad, NULL, &m, NULL, NULL), IRENEO_ERROR_DATA, "no facts", "");
    int64_t targets[10] = {0, 1, 2, 3, -1};
    bad = data.facts, bad.targets = targets;
    expect_error(ireneo_store(&bad, NULL, &m, NULL, NULL), IRENEO_ERROR_DATA, "row 4", "-1");
    data.values[7] = INFINITY;
    expect_error(ireneo_store(&data.facts, NULL, &m, NULL, NULL), IRENEO_ERROR_DATA, "row 1", "column 2");
    assert_null(m);
    expect_error(ireneo_store(&data.facts, NULL, NULL, NULL, NULL), IRENEO_ERROR_ARGUMENT, "place", "");
    free_instance(&data);
}

/* W = sum y x^T of the numbers as they are, and its best approximation when a rank is asked for. */
static void test_hebbian_solver(void **state) {
    (void)state;
    instance data = make_instance(19, 90, 70, 13, 11, 1);
    ireneo_store_settings settings = {.solver = IRENEO_SOLVER_HEBBIAN};
    ireneo_store_info info;
    ireneo_memory *full = store(&data.facts, &settings, &info);
    for (size_t a = 0; a < 11; a++)
        for (size_t b = 0; b < 13; b++) {
            double wanted = 0.0;
            for (size_t i = 0; i < 90; i++)
                wanted +=
                    (double)data.values[(size_t)data.targets[i] * 11 + a] * (double)data.keys[i * 13 + b];
            expect_close((double)full->matrix[a * 13 + b], wanted, 1e-4);
        }
    double before = INFINITY;
    for (size_t rank = 1; rank <= 11; rank += 2) {
        settings.rank = rank;
        ireneo_memory *m = store(&data.facts, &settings, &info);
        double rest = 0.0; /* |W - U V^T|^2 falls with the rank, to nothing */
        for (size_t a = 0; a < 11; a++)
            for (size_t b = 0; b < 13; b++) {
                double sum = -(double)full->matrix[a * 13 + b];
                for (size_t k = 0; k < rank; k++)
                    sum += (double)m->left[a * rank + k] * (double)m->right[b * rank + k];
                rest += sum * sum;
            }
        assert_true(rest < before);
        before = rest;
        ireneo_memory_free(m);
    }
    expect_close(before, 0.0, 1e-4);
    ireneo_memory_free(full);
    free_instance(&data);
}

/* ---- files ---- */

static void test_memory_files(void **state) {
    for (size_t rank = 0; rank <= 4; rank += 4) {
        instance data = make_instance(20, 30, 40, 9, 8, 0);
        ireneo_store_settings settings = {.rank = rank};
        ireneo_store_info info;
        ireneo_memory *m = store(&data.facts, &settings, &info), *back = NULL;
        const char *path = scratch_path(state, "memory.safetensors");
        expect_ok(ireneo_memory_save(
            m, path, &(ireneo_memory_extras){.candidates = 40, .values = data.values}, &settings, &info));
        expect_ok(ireneo_memory_load(path, &back));
        assert_int_equal(back->dim_in, 9);
        assert_int_equal(back->dim_out, 8);
        assert_memory_equal(back->facts_hash, m->facts_hash, IRENEO_HASH_BYTES);
        expect_same_memory(m, back);
        char *value = NULL;
        expect_ok(ireneo_safetensors_metadata(path, "status", &value));
        assert_string_equal(value, ireneo_status_name(info.status));
        ireneo_free(value);
        int has = 0;
        expect_ok(ireneo_safetensors_has(path, "values", &has));
        assert_int_equal(has, 1);
        ireneo_memory_free(back);
        expect_ok(ireneo_memory_save(m, path, NULL, NULL, NULL)); /* the least there is */
        expect_ok(ireneo_safetensors_has(path, "values", &has));
        assert_int_equal(has, 0);
        expect_ok(ireneo_memory_load(path, &back));
        expect_same_memory(m, back);
        ireneo_memory_free(back);
        ireneo_memory_free(m);
        free_instance(&data);
    }
    ireneo_memory *none = NULL;
    expect_error(ireneo_memory_load(scratch_path(state, "missing.safetensors"), &none), IRENEO_ERROR_IO,
                 "missing.safetensors", "");
    assert_null(none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores_near_capacity),
        cmocka_unit_test(test_does_not_store_beyond_capacity),
        cmocka_unit_test(test_stores_with_a_rank),
        cmocka_unit_test(test_stores_other_shapes),
        cmocka_unit_test(test_decides_skewed_answers),
        cmocka_unit_test(test_stores_decoupled_facts),
        cmocka_unit_test(test_invariance),
        cmocka_unit_test(test_rank_deficient_embeddings),
        cmocka_unit_test(test_threads_give_the_same_bytes),
        cmocka_unit_test(test_given_start),
        cmocka_unit_test(test_cancel_and_go_on),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_small_cases),
        cmocka_unit_test(test_duplicate_keys),
        cmocka_unit_test(test_zero_key_and_equal_values),
        cmocka_unit_test(test_store_refuses),
        cmocka_unit_test(test_hebbian_solver),
        scratch_test(test_memory_files),
    };
    return cmocka_run_group_tests_name("linear solver", tests, NULL, NULL);
}
