/* Weights on the pairs of a certificate that cancel exactly, in rational arithmetic.
 *
 * sum_k R_k a_k = 0 is a linear system with rational coefficients (float32 numbers are whole multiples of powers of
 * two). Gauss-Jordan elimination splits the pairs into as many pivots as the rank and the free rest. The free ones keep
 * the certificate's weights, the pivots' follow without rounding; if all of them are positive, the proof is exact.
 * Heavy pairs come first, so that pivots have weight to spare. */
#include "linear/certificate/verify_rational.h"
#include "base/ram.h"
#include "linear/facts/facts.h"

#include <gmp.h>
#include <string.h>

/* Products of rationals that an elimination may take: about a second. */
static const double MOST_PRODUCTS = 4e5;

typedef struct heavy {
    double weight;
    size_t place, pair; /* the fact's place among those in use, and the pair */
} heavy;

typedef struct elimination {
    const ireneo_scaled_pairs *p;
    size_t rows, columns; /* entries of W, pairs */
    heavy *order;         /* (columns), heaviest first */
    mpq_t *entry;         /* (rows, columns) */
    size_t *pivot;        /* (rank) column of each pivot row */
    size_t rank;
} elimination;

/* Rows of the system: entries of W; of one fact alone the entries of its differences, for its key is no zero. */
static size_t system_rows(const ireneo_scaled_pairs *p) {
    return p->facts == 1 ? p->f->dim_out : p->f->dim_in * p->f->dim_out;
}

bool ireneo_verify_rational_fits(const ireneo_scaled_pairs *p) {
    double rows = (double)system_rows(p), columns = (double)p->c->count;
    double rank = rows < columns ? rows : columns;
    return rows * columns * rank <= MOST_PRODUCTS;
}

static int heaviest_first(const void *a, const void *b) {
    const heavy *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->pair < y->pair ? -1 : 1;
}

static void order_pairs(elimination *e) {
    for (size_t i = 0; i < e->p->facts; i++)
        for (size_t k = e->p->start[i]; k < e->p->start[i + 1]; k++)
            e->order[k] = (heavy){e->p->weight[k], i, k};
    qsort(e->order, e->columns, sizeof *e->order, heaviest_first);
}

static mpq_t *at(const elimination *e, size_t row, size_t column) {
    return &e->entry[row * e->columns + column];
}

/* Column of a pair: (y_target - y_j) x^T times a power of two. The differences are taken exactly. */
static void fill_column(elimination *e, size_t column, float *space, mpq_t number) {
    const ireneo_facts *f = e->p->f;
    const heavy *pair = &e->order[column];
    size_t fact = e->p->fact[pair->place],
           others[2] = {ireneo_target_of(f, fact), (size_t)e->p->c->candidates[pair->pair]};
    const float *values[2], *key = f->keys + fact * f->dim_in;
    for (int w = 0; w < 2; w++) {
        values[w] = f->values != NULL ? f->values + others[w] * f->dim_out : space + (size_t)w * f->dim_out;
        if (f->values == NULL)
            f->own_candidates(f->own_context, fact, others[w], 1, space + (size_t)w * f->dim_out);
    }
    size_t inner = e->p->facts == 1 ? 1 : f->dim_in;
    for (size_t a = 0; a < f->dim_out; a++)
        for (size_t b = 0; b < inner; b++) {
            mpq_t *entry = at(e, a * inner + b, column);
            mpq_set_d(*entry, (double)values[0][a]);
            mpq_set_d(number, (double)values[1][a]);
            mpq_sub(*entry, *entry, number);
            if (e->p->facts == 1) continue;
            mpq_set_d(number, (double)key[b]);
            mpq_mul(*entry, *entry, number);
        }
}

/* row -= factor times pivot row, from a column on. */
static void subtract_row(elimination *e, size_t row, size_t from, size_t column, mpq_t factor,
                         mpq_t product) {
    mpq_set(factor, *at(e, row, column));
    for (size_t c = column; c < e->columns; c++) {
        if (mpq_sgn(*at(e, from, c)) == 0) continue;
        mpq_mul(product, factor, *at(e, from, c));
        mpq_sub(*at(e, row, c), *at(e, row, c), product);
    }
}

static void swap_rows(elimination *e, size_t a, size_t b) {
    for (size_t c = 0; a != b && c < e->columns; c++) mpq_swap(*at(e, a, c), *at(e, b, c));
}

static void eliminate(elimination *e, mpq_t factor, mpq_t product) {
    for (size_t column = 0; column < e->columns && e->rank < e->rows; column++) {
        size_t row = e->rank;
        while (row < e->rows && mpq_sgn(*at(e, row, column)) == 0) row++;
        if (row == e->rows) continue;
        swap_rows(e, row, e->rank);
        mpq_inv(factor, *at(e, e->rank, column));
        for (size_t c = column; c < e->columns; c++) mpq_mul(*at(e, e->rank, c), *at(e, e->rank, c), factor);
        for (size_t r = 0; r < e->rows; r++)
            if (r != e->rank && mpq_sgn(*at(e, r, column)) != 0)
                subtract_row(e, r, e->rank, column, factor, product);
        e->pivot[e->rank++] = column;
    }
}

/* Weight of the pivot of a row: minus the sum over the free columns. */
static bool pivot_positive(const elimination *e, size_t row, mpq_t sum, mpq_t product) {
    size_t next = 0;
    mpq_set_ui(sum, 0, 1);
    for (size_t c = 0; c < e->columns; c++) {
        while (next < e->rank && e->pivot[next] < c) next++;
        if ((next < e->rank && e->pivot[next] == c) || mpq_sgn(*at(e, row, c)) == 0) continue;
        mpq_set_d(product, e->p->c->weights[e->order[c].pair]);
        mpq_mul(product, product, *at(e, row, c));
        mpq_sub(sum, sum, product);
    }
    return mpq_sgn(sum) > 0;
}

static void decide(elimination *e, float *space, bool *exact) {
    mpq_t first, second;
    size_t cells = e->rows * e->columns;
    mpq_inits(first, second, NULL);
    for (size_t k = 0; k < cells; k++) mpq_init(e->entry[k]);
    order_pairs(e);
    for (size_t c = 0; c < e->columns; c++) fill_column(e, c, space, first);
    eliminate(e, first, second);
    *exact = e->rank < e->columns; /* independent pairs cannot cancel */
    for (size_t r = 0; *exact && r < e->rank; r++) *exact = pivot_positive(e, r, first, second);
    for (size_t k = 0; k < cells; k++) mpq_clear(e->entry[k]);
    mpq_clears(first, second, NULL);
}

ireneo_error ireneo_verify_rational(const ireneo_scaled_pairs *p, bool *exact) {
    elimination e = {.p = p, .rows = system_rows(p), .columns = p->c->count};
    float *space = NULL;
    *exact = false;
    ireneo_error failed = IRENEO_ALLOCATE(&e.order, e.columns, "pairs of a certificate");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&e.entry, e.rows * e.columns, "exact elimination");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&e.pivot, e.rows, "exact elimination");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&space, 2 * p->f->dim_out, "candidates");
    if (failed == IRENEO_OK) decide(&e, space, exact);
    free(e.order), free(e.entry), free(e.pivot), free(space);
    return failed;
}
