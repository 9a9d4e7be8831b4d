/* Random numbers: their distribution, their independence, and that they are functions of (seed, stream,
 * index) alone.
 *
 * Seeds are fixed, so the tests always give the same verdict; "chance" says how often a perfect generator
 * with a seed picked at random would fail. All of them together: below 1e-3. */
#include "base/random.h"
#include "expect.h"

#include <Random123/philox.h>
#include <gsl/gsl_cdf.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 20240117 };

static float *floats(uint64_t seed, uint64_t stream, uint64_t first, size_t count) {
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    ireneo_random_normals_float(seed, stream, first, count, 0, values);
    return values;
}

static double *doubles(uint64_t seed, uint64_t stream, uint64_t first, size_t count) {
    double *values = malloc(count * sizeof *values);
    assert_non_null(values);
    ireneo_random_normals(seed, stream, first, count, 0, values);
    return values;
}

/* ---- distribution ---- */

typedef struct tally {
    double count, sums[9], above[6], below[6], largest;
} tally;

static const double EDGES[6] = {1.0, 2.0, 3.0, 4.0, 4.5, 5.0};

static void add_to_tally(tally *t, double x) {
    double power = 1.0;
    for (int k = 1; k <= 8; k++) t->sums[k] += power *= x;
    for (size_t e = 0; e < COUNT(EDGES); e++) {
        t->above[e] += x > EDGES[e];
        t->below[e] += x < -EDGES[e];
    }
    t->count += 1.0;
    t->largest = fmax(t->largest, fabs(x));
}

/* Two-sided exact binomial test, chance 2e-7. */
static void expect_binomial(double hits, double probability, double draws) {
    unsigned k = (unsigned)hits, n = (unsigned)draws;
    double low = gsl_cdf_binomial_P(k, probability, n);
    double high = k == 0 ? 1.0 : gsl_cdf_binomial_Q(k - 1, probability, n);
    if (low < 1e-7 || high < 1e-7)
        fail_msg("%u of %u at probability %g: chance %g and %g", k, n, probability, low, high);
}

/* Moments one to eight within 5 standard errors (chance 6e-7 each), both tails at six edges (2e-7 each). */
static void judge_tally(const tally *t) {
    static const double moments[17] = {1, 0, 1, 0, 3, 0, 15, 0, 105, 0, 945, 0, 10395, 0, 135135, 0, 2027025};
    for (int k = 1; k <= 8; k++) {
        double error = sqrt((moments[2 * k] - moments[k] * moments[k]) / t->count);
        expect_close(t->sums[k] / t->count, moments[k], 5.0 * error);
    }
    for (size_t e = 0; e < COUNT(EDGES); e++) {
        double tail = 0.5 * erfc(EDGES[e] * M_SQRT1_2);
        expect_binomial(t->above[e], tail, t->count);
        expect_binomial(t->below[e], tail, t->count);
        expect_binomial(t->above[e] + t->below[e], 2.0 * tail, t->count);
    }
}

static void test_float_normals_have_moments_and_tails(void **state) {
    (void)state;
    enum { PIECE = 1 << 20, PIECES = 20 };
    tally t = {0};
    for (uint64_t k = 0; k < PIECES; k++) {
        float *x = floats(SEED, 3, k * PIECE, PIECE);
        for (size_t i = 0; i < PIECE; i++) add_to_tally(&t, (double)x[i]);
        free(x);
    }
    judge_tally(&t);
    expect_between(t.largest, 4.9, 6.77); /* 2e7 draws reach 5; 32 bits cannot pass sqrt(66 log 2) */
}

static void test_double_normals_have_moments_and_tails(void **state) {
    (void)state;
    enum { PIECE = 1 << 20, PIECES = 10 };
    tally t = {0};
    for (uint64_t k = 0; k < PIECES; k++) {
        double *x = doubles(SEED, 4, k * PIECE, PIECE);
        for (size_t i = 0; i < PIECE; i++) add_to_tally(&t, x[i]);
        free(x);
    }
    judge_tally(&t);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Kolmogorov-Smirnov on probabilities (count), which are sorted here: sqrt(n) D > 2.8 has chance 3e-7. */
static void expect_uniform(double *p, size_t count) {
    double n = (double)count, distance = 0.0;
    qsort(p, count, sizeof *p, ascending);
    for (size_t i = 0; i < count; i++)
        distance = fmax(distance, fmax(p[i] - (double)i / n, ((double)i + 1.0) / n - p[i]));
    expect_between(sqrt(n) * distance, 0.2, 2.8);
}

static void test_distribution_functions(void **state) {
    (void)state;
    enum { N = 200000 };
    double *p = malloc(N * sizeof *p), *x = doubles(SEED, 5, 0, N);
    float *f = floats(SEED, 5, 0, N);
    for (size_t i = 0; i < N; i++) p[i] = 0.5 * erfc(-x[i] * M_SQRT1_2);
    expect_uniform(p, N);
    for (size_t i = 0; i < N; i++) p[i] = 0.5 * erfc((double)-f[i] * M_SQRT1_2);
    expect_uniform(p, N);
    ireneo_random_uniforms(SEED, 5, 0, N, 0, p);
    for (size_t i = 0; i < N; i++) assert_true(p[i] > 0.0 && p[i] < 1.0);
    expect_uniform(p, N);
    ireneo_generator g = {SEED, 6, 0};
    for (size_t i = 0; i < N; i++) p[i] = ireneo_draw_uniform(&g);
    expect_uniform(p, N);
    for (size_t i = 0; i < N; i++) p[i] = 0.5 * erfc(-ireneo_draw_normal(&g) * M_SQRT1_2);
    expect_uniform(p, N);
    for (size_t i = 0; i < N; i++) p[i] = exp(-ireneo_draw_exponential(&g));
    expect_uniform(p, N);
    free(p), free(x), free(f);
}

/* ---- independence ---- */

/* Means of x y, x^2 y^2 - 1, x^3 y and |x| |y| - 2/pi over pairs at a distance, within 5 standard errors
 * (chance 6e-7 each). */
static void expect_uncorrelated(const float *x, const float *y, size_t count) {
    double plain = 0.0, squares = 0.0, cubes = 0.0, sizes = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        double a = (double)x[i], b = (double)y[i];
        plain += a * b;
        squares += (a * a - 1.0) * (b * b - 1.0);
        cubes += a * a * a * b;
        sizes += (fabs(a) - sqrt(2.0 / M_PI)) * (fabs(b) - sqrt(2.0 / M_PI));
    }
    expect_close(plain / n, 0.0, 5.0 / sqrt(n));
    expect_close(squares / n, 0.0, 5.0 * 2.0 / sqrt(n));
    expect_close(cubes / n, 0.0, 5.0 * sqrt(15.0 / n));
    expect_close(sizes / n, 0.0, 5.0 * (1.0 - 2.0 / M_PI) / sqrt(n));
}

static void test_no_serial_correlation(void **state) {
    (void)state;
    enum { N = 1 << 20, MOST = 70000 };
    static const size_t lags[] = {1,  2,  3,  4,   5,   6,   7,   8,   12,  16,   32,   63,
                                  64, 65, 96, 128, 255, 256, 257, 512, 768, 1000, 1024, 65536};
    float *x = floats(SEED, 7, 0, N + MOST);
    for (size_t k = 0; k < COUNT(lags); k++) expect_uncorrelated(x, x + lags[k], N);
    free(x);
}

static void test_streams_and_seeds_are_unrelated(void **state) {
    (void)state;
    enum { N = 1 << 19 };
    static const uint64_t names[][2] = {{0, 0},          {0, 1},          {0, 2},          {1, 0},
                                        {2, 0},          {1, 1},          {1ull << 32, 0}, {0, 1ull << 32},
                                        {1ull << 63, 0}, {0, 1ull << 63}, {~0ull, ~0ull}};
    float *x[COUNT(names)];
    for (size_t k = 0; k < COUNT(names); k++) x[k] = floats(names[k][0], names[k][1], 0, N);
    for (size_t a = 0; a < COUNT(names); a++)
        for (size_t b = 0; b < a; b++) {
            expect_uncorrelated(x[a], x[b], N);
            expect_uncorrelated(x[a] + 1, x[b], N - 1);
        }
    float *far = floats(0, 0, 1ull << 40, N); /* the same stream, indices beyond 32 bits of blocks */
    expect_uncorrelated(far, x[0], N);
    free(far);
    for (size_t k = 0; k < COUNT(names); k++) free(x[k]);
}

/* Chi-square with both tails at 1e-6 (chance 2e-6). */
static void expect_flat(const double *counts, size_t bins, double expected) {
    double chi = 0.0;
    for (size_t k = 0; k < bins; k++) chi += (counts[k] - expected) * (counts[k] - expected) / expected;
    double freedom = (double)bins - 1.0, low = gsl_cdf_chisq_P(chi, freedom),
           high = gsl_cdf_chisq_Q(chi, freedom);
    if (low < 1e-6 || high < 1e-6) fail_msg("chi-square %g with %g degrees of freedom", chi, freedom);
}

enum { SIDE = 32 };

static size_t bin_of(double x) {
    size_t bin = (size_t)(SIDE * 0.5 * erfc(-x * M_SQRT1_2));
    return bin < SIDE ? bin : SIDE - 1;
}

/* Non-overlapping pairs (x[2i + shift], x[2i + shift + lag]) fill a 32 x 32 board evenly. */
static void test_pairs_fill_the_plane(void **state) {
    (void)state;
    enum { N = 1 << 21 };
    float *x = floats(SEED, 8, 0, N + 64);
    unsigned char *bin = malloc(N + 64);
    for (size_t i = 0; i < N + 64; i++) bin[i] = (unsigned char)bin_of((double)x[i]);
    for (size_t shift = 0; shift < 2; shift++)
        for (size_t lag = 1; lag <= 17; lag += 2) {
            double counts[SIDE * SIDE] = {0};
            for (size_t i = shift; i < N; i += 2) counts[bin[i] * SIDE + bin[i + lag]] += 1.0;
            expect_flat(counts, SIDE * SIDE, 0.5 * N / (SIDE * SIDE));
        }
    free(x), free(bin);
    double *d = doubles(SEED, 8, 0, N / 2 + 2);
    for (size_t shift = 0; shift < 2; shift++) {
        double counts[SIDE * SIDE] = {0};
        for (size_t i = shift; i < N / 2; i += 2) counts[bin_of(d[i]) * SIDE + bin_of(d[i + 1])] += 1.0;
        expect_flat(counts, SIDE * SIDE, 0.25 * N / (SIDE * SIDE));
    }
    free(d);
}

/* ---- functions of seed, stream and index ---- */

static philox4x32_ctr_t block_of(uint64_t seed, uint64_t stream, uint64_t block) {
    philox4x32_ctr_t counter = {
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    return philox4x32(counter, key);
}

/* Box-Muller with libm in float64, from the same words; the radius word is read as the float it becomes. */
static void reference_floats(uint64_t seed, uint64_t stream, uint64_t block, double out[4]) {
    philox4x32_ctr_t r = block_of(seed, stream, block);
    for (int pair = 0; pair < 2; pair++) {
        double u = (double)((float)r.v[2 * pair] + 0.5f) * 0x1p-32,
               angle = (double)r.v[2 * pair + 1] * 0x1p-32;
        double radius = sqrt(-2.0 * log(u));
        out[2 * pair] = radius * cos(2.0 * M_PI * angle);
        out[2 * pair + 1] = radius * sin(2.0 * M_PI * angle);
    }
}

static double uniform_of(uint32_t high, uint32_t low) {
    return ((double)(((uint64_t)high << 32 | low) >> 12) + 0.5) / 4503599627370496.0;
}

static const uint64_t PLACES[][3] = {{0, 0, 0},
                                     {1, 0, 0},
                                     {SEED, 17, 123456},
                                     {~0ull, ~0ull, (1ull << 34) - 100},
                                     {1ull << 40, 1ull << 41, 1ull << 45}};

static void test_floats_against_libm(void **state) {
    (void)state;
    enum { N = 40000 };
    for (size_t p = 0; p < COUNT(PLACES); p++) {
        uint64_t first = PLACES[p][2] / 4 * 4;
        float *x = floats(PLACES[p][0], PLACES[p][1], first, N);
        for (size_t i = 0; i < N; i += 4) {
            double wanted[4];
            reference_floats(PLACES[p][0], PLACES[p][1], (first + i) / 4, wanted);
            for (size_t k = 0; k < 4; k++) expect_close((double)x[i + k], wanted[k], 1e-6);
        }
        free(x);
    }
}

static void test_doubles_against_libm(void **state) {
    (void)state;
    enum { N = 20000 };
    double uniforms[N];
    for (size_t p = 0; p < COUNT(PLACES); p++) {
        uint64_t seed = PLACES[p][0], stream = PLACES[p][1], first = PLACES[p][2];
        double *x = doubles(seed, stream, first, N);
        ireneo_random_uniforms(seed, stream, first, N, 0, uniforms);
        for (size_t i = 0; i < N; i++) {
            uint64_t index = first + i;
            philox4x32_ctr_t r = block_of(seed, stream, index / 2);
            double u = uniform_of(r.v[0], r.v[1]), v = uniform_of(r.v[2], r.v[3]);
            assert_true(uniforms[i] == (index % 2 == 0 ? u : v));
            double radius = sqrt(-2.0 * log(u)), angle = 2.0 * M_PI * v;
            expect_close(x[i], radius * (index % 2 == 0 ? cos(angle) : sin(angle)), 1e-13);
        }
        free(x);
    }
}

typedef void (*bulk)(uint64_t seed, uint64_t stream, uint64_t first, size_t count, int threads, void *values);
static void bulk_floats(uint64_t seed, uint64_t stream, uint64_t first, size_t count, int threads,
                        void *values) {
    ireneo_random_normals_float(seed, stream, first, count, threads, values);
}
static void bulk_normals(uint64_t seed, uint64_t stream, uint64_t first, size_t count, int threads,
                         void *values) {
    ireneo_random_normals(seed, stream, first, count, threads, values);
}
static void bulk_uniforms(uint64_t seed, uint64_t stream, uint64_t first, size_t count, int threads,
                          void *values) {
    ireneo_random_uniforms(seed, stream, first, count, threads, values);
}

static const struct {
    bulk make;
    size_t size;
} KINDS[] = {{bulk_floats, sizeof(float)}, {bulk_normals, sizeof(double)}, {bulk_uniforms, sizeof(double)}};

/* The same bytes for 1, 2 and 7 threads, and nothing written beyond the end. */
static void test_threads_change_nothing(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 5, 65535, 65536, 65537, 200001, 655360};
    for (size_t kind = 0; kind < COUNT(KINDS); kind++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            size_t bytes = counts[c] * KINDS[kind].size;
            unsigned char *one = malloc(bytes + 16), *other = malloc(bytes + 16);
            memset(one, 0xa5, bytes + 16);
            KINDS[kind].make(SEED, 9, 3, counts[c], 1, one);
            for (size_t k = 0; k < 16; k++) assert_int_equal(one[bytes + k], 0xa5);
            static const int threads[] = {2, 7, 0};
            for (size_t t = 0; t < COUNT(threads); t++) {
                memset(other, 0xa5, bytes + 16);
                KINDS[kind].make(SEED, 9, 3, counts[c], threads[t], other);
                assert_memory_equal(one, other, bytes + 16);
            }
            free(one), free(other);
        }
}

/* Any cut of a range gives the same numbers, from any first index on. */
static void test_any_split_gives_the_same(void **state) {
    (void)state;
    enum { N = 3000 };
    unsigned char whole[N * sizeof(double)], parts[N * sizeof(double)];
    ireneo_generator g = {SEED, 10, 0};
    for (size_t kind = 0; kind < COUNT(KINDS); kind++)
        for (size_t trial = 0; trial < 300; trial++) {
            size_t size = KINDS[kind].size;
            uint64_t first = trial < 10 ? trial : ireneo_draw_below(&g, 1ull << (trial % 50));
            KINDS[kind].make(SEED, trial, first, N, 1, whole);
            memset(parts, 0, sizeof parts);
            for (size_t done = 0; done < N;) {
                size_t most = trial % 3 == 0   ? 6
                              : trial % 3 == 1 ? 300
                                               : N,
                       take = 1 + (size_t)ireneo_draw_below(&g, most);
                if (take > N - done) take = N - done;
                KINDS[kind].make(SEED, trial, first + done, take, 1, parts + done * size);
                done += take;
            }
            assert_memory_equal(whole, parts, N * size);
        }
}

/* Numbers that are written down: they may never change, or saved seeds lose their meaning. */
static void test_numbers_are_fixed(void **state) {
    (void)state;
    /* Known answer of Philox4x32-10 for a counter and key of zeros (Random123's kat_vectors). */
    philox4x32_ctr_t zero = block_of(0, 0, 0);
    static const uint32_t known[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    assert_memory_equal(zero.v, known, sizeof known);
    double u[2];
    ireneo_random_uniforms(0, 0, 0, 2, 1, u);
    assert_true(u[0] == uniform_of(known[0], known[1]) && u[1] == uniform_of(known[2], known[3]));
    ireneo_generator g = {0, 0, 0};
    assert_true(ireneo_draw_uniform(&g) == u[0] && ireneo_draw_uniform(&g) == u[1]);
}

/* ---- whole numbers and orders ---- */

static void test_draw_below_is_even(void **state) {
    (void)state;
    static const uint64_t bounds[] = {2, 3, 7, 10, 100, 1000};
    ireneo_generator g = {SEED, 11, 0};
    for (size_t b = 0; b < COUNT(bounds); b++) {
        enum { N = 300000 };
        double counts[1000] = {0};
        for (size_t i = 0; i < N; i++) {
            uint64_t k = ireneo_draw_below(&g, bounds[b]);
            assert_true(k < bounds[b]);
            counts[k] += 1.0;
        }
        expect_flat(counts, (size_t)bounds[b], (double)N / (double)bounds[b]);
    }
    assert_int_equal(ireneo_draw_below(&g, 1), 0);
    assert_int_equal(ireneo_draw_below(&g, 0), 0);
}

/* With a bound of 3/4 of the range, taking remainders without rejection would make the low third twice as
 * likely. */
static void test_draw_below_has_no_bias(void **state) {
    (void)state;
    enum { N = 100000 };
    uint64_t bound = 3ull << 62;
    ireneo_generator g = {SEED, 12, 0};
    double counts[3] = {0};
    for (size_t i = 0; i < N; i++) {
        uint64_t k = ireneo_draw_below(&g, bound);
        assert_true(k < bound);
        counts[k >> 62] += 1.0;
    }
    expect_flat(counts, 3, N / 3.0);
}

static void test_permutations(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 10, 1000, 54321};
    ireneo_generator g = {SEED, 13, 0};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t n = sizes[s], *order = malloc((n + 1) * sizeof *order);
        unsigned char *seen = calloc(n + 1, 1);
        order[n] = 77;
        ireneo_draw_permutation(&g, n, order);
        for (size_t i = 0; i < n; i++) {
            assert_true(order[i] < n && !seen[order[i]]);
            seen[order[i]] = 1;
        }
        assert_int_equal(order[n], 77);
        free(order), free(seen);
    }
    enum { N = 120000 }; /* all 24 orders of four things alike */
    double counts[256] = {0}, flat[24];
    size_t order[4], filled = 0;
    for (size_t i = 0; i < N; i++) {
        ireneo_draw_permutation(&g, 4, order);
        counts[order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3]] += 1.0;
    }
    for (size_t k = 0; k < 256; k++)
        if (counts[k] > 0.0) {
            assert_true(filled < 24);
            flat[filled++] = counts[k];
        }
    assert_int_equal(filled, 24);
    expect_flat(flat, 24, N / 24.0);
}

/* A cursor that mixes kinds never uses the same bits twice: a normal and the uniforms around it fill the
 * board evenly, whatever the place where the cursor stands. */
static void test_mixed_cursor(void **state) {
    (void)state;
    enum { N = 100000 };
    for (uint64_t spare = 0; spare < 2; spare++) {
        ireneo_generator g = {SEED, 14, 0};
        double before[SIDE * SIDE] = {0}, after[SIDE * SIDE] = {0};
        for (size_t i = 0; i < N; i++) {
            double u = ireneo_draw_uniform(&g), z = ireneo_draw_normal(&g), v = ireneo_draw_uniform(&g);
            before[(size_t)(SIDE * u) * SIDE + bin_of(z)] += 1.0;
            after[(size_t)(SIDE * v) * SIDE + bin_of(z)] += 1.0;
            if (spare) ireneo_draw_uniform(&g);
        }
        expect_flat(before, SIDE * SIDE, (double)N / (SIDE * SIDE));
        expect_flat(after, SIDE * SIDE, (double)N / (SIDE * SIDE));
    }
}

/* Sample instances: a smaller one is a prefix of a larger one, and the three kinds of vectors differ. */
static void test_samples(void **state) {
    (void)state;
    ireneo_sample sample = {SEED, 7, 5};
    float keys[100 * 7], values[100 * 5], part[100 * 7], own[100 * 5];
    ireneo_sample_keys(&sample, 0, 100, keys);
    ireneo_sample_values(&sample, 0, 100, values);
    ireneo_sample_keys(&sample, 31, 40, part);
    assert_memory_equal(part, keys + (size_t)31 * 7, 40 * 7 * sizeof *part);
    ireneo_sample_values(&sample, 64, 36, part);
    assert_memory_equal(part, values + (size_t)64 * 5, 36 * 5 * sizeof *part);
    ireneo_sample_own_candidates(&sample, 3, 0, 100, own);
    ireneo_sample_own_candidates(&sample, 3, 17, 1, part);
    assert_memory_equal(part, own + (size_t)17 * 5, 5 * sizeof *part);
    ireneo_sample_own_candidates(&sample, 4, 17, 1, part);
    assert_memory_not_equal(part, own + (size_t)17 * 5, 5 * sizeof *part);
    assert_memory_not_equal(own, values, sizeof own);
    assert_memory_not_equal(keys, values, sizeof values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float_normals_have_moments_and_tails),
        cmocka_unit_test(test_double_normals_have_moments_and_tails),
        cmocka_unit_test(test_distribution_functions),
        cmocka_unit_test(test_no_serial_correlation),
        cmocka_unit_test(test_streams_and_seeds_are_unrelated),
        cmocka_unit_test(test_pairs_fill_the_plane),
        cmocka_unit_test(test_floats_against_libm),
        cmocka_unit_test(test_doubles_against_libm),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_any_split_gives_the_same),
        cmocka_unit_test(test_numbers_are_fixed),
        cmocka_unit_test(test_draw_below_is_even),
        cmocka_unit_test(test_draw_below_has_no_bias),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_mixed_cursor),
        cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
