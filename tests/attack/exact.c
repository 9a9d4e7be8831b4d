#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void exact_from_float(mpz_t number, float value) {
    mpz_set_d(number,
              ldexp((double)value, 149)); /* a whole number below 2^278, which float64 holds exactly */
}

mpz_t *exact_array(size_t count) {
    mpz_t *numbers = calloc(count > 0 ? count : 1, sizeof *numbers);
    if (numbers == NULL) {
        fputs("exact arithmetic: not enough memory\n", stderr);
        exit(4);
    }
    for (size_t k = 0; k < count; k++) mpz_init(numbers[k]);
    return numbers;
}

void exact_free(mpz_t *numbers, size_t count) {
    for (size_t k = 0; k < count; k++) mpz_clear(numbers[k]);
    free(numbers);
}

size_t exact_target(const ireneo_facts *facts, size_t fact) {
    return facts->targets != NULL ? (size_t)facts->targets[fact] : fact;
}

static const float *value_of(const ireneo_facts *f, size_t fact, size_t candidate, float *scratch) {
    if (f->values != NULL) return f->values + candidate * f->dim_out;
    f->own_candidates(f->own_context, fact, candidate, 1, scratch);
    return scratch;
}

void exact_differences(const ireneo_facts *f, size_t fact, mpz_t *differences) {
    float target_space[64], other_space[64];
    mpz_t other;
    mpz_init(other);
    const float *target = value_of(f, fact, exact_target(f, fact), target_space);
    for (size_t j = 0; j < f->candidates; j++) {
        const float *y = value_of(f, fact, j, other_space);
        for (size_t a = 0; a < f->dim_out; a++) {
            exact_from_float(differences[j * f->dim_out + a], target[a]);
            exact_from_float(other, y[a]);
            mpz_sub(differences[j * f->dim_out + a], differences[j * f->dim_out + a], other);
        }
    }
    mpz_clear(other);
}

static bool all_finite(const float *numbers, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(numbers[k])) return false;
    return true;
}

bool exact_finite(const ireneo_memory *m) {
    if (m->matrix != NULL) return all_finite(m->matrix, m->dim_out * m->dim_in);
    return all_finite(m->left, m->dim_out * m->rank) && all_finite(m->right, m->dim_in * m->rank);
}

/* out (rows) = matrix (rows, columns) times in (columns); `across` is the step from one column to the next. */
static void multiply(const float *matrix, size_t rows, size_t columns, size_t down, size_t across, mpz_t *in,
                     mpz_t *out) {
    mpz_t entry;
    mpz_init(entry);
    for (size_t a = 0; a < rows; a++) {
        mpz_set_ui(out[a], 0);
        for (size_t b = 0; b < columns; b++) {
            exact_from_float(entry, matrix[a * down + b * across]);
            mpz_addmul(out[a], entry, in[b]);
        }
    }
    mpz_clear(entry);
}

/* h += r, for an h that is 2^scale times itself. */
static void add_offset(const float *r, size_t dim, unsigned long scale, mpz_t *h) {
    mpz_t entry;
    mpz_init(entry);
    for (size_t a = 0; r != NULL && a < dim; a++) {
        exact_from_float(entry, r[a]);
        mpz_mul_2exp(entry, entry, scale - 149);
        mpz_add(h[a], h[a], entry);
    }
    mpz_clear(entry);
}

/* h (dim_out) = W x + r, up to a power of two; r may be NULL. */
static void product(const ireneo_memory *m, const float *x, const float *r, mpz_t *h) {
    mpz_t *key = exact_array(m->dim_in), *middle = exact_array(m->rank);
    for (size_t b = 0; b < m->dim_in; b++) exact_from_float(key[b], x[b]);
    if (m->matrix != NULL) {
        multiply(m->matrix, m->dim_out, m->dim_in, m->dim_in, 1, key, h);
    } else {
        multiply(m->right, m->rank, m->dim_in, 1, m->rank, key, middle);
        multiply(m->left, m->dim_out, m->rank, m->rank, 1, middle, h);
    }
    add_offset(r, m->dim_out, m->matrix != NULL ? 2 * 149 : 3 * 149, h);
    exact_free(key, m->dim_in);
    exact_free(middle, m->rank);
}

/* Whether h^T (y_target - y_j) > 0 for every competitor. */
static bool wins(const ireneo_facts *f, size_t fact, mpz_t *h, mpz_t *differences) {
    bool every = true;
    mpz_t gap;
    mpz_init(gap);
    for (size_t j = 0; j < f->candidates && every; j++) {
        if (j == exact_target(f, fact)) continue;
        mpz_set_ui(gap, 0);
        for (size_t a = 0; a < f->dim_out; a++) mpz_addmul(gap, h[a], differences[j * f->dim_out + a]);
        every = mpz_sgn(gap) > 0;
    }
    mpz_clear(gap);
    return every;
}

size_t exact_recalled(const ireneo_memory *memory, const ireneo_facts *f, unsigned char *flags) {
    size_t recalled = 0, entries = f->candidates * f->dim_out;
    bool finite = exact_finite(memory);
    mpz_t *h = exact_array(f->dim_out), *differences = exact_array(entries);
    for (size_t i = 0; i < f->facts; i++) {
        bool good = finite;
        if (finite) {
            product(memory, f->keys + i * f->dim_in,
                    f->residuals != NULL ? f->residuals + i * f->dim_out : NULL, h);
            exact_differences(f, i, differences);
            good = wins(f, i, h, differences);
        }
        if (flags != NULL) flags[i] = (unsigned char)good;
        recalled += (size_t)good;
    }
    exact_free(h, f->dim_out);
    exact_free(differences, entries);
    return recalled;
}
