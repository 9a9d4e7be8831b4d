/* Simplex in whole numbers.
 *
 *     minimise sum_r (p_r + q_r)   subject to   sum_k l_k a_k + p - q = 0 ,  sum_k l_k = 1 ,  l, p, q >= 0
 *
 * is the distance from zero to the convex hull of the pairs' matrices a_k, in the norm that sums entries. If it is
 * zero, l is a certificate; if not, the multipliers pi of its rows satisfy pi . a_k >= distance for every k with
 * |pi_r| <= 1: pi is a memory. One or the other, and no third.
 *
 * The tableau holds whole numbers over one common denominator, the last pivot (Edmonds' integer pivoting): every
 * division is exact and no fraction is ever reduced. Rows are scaled by powers of two to entries of like size, and so
 * are columns; both only choose which certificate or memory is found. The columns of q are minus those of p and are
 * not stored. */
#include "linear/certificate/rational_lp.h"
#include "base/exact.h"
#include "base/ram.h"
#include "linear/facts/facts.h"

#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 64,
    DEGENERATE = 30
}; /* after so many steps without progress the rule that cannot cycle takes over */

/* Updated cells that a run may take: seconds. */
static const double MOST_CELLS = 4e6;

typedef struct tableau {
    const ireneo_facts *f;
    size_t rows, pairs,
        columns; /* entries of W; pairs; pairs + rows + 1: the last column is the right-hand side */
    mpz_t *cell; /* (rows + 2, columns): the sum of weights is row `rows`, reduced costs come last */
    mpz_t denominator;
    size_t
        *basic; /* (rows + 1) basic column of each row: pair, pairs + r for p_r, pairs + rows + r for q_r */
    int *row_exponent;    /* (rows) */
    int *column_exponent; /* (pairs) */
    mpz_t first, second;  /* scratch */
} tableau;

static mpz_t *at(const tableau *t, size_t row, size_t column) {
    return &t->cell[row * t->columns + column];
}

/* ---- entries ---- */

static void set_float(mpz_t number, float value) {
    int32_t mantissa;
    unsigned shift = ireneo_exact_split(value, &mantissa);
    mpz_set_si(number, mantissa);
    mpz_mul_2exp(number, number, shift);
}

/* Column of a pair in units of 2^-298. */
static void fill_column(tableau *t, size_t column, size_t fact, size_t candidate, float *space) {
    const ireneo_facts *f = t->f;
    const float *target = space, *other = space + f->dim_out, *key = f->keys + fact * f->dim_in;
    size_t index = ireneo_target_of(f, fact);
    if (f->values != NULL) {
        target = f->values + index * f->dim_out;
        other = f->values + candidate * f->dim_out;
    } else {
        f->own_candidates(f->own_context, fact, index, 1, space);
        f->own_candidates(f->own_context, fact, candidate, 1, space + f->dim_out);
    }
    for (size_t a = 0; a < f->dim_out; a++) {
        set_float(t->first, target[a]);
        set_float(t->second, other[a]);
        mpz_sub(t->first, t->first, t->second);
        for (size_t b = 0; b < f->dim_in; b++) {
            set_float(t->second, key[b]);
            mpz_mul(*at(t, a * f->dim_in + b, column), t->first, t->second);
        }
    }
}

static int bits_of(const mpz_t number) {
    return mpz_sgn(number) == 0 ? 0 : (int)mpz_sizeinbase(number, 2);
}

/* Largest bits in a row or column of entries; 0 when all vanish. */
static int largest_bits(const tableau *t, size_t row, size_t column, bool along_row, const int *exponent) {
    int largest = INT_MIN;
    for (size_t k = 0; k < (along_row ? t->pairs : t->rows); k++) {
        mpz_t *cell = along_row ? at(t, row, k) : at(t, k, column);
        if (mpz_sgn(*cell) != 0 && bits_of(*cell) - exponent[k] > largest)
            largest = bits_of(*cell) - exponent[k];
    }
    return largest == INT_MIN ? 0 : largest;
}

/* Powers of two that bring rows and columns to like size, in two rounds, then applied with one more for all that
 * leaves every entry whole. */
static void equilibrate(tableau *t) {
    int least = INT_MAX;
    for (int round = 0; round < 2; round++) {
        for (size_t k = 0; k < t->pairs; k++)
            t->column_exponent[k] = largest_bits(t, 0, k, false, t->row_exponent);
        for (size_t r = 0; r < t->rows; r++)
            t->row_exponent[r] = largest_bits(t, r, 0, true, t->column_exponent);
    }
    for (size_t r = 0; r < t->rows; r++)
        for (size_t k = 0; k < t->pairs; k++) {
            if (mpz_sgn(*at(t, r, k)) == 0) continue;
            int room = (int)mpz_scan1(*at(t, r, k), 0) - t->row_exponent[r] - t->column_exponent[k];
            if (room < least) least = room;
        }
    for (size_t r = 0; r < t->rows && least != INT_MAX; r++)
        for (size_t k = 0; k < t->pairs; k++) {
            int shift = t->row_exponent[r] + t->column_exponent[k] + least;
            mpz_t *cell = at(t, r, k);
            if (shift >= 0)
                mpz_fdiv_q_2exp(*cell, *cell, (mp_bitcnt_t)shift); /* exact: the last bits are zero */
            else
                mpz_mul_2exp(*cell, *cell, (mp_bitcnt_t)-shift);
        }
}

/* ---- the first basis: the whole weight on pair 0 ---- */

static void begin(tableau *t) {
    size_t sum = t->rows, cost = t->rows + 1, last = t->columns - 1;
    for (size_t k = 0; k < t->pairs; k++) mpz_set_si(*at(t, sum, k), 1);
    mpz_set_si(*at(t, sum, last), 1);
    t->basic[sum] = 0;
    for (size_t r = 0; r < t->rows; r++) {
        bool positive = mpz_sgn(*at(t, r, 0)) > 0; /* then q_r is basic, and the row changes its sign */
        mpz_set_si(*at(t, r, t->pairs + r), positive ? -1 : 1);
        t->basic[r] = positive ? t->pairs + t->rows + r : t->pairs + r;
        for (size_t k = 0; positive && k < t->pairs; k++) mpz_neg(*at(t, r, k), *at(t, r, k));
        mpz_set(t->first, *at(t, r, 0)); /* pair 0 leaves the row: row -= entry times the row of the sum */
        for (size_t k = 0; k < t->columns; k++) mpz_submul(*at(t, r, k), t->first, *at(t, sum, k));
    }
    /* reduced costs: p_r costs one; the basic ones cost one each and are taken off */
    for (size_t r = 0; r < t->rows; r++) mpz_set_si(*at(t, cost, t->pairs + r), 1);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t k = 0; k < t->columns; k++) mpz_sub(*at(t, cost, k), *at(t, cost, k), *at(t, r, k));
    mpz_set_si(t->denominator, 1);
}

/* ---- steps ---- */

/* Entry of any column, those of q included, in t->first. The reduced cost of q_r is 2 - that of p_r. */
static void get(tableau *t, size_t row, size_t column) {
    if (column < t->pairs + t->rows) {
        mpz_set(t->first, *at(t, row, column));
        return;
    }
    mpz_neg(t->first, *at(t, row, column - t->rows));
    if (row == t->rows + 1) mpz_addmul_ui(t->first, t->denominator, 2);
}

/* The column to enter: the most negative reduced cost, or the first negative one (Bland); SIZE_MAX when none is. */
static size_t entering(tableau *t, bool bland) {
    size_t best = SIZE_MAX, all = t->pairs + 2 * t->rows;
    for (size_t k = 0; k < all; k++) {
        get(t, t->rows + 1, k);
        if (mpz_sgn(t->first) >= 0 || (best != SIZE_MAX && mpz_cmp(t->first, t->second) >= 0)) continue;
        best = k;
        mpz_set(t->second, t->first);
        if (bland) break;
    }
    return best;
}

/* The row to leave: the smallest ratio of right-hand side to entry, the lowest basic column among equals. */
static size_t leaving(tableau *t, size_t column, mpz_t entry, mpz_t best_entry) {
    size_t best = SIZE_MAX, last = t->columns - 1;
    for (size_t r = 0; r <= t->rows; r++) {
        get(t, r, column);
        if (mpz_sgn(t->first) <= 0) continue;
        mpz_set(entry, t->first);
        if (best != SIZE_MAX) {
            mpz_mul(t->first, *at(t, r, last), best_entry);
            mpz_mul(t->second, *at(t, best, last), entry);
            int order = mpz_cmp(t->first, t->second);
            if (order > 0 || (order == 0 && t->basic[r] > t->basic[best])) continue;
        }
        best = r;
        mpz_set(best_entry, entry);
    }
    return best;
}

/* Every cell becomes (cell pivot - cell of its row in the column times cell of the pivot row) / denominator. */
static void step(tableau *t, size_t row, size_t column, mpz_t pivot, mpz_t factor) {
    get(t, row, column);
    mpz_set(pivot, t->first);
    for (size_t r = 0; r < t->rows + 2; r++) {
        if (r == row) continue;
        get(t, r, column);
        mpz_set(factor, t->first);
        for (size_t k = 0; k < t->columns; k++) {
            mpz_t *cell = at(t, r, k);
            mpz_mul(*cell, *cell, pivot);
            mpz_submul(*cell, factor, *at(t, row, k));
            mpz_divexact(*cell, *cell, t->denominator);
        }
    }
    mpz_set(t->denominator, pivot);
    t->basic[row] = column;
}

static bool run(tableau *t) {
    mpz_t entry, other;
    size_t cost = t->rows + 1, last = t->columns - 1, idle = 0;
    double cells = 0.0;
    bool finished = false;
    mpz_inits(entry, other, NULL);
    while (cells < MOST_CELLS && !finished) {
        size_t column = entering(t, idle > DEGENERATE);
        if (column == SIZE_MAX || mpz_sgn(*at(t, cost, last)) == 0) {
            finished = true; /* nothing to gain, or the distance is zero */
        } else {
            size_t row = leaving(t, column, entry, other);
            if (row == SIZE_MAX) break; /* cannot be: the distance is not below zero */
            idle = mpz_sgn(*at(t, row, last)) == 0 ? idle + 1 : 0;
            step(t, row, column, entry, other);
            cells += (double)(t->rows + 2) * (double)t->columns;
        }
    }
    mpz_clears(entry, other, NULL);
    return finished;
}

/* ---- results ---- */

static double ratio(const mpz_t number, const mpz_t denominator, int exponent) {
    long e = 0, f = 0;
    double m = mpz_get_d_2exp(&e, number), n = mpz_get_d_2exp(&f, denominator);
    return ldexp(m / n, (int)(e - f) + exponent);
}

static void read_weights(tableau *t, double *weights) {
    memset(weights, 0, t->pairs * sizeof *weights);
    for (size_t r = 0; r <= t->rows; r++)
        if (t->basic[r] < t->pairs)
            weights[t->basic[r]] =
                ratio(*at(t, r, t->columns - 1), t->denominator, -t->column_exponent[t->basic[r]]);
}

/* pi_r = 1 - reduced cost of p_r, up to the sign; in the caller's coordinates, largest entry one. */
static void read_matrix(tableau *t, double *w) {
    double largest = 0.0;
    int highest = INT_MIN;
    for (size_t r = 0; r < t->rows; r++)
        if (-t->row_exponent[r] > highest) highest = -t->row_exponent[r];
    for (size_t r = 0; r < t->rows; r++) {
        mpz_sub(t->first, t->denominator, *at(t, t->rows + 1, t->pairs + r));
        w[r] = mpz_sgn(t->first) == 0 ? 0.0 : ratio(t->first, t->denominator, -t->row_exponent[r] - highest);
        largest = fmax(largest, fabs(w[r]));
    }
    for (size_t r = 0; largest > 0.0 && r < t->rows; r++) w[r] /= -largest;
}

static ireneo_error allocate(tableau *t, float **space) {
    IRENEO_TRY(IRENEO_ALLOCATE(&t->cell, (t->rows + 2) * t->columns, "exact verdict"));
    IRENEO_TRY(IRENEO_ALLOCATE(&t->basic, t->rows + 1, "exact verdict"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&t->row_exponent, t->rows, "exact verdict"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&t->column_exponent, t->pairs, "exact verdict"));
    return IRENEO_ALLOCATE(space, 2 * t->f->dim_out, "candidates");
}

static void solve(tableau *t, const uint32_t *fact, const uint32_t *candidate, float *space, double *w,
                  double *weights, ireneo_rational_verdict *verdict) {
    size_t cells = (t->rows + 2) * t->columns;
    for (size_t k = 0; k < cells; k++) mpz_init(t->cell[k]);
    mpz_inits(t->denominator, t->first, t->second, NULL);
    for (size_t k = 0; k < t->pairs; k++) fill_column(t, k, fact[k], candidate[k], space);
    equilibrate(t);
    begin(t);
    if (run(t)) {
        bool impossible = mpz_sgn(*at(t, t->rows + 1, t->columns - 1)) == 0;
        *verdict = impossible ? IRENEO_RATIONAL_IMPOSSIBLE : IRENEO_RATIONAL_POSSIBLE;
        if (impossible)
            read_weights(t, weights);
        else
            read_matrix(t, w);
    }
    mpz_clears(t->denominator, t->first, t->second, NULL);
    for (size_t k = 0; k < cells; k++) mpz_clear(t->cell[k]);
}

ireneo_error ireneo_rational_lp(const ireneo_facts *facts, const uint32_t *fact, const uint32_t *candidate,
                                size_t count, double *w, double *weights, ireneo_rational_verdict *verdict) {
    tableau t = {.f = facts, .rows = facts->dim_in * facts->dim_out, .pairs = count};
    float *space = NULL;
    *verdict = IRENEO_RATIONAL_OPEN;
    t.columns = t.pairs + t.rows + 1;
    if (count == 0 || t.rows > MOST_ROWS ||
        (double)(t.rows + 2) * (double)t.columns * (double)t.rows > MOST_CELLS)
        return IRENEO_OK;
    ireneo_error failed = allocate(&t, &space);
    if (failed == IRENEO_OK) solve(&t, fact, candidate, space, w, weights, verdict);
    free(t.cell), free(t.basic), free(t.row_exponent), free(t.column_exponent), free(space);
    return failed;
}
