/* Integer tableau (Edmonds, Bareiss): all entries share one denominator, the determinant of the basis, and every
 * division below leaves no remainder. Entering column: the most negative reduced cost; leaving row: the
 * lexicographic rule on (right side, columns of the artificial variables), which cannot cycle. */
#include "exact_lp.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct tableau {
    size_t rows, pairs, columns; /* columns: pairs, then `rows` artificial ones, then the right side */
    mpz_t *entries;              /* (rows + 1, columns); the last row holds the reduced costs */
    mpz_t denominator;
    size_t *basis; /* (rows) */
} tableau;

static mpz_t *at(const tableau *t, size_t row, size_t column) {
    return &t->entries[row * t->columns + column];
}

/* (y_target - y_j)^T r of one pair. */
static void fill_offset(const ireneo_facts *f, size_t fact, mpz_t *difference, mpz_t sum) {
    mpz_t r;
    mpz_init(r);
    mpz_set_ui(sum, 0);
    for (size_t k = 0; k < f->dim_out; k++) {
        exact_from_float(r, f->residuals[fact * f->dim_out + k]);
        mpz_addmul(sum, r, difference[k]);
    }
    mpz_clear(r);
}

/* Row p of a (pairs, width): one fact against one competitor; the entries of W, and with offsets one more. */
static size_t fill_pairs(const ireneo_facts *f, size_t width, mpz_t *a) {
    size_t p = 0, entries = f->dim_in * f->dim_out;
    mpz_t *differences = exact_array(f->candidates * f->dim_out), key;
    mpz_init(key);
    for (size_t i = 0; i < f->facts; i++) {
        exact_differences(f, i, differences);
        for (size_t j = 0; j < f->candidates; j++) {
            if (j == exact_target(f, i)) continue;
            for (size_t e = 0; e < entries; e++) {
                exact_from_float(key, f->keys[i * f->dim_in + e % f->dim_in]);
                mpz_mul(a[p * width + e], key, differences[j * f->dim_out + e / f->dim_in]);
            }
            if (width > entries) fill_offset(f, i, differences + j * f->dim_out, a[p * width + entries]);
            p++;
        }
    }
    if (width > entries) mpz_set_ui(a[p++ * width + entries], 1); /* s > 0 */
    mpz_clear(key);
    exact_free(differences, f->candidates * f->dim_out);
    return p;
}

/* Divides `count` numbers, `step` apart, by their greatest common divisor: a positive scale of a pair, or of one
 * entry of W, changes no verdict, and small numbers are fast. */
static void reduce(mpz_t *numbers, size_t count, size_t step) {
    mpz_t divisor;
    mpz_init(divisor);
    for (size_t k = 0; k < count; k++) mpz_gcd(divisor, divisor, numbers[k * step]);
    if (mpz_cmp_ui(divisor, 1) > 0)
        for (size_t k = 0; k < count; k++) mpz_divexact(numbers[k * step], numbers[k * step], divisor);
    mpz_clear(divisor);
}

static void reduce_all(mpz_t *a, size_t pairs, size_t entries) {
    for (int round = 0; round < 2; round++) {
        for (size_t e = 0; e < entries; e++) reduce(a + e, pairs, entries);
        for (size_t p = 0; p < pairs; p++) reduce(a + p * entries, entries, 1);
    }
}

/* A^T r + artificial = 0, sum r + artificial = 1, all >= 0; the costs are the sum of the artificial ones. */
static void set_up(tableau *t, mpz_t *a, size_t pairs, size_t entries) {
    t->rows = entries + 1, t->pairs = pairs, t->columns = pairs + t->rows + 1;
    t->entries = exact_array((t->rows + 1) * t->columns);
    t->basis = malloc(t->rows * sizeof *t->basis);
    if (t->basis == NULL) exit(4);
    mpz_init_set_ui(t->denominator, 1);
    for (size_t p = 0; p < pairs; p++) {
        for (size_t e = 0; e < entries; e++) mpz_set(*at(t, e, p), a[p * entries + e]);
        mpz_set_ui(*at(t, entries, p), 1);
    }
    for (size_t r = 0; r < t->rows; r++) {
        mpz_set_ui(*at(t, r, pairs + r), 1);
        t->basis[r] = pairs + r;
    }
    mpz_set_ui(*at(t, entries, t->columns - 1), 1);
    for (size_t c = 0; c < t->columns; c++)
        if (c < pairs || c == t->columns - 1)
            for (size_t r = 0; r < t->rows; r++)
                mpz_sub(*at(t, t->rows, c), *at(t, t->rows, c), *at(t, r, c));
}

static bool choose_column(const tableau *t, size_t *column) {
    bool found = false;
    for (size_t c = 0; c < t->pairs; c++) {
        if (mpz_sgn(*at(t, t->rows, c)) >= 0) continue;
        if (!found || mpz_cmp(*at(t, t->rows, c), *at(t, t->rows, *column)) < 0) *column = c;
        found = true;
    }
    return found;
}

/* The sign of (row r over its entry in the column) - (row s over its own), at column c. */
static int compare_ratios(const tableau *t, size_t column, size_t r, size_t s, size_t c) {
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    mpz_mul(left, *at(t, r, c), *at(t, s, column));
    mpz_mul(right, *at(t, s, c), *at(t, r, column));
    int sign = mpz_cmp(left, right);
    mpz_clears(left, right, NULL);
    return sign;
}

static bool lexicographically_less(const tableau *t, size_t column, size_t r, size_t s) {
    int sign = compare_ratios(t, column, r, s, t->columns - 1);
    for (size_t c = t->pairs; sign == 0 && c < t->columns - 1; c++) sign = compare_ratios(t, column, r, s, c);
    return sign < 0;
}

static size_t choose_row(const tableau *t, size_t column) {
    size_t best = t->rows;
    for (size_t r = 0; r < t->rows; r++)
        if (mpz_sgn(*at(t, r, column)) > 0 && (best == t->rows || lexicographically_less(t, column, r, best)))
            best = r;
    return best;
}

static void pivot(tableau *t, size_t row, size_t column) {
    mpz_t factor, lost;
    mpz_inits(factor, lost, NULL);
    for (size_t r = 0; r <= t->rows; r++) {
        if (r == row) continue;
        mpz_set(factor, *at(t, r, column));
        for (size_t c = 0; c < t->columns; c++) {
            mpz_mul(*at(t, r, c), *at(t, r, c), *at(t, row, column));
            mpz_mul(lost, factor, *at(t, row, c));
            mpz_sub(*at(t, r, c), *at(t, r, c), lost);
            mpz_divexact(*at(t, r, c), *at(t, r, c), t->denominator);
        }
    }
    mpz_set(t->denominator, *at(t, row, column));
    t->basis[row] = column;
    mpz_clears(factor, lost, NULL);
}

static void fault(const char *what) {
    fprintf(stderr, "exact linear program: %s\n", what);
    abort();
}

/* W is minus the multipliers: 1 - reduced cost of the artificial columns. Every pair must come out positive. */
static void check_feasible(const tableau *t, mpz_t *a, size_t entries) {
    mpz_t *w = exact_array(entries), gap;
    mpz_init(gap);
    for (size_t e = 0; e < entries; e++) mpz_sub(w[e], *at(t, t->rows, t->pairs + e), t->denominator);
    for (size_t p = 0; p < t->pairs; p++) {
        mpz_set_ui(gap, 0);
        for (size_t e = 0; e < entries; e++) mpz_addmul(gap, w[e], a[p * entries + e]);
        if (mpz_sgn(gap) <= 0) fault("the matrix found does not recall a fact");
    }
    mpz_clear(gap);
    exact_free(w, entries);
}

/* The weights in the basis: none negative, not all zero, and their pairs cancel. */
static void check_infeasible(const tableau *t, mpz_t *a, size_t entries) {
    mpz_t *sums = exact_array(entries + 1);
    for (size_t r = 0; r < t->rows; r++) {
        mpz_t *weight = at(t, r, t->columns - 1);
        if (mpz_sgn(*weight) < 0) fault("a weight is negative");
        if (t->basis[r] >= t->pairs) continue;
        for (size_t e = 0; e < entries; e++) mpz_addmul(sums[e], *weight, a[t->basis[r] * entries + e]);
        mpz_add(sums[entries], sums[entries], *weight);
    }
    for (size_t e = 0; e < entries; e++)
        if (mpz_sgn(sums[e]) != 0) fault("the weights found do not cancel");
    if (mpz_sgn(sums[entries]) <= 0) fault("there are no weights");
    exact_free(sums, entries + 1);
}

exact_verdict exact_lp(const ireneo_facts *f, size_t *pivots) {
    size_t longer = f->residuals != NULL, entries = f->dim_in * f->dim_out + longer,
           pairs = f->facts * (f->candidates - 1) + longer, steps = 0, column = 0;
    mpz_t *a = exact_array(pairs * entries);
    tableau t = {0};
    fill_pairs(f, entries, a);
    reduce_all(a, pairs, entries);
    set_up(&t, a, pairs, entries);
    while (mpz_sgn(*at(&t, t.rows, t.columns - 1)) != 0 && choose_column(&t, &column)) {
        size_t row = choose_row(&t, column);
        if (row == t.rows) fault("weights without bound");
        pivot(&t, row, column);
        steps++;
    }
    exact_verdict verdict = mpz_sgn(*at(&t, t.rows, t.columns - 1)) == 0 ? EXACT_INFEASIBLE : EXACT_FEASIBLE;
    if (verdict == EXACT_FEASIBLE)
        check_feasible(&t, a, entries);
    else
        check_infeasible(&t, a, entries);
    if (pivots != NULL) *pivots = steps;
    exact_free(t.entries, (t.rows + 1) * t.columns);
    exact_free(a, pairs * entries);
    mpz_clear(t.denominator);
    free(t.basis);
    return verdict;
}
