/* What an edit changed, as two factors. */
#include "base/ram.h"
#include "base/threads.h"
#include "linear/memory/memory.h"

#include <lapacke.h>
#include <math.h>

/* Left and right of the first `rank` singular triples, each scaled by the root of its value. */
static ireneo_error take_factors(size_t out, size_t in, size_t rank, const double *u, const double *s,
                                 const double *vt, ireneo_memory **difference) {
    size_t smaller = out < in ? out : in;
    IRENEO_TRY(ireneo_memory_allocate(in, out, rank, difference));
    for (size_t k = 0; k < rank; k++) {
        double root = sqrt(s[k]);
        for (size_t a = 0; a < out; a++)
            (*difference)->left[a * rank + k] = (float)(root * u[a * smaller + k]);
        for (size_t b = 0; b < in; b++) (*difference)->right[b * rank + k] = (float)(root * vt[k * in + b]);
    }
    return IRENEO_OK;
}

/* The smallest rank whose rest, in Frobenius norm and so in every entry, stays below the limit. */
static size_t choose_rank(const double *s, size_t count, double limit) {
    double rest = 0.0;
    size_t rank = count;
    while (rank > 1) {
        rest += s[rank - 1] * s[rank - 1];
        if (sqrt(rest) > limit) break;
        rank--;
    }
    return rank;
}

ireneo_error ireneo_edit_difference(const ireneo_memory *w0, const ireneo_memory *edited, double rounding,
                                    ireneo_memory **difference) {
    IRENEO_REQUIRE(difference != NULL, "a difference needs a place for it");
    *difference = NULL;
    IRENEO_TRY(ireneo_memory_check(w0));
    IRENEO_TRY(ireneo_memory_check(edited));
    IRENEO_REQUIRE(w0->rank == 0 && edited->rank == 0 && w0->dim_in == edited->dim_in &&
                       w0->dim_out == edited->dim_out,
                   "a difference needs two full matrices of one shape");
    IRENEO_REQUIRE(rounding >= 0.0, "the rounding must not be negative");
    size_t in = w0->dim_in, out = w0->dim_out, smaller = out < in ? out : in;
    double *d = NULL, *u = NULL, *s = NULL, *vt = NULL, largest = 0.0;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = IRENEO_ALLOCATE(&d, out * in, "a difference");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&u, out * smaller, "a difference");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&vt, smaller * in, "a difference");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s, smaller, "a difference");
    for (size_t k = 0; failed == IRENEO_OK && k < out * in; k++) {
        d[k] = (double)edited->matrix[k] - (double)w0->matrix[k];
        largest = fmax(largest, fabs(d[k]));
    }
    if (failed == IRENEO_OK &&
        LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', (lapack_int)out, (lapack_int)in, d, (lapack_int)in, s, u,
                       (lapack_int)smaller, vt, (lapack_int)in) != 0)
        failed = ireneo_fail(IRENEO_ERROR_NUMERIC, "the singular values of the change were not found");
    double limit = (rounding > 0.0 ? rounding : 0x1p-24) * largest;
    if (failed == IRENEO_OK)
        failed = take_factors(out, in, choose_rank(s, smaller, limit), u, s, vt, difference);
    free(d), free(u), free(vt), free(s);
    return ireneo_leave(failed);
}
