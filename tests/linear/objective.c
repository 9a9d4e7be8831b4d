/* What the solver minimises, each part against brute force: projection of a row, loss and gradient, whitening. */
#include "base/floats.h"
#include "base/threads.h"
#include "linear/kernels/row_projection.h"
#include "linear/scan/competitors.h"
#include "linear/solver/factors.h"
#include "linear/solver/minimise.h"
#include "linear_instance.h"

/* ---- projection of one row ---- */

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* Level by sorting: the mean of the target and the top k lifted competitors, for the right k. *active is k.
 */
static double sorted_level(const double *scores, size_t count, double target, double margin, size_t *active) {
    double sorted[512], sum = target;
    for (size_t k = 0; k < count; k++) sorted[k] = scores[k] + margin;
    qsort(sorted, count, sizeof *sorted, descending);
    size_t k = 0;
    while (k < count && sorted[k] > sum / ((double)k + 1.0)) sum += sorted[k++];
    if (active != NULL) *active = k;
    return sum / ((double)k + 1.0);
}

static double sorted_loss(const double *scores, size_t count, double target, double margin, size_t *active) {
    double t = sorted_level(scores, count, target, margin, active), loss = (target - t) * (target - t);
    for (size_t k = 0; k < count; k++) {
        double r = fmax(0.0, scores[k] + margin - t);
        loss += r * r;
    }
    return 0.5 * loss;
}

typedef struct random_row {
    float score[512], slope[512], bend[512];
    size_t count, slots;
    float target, target_slope, target_bend;
} random_row;

static random_row draw_row(ireneo_generator *g, size_t count) {
    random_row r = {.count = count, .slots = (count + 15) / 16 * 16};
    int ties = ireneo_draw_below(g, 4) == 0;
    for (size_t k = 0; k < r.slots; k++) {
        double s = ireneo_draw_normal(g);
        r.score[k] = k < count ? (float)(ties ? round(2.0 * s) / 2.0 : s) : -INFINITY;
        r.slope[k] = k < count ? (float)ireneo_draw_normal(g) : 0.0f;
        r.bend[k] = k < count ? (float)(0.3 * ireneo_draw_normal(g)) : 0.0f;
    }
    r.target = (float)(2.0 * ireneo_draw_normal(g));
    r.target_slope = (float)ireneo_draw_normal(g);
    r.target_bend = (float)(0.3 * ireneo_draw_normal(g));
    return r;
}

static void test_row_level_against_sorting(void **state) {
    (void)state;
    ireneo_generator g = {1, 0, 0};
    for (int trial = 0; trial < 5000; trial++) {
        random_row r = draw_row(&g, 1 + (size_t)ireneo_draw_below(&g, 160));
        float margin = trial % 3 == 0 ? 1.0f : trial % 3 == 1 ? 0.05f : 0.0f;
        double scores[512], best = -INFINITY;
        for (size_t k = 0; k < r.count; k++) scores[k] = (double)r.score[k], best = fmax(best, scores[k]);
        assert_true((double)ireneo_largest_float(r.score, r.slots) == best);
        double wanted = sorted_level(scores, r.count, (double)r.target, (double)margin, NULL);
        const float starts[] = {r.target, (float)wanted, 100.0f, -100.0f, 0.0f};
        for (size_t s = 0; s < COUNT(starts); s++)
            expect_close((double)ireneo_row_level(r.score, r.slots, r.target, margin, starts[s]), wanted,
                         2e-5);
    }
}

/* Scores of the row at a step, in float64. */
static double moved_loss(const random_row *r, int bent, double a, double margin, size_t *active) {
    double scores[512], b = bent ? a * a : 0.0;
    for (size_t k = 0; k < r->count; k++)
        scores[k] = (double)r->score[k] + a * (double)r->slope[k] + b * (double)r->bend[k];
    double target = (double)r->target + a * (double)r->target_slope + b * (double)r->target_bend;
    return sorted_loss(scores, r->count, target, margin, active);
}

static void test_row_loss_slope_and_curvature(void **state) {
    (void)state;
    ireneo_generator g = {2, 0, 0};
    const double h = 1e-3, margin = 0.05, required = 0.3;
    size_t curvatures = 0, satisfied = 0, violated = 0;
    for (int trial = 0; trial < 4000; trial++) {
        random_row r = draw_row(&g, 1 + (size_t)ireneo_draw_below(&g, 100));
        int bent = trial % 2;
        ireneo_row row = {.score = r.score,
                          .slope = r.slope,
                          .bend = bent ? r.bend : NULL,
                          .slots = r.slots,
                          .target = r.target,
                          .target_slope = r.target_slope,
                          .target_bend = bent ? r.target_bend : 0.0f};
        float step = (float)ireneo_draw_uniform(&g), level = r.target;
        double a = (double)step;
        ireneo_row_sums sums = {1.0, 2.0, 3.0, 4.0}; /* it adds */
        ireneo_row_project(&row, step, (float)margin, (float)required, &level, &sums);
        size_t here, left, right, close;
        double lacking = moved_loss(&r, bent, a, required, &close); /* of the gap that is required */
        if (lacking == 0.0 || lacking > 1e-8) assert_true(sums.violations == 4.0 + (close > 0));
        violated += close > 0;
        double loss = moved_loss(&r, bent, a, margin, &here),
               low = moved_loss(&r, bent, a - h, margin, &left),
               high = moved_loss(&r, bent, a + h, margin, &right);
        expect_close(sums.loss - 1.0, loss, 1e-5 * (1.0 + loss));
        expect_close(sums.slope - 2.0, (high - low) / (2.0 * h), 2e-4 * (1.0 + sqrt(loss)) * 10.0);
        if (here == 0) {
            satisfied++;
            expect_close(sums.loss + sums.slope + sums.curvature, 6.0, 1e-12);
        }
        if (left != here || right != here) continue; /* the curvature jumps where the active set changes */
        expect_close(sums.curvature - 3.0, (high - 2.0 * loss + low) / (h * h),
                     2e-3 * (1.0 + fabs(sums.curvature)));
        curvatures++;
    }
    assert_true(curvatures > 2000 && satisfied > 100 && violated > 1000 && violated < 3900);
}

/* ---- loss and gradient on the working set ---- */

typedef struct solver_parts {
    instance data;
    ireneo_problem problem;
    ireneo_working_set set;
    ireneo_minimiser minimiser;
} solver_parts;

/* A random point with lists of the `keep` best competitors. */
static void make_parts(solver_parts *s, size_t rank, size_t keep) {
    s->data = make_instance(7, 90, 70, 12, 17, 1);
    expect_ok(ireneo_problem_make(&s->data.facts, 2, &s->problem));
    expect_ok(ireneo_problem_pack(&s->problem));
    expect_ok(ireneo_working_set_allocate(&s->problem, 80, rank > 0, &s->set));
    expect_ok(ireneo_minimiser_allocate(&s->problem, &s->set, rank, 5, &s->minimiser));
    ireneo_fill_normal_floats(8, 0, 0, s->minimiser.length, s->minimiser.point);
    ireneo_factors_compose(&s->minimiser);
    s->minimiser.margin = 0.3f;
    s->minimiser.required = 1e-4f;
    expect_ok(ireneo_find_competitors(&s->problem, s->minimiser.w, keep, 0.1f, NULL, &s->set));
    ireneo_minimiser_evaluate(&s->minimiser);
}

static void free_parts(solver_parts *s) {
    ireneo_minimiser_free(&s->minimiser);
    ireneo_working_set_free(&s->set);
    ireneo_problem_free(&s->problem);
    free_instance(&s->data);
}

/* Loss over the listed competitors at a point, from white keys and values, in float64. */
static double brute_loss(const solver_parts *s, const double *point, size_t *violations) {
    const ireneo_problem *p = &s->problem;
    size_t rank = s->minimiser.rank, cut = p->dim_out * rank;
    double *w = calloc(p->dim_out * p->dim_in, sizeof *w), loss = 0.0;
    for (size_t a = 0; a < p->dim_out; a++)
        for (size_t b = 0; b < p->dim_in; b++) {
            if (rank == 0) w[a * p->dim_in + b] = point[a * p->dim_in + b];
            for (size_t k = 0; k < rank; k++)
                w[a * p->dim_in + b] += point[a * rank + k] * point[cut + b * rank + k];
        }
    if (violations != NULL) *violations = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double h[64], scores[512], target = 0.0, best = -INFINITY;
        for (size_t a = 0; a < p->dim_out; a++) {
            h[a] = 0.0;
            for (size_t b = 0; b < p->dim_in; b++)
                h[a] += w[a * p->dim_in + b] * (double)p->x[i * p->dim_in + b];
            target += h[a] * (double)p->y[target_of(&s->data.facts, i) * p->stride + a];
        }
        for (size_t k = 0; k < s->set.count[i]; k++) {
            scores[k] = 0.0;
            const float *y = p->y + (size_t)s->set.index[i * s->set.capacity + k] * p->stride;
            for (size_t a = 0; a < p->dim_out; a++) scores[k] += h[a] * (double)y[a];
            best = fmax(best, scores[k]);
        }
        loss += sorted_loss(scores, s->set.count[i], target, (double)s->minimiser.margin, NULL);
        if (violations != NULL) *violations += best + (double)s->minimiser.required < target ? 0 : 1;
    }
    free(w);
    return loss;
}

static void check_gradient(size_t rank, size_t keep) {
    solver_parts s;
    make_parts(&s, rank, keep);
    size_t length = s.minimiser.length, violations;
    double *point = malloc(length * sizeof *point), *moved = malloc(length * sizeof *moved);
    float *direction = malloc(length * sizeof *direction);
    for (size_t k = 0; k < length; k++) point[k] = (double)s.minimiser.point[k];
    expect_ratio(s.minimiser.loss, brute_loss(&s, point, &violations), 1e-5);
    assert_int_equal(s.minimiser.violations, violations);
    assert_true(violations > 0);
    for (size_t trial = 0; trial < 20; trial++) {
        const double h = 1e-4;
        double slope = 0.0, values[2];
        ireneo_fill_normal_floats(9, trial, 0, length, direction);
        for (size_t k = 0; k < length; k++) slope += (double)s.minimiser.gradient[k] * (double)direction[k];
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < length; k++) moved[k] = point[k] + (side ? h : -h) * (double)direction[k];
            values[side] = brute_loss(&s, moved, NULL);
        }
        expect_close(slope, (values[1] - values[0]) / (2.0 * h),
                     1e-4 * s.minimiser.gradient_norm * sqrt((double)length));
    }
    double norm = 0.0;
    for (size_t k = 0; k < length; k++)
        norm += (double)s.minimiser.gradient[k] * (double)s.minimiser.gradient[k];
    expect_ratio(s.minimiser.gradient_norm, sqrt(norm), 1e-6);
    double before =
        s.minimiser.loss; /* iterations move the kept scores along with the point, and go downhill */
    for (int k = 0; k < 12 && s.minimiser.loss > 1e-9; k++) {
        if (!ireneo_minimiser_iterate(&s.minimiser)) break;
        assert_true(s.minimiser.loss <= before * (1.0 + 1e-6));
        before = s.minimiser.loss;
        for (size_t j = 0; j < length; j++) point[j] = (double)s.minimiser.point[j];
        expect_close(s.minimiser.loss, brute_loss(&s, point, NULL), 1e-3 * (s.minimiser.loss + 1e-3));
    }
    free(point), free(moved), free(direction);
    free_parts(&s);
}

static void test_gradient_against_finite_differences(void **state) {
    (void)state;
    check_gradient(0, 69);
    check_gradient(0, 10);
    check_gradient(4, 69);
    check_gradient(1, 20);
}

/* ---- whitening ---- */

/* rows (count, dim) = A z + c for a random A of rank `rank` and condition number `condition`. */
static void draw_data(uint64_t seed, size_t count, size_t dim, size_t rank, double condition, double offset,
                      float *rows) {
    double *a = malloc(dim * rank * sizeof *a), *z = malloc(rank * sizeof *z), *c = malloc(dim * sizeof *c);
    ireneo_fill_normals(seed, 1, 0, dim * rank, a);
    ireneo_fill_normals(seed, 2, 0, dim, c);
    for (size_t i = 0; i < count; i++) {
        ireneo_fill_normals(seed, 3 + i, 0, rank, z);
        for (size_t j = 0; j < dim; j++) {
            double sum = offset * c[j];
            for (size_t k = 0; k < rank; k++)
                sum += a[j * rank + k] * z[k] * pow(condition, -(double)k / (double)rank);
            rows[i * dim + j] = (float)sum;
        }
    }
    free(a), free(z), free(c);
}

static void check_whitening(size_t count, size_t dim, size_t rank, double condition, double offset,
                            int centred, int unit_norm) {
    float *rows = malloc(count * dim * sizeof *rows), *white = calloc(count * (dim + 3), sizeof *white);
    draw_data(11, count, dim, rank, condition, offset, rows);
    ireneo_whitening w, again;
    expect_ok(ireneo_whitening_make(rows, count, dim, centred != 0, unit_norm != 0, 2, &w));
    size_t expected = rank, most = centred ? count - 1 : count;
    if (!centred && offset != 0.0 && rank < dim) expected++; /* the mean is one more direction */
    if (expected > most) expected = most;
    assert_int_equal(w.span, expected);
    expect_ok(ireneo_whitening_apply(&w, rows, count, dim + 3, 2, white));
    double unit = unit_norm ? 1.0 / (double)w.span : 1.0;
    for (size_t a = 0; a < w.span; a++)
        for (size_t b = 0; b <= a; b++) {
            double moment = 0.0;
            for (size_t i = 0; i < count; i++)
                moment += (double)white[i * (dim + 3) + a] * (double)white[i * (dim + 3) + b];
            expect_close(moment / (double)count, a == b ? unit : 0.0, 2e-4 * unit);
        }
    for (size_t a = 0; a < w.span; a++) /* forward back = 1 on the span */
        for (size_t b = 0; b < w.span; b++) {
            double sum = 0.0;
            for (size_t j = 0; j < dim; j++) sum += w.forward[a * dim + j] * w.back[j * w.span + b];
            expect_close(sum, a == b ? 1.0 : 0.0, 1e-7);
        }
    for (size_t i = 0; i < count && i < 20; i++) /* back forward is a projector that keeps the data */
        for (size_t j = 0; j < dim; j++) {
            double sum = w.mean[j], size = 0.0;
            for (size_t k = 0; k < w.span; k++) {
                double z = 0.0;
                for (size_t q = 0; q < dim; q++)
                    z += w.forward[k * dim + q] * ((double)rows[i * dim + q] - w.mean[q]);
                sum += w.back[j * w.span + k] * z;
            }
            for (size_t q = 0; q < dim; q++) size = fmax(size, fabs((double)rows[i * dim + q]));
            expect_close(sum, (double)rows[i * dim + j], 2e-5 * (size + 1.0));
        }
    expect_ok(ireneo_whitening_make(rows, count, dim, centred != 0, unit_norm != 0, 7, &again));
    assert_int_equal(again.span, w.span);
    assert_memory_equal(again.forward, w.forward, w.span * dim * sizeof *w.forward);
    assert_memory_equal(again.back, w.back, w.span * dim * sizeof *w.back);
    ireneo_whitening_free(&w), ireneo_whitening_free(&again);
    free(rows), free(white);
}

static void test_whitening(void **state) {
    (void)state;
    ireneo_enter(1, NULL);
    check_whitening(600, 20, 20, 1.0, 0.0, 0, 1);
    check_whitening(600, 20, 20, 1e3, 0.0, 1, 0);
    check_whitening(600, 20, 20, 10.0, 100.0, 1, 0);
    check_whitening(600, 20, 7, 1.0, 0.0, 0, 1); /* rank-deficient */
    check_whitening(600, 20, 7, 10.0, 0.0, 1, 0);
    check_whitening(600, 20, 7, 1.0, 3.0, 0, 1);
    check_whitening(600, 20, 7, 1.0, 3.0, 1, 0);
    check_whitening(9, 20, 20, 1.0, 0.0, 0, 1); /* fewer rows than dimensions */
    check_whitening(9, 20, 20, 1.0, 1.0, 1, 0);
    check_whitening(300, 1, 1, 1.0, 0.0, 0, 1);
    ireneo_leave(IRENEO_OK);
}

static void test_whitening_of_constant_data(void **state) {
    (void)state;
    float rows[30] = {0};
    ireneo_whitening w;
    expect_ok(ireneo_whitening_make(rows, 10, 3, false, true, 1, &w));
    assert_int_equal(w.span, 0);
    ireneo_whitening_free(&w);
    for (size_t k = 0; k < 30; k++) rows[k] = 5.0f;
    expect_ok(ireneo_whitening_make(rows, 10, 3, true, false, 1, &w));
    assert_int_equal(w.span, 0);
    ireneo_whitening_free(&w);
    expect_ok(ireneo_whitening_identity(3, &w));
    for (size_t k = 0; k < 9; k++)
        assert_true(w.forward[k] == (k % 4 == 0 ? 1.0 : 0.0) && w.back[k] == w.forward[k]);
    ireneo_whitening_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_level_against_sorting),
        cmocka_unit_test(test_row_loss_slope_and_curvature),
        cmocka_unit_test(test_gradient_against_finite_differences),
        cmocka_unit_test(test_whitening),
        cmocka_unit_test(test_whitening_of_constant_data),
    };
    return cmocka_run_group_tests_name("what the solver minimises", tests, NULL, NULL);
}
