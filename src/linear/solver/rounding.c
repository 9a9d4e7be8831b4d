/* Rounding changes entry W_ab by about 2^-25 |W_ab|, independently: the spread of the change of y^T W x is
 * 2^-25 sqrt(sum W_ab^2 y_a^2 x_b^2). The gap is eight spreads of the difference of two scores, averaged over
 * the data. */
#include "linear/solver/rounding.h"
#include "base/ram.h"

#include <math.h>

static const double HALF_UNIT = 0x1p-25, SPREADS = 8.0;
static const double LEAST = 1e-5; /* what the float32 scores of the working set are themselves worth */
static const double MOST_OF_MARGIN = 0.25; /* a gap near the margin would never be reached by the loss */

/* Second moment of each coordinate (dim) of whitened data whose white coordinates have second moment `white`. */
static void coordinate_moments(const ireneo_whitening *w, double white, double *moments) {
    for (size_t a = 0; a < w->dim; a++) {
        moments[a] = 0.0;
        for (size_t k = 0; k < w->span; k++)
            moments[a] += w->back[a * w->span + k] * w->back[a * w->span + k] * white;
    }
}

double ireneo_rounding_gap(const ireneo_problem *p, const float *w, double margin) {
    const double most = fmax(LEAST, MOST_OF_MARGIN * margin);
    size_t in = p->keys.dim, out = p->values.dim;
    float *matrix = NULL;
    double *keys = NULL, *values = NULL, gap = LEAST;
    if (p->dim_in == 0 || p->dim_out == 0) return LEAST;
    if (IRENEO_ALLOCATE(&matrix, in * out, "memory") == IRENEO_OK &&
        IRENEO_ALLOCATE(&keys, in, "moments") == IRENEO_OK &&
        IRENEO_ALLOCATE(&values, out, "moments") == IRENEO_OK &&
        ireneo_matrix_from_white(p, w, matrix) == IRENEO_OK) {
        double total = 0.0;
        coordinate_moments(&p->keys, 1.0 / (double)p->keys.span, keys);
        coordinate_moments(&p->values, 1.0, values);
        for (size_t a = 0; a < out; a++)
            for (size_t b = 0; b < in; b++)
                total += (double)matrix[a * in + b] * (double)matrix[a * in + b] * values[a] * keys[b];
        gap = SPREADS * HALF_UNIT * sqrt(2.0 * total);
    }
    free(matrix);
    free(keys);
    free(values);
    return fmin(fmax(LEAST, gap), most);
}
