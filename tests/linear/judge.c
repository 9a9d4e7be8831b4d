/* An independent judge of "stored" and "impossible": GLPK decides 500 small instances as linear programs.
 *
 * maximise t subject to (y_target - y_j)^T W x_i >= t for every fact and competitor, |W_ab| <= 1. The optimum
 * is positive exactly when some memory recalls all facts. Data are random and the loads straddle capacity, so
 * that both verdicts are common; the instances near the threshold are the hard ones. */
#include "scratch.h"

#include "base/random.h"
#include "linear/law/cone.h"

#include <glpk.h>
#include <math.h>
#include <stdbool.h>

typedef enum kind { ORIGINAL, DECOUPLED, RECTANGULAR, MANY_TO_ONE, KINDS } kind;

typedef struct instance {
    ireneo_facts facts;
    ireneo_sample sample;
    float *keys, *values;
    int64_t *targets;
} instance;

static size_t between(ireneo_generator *g, size_t least, size_t most) {
    return least + (size_t)ireneo_draw_below(g, most - least + 1);
}

static void fill(instance *it, uint64_t seed, bool decoupled) {
    ireneo_facts *f = &it->facts;
    it->sample = (ireneo_sample){seed, f->dim_in, f->dim_out};
    it->keys = malloc(f->facts * f->dim_in * sizeof *it->keys);
    ireneo_sample_keys(&it->sample, 0, f->facts, it->keys);
    f->keys = it->keys;
    if (decoupled) {
        f->own_candidates = ireneo_sample_own_candidates;
        f->own_context = &it->sample;
    } else {
        it->values = malloc(f->candidates * f->dim_out * sizeof *it->values);
        ireneo_sample_values(&it->sample, 0, f->candidates, it->values);
        f->values = it->values;
    }
    f->targets = it->targets;
}

/* Between 0.5 and 1.6 of the facts that the law expects to fit: n delta(P) = d_in d_out, with P = n when
 * candidates is 0. */
static size_t around_capacity(ireneo_generator *g, const ireneo_facts *f, size_t candidates) {
    double dimension = (double)(f->dim_in * f->dim_out), delta, facts = 4.0;
    for (int step = 0; step < 20; step++) {
        expect_ok(ireneo_cone_delta_rough(candidates > 0 ? (double)candidates : fmax(2.0, facts), &delta));
        facts = 0.5 * (facts + dimension / delta);
    }
    facts = round(facts * (0.5 + 1.1 * ireneo_draw_uniform(g)));
    double least = candidates > 0 ? 1.0 : 2.0;
    return facts < least ? (size_t)least : (size_t)facts;
}

/* An instance is filled in place: own candidates point back into it. */
static void make_instance(instance *it, uint64_t number) {
    ireneo_generator g = {.seed = 4711, .stream = number};
    kind which = (kind)(number % KINDS);
    memset(it, 0, sizeof *it);
    ireneo_facts *f = &it->facts;
    f->dim_in = f->dim_out = between(&g, 2, 6);
    if (which == RECTANGULAR) f->dim_in = between(&g, 1, 6), f->dim_out = between(&g, 1, 6);
    if (which == ORIGINAL || which == DECOUPLED) {
        f->facts = f->candidates = around_capacity(&g, f, 0);
    } else {
        f->candidates = between(&g, 2, which == RECTANGULAR ? 30 : 12);
        f->facts = around_capacity(&g, f, f->candidates);
        it->targets = malloc(f->facts * sizeof *it->targets);
        for (size_t i = 0; i < f->facts; i++) it->targets[i] = (int64_t)ireneo_draw_below(&g, f->candidates);
    }
    fill(it, 1000 + number, which == DECOUPLED);
}

static void free_instance(instance *it) {
    free(it->keys);
    free(it->values);
    free(it->targets);
}

/* ---- the judge ---- */

static const float *candidate(const ireneo_facts *f, size_t fact, size_t index, float *scratch) {
    if (f->values != NULL) return f->values + index * f->dim_out;
    f->own_candidates(f->own_context, fact, index, 1, scratch);
    return scratch;
}

/* Row `row` of the program: fact i against competitor j. */
static void add_constraint(glp_prob *program, int row, const ireneo_facts *f, size_t i, size_t j) {
    int columns[40], at = 0;
    double entries[40];
    float first[8], second[8];
    const float *right = candidate(f, i, f->targets != NULL ? (size_t)f->targets[i] : i, first),
                *wrong = candidate(f, i, j, second);
    for (size_t a = 0; a < f->dim_out; a++)
        for (size_t b = 0; b < f->dim_in; b++) {
            columns[++at] = (int)(a * f->dim_in + b) + 1;
            entries[at] = ((double)right[a] - (double)wrong[a]) * (double)f->keys[i * f->dim_in + b];
        }
    columns[++at] = (int)(f->dim_in * f->dim_out) + 1;
    entries[at] = -1.0;
    glp_set_row_bnds(program, row, GLP_LO, 0.0, 0.0);
    glp_set_mat_row(program, row, at, columns, entries);
}

/* The largest t of the linear program. */
static double best_gap(const ireneo_facts *f) {
    int variables = (int)(f->dim_in * f->dim_out), row = 0;
    glp_prob *program = glp_create_prob();
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_cols(program, variables + 1);
    for (int k = 1; k <= variables; k++) glp_set_col_bnds(program, k, GLP_DB, -1.0, 1.0);
    glp_set_col_bnds(program, variables + 1, GLP_DB, -1e3, 1e3);
    glp_set_obj_coef(program, variables + 1, 1.0);
    glp_add_rows(program, (int)(f->facts * (f->candidates - 1)));
    for (size_t i = 0; i < f->facts; i++)
        for (size_t j = 0; j < f->candidates; j++)
            if (j != (f->targets != NULL ? (size_t)f->targets[i] : i))
                add_constraint(program, ++row, f, i, j);
    glp_smcp settings;
    glp_init_smcp(&settings);
    settings.msg_lev = GLP_MSG_OFF;
    settings.tol_bnd = settings.tol_dj = 1e-9;
    assert_int_equal(glp_simplex(program, &settings), 0);
    assert_int_equal(glp_get_status(program), GLP_OPT);
    double best = glp_get_obj_val(program);
    glp_delete_prob(program);
    return best;
}

/* ---- the accused ---- */

/* True: stored, and the memory is right. False: impossible, and the certificate is accepted. Nothing else is
 * an answer. */
static bool verdict_of(const ireneo_facts *f) {
    ireneo_memory *memory = NULL;
    ireneo_store_settings settings = {.threads = 1};
    ireneo_store_result result;
    ireneo_store_info info;
    expect_ok(ireneo_store(f, &settings, &memory, &result, &info));
    if (info.status == IRENEO_STATUS_STORED) {
        ireneo_check_report report;
        expect_ok(ireneo_check(memory, f, &(ireneo_run_settings){.threads = 1}, NULL, &report));
        assert_int_equal(report.recalled, f->facts);
        assert_null(result.certificate);
    } else if (info.status == IRENEO_STATUS_IMPOSSIBLE) {
        ireneo_verify_report report;
        assert_non_null(result.certificate);
        expect_ok(ireneo_verify(result.certificate, f, &(ireneo_verify_settings){.threads = 1}, &report));
        if (!report.accepted) fail_msg("%s", report.sentence);
        assert_true(report.norm_bound > 1e6);
    } else {
        fail_msg("%zu x %zu, n = %zu, P = %zu ended %s", f->dim_out, f->dim_in, f->facts, f->candidates,
                 ireneo_status_name(info.status));
    }
    ireneo_store_result_free(&result);
    ireneo_memory_free(memory);
    return info.status == IRENEO_STATUS_STORED;
}

static bool agreed_verdict(const ireneo_facts *f, const char *what, int number) {
    double gap = best_gap(f);
    bool feasible = gap > 1e-7, fits = verdict_of(f);
    if (feasible != fits)
        fail_msg("%s %d (%zu x %zu, n = %zu, P = %zu): GLPK finds a gap of %.3e, store says %s", what, number,
                 f->dim_out, f->dim_in, f->facts, f->candidates, gap, fits ? "stored" : "impossible");
    return fits;
}

static void test_verdicts_equal_the_linear_program(void **state) {
    (void)state;
    int stored[KINDS] = {0}, impossible[KINDS] = {0};
    for (int number = 0; number < 500; number++) {
        instance it;
        make_instance(&it, (uint64_t)number);
        bool fits = agreed_verdict(&it.facts, "instance", number);
        (fits ? stored : impossible)[number % KINDS]++;
        free_instance(&it);
    }
    for (int k = 0; k < KINDS; k++) /* the sample is worth something only if both verdicts are common */
        if (stored[k] < 25 || impossible[k] < 25)
            fail_msg("kind %d: %d stored, %d impossible", k, stored[k], impossible[k]);
}

/* Found by a longer search (one in a thousand): gaps of 1e-4 to 1e-3, and barely impossible ones, on which
 * the minimiser alone comes to no end. */
static void test_close_calls(void **state) {
    (void)state;
    static const int numbers[] = {1141, 1519, 2839, 2895, 3248, 3260};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        instance it;
        make_instance(&it, (uint64_t)numbers[k]);
        agreed_verdict(&it.facts, "close call", numbers[k]);
        free_instance(&it);
    }
}

/* One fact, two candidates, one dimension: nothing is too small for a verdict. */
static void test_smallest_instances(void **state) {
    (void)state;
    int stored = 0, impossible = 0;
    for (int number = 0; number < 60; number++) {
        static int64_t targets[6];
        instance it;
        memset(&it, 0, sizeof it);
        it.facts = (ireneo_facts){.facts = 1 + (size_t)number % 5,
                                  .candidates = 2 + (size_t)number % 3,
                                  .dim_in = 1 + (size_t)number % 2,
                                  .dim_out = 1 + (size_t)(number / 2) % 2};
        for (size_t i = 0; i < 6; i++) targets[i] = (int64_t)((i + (size_t)number) % it.facts.candidates);
        fill(&it, 77 + (uint64_t)number, false);
        it.facts.targets = targets;
        bool fits = agreed_verdict(&it.facts, "small instance", number);
        (fits ? &stored : &impossible)[0]++;
        free_instance(&it);
    }
    assert_true(stored >= 5 && impossible >= 5);
}

/* Multiples of 2^-10, so that sums and shifts below round nothing: rounding noise would be data like any other. */
static void coarsen(float *entries, size_t count) {
    for (size_t k = 0; k < count; k++) entries[k] = rintf(1024.0f * entries[k]) / 1024.0f;
}

/* Keys and values that do not fill their spaces, far from the origin or badly scaled: W absorbs all of it. */
static void test_verdicts_do_not_depend_on_coordinates(void **state) {
    (void)state;
    for (int number = 0; number < 40; number++) {
        instance it;
        make_instance(&it, 4 * (uint64_t)number + (number % 2 == 0 ? ORIGINAL : MANY_TO_ONE));
        const ireneo_facts *f = &it.facts;
        coarsen((float *)f->keys, f->facts * f->dim_in);
        coarsen((float *)f->values, f->candidates * f->dim_out);
        bool fits = agreed_verdict(f, "instance", number);
        size_t in = f->dim_in + 2, out = f->dim_out + 1;
        float *keys = calloc(f->facts * in, sizeof *keys),
              *values = calloc(f->candidates * out, sizeof *values);
        for (size_t i = 0; i < f->facts; i++)
            for (size_t b = 0; b < f->dim_in; b++) {
                float x = f->keys[i * f->dim_in + b];
                keys[i * in + b] = 1024.0f * x;
                keys[i * in + f->dim_in] += x; /* a dependent column, and one of zeros */
            }
        for (size_t j = 0; j < f->candidates; j++) {
            for (size_t a = 0; a < f->dim_out; a++)
                values[j * out + a] = 0.125f * f->values[j * f->dim_out + a] + 2.0f;
            values[j * out + f->dim_out] = 7.0f;
        }
        ireneo_facts moved = *f;
        moved.dim_in = in, moved.dim_out = out, moved.keys = keys, moved.values = values;
        assert_int_equal(verdict_of(&moved), fits);
        free(keys);
        free(values);
        free_instance(&it);
    }
}

/* Gaussian facts, one more than fit: the weights of the proof are unique, some of them are small, and it is exact all the
 * same. */
static void test_one_fact_too_many(void **state) {
    (void)state;
    static const struct {
        size_t facts;
        uint64_t seed;
    } cases[] = {{85, 5}, {93, 7}};
    enum { DIM = 20, MOST = 93 };
    static float keys[MOST * DIM], values[MOST * DIM];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        ireneo_sample sample = {cases[k].seed, DIM, DIM};
        expect_ok(ireneo_sample_keys(&sample, 0, cases[k].facts, keys));
        expect_ok(ireneo_sample_values(&sample, 0, cases[k].facts, values));
        const ireneo_facts facts = {.facts = cases[k].facts,
                                    .candidates = cases[k].facts,
                                    .dim_in = DIM,
                                    .dim_out = DIM,
                                    .keys = keys,
                                    .values = values};
        ireneo_memory *memory = NULL;
        ireneo_store_result result;
        ireneo_store_info info;
        ireneo_verify_report report;
        expect_ok(ireneo_store(&facts, &(ireneo_store_settings){.threads = 2}, &memory, &result, &info));
        assert_int_equal(info.status, IRENEO_STATUS_IMPOSSIBLE);
        assert_true(info.exact);
        expect_ok(ireneo_verify(result.certificate, &facts, NULL, &report));
        assert_true(report.accepted && report.exact);
        ireneo_store_result_free(&result);
        ireneo_memory_free(memory);
        ireneo_facts fewer = facts; /* and one fact less is stored */
        fewer.facts = fewer.candidates = facts.facts - 1;
        expect_ok(ireneo_store(&fewer, &(ireneo_store_settings){.threads = 2}, &memory, NULL, &info));
        assert_int_equal(info.status, IRENEO_STATUS_STORED);
        ireneo_memory_free(memory);
    }
}

/* A cone of solutions thinner than float32: stored if a rounding is found, else undecided, and the sentence says so. */
static void test_thinner_than_float32(void **state) {
    (void)state;
    static const float keys[] = {10000005, 10000002, 10000007, 10000013, 10000008, 10000014},
                       values[] = {1, -1};
    static const int64_t targets[] = {0, 1, 0};
    const ireneo_facts facts = {.facts = 3,
                                .candidates = 2,
                                .dim_in = 2,
                                .dim_out = 1,
                                .keys = keys,
                                .values = values,
                                .targets = targets};
    ireneo_memory *memory = NULL;
    ireneo_store_info info;
    expect_ok(ireneo_store(&facts, &(ireneo_store_settings){.threads = 1}, &memory, NULL, &info));
    if (info.status == IRENEO_STATUS_UNDECIDED)
        assert_non_null(strstr(info.reason, "some real matrix recalls all facts"));
    else
        assert_int_equal(info.status, IRENEO_STATUS_STORED);
    ireneo_memory_free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_fact_too_many),
        cmocka_unit_test(test_thinner_than_float32),
        cmocka_unit_test(test_verdicts_equal_the_linear_program),
        cmocka_unit_test(test_close_calls),
        cmocka_unit_test(test_smallest_instances),
        cmocka_unit_test(test_verdicts_do_not_depend_on_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
