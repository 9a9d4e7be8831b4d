/* Walks through solutions: volumes that are known in closed form, others by throwing matrices, the overlap, and starts from a stored
 * memory. Fixed seeds. */
#include "base/random.h"
#include "expect.h"
#include "linear/sampling/volume.h"
#include "scratch.h"

enum { MOST = 40 };

/* Facts of a draw, keys and values N(0, 1), own candidates or shared ones. */
typedef struct instance {
    float keys[MOST * 16], values[MOST * 16];
    int64_t targets[MOST];
    ireneo_sample sample;
    ireneo_facts facts;
} instance;

static void fill(instance *it, size_t dim, size_t facts, size_t candidates, bool own, uint64_t seed) {
    it->sample = (ireneo_sample){seed, dim, dim};
    expect_ok(ireneo_sample_keys(&it->sample, 0, facts, it->keys));
    expect_ok(ireneo_sample_values(&it->sample, 0, candidates, it->values));
    for (size_t i = 0; i < facts; i++) it->targets[i] = (int64_t)(i % candidates);
    it->facts = (ireneo_facts){.facts = facts,
                               .candidates = candidates,
                               .dim_in = dim,
                               .dim_out = dim,
                               .keys = it->keys,
                               .values = own ? NULL : it->values,
                               .targets = it->targets,
                               .own_candidates = own ? ireneo_sample_own_candidates : NULL,
                               .own_context = own ? &it->sample : NULL};
}

/* The cosine between the walls of two facts with two candidates. */
static double wall_cosine(const solution_cone *cone, size_t i, size_t j) {
    double x = 0.0, y = 0.0, xi = 0.0, xj = 0.0, yi = 0.0, yj = 0.0;
    for (size_t c = 0; c < cone->dim_in; c++) {
        double a = cone->keys[i * cone->dim_in + c], b = cone->keys[j * cone->dim_in + c];
        x += a * b, xi += a * a, xj += b * b;
    }
    for (size_t r = 0; r < cone->dim_out; r++) {
        double a = cone->differences[r * cone->stride + i], b = cone->differences[r * cone->stride + j];
        y += a * b, yi += a * a, yj += b * b;
    }
    return x * y / sqrt(xi * xj * yi * yj);
}

/* Two candidates: one fact is a half space, two a wedge, three a spherical triangle. Five standard errors, and the two walks
 * agree within five: chance 6e-7 each. */
static void test_half_spaces(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        instance it;
        solution_cone cone;
        volume_row rows[4];
        size_t reached;
        fill(&it, 3 + seed, 3, 2, seed % 2 == 0, seed);
        expect_ok(ireneo_solution_cone_make(&it.facts, &cone));
        volume_settings settings = {.steps = 600, .seed = 100 + seed};
        expect_ok(ireneo_solution_volume(&cone, &settings, rows, &reached));
        assert_int_equal(reached, 3);
        double a = asin(wall_cosine(&cone, 0, 1)), b = asin(wall_cosine(&cone, 0, 2)),
               c = asin(wall_cosine(&cone, 1, 2));
        const double exact[] = {1.0, 0.5, 0.25 + a / (2.0 * M_PI), 0.125 + (a + b + c) / (4.0 * M_PI)};
        for (size_t k = 0; k < 4; k++) {
            expect_close(rows[k].log_volume, log(exact[k]), 5.0 * rows[k].error + 1e-12);
            expect_close(rows[k].difference, 0.0, 10.0 * rows[k].error + 1e-12);
        }
        assert_true(rows[3].error < 0.15);
        double d = (double)(cone.dim_in * cone.dim_out); /* the mean of a half sphere in D dimensions */
        double mean = exp(lgamma(0.5 * d) - lgamma(0.5 * d + 0.5)) / sqrt(M_PI);
        expect_close(rows[1].overlap, mean * mean, 0.015);
        expect_close(rows[0].overlap, 0.0, 0.015);
        ireneo_solution_cone_free(&cone);
    }
}

/* A random W of the rank: V (dim, rank) a random frame, U Gaussian. */
static void throw_matrix(ireneo_generator *random, size_t dim, size_t rank, double *w) {
    double norm = 0.0, v[16][16];
    for (size_t m = 0; m < rank; m++) { /* Gram-Schmidt */
        double length = 0.0;
        for (size_t i = 0; i < dim; i++) v[m][i] = ireneo_draw_normal(random);
        for (size_t k = 0; k < m; k++) {
            double product = 0.0;
            for (size_t i = 0; i < dim; i++) product += v[m][i] * v[k][i];
            for (size_t i = 0; i < dim; i++) v[m][i] -= product * v[k][i];
        }
        for (size_t i = 0; i < dim; i++) length += v[m][i] * v[m][i];
        for (size_t i = 0; i < dim; i++) v[m][i] /= sqrt(length);
    }
    memset(w, 0, dim * dim * sizeof *w);
    for (size_t r = 0; r < dim; r++)
        for (size_t m = 0; m < rank; m++) {
            double u = ireneo_draw_normal(random);
            for (size_t c = 0; c < dim; c++) w[r * dim + c] += u * v[m][c];
        }
    for (size_t i = 0; i < dim * dim; i++) norm += w[i] * w[i];
    for (size_t i = 0; i < dim * dim; i++) w[i] /= sqrt(norm);
}

/* The share of thrown matrices that solve everything, and the square of their mean. */
static double throw_many(const solution_cone *cone, size_t rank, size_t throws, double *overlap) {
    ireneo_generator random = {.seed = 77, .stream = rank};
    size_t all = cone->dim_in * cone->dim_out, pairs = cone->facts * cone->competitors, hits = 0;
    double w[256], mean[256] = {0}, gaps[MOST * 16];
    for (size_t t = 0; t < throws; t++) {
        throw_matrix(&random, cone->dim_in, rank, w);
        ireneo_solution_cone_gaps(cone, w, cone->facts, gaps);
        bool solves = true;
        for (size_t k = 0; k < pairs; k++) solves = solves && gaps[k] > 0.0;
        if (!solves) continue;
        hits++;
        for (size_t i = 0; i < all; i++) mean[i] += w[i];
    }
    *overlap = 0.0;
    for (size_t i = 0; i < all; i++) *overlap += mean[i] * mean[i] / ((double)hits * (double)hits);
    return (double)hits / (double)throws;
}

/* Against rejection: full rank and rank 2 (no convex set), both problems. */
static void test_thrown_matrices(void **state) {
    (void)state;
    static const size_t shapes[][4] = {
        {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 2}, {4, 3, 3, 2}}; /* d, n, P, rank */
    for (size_t k = 0; k < 2 * COUNT(shapes); k++) {
        const size_t *s = shapes[k / 2];
        instance it;
        solution_cone cone;
        volume_row rows[MOST];
        size_t reached;
        fill(&it, s[0], s[1], s[2], k % 2 == 0, 10 + k);
        expect_ok(ireneo_solution_cone_make(&it.facts, &cone));
        double overlap, share = throw_many(&cone, s[3], 100000, &overlap);
        volume_settings settings = {.rank = s[3], .steps = 1000, .seed = 200 + k};
        expect_ok(ireneo_solution_volume(&cone, &settings, rows, &reached));
        assert_int_equal(reached, s[1]);
        assert_true(share > 1e-3);
        double error = sqrt((1.0 - share) / (share * 100000.0) + rows[reached].error * rows[reached].error);
        expect_close(rows[reached].log_volume, log(share), 6.0 * error); /* steps are not quite independent */
        expect_close(rows[reached].overlap, overlap, 0.03);
        ireneo_solution_cone_free(&cone);
    }
}

/* What cannot be solved has no solution to be met: two facts with one key and different answers. */
static void test_empty_cone(void **state) {
    (void)state;
    instance it;
    solution_cone cone;
    volume_row rows[3];
    size_t reached;
    fill(&it, 4, 2, 3, false, 5);
    for (size_t c = 0; c < 4; c++) it.keys[4 + c] = it.keys[c];
    expect_ok(ireneo_solution_cone_make(&it.facts, &cone));
    volume_settings settings = {.steps = 30, .seed = 6};
    expect_ok(ireneo_solution_volume(&cone, &settings, rows, &reached));
    assert_int_equal(reached, 1);
    double zero[16] = {0};
    zero[0] = 1.0;
    solution_chain chain;
    expect_ok(ireneo_solution_chain_make(&cone, 0, 1, 0, &chain));
    expect_error(ireneo_solution_chain_place(&chain, zero, 2, INFINITY), IRENEO_ERROR_ARGUMENT, "begin", "");
    ireneo_solution_chain_free(&chain);
    ireneo_solution_cone_free(&cone);
}

/* Walks from a stored memory, which is no typical solution, and walks that found their own way end in the same place; every
 * point of a walk is a solution, at full rank and at half. */
static void walk_from_stored(size_t rank) {
    instance it;
    solution_cone cone;
    volume_row rows[MOST], row;
    size_t reached, d = 8;
    fill(&it, d, 12, 10, false, 21);
    expect_ok(ireneo_solution_cone_make(&it.facts, &cone));
    volume_settings settings = {.rank = rank, .steps = 200, .seed = 22};
    expect_ok(ireneo_solution_volume(&cone, &settings, rows, &reached));
    assert_int_equal(reached, 12);
    ireneo_store_settings how = {.rank = rank < d ? rank : 0};
    ireneo_store_info info;
    ireneo_memory *memory = NULL;
    double w[64] = {0};
    expect_ok(ireneo_store(&it.facts, &how, &memory, NULL, &info));
    assert_int_equal(info.status, IRENEO_STATUS_STORED);
    for (size_t i = 0; i < 64; i++) {
        if (memory->matrix != NULL) w[i] = (double)memory->matrix[i];
        for (size_t m = 0; m < memory->rank; m++)
            w[i] += (double)memory->left[i / d * memory->rank + m] *
                    (double)memory->right[i % d * memory->rank + m];
    }
    settings.steps = 4000;
    expect_ok(ireneo_solution_overlap(&cone, &settings, w, &row));
    expect_close(row.overlap, rows[12].overlap, 0.05);
    expect_between(row.apart, 0.3, 100.0);
    solution_chain chain;
    expect_ok(ireneo_solution_chain_make(&cone, rank, 23, 0, &chain));
    expect_ok(ireneo_solution_chain_place(&chain, w, 12, INFINITY));
    double gaps[MOST * 16];
    for (size_t k = 0; k < 200; k++) {
        ireneo_solution_chain_step(&chain);
        ireneo_solution_cone_gaps(&cone, chain.w, 12, gaps);
        for (size_t p = 0; p < 12 * 9; p++) assert_true(gaps[p] > -1e-12);
    }
    assert_true(chain.reflections > 200);
    ireneo_solution_chain_free(&chain);
    ireneo_memory_free(memory);
    ireneo_solution_cone_free(&cone);
}

static void test_stored_memory(void **state) {
    (void)state;
    walk_from_stored(8);
    walk_from_stored(4);
}

/* The law's overlap, docs/linear.md, "Volume": .4039 at P = 18 and a load of .3613, of which d = 12 is measured .410(2) by
 * hit-and-run; here the mean of 4 draws, of a spread of .03 each. */
static void test_against_the_law(void **state) {
    (void)state;
    double sum = 0.0, entropy = 0.0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        instance it;
        solution_cone cone;
        volume_row rows[MOST];
        size_t reached;
        fill(&it, 12, 18, 18, true, 30 + seed);
        expect_ok(ireneo_solution_cone_make(&it.facts, &cone));
        volume_settings settings = {.steps = 40, .seed = seed};
        expect_ok(ireneo_solution_volume(&cone, &settings, rows, &reached));
        assert_int_equal(reached, 18);
        sum += rows[18].overlap / 4.0;
        entropy += rows[18].log_volume / 144.0 / 4.0;
        ireneo_solution_cone_free(&cone);
    }
    expect_close(sum, 0.404, 0.06);
    expect_close(entropy, -0.4233, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_spaces),     cmocka_unit_test(test_thrown_matrices),
        cmocka_unit_test(test_empty_cone),      cmocka_unit_test(test_stored_memory),
        cmocka_unit_test(test_against_the_law),
    };
    return cmocka_run_group_tests_name("solutions", tests, NULL, NULL);
}
