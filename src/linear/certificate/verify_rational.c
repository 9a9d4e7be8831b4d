/* Weights on the pairs of a certificate that cancel exactly, in rational arithmetic.
 *
 * sum_k R_k a_k = 0 is a linear system with rational coefficients (float32 numbers are whole multiples of powers of
 * two). Gauss-Jordan elimination splits the pairs into as many pivots as the rank and the free rest. The free ones keep
 * the certificate's weights, the pivots' follow without rounding; if all of them are positive, the proof is exact.
 * Heavy pairs come first, so that pivots have weight to spare. Right-hand sides of pairs (scaled_pairs.h) must sum to no
 * more than zero for the weights so found, or be one more row of the system that vanishes. */
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
    mpq_t *side;   /* (columns) right-hand sides; NULL: none */
    mpq_t *weight; /* (rows) of the pivots */
    bool one_key;  /* the rows are those of differences */
    bool longer;   /* the last row holds the right-hand sides */
} elimination;

/* Do all facts in use have the same key? */
static bool one_key(const ireneo_scaled_pairs *p) {
    const float *keys = p->f->keys;
    for (size_t i = 1; i < p->facts; i++)
        if (memcmp(keys + p->fact[i] * p->f->dim_in, keys + p->fact[0] * p->f->dim_in,
                   p->f->dim_in * sizeof *keys) != 0)
            return false;
    return true;
}

/* Rows of the system: entries of W; of one key alone the entries of its differences, which cancel if their products with
 * the key do, unless that is zero, and always the other way round. */
static size_t system_rows(const ireneo_scaled_pairs *p) {
    return one_key(p) ? p->f->dim_out : p->f->dim_in * p->f->dim_out;
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
    size_t inner = e->one_key ? 1 : f->dim_in;
    if (e->longer) mpq_set(*at(e, e->rows - 1, column), e->side[column]);
    for (size_t a = 0; a < f->dim_out; a++)
        for (size_t b = 0; b < inner; b++) {
            mpq_t *entry = at(e, a * inner + b, column);
            mpq_set_d(*entry, (double)values[0][a]);
            mpq_set_d(number, (double)values[1][a]);
            mpq_sub(*entry, *entry, number);
            if (e->one_key) continue;
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
static bool pivot_positive(const elimination *e, size_t row, mpq_t product) {
    size_t next = 0;
    mpq_t *sum = &e->weight[row];
    mpq_set_ui(*sum, 0, 1);
    for (size_t c = 0; c < e->columns; c++) {
        while (next < e->rank && e->pivot[next] < c) next++;
        if ((next < e->rank && e->pivot[next] == c) || mpq_sgn(*at(e, row, c)) == 0) continue;
        mpq_set_d(product, e->p->c->weights[e->order[c].pair]);
        mpq_mul(product, product, *at(e, row, c));
        mpq_sub(*sum, *sum, product);
    }
    return mpq_sgn(*sum) > 0;
}

/* Do the right-hand sides sum to no more than zero, or to less where margins need only be reached? */
static bool sides_hold(const elimination *e, mpq_t sum, mpq_t product) {
    size_t next = 0;
    if (e->side == NULL) return true;
    mpq_set_ui(sum, 0, 1);
    for (size_t c = 0; c < e->columns; c++) {
        bool pivot = next < e->rank && e->pivot[next] == c;
        if (pivot)
            mpq_set(product, e->weight[next++]);
        else
            mpq_set_d(product, e->p->c->weights[e->order[c].pair]);
        mpq_mul(product, product, e->side[c]);
        mpq_add(sum, sum, product);
    }
    return e->p->c->margins != NULL ? mpq_sgn(sum) < 0 : mpq_sgn(sum) <= 0;
}

static mpq_t *new_numbers(size_t count) {
    mpq_t *numbers = calloc(count > 0 ? count : 1, sizeof *numbers);
    for (size_t k = 0; numbers != NULL && k < count; k++) mpq_init(numbers[k]);
    return numbers;
}

static void free_numbers(mpq_t *numbers, size_t count) {
    for (size_t k = 0; numbers != NULL && k < count; k++) mpq_clear(numbers[k]);
    free(numbers);
}

static void decide(elimination *e, float *space, bool *exact) {
    mpq_t first, second;
    mpq_inits(first, second, NULL);
    e->rank = 0;
    for (size_t c = 0; c < e->columns; c++) fill_column(e, c, space, first);
    eliminate(e, first, second);
    *exact = e->rank < e->columns; /* independent pairs cannot cancel */
    for (size_t r = 0; *exact && r < e->rank; r++) *exact = pivot_positive(e, r, first);
    *exact = *exact && sides_hold(e, first, second);
    mpq_clears(first, second, NULL);
}

/* One elimination; `longer`: with the right-hand sides as a row. */
static ireneo_error attempt(elimination *e, bool longer, float *space, bool *exact) {
    e->longer = longer;
    e->rows = system_rows(e->p) + (longer ? 1 : 0);
    e->entry = new_numbers(e->rows * e->columns);
    e->weight = new_numbers(e->rows);
    ireneo_error failed = IRENEO_ALLOCATE(&e->pivot, e->rows, "exact elimination");
    if (failed == IRENEO_OK && (e->entry == NULL || e->weight == NULL))
        failed = ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for an exact elimination");
    if (failed == IRENEO_OK) decide(e, space, exact);
    free_numbers(e->entry, e->rows * e->columns), free_numbers(e->weight, e->rows), free(e->pivot);
    return failed;
}

static ireneo_error make_sides(elimination *e) {
    if (e->p->offset == NULL) return IRENEO_OK;
    e->side = new_numbers(e->columns);
    if (e->side == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for right-hand sides");
    for (size_t c = 0; c < e->columns; c++)
        ireneo_exact_offset(e->p, e->order[c].place, e->order[c].pair, e->side[c]);
    return IRENEO_OK;
}

ireneo_error ireneo_verify_rational(const ireneo_scaled_pairs *p, bool *exact) {
    elimination e = {.p = p, .columns = p->c->count, .one_key = one_key(p)};
    float *space = NULL;
    *exact = false;
    ireneo_error failed = IRENEO_ALLOCATE(&e.order, e.columns, "pairs of a certificate");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&space, 2 * p->f->dim_out, "candidates");
    if (failed == IRENEO_OK) {
        order_pairs(&e);
        failed = make_sides(&e);
    }
    if (failed == IRENEO_OK) failed = attempt(&e, false, space, exact);
    if (failed == IRENEO_OK && !*exact && p->offset != NULL && p->c->margins == NULL)
        failed = attempt(&e, true, space, exact);
    free_numbers(e.side, e.columns);
    free(e.order), free(space);
    return failed;
}
