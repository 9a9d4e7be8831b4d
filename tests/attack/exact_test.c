/* The exact linear program on cases decided by hand, and against GLPK where floating point can be trusted. */
#include "exact_lp.h"
#include "kinds.h"
#include "scratch.h"

#include <glpk.h>
#include <math.h>

/* keys (n, 2) or (n, 1), values (candidates, dim_out), fact i has candidate targets[i]. */
static exact_verdict decide(size_t n, size_t dim_in, const float *keys, size_t candidates, size_t dim_out,
                            const float *values, const int64_t *targets) {
    ireneo_facts f = {.facts = n,
                      .candidates = candidates,
                      .dim_in = dim_in,
                      .dim_out = dim_out,
                      .keys = keys,
                      .values = values,
                      .targets = targets};
    return exact_lp(&f, NULL);
}
#define DECIDE(n, dim_in, keys, candidates, dim_out, values, targets)                                        \
    decide(n, dim_in, (const float[])keys, candidates, dim_out, (const float[])values,                       \
           (const int64_t[])targets)
#define LIST(...)                                                                                            \
    { __VA_ARGS__ }

static void by_hand(void **state) {
    (void)state;
    /* Two facts on a line: equal keys contradict, opposite ones do not. */
    assert_int_equal(DECIDE(2, 1, LIST(1, 1), 2, 1, LIST(1, -1), LIST(0, 1)), EXACT_INFEASIBLE);
    assert_int_equal(DECIDE(2, 1, LIST(1, -1), 2, 1, LIST(1, -1), LIST(0, 1)), EXACT_FEASIBLE);
    assert_int_equal(DECIDE(2, 1, LIST(1, -1), 2, 1, LIST(1, -1), LIST(0, 0)), EXACT_INFEASIBLE);
    assert_int_equal(DECIDE(2, 1, LIST(1, 3), 2, 1, LIST(1, -1), LIST(0, 0)), EXACT_FEASIBLE);
    /* A zero key, and a target with a twin: every score is a tie. */
    assert_int_equal(DECIDE(1, 2, LIST(0, 0), 2, 1, LIST(1, -1), LIST(0)), EXACT_INFEASIBLE);
    assert_int_equal(DECIDE(1, 1, LIST(1), 3, 1, LIST(1, 1, -1), LIST(0)), EXACT_INFEASIBLE);
    assert_int_equal(DECIDE(1, 1, LIST(1), 3, 1, LIST(1, 1, -1), LIST(2)), EXACT_FEASIBLE);
    /* The middle of two candidates never wins; beside their line it does. */
    assert_int_equal(DECIDE(1, 1, LIST(1), 3, 2, LIST(1, 1, 0, 0, 2, 2), LIST(0)), EXACT_INFEASIBLE);
    assert_int_equal(DECIDE(1, 1, LIST(1), 3, 2, LIST(1, 1.0000001F, 0, 0, 2, 2), LIST(0)), EXACT_FEASIBLE);
    assert_int_equal(DECIDE(1, 1, LIST(1), 4, 2, LIST(1, 1, 0, 0, 3, 0, 0, 3), LIST(0)), EXACT_INFEASIBLE);
}

static void scales_do_not_matter(void **state) {
    (void)state;
    assert_int_equal(DECIDE(2, 2, LIST(1e7F, 1e7F, 1, -1), 2, 1, LIST(1, -1), LIST(0, 1)), EXACT_FEASIBLE);
    assert_int_equal(DECIDE(2, 2, LIST(1000, 1001, 1001, 1002), 2, 1, LIST(1, -1), LIST(0, 1)),
                     EXACT_FEASIBLE);
    assert_int_equal(DECIDE(2, 2, LIST(1e30F, 0, 0, 1e-40F), 2, 1, LIST(1e-45F, -1e38F), LIST(0, 1)),
                     EXACT_FEASIBLE);
    assert_int_equal(DECIDE(2, 2, LIST(3e30F, 1.5e30F, 0x1p-139F, 0x1p-140F), 2, 1, LIST(1, -1), LIST(0, 1)),
                     EXACT_INFEASIBLE);
    assert_int_equal(DECIDE(2, 2, LIST(1, 0x1p-24F, 1, 0), 2, 1, LIST(1, -1), LIST(0, 1)), EXACT_FEASIBLE);
}

/* max t, a_ij . W >= t, |W| <= 1, in floating point. */
static double glpk_gap(const ireneo_facts *f) {
    int entries = (int)(f->dim_in * f->dim_out), row = 0, columns[40];
    double numbers[40];
    glp_prob *program = glp_create_prob();
    glp_set_obj_dir(program, GLP_MAX);
    glp_add_cols(program, entries + 1);
    for (int k = 1; k <= entries; k++) glp_set_col_bnds(program, k, GLP_DB, -1.0, 1.0);
    glp_set_col_bnds(program, entries + 1, GLP_DB, -1e3, 1e3);
    glp_set_obj_coef(program, entries + 1, 1.0);
    glp_add_rows(program, (int)(f->facts * (f->candidates - 1)));
    for (size_t p = 0; p < f->facts * f->candidates; p++) {
        size_t i = p / f->candidates, j = p % f->candidates, target = exact_target(f, i);
        if (j == target) continue;
        for (int e = 0; e < entries; e++) {
            size_t a = (size_t)e / f->dim_in, b = (size_t)e % f->dim_in;
            columns[e + 1] = e + 1;
            numbers[e + 1] =
                ((double)f->values[target * f->dim_out + a] - (double)f->values[j * f->dim_out + a]) *
                (double)f->keys[i * f->dim_in + b];
        }
        columns[entries + 1] = entries + 1, numbers[entries + 1] = -1.0;
        glp_set_row_bnds(program, ++row, GLP_LO, 0.0, 0.0);
        glp_set_mat_row(program, row, entries + 1, columns, numbers);
    }
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    assert_int_equal(glp_simplex(program, &control), 0);
    double gap = glp_get_obj_val(program);
    glp_delete_prob(program);
    return gap;
}

static void agrees_with_glpk(void **state) {
    (void)state;
    size_t feasible = 0, infeasible = 0;
    for (uint64_t number = 0; number < 200; number++) {
        kind_instance it;
        kind_make(&it, 99,
                  number * KIND_COUNT); /* Gaussian: gaps are zero or far above the rounding of GLPK */
        exact_verdict verdict = exact_lp(&it.facts, NULL);
        if ((verdict == EXACT_FEASIBLE) != (glpk_gap(&it.facts) > 1e-9))
            fail_msg("instance %zu", (size_t)number);
        *(verdict == EXACT_FEASIBLE ? &feasible : &infeasible) += 1;
    }
    assert_true(feasible >= 40 && infeasible >= 40);
}

/* Scores that float64 cannot tell apart: h^T (y_0 - y_1) = 0 and 1 in units of the last bit of a 73-bit product. */
static void exact_counts(void **state) {
    (void)state;
    float matrix[4] = {4093.0F * 4091.0F, 4093.0F * 4079.0F, 4073.0F * 4091.0F, 4073.0F * 4079.0F};
    float keys[2] = {16777213.0F, 16777183.0F};
    float values[4] = {16700000.0F, 16500001.0F, 16700000.0F + 4073.0F, 16500001.0F - 4093.0F};
    int64_t target = 0;
    ireneo_memory m = {.dim_in = 2, .dim_out = 2, .matrix = matrix};
    ireneo_facts f = {.facts = 1,
                      .candidates = 2,
                      .dim_in = 2,
                      .dim_out = 2,
                      .keys = keys,
                      .values = values,
                      .targets = &target};
    assert_int_equal(exact_recalled(&m, &f, NULL), 0);
    target = 1;
    assert_int_equal(exact_recalled(&m, &f, NULL), 0);
    values[2] += 1.0F;
    assert_int_equal(exact_recalled(&m, &f, NULL), 1);
    matrix[3] = NAN;
    assert_int_equal(exact_recalled(&m, &f, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(scales_do_not_matter),
                                       cmocka_unit_test(agrees_with_glpk), cmocka_unit_test(exact_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
