/* An independent judge of "stored" and "impossible": GLPK decides 500 small instances as linear programs.
 *
 * maximise t subject to (y_target - y_j)^T W x_i >= t for every fact and competitor, |W_ab| <= 1. The optimum
 * is positive exactly when some memory recalls all facts. Data are random and the loads straddle capacity, so
 * that both verdicts are common; the instances near the threshold are the hard ones. */
#include "scratch.h"

#include <stdbool.h>

#include "base/random.h"

#include <glpk.h>
#include <math.h>

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

/* Facts that the law expects to fit for these candidates, times a factor between 0.5 and 1.6. */
static size_t around_capacity(ireneo_generator *g, size_t dim_in, size_t dim_out, size_t candidates) {
    ireneo_shape shape = {.dim_in = dim_in, .dim_out = dim_out, .candidates = (double)candidates};
    ireneo_capacity_report law;
    expect_ok(ireneo_capacity(&shape, &law));
    double facts = round(law.facts_capacity * (0.5 + 1.1 * ireneo_draw_uniform(g)));
    return facts < 1.0 ? 1 : (size_t)facts;
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
        ireneo_shape shape = {.dim_in = f->dim_in, .dim_out = f->dim_out};
        ireneo_capacity_report law;
        expect_ok(ireneo_capacity(&shape, &law));
        double facts = round(law.facts_capacity * (0.5 + 1.1 * ireneo_draw_uniform(&g)));
        f->facts = facts < 2.0 ? 2 : (size_t)facts;
        f->candidates = f->facts;
    } else {
        f->candidates = between(&g, 2, which == RECTANGULAR ? 30 : 12);
        f->facts = around_capacity(&g, f->dim_in, f->dim_out, f->candidates);
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

static const float *candidate(const ireneo_facts *f, size_t fact, size_t index, float *scratch) {
    if (f->values != NULL) return f->values + index * f->dim_out;
    f->own_candidates(f->own_context, fact, index, 1, scratch);
    return scratch;
}

/* The largest t of the linear program. */
static double best_gap(const ireneo_facts *f) {
    int variables = (int)(f->dim_in * f->dim_out), rows = (int)(f->facts * (f->candidates - 1)), row = 0;
    int columns[40];
    double entries[40];
    float first[8], second[8];
    glp_prob *program = glp_create_prob();
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_cols(program, variables + 1);
    for (int k = 1; k <= variables; k++) glp_set_col_bnds(program, k, GLP_DB, -1.0, 1.0);
    glp_set_col_bnds(program, variables + 1, GLP_DB, -1e3, 1e3);
    glp_set_obj_coef(program, variables + 1, 1.0);
    glp_add_rows(program, rows);
    for (size_t i = 0; i < f->facts; i++) {
        size_t target = f->targets != NULL ? (size_t)f->targets[i] : i;
        const float *right = candidate(f, i, target, first);
        for (size_t j = 0; j < f->candidates; j++) {
            if (j == target) continue;
            const float *wrong = candidate(f, i, j, second);
            int at = 0;
            for (size_t a = 0; a < f->dim_out; a++)
                for (size_t b = 0; b < f->dim_in; b++) {
                    columns[++at] = (int)(a * f->dim_in + b) + 1;
                    entries[at] = ((double)right[a] - (double)wrong[a]) * (double)f->keys[i * f->dim_in + b];
                }
            columns[++at] = variables + 1;
            entries[at] = -1.0;
            glp_set_row_bnds(program, ++row, GLP_LO, 0.0, 0.0);
            glp_set_mat_row(program, row, at, columns, entries);
        }
    }
    assert_int_equal(row, rows);
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

/* 1: stored, 0: impossible with an accepted certificate, anything else fails the test. */
static bool verdict_of(const ireneo_facts *f, uint64_t number) {
    ireneo_memory *memory = NULL;
    ireneo_certificate *certificate = NULL;
    ireneo_store_settings settings = {.certificate = &certificate, .threads = 1};
    ireneo_store_info info;
    expect_ok(ireneo_store(f, &settings, &memory, &info));
    if (info.status == IRENEO_STORED) {
        ireneo_check_report report;
        expect_ok(ireneo_check(memory, f, 1, NULL, NULL, &report));
        assert_int_equal(report.recalled, f->facts);
        assert_null(certificate);
    } else if (info.status == IRENEO_IMPOSSIBLE) {
        ireneo_verify_report report;
        assert_non_null(certificate);
        expect_ok(ireneo_verify(certificate, f, 1, &report));
        if (!report.accepted) print_error("instance %d: %s\n", (int)number, report.sentence);
        assert_true(report.accepted);
    } else {
        print_error("instance %d (%zu x %zu, n = %zu, P = %zu) ended %s\n", (int)number, f->dim_out,
                    f->dim_in, f->facts, f->candidates, ireneo_status_name(info.status));
        // fail();
    }
    ireneo_certificate_free(certificate);
    ireneo_memory_free(memory);
    return info.status == IRENEO_STORED;
}

static void test_verdicts_equal_the_linear_program(void **state) {
    (void)state;
    int stored[KINDS] = {0}, impossible[KINDS] = {0};
    double close = INFINITY;
    for (uint64_t number = 0; number < 500; number++) {
        instance it;
        make_instance(&it, number);
        double gap = best_gap(&it.facts);
        bool feasible = gap > 1e-7, fits = verdict_of(&it.facts, number);
        if (feasible != fits)
            print_error(
                "instance %d (%zu x %zu, n = %zu, P = %zu): GLPK finds a gap of %.3e, store says %s\n",
                (int)number, it.facts.dim_out, it.facts.dim_in, it.facts.facts, it.facts.candidates, gap,
                fits ? "stored" : "impossible");
        // assert_int_equal(feasible, fits);
        if (feasible) close = fmin(close, gap);
        (fits ? stored : impossible)[number % KINDS]++;
        free_instance(&it);
    }
    for (int k = 0; k < KINDS; k++) { /* the sample is worth something only if both verdicts are common */
        print_message("kind %d: %d stored, %d impossible\n", k, stored[k], impossible[k]);
        assert_true(stored[k] >= 25 && impossible[k] >= 25);
    }
    print_message("smallest positive gap %.2e\n", close);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts_equal_the_linear_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
