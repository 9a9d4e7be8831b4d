/* A billiard on the sphere: a great circle through W in a random direction, reflected at every wall it meets, up to a
 * random length. The uniform measure of the cone on the sphere stays as it is, and as paths go on behind a wall they get
 * far in few reflections, where hit-and-run, which takes a new direction at each of thousands of walls, diffuses. A gap a
 * cos(phi) + b sin(phi) first vanishes at phi = acot(-b/a): the wall with the smallest b/a is met first. The fact in work may
 * be missed by `slack`: its walls are small circles, met at atan2(b, a) + acos(-slack / |(a, b)|).
 *
 * With a rank the solutions are no convex set, but those with one row space are, and those with one column space: paths
 * take turns, W = U B^T with the keys' space B fixed and W = B U^T with the values', uniform in U. For square matrices both keep
 * the measure of docs/linear.md, "Volume", for which the law is: uniformly random spaces, U uniform. */
#include "linear/sampling/chain.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 1e-300; /* a gap that is left at a wall */
static const double ROUNDING = 1e-9;  /* of a gap, after many reflections */
enum { MOST_REFLECTIONS = 20000 };    /* of one path; beyond, it ends */

static size_t fixed_dim(const solution_chain *c) {
    return c->on_keys ? c->cone->dim_in : c->cone->dim_out;
}

static size_t free_dim(const solution_chain *c) {
    return c->on_keys ? c->cone->dim_out : c->cone->dim_in;
}

static bool is_full(const solution_chain *c) {
    return c->rank >= (c->cone->dim_in < c->cone->dim_out ? c->cone->dim_in : c->cone->dim_out);
}

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0.0; /* in this order: the walk is the same on every processor */
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static void scale(double factor, double *a, size_t count) {
    for (size_t i = 0; i < count; i++) a[i] *= factor;
}

/* ---- the spaces of a rank ---- */

/* W = factor basis^T, or its transpose: into w. */
static void multiply_out(const solution_chain *c, const double *factor, double *w) {
    size_t m = c->rank, columns = c->cone->dim_in;
    for (size_t r = 0; r < c->cone->dim_out; r++)
        for (size_t k = 0; k < columns; k++)
            w[r * columns + k] = c->on_keys ? dot(factor + r * m, c->basis + k * m, m)
                                            : dot(c->basis + r * m, factor + k * m, m);
}

/* factor = W basis, or W^T basis. */
static void find_factor(solution_chain *c) {
    size_t m = c->rank, columns = c->cone->dim_in;
    memset(c->factor, 0, free_dim(c) * m * sizeof *c->factor);
    for (size_t r = 0; r < c->cone->dim_out; r++)
        for (size_t k = 0; k < columns; k++) {
            double entry = c->w[r * columns + k];
            const double *from = c->basis + (c->on_keys ? k : r) * m;
            double *to = c->factor + (c->on_keys ? r : k) * m;
            for (size_t i = 0; i < m; i++) to[i] += entry * from[i];
        }
}

/* Orthonormal columns in place, a (rows, m), by Gram-Schmidt done twice. */
static void orthonormalise(double *a, size_t rows, size_t m) {
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < 2 * i; j++) {
            double product = 0.0;
            for (size_t r = 0; r < rows; r++) product += a[r * m + i] * a[r * m + j % i];
            for (size_t r = 0; r < rows; r++) a[r * m + i] -= product * a[r * m + j % i];
        }
        double norm = 0.0;
        for (size_t r = 0; r < rows; r++) norm += a[r * m + i] * a[r * m + i];
        for (size_t r = 0; r < rows; r++) a[r * m + i] /= sqrt(norm);
    }
}

/* Fixes the space of the side that has been free. */
static void change_sides(solution_chain *c) {
    find_factor(c);
    orthonormalise(c->factor, free_dim(c), c->rank);
    double *swap = c->basis;
    c->basis = c->factor;
    c->factor = swap;
    c->on_keys = !c->on_keys;
}

/* ---- making and placing ---- */

static void draw_normals(solution_chain *c, size_t count, double *values) {
    ireneo_fill_normals(c->random.seed, c->random.stream, c->random.next, count, values);
    c->random.next += count;
}

/* A matrix of the rank, uniform in the space that is fixed now. */
static void draw_matrix(solution_chain *c, double *w) {
    size_t all = c->cone->dim_in * c->cone->dim_out;
    if (is_full(c)) {
        draw_normals(c, all, w);
    } else {
        draw_normals(c, free_dim(c) * c->rank, c->factor);
        multiply_out(c, c->factor, w);
    }
}

static ireneo_error allocate(solution_chain *c) {
    const solution_cone *cone = c->cone;
    size_t all = cone->dim_in * cone->dim_out, pairs = cone->facts * cone->competitors;
    size_t side = (cone->dim_in > cone->dim_out ? cone->dim_in : cone->dim_out) * c->rank;
    IRENEO_TRY(IRENEO_ALLOCATE(&c->w, all, "a solution"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->direction, all, "a direction"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->gaps, pairs, "gaps"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->moves, pairs, "gaps"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->normal, cone->dim_in + cone->dim_out, "a wall"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->basis, side, "a space"));
    return IRENEO_ALLOCATE(&c->factor, side, "a space");
}

ireneo_error ireneo_solution_chain_make(const solution_cone *cone, size_t rank, uint64_t seed,
                                        uint64_t stream, solution_chain *chain) {
    size_t narrow = cone->dim_in < cone->dim_out ? cone->dim_in : cone->dim_out;
    if (rank == 0 || rank > narrow) rank = narrow;
    *chain =
        (solution_chain){.cone = cone, .rank = rank, .reach = M_PI, .on_keys = cone->dim_in <= cone->dim_out};
    if (rank < narrow && cone->dim_in != cone->dim_out)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "solutions of a rank are sampled for square memories");
    chain->random = (ireneo_generator){.seed = seed, .stream = stream};
    ireneo_error failed = allocate(chain);
    if (failed != IRENEO_OK) {
        ireneo_solution_chain_free(chain);
        return failed;
    }
    size_t all = cone->dim_in * cone->dim_out;
    if (!is_full(chain)) {
        draw_normals(chain, fixed_dim(chain) * rank, chain->basis);
        orthonormalise(chain->basis, fixed_dim(chain), rank);
    }
    draw_matrix(chain, chain->w);
    scale(1.0 / sqrt(dot(chain->w, chain->w, all)), chain->w, all);
    return IRENEO_OK;
}

void ireneo_solution_chain_free(solution_chain *chain) {
    free(chain->w);
    free(chain->direction);
    free(chain->gaps);
    free(chain->moves);
    free(chain->normal);
    free(chain->basis);
    free(chain->factor);
    *chain = (solution_chain){0};
}

/* Facts whose gaps are kept: those asked for, and the one in work. */
static size_t kept_facts(const solution_chain *c) {
    return c->whole < c->cone->facts ? c->whole + 1 : c->whole;
}

static size_t asked_pairs(const solution_chain *c) {
    return c->whole * c->cone->competitors;
}

/* Gaps anew from W, brought back to norm 1 and into its space. A gap that rounding took away is next to nothing. */
static void renew(solution_chain *c) {
    size_t all = c->cone->dim_in * c->cone->dim_out;
    if (!is_full(c)) {
        find_factor(c);
        multiply_out(c, c->factor, c->w);
    }
    scale(1.0 / sqrt(dot(c->w, c->w, all)), c->w, all);
    ireneo_solution_cone_gaps(c->cone, c->w, kept_facts(c), c->gaps);
    for (size_t k = 0; k < asked_pairs(c); k++) c->gaps[k] = fmax(c->gaps[k], NOTHING);
}

/* The space of the columns of W^T, or of W: those that `rank` random directions are mapped to. */
static void find_basis(solution_chain *c) {
    c->on_keys = !c->on_keys;
    draw_normals(c, fixed_dim(c) * c->rank, c->basis);
    change_sides(c);
}

double ireneo_solution_chain_missed(const solution_chain *chain) {
    double least = INFINITY;
    if (chain->whole == chain->cone->facts) return -INFINITY;
    for (size_t j = 0; j < chain->cone->competitors; j++)
        least = fmin(least, chain->gaps[asked_pairs(chain) + j]);
    return -least;
}

ireneo_error ireneo_solution_chain_place(solution_chain *chain, const double *w, size_t whole, double slack) {
    size_t all = chain->cone->dim_in * chain->cone->dim_out;
    if (w != chain->w) memcpy(chain->w, w, all * sizeof *w);
    scale(1.0 / sqrt(dot(chain->w, chain->w, all)), chain->w, all);
    chain->whole = whole;
    chain->slack = slack;
    if (!is_full(chain)) find_basis(chain);
    ireneo_solution_cone_gaps(chain->cone, chain->w, kept_facts(chain), chain->gaps);
    bool solves = ireneo_solution_chain_missed(chain) <= slack + ROUNDING;
    for (size_t k = 0; k < asked_pairs(chain); k++) solves = solves && chain->gaps[k] > -ROUNDING;
    if (!solves) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "a walk through solutions must begin at one");
    renew(chain);
    return IRENEO_OK;
}

/* ---- a path ---- */

/* The angle at which a pair of the fact in work is missed by more than the slack. */
static double small_circle(double gap, double move, double slack) {
    double largest = hypot(gap, move);
    if (largest <= slack) return INFINITY;
    return fmax(0.0, atan2(move, gap) + acos(-slack / largest));
}

/* The smallest moves / gaps (count). */
IRENEO_VECTORISED static double least_ratio(const double *moves, const double *gaps, size_t count) {
    double low = INFINITY;
#pragma omp simd reduction(min : low)
    for (size_t k = 0; k < count; k++) {
        double ratio = moves[k] / gaps[k];
        low = ratio < low ? ratio : low;
    }
    return low;
}

/* The first wall on the way: its pair, and the angle. */
static size_t first_wall(const solution_chain *c, double *angle) {
    size_t count = asked_pairs(c), wall = 0;
    double low = least_ratio(c->moves, c->gaps, count);
    while (wall < count && c->moves[wall] / c->gaps[wall] != low) wall++;
    *angle = count > 0 ? atan2(1.0, -low) : INFINITY;
    if (isinf(c->slack) || c->whole == c->cone->facts) return wall;
    for (size_t k = count; k < count + c->cone->competitors; k++) {
        double other = small_circle(c->gaps[k], c->moves[k], c->slack);
        if (other < *angle) *angle = other, wall = k;
    }
    return wall;
}

/* (a, b) turned by an angle: cos a + sin b, cos b - sin a. */
IRENEO_VECTORISED static void turn(double angle, size_t count, double *a, double *b) {
    double cosine = cos(angle), sine = sin(angle);
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        double from = a[i], towards = b[i];
        a[i] = cosine * from + sine * towards;
        b[i] = cosine * towards - sine * from;
    }
}

static void go(solution_chain *c, double angle) {
    turn(angle, c->cone->dim_in * c->cone->dim_out, c->w, c->direction);
    turn(angle, kept_facts(c) * c->cone->competitors, c->gaps, c->moves);
    for (size_t k = 0; k < asked_pairs(c); k++) c->gaps[k] = c->gaps[k] > NOTHING ? c->gaps[k] : NOTHING;
}

/* a = B B^T a, where B is the space that is fixed. */
static void project(const solution_chain *c, double *a) {
    size_t m = c->rank, dim = fixed_dim(c);
    memset(c->factor, 0, m * sizeof *c->factor);
    for (size_t r = 0; r < dim; r++)
        for (size_t i = 0; i < m; i++) c->factor[i] += c->basis[r * m + i] * a[r];
    for (size_t r = 0; r < dim; r++) a[r] = dot(c->basis + r * m, c->factor, m);
}

/* The normal y x^T of a wall, within the space that is fixed. */
static void find_normal(const solution_chain *c, size_t wall, double *y, double *x) {
    const solution_cone *cone = c->cone;
    memcpy(x, cone->keys + wall / cone->competitors * cone->dim_in, cone->dim_in * sizeof *x);
    for (size_t r = 0; r < cone->dim_out; r++) y[r] = cone->differences[r * cone->stride + wall];
    if (!is_full(c)) project(c, c->on_keys ? x : y);
}

/* The direction loses twice its part along the wall's normal, y x^T + slack W along the sphere. */
static void reflect(solution_chain *c, size_t wall) {
    const solution_cone *cone = c->cone;
    double *y = c->normal, *x = y + cone->dim_out, slack = wall < asked_pairs(c) ? 0.0 : c->slack;
    find_normal(c, wall, y, x);
    double square = dot(x, x, cone->dim_in) * dot(y, y, cone->dim_out) - slack * slack;
    double factor = 2.0 * c->moves[wall] / square, back = fabs(c->moves[wall]);
    for (size_t r = 0; r < cone->dim_out; r++)
        for (size_t k = 0; k < cone->dim_in; k++)
            c->direction[r * cone->dim_in + k] -= factor * (y[r] * x[k] + slack * c->w[r * cone->dim_in + k]);
    ireneo_solution_cone_lose(cone, factor, y, x, kept_facts(c), c->moves);
    if (slack > 0.0)
        for (size_t k = 0; k < kept_facts(c) * cone->competitors; k++)
            c->moves[k] -= factor * slack * c->gaps[k];
    c->moves[wall] = back;
}

/* A uniformly random direction along the sphere, and how it moves the gaps. */
static void draw_direction(solution_chain *c) {
    size_t all = c->cone->dim_in * c->cone->dim_out;
    draw_matrix(c, c->direction);
    double along = dot(c->direction, c->w, all);
    for (size_t i = 0; i < all; i++) c->direction[i] -= along * c->w[i];
    scale(1.0 / sqrt(dot(c->direction, c->direction, all)), c->direction, all);
    ireneo_solution_cone_gaps(c->cone, c->direction, kept_facts(c), c->moves);
}

void ireneo_solution_chain_step(solution_chain *c) {
    if (!is_full(c)) change_sides(c);
    renew(c);
    draw_direction(c);
    double left = c->reach * ireneo_draw_uniform(&c->random), angle;
    for (size_t k = 0; k < MOST_REFLECTIONS && left > 0.0; k++) {
        size_t wall = first_wall(c, &angle);
        go(c, fmin(angle, left));
        if (angle < left) {
            reflect(c, wall);
            c->reflections++;
        }
        left -= angle;
    }
}
