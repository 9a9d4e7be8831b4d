/* Whitening by Cholesky, or by eigenvectors when the data do not fill their space. Moments are summed in
 * float64. */
#include "base/whiten.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/tree_sum.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { TILE = 256 };

/* Variance that a dimension must have beyond what the others explain. Float32 data leave noise near 1e-14. */
static const double INDEPENDENT = 1e-10;

/* The least such share of the variance at which float32 products with the whitening still lose nothing. */
static const double GENTLE = 0.05;

void ireneo_whitening_free(ireneo_whitening *whitening) {
    free(whitening->mean);
    free(whitening->forward);
    free(whitening->back);
    memset(whitening, 0, sizeof *whitening);
}

static ireneo_error allocate_whitening(size_t dim, ireneo_whitening *whitening) {
    memset(whitening, 0, sizeof *whitening);
    whitening->dim = whitening->span = dim;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&whitening->mean, dim, "mean"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&whitening->forward, dim * dim, "whitening"));
    return IRENEO_ALLOCATE_ZEROED(&whitening->back, dim * dim, "whitening");
}

ireneo_error ireneo_whitening_identity(size_t dim, ireneo_whitening *whitening) {
    ireneo_error failed = allocate_whitening(dim, whitening);
    for (size_t i = 0; failed == IRENEO_OK && i < dim; i++)
        whitening->forward[i * dim + i] = whitening->back[i * dim + i] = 1.0;
    return failed;
}

static void to_double(const float *rows, size_t count, size_t dim, const double *mean, double *out) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < dim; j++) out[i * dim + j] = (double)rows[i * dim + j] - mean[j];
}

/* Rows under way, and the space of the threads. */
typedef struct row_sums {
    const float *rows;
    const ireneo_holding *holding;
    size_t dim;
    const double *mean;
    double *tiles; /* (threads, TILE, dim) */
} row_sums;

static void sum_group(void *context, size_t group, int thread, void *sum) {
    (void)thread;
    const row_sums *s = context;
    size_t first, last;
    double *total = sum;
    ireneo_group_rows(s->holding, group, &first, &last);
    memset(total, 0, s->dim * sizeof *total);
    for (size_t i = first; i < last; i++)
        for (size_t j = 0; j < s->dim; j++) total[j] += (double)s->rows[i * s->dim + j];
}

ireneo_error ireneo_mean_held(const float *rows, const ireneo_holding *holding, size_t dim, int threads,
                              double *mean) {
    ireneo_tree_sum tree;
    row_sums s = {.rows = rows, .holding = holding, .dim = dim};
    IRENEO_TRY(ireneo_tree_sum_allocate(holding, IRENEO_SUM_F64, dim, threads, &tree));
    ireneo_tree_sum_run(&tree, sum_group, &s, mean);
    for (size_t j = 0; j < dim; j++) mean[j] /= (double)holding->total;
    ireneo_tree_sum_free(&tree);
    return IRENEO_OK;
}

ireneo_error ireneo_mean_row(const float *rows, size_t count, size_t dim, int threads, double *mean) {
    ireneo_holding whole = ireneo_holding_whole(count);
    return ireneo_mean_held(rows, &whole, dim, threads, mean);
}

static void multiply_group(void *context, size_t group, int thread, void *sum) {
    const row_sums *s = context;
    size_t dim = s->dim, first, last;
    double *tile = s->tiles + (size_t)thread * TILE * dim;
    ireneo_group_rows(s->holding, group, &first, &last);
    memset(sum, 0, dim * dim * sizeof *tile);
    for (size_t i = first; i < last; i += TILE) {
        size_t many = last - i < TILE ? last - i : TILE;
        to_double(s->rows + i * dim, many, dim, s->mean, tile);
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)dim, (int)many, 1.0, tile, (int)dim, 1.0, sum,
                    (int)dim);
    }
}

/* Second moment (dim, dim), lower triangle, of rows around the mean. */
static ireneo_error find_moment(const float *rows, const ireneo_holding *holding, size_t dim,
                                const double *mean, int threads, double *moment) {
    row_sums s = {.rows = rows, .holding = holding, .dim = dim, .mean = mean};
    ireneo_tree_sum tree = {0};
    ireneo_error failed = IRENEO_ALLOCATE(&s.tiles, (size_t)threads * TILE * dim, "rows in float64");
    if (failed == IRENEO_OK)
        failed = ireneo_tree_sum_allocate(holding, IRENEO_SUM_F64, dim * dim, threads, &tree);
    if (failed == IRENEO_OK) {
        ireneo_tree_sum_run(&tree, multiply_group, &s, moment);
        for (size_t k = 0; k < dim * dim; k++) moment[k] /= (double)holding->total;
    }
    ireneo_tree_sum_free(&tree);
    free(s.tiles);
    return failed;
}

/* moment = L L^T, forward = scale L^-1, back = L / scale; false when some dimension hardly varies on its own.
 */
static bool whiten_by_cholesky(const double *moment, size_t dim, ireneo_whitening *w) {
    double *factor = w->back, *inverse = w->forward;
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++) factor[i * dim + j] = j <= i ? moment[i * dim + j] : 0.0;
    /* A lower triangle by rows is an upper one by columns, which LAPACK takes as it is. */
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)dim, factor, (lapack_int)dim) != 0) return false;
    w->gentle = true;
    for (size_t i = 0; i < dim; i++) {
        double own = factor[i * dim + i] * factor[i * dim + i] /
                     moment[i * dim + i]; /* variance not explained by the others */
        if (!(own > INDEPENDENT)) return w->gentle = false;
        if (own < GENTLE) w->gentle = false;
    }
    memcpy(inverse, factor, dim * dim * sizeof *inverse);
    return LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'U', 'N', (lapack_int)dim, inverse, (lapack_int)dim) == 0;
}

/* The same through the eigenvectors of the correlation matrix, keeping the directions that vary. */
static ireneo_error whiten_by_eigenvectors(const double *moment, size_t dim, ireneo_whitening *w) {
    double *correlation = NULL, *values = NULL, *scales = NULL;
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&correlation, dim * dim, "correlations");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&values, dim, "eigenvalues");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&scales, dim, "scales");
    if (failed == IRENEO_OK) {
        for (size_t i = 0; i < dim; i++)
            scales[i] = moment[i * dim + i] > 0.0 ? sqrt(moment[i * dim + i]) : 1.0;
        for (size_t i = 0; i < dim; i++)
            for (size_t j = 0; j <= i; j++)
                correlation[i * dim + j] = moment[i * dim + j] / (scales[i] * scales[j]);
        if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'L', (lapack_int)dim, correlation, (lapack_int)dim,
                           values) != 0)
            failed = ireneo_fail(IRENEO_ERROR_NUMERIC,
                                 "the eigenvalues of the data's second moment did not converge");
    }
    if (failed == IRENEO_OK) {
        size_t dropped = 0;
        while (dropped < dim && !(values[dropped] > INDEPENDENT * values[dim - 1])) dropped++;
        w->span = dim - dropped;
        for (size_t k = 0; k < w->span; k++) {
            double root = sqrt(values[dropped + k]);
            for (size_t j = 0; j < dim; j++) {
                double entry = correlation[j * dim + dropped + k];
                w->forward[k * dim + j] = entry / (root * scales[j]);
                w->back[j * w->span + k] = entry * root * scales[j];
            }
        }
    }
    free(correlation);
    free(values);
    free(scales);
    return failed;
}

/* forward and back from the moment; with unit_norm E |x|^2 = 1. */
static ireneo_error fill_whitening(const double *moment, size_t dim, bool unit_norm, ireneo_whitening *w) {
    if (!whiten_by_cholesky(moment, dim, w)) IRENEO_TRY(whiten_by_eigenvectors(moment, dim, w));
    double scale = unit_norm && w->span > 0 ? 1.0 / sqrt((double)w->span) : 1.0;
    for (size_t k = 0; k < w->span * dim; k++) {
        w->forward[k] *= scale;
        w->back[k] /= scale;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_whitening_from_moment(const double *moment, size_t dim, bool unit_norm,
                                          ireneo_whitening *whitening) {
    IRENEO_TRY(allocate_whitening(dim, whitening));
    return fill_whitening(moment, dim, unit_norm, whitening);
}

ireneo_error ireneo_whitening_make_held(const float *rows, const ireneo_holding *holding, size_t dim,
                                        bool centred, bool unit_norm, int threads,
                                        ireneo_whitening *whitening) {
    double *moment = NULL;
    ireneo_error failed = allocate_whitening(dim, whitening);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&moment, dim * dim, "second moment");
    if (failed == IRENEO_OK) whitening->centred = centred;
    if (failed == IRENEO_OK && centred)
        failed = ireneo_mean_held(rows, holding, dim, threads, whitening->mean);
    if (failed == IRENEO_OK) failed = find_moment(rows, holding, dim, whitening->mean, threads, moment);
    if (failed == IRENEO_OK) failed = fill_whitening(moment, dim, unit_norm, whitening);
    free(moment);
    return failed;
}

ireneo_error ireneo_whitening_make(const float *rows, size_t count, size_t dim, bool centred, bool unit_norm,
                                   int threads, ireneo_whitening *whitening) {
    ireneo_holding whole = ireneo_holding_whole(count);
    return ireneo_whitening_make_held(rows, &whole, dim, centred, unit_norm, threads, whitening);
}

/* Rows first .. first + many - 1 in white coordinates, through float64. */
static void apply_f64(const ireneo_whitening *w, const float *rows, size_t many, size_t stride, double *in,
                      float *white) {
    double *out = in + TILE * w->dim;
    to_double(rows, many, w->dim, w->mean, in);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)many, (int)w->span, (int)w->dim, 1.0, in,
                (int)w->dim, w->forward, (int)w->dim, 0.0, out, (int)w->span);
    for (size_t i = 0; i < many; i++)
        for (size_t k = 0; k < w->span; k++) white[i * stride + k] = (float)out[i * w->span + k];
}

/* The same in float32; forward (dim, span) is transposed, the layout in which small products run fastest. */
static void apply_f32(const ireneo_whitening *w, const float *forward, const float *rows, size_t many,
                      size_t stride, float *in, float *white) {
    if (w->centred) {
        for (size_t i = 0; i < many; i++)
            for (size_t j = 0; j < w->dim; j++)
                in[i * w->dim + j] = (float)((double)rows[i * w->dim + j] - w->mean[j]);
        rows = in;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)many, (int)w->span, (int)w->dim, 1.0f, rows,
                (int)w->dim, forward, (int)w->span, 0.0f, white, (int)stride);
}

/* Rows that are being whitened. */
typedef struct application {
    const ireneo_whitening *w;
    const ireneo_holding *holding;
    const float *rows;
    size_t stride;
    double *tiles;  /* (threads, TILE, dim + span) */
    float *forward; /* (dim, span) */
    float *white;
} application;

static void apply_tile(void *context, size_t tile, int thread) {
    const application *a = context;
    const ireneo_whitening *w = a->w;
    double *space = a->tiles + (size_t)thread * TILE * (w->dim + w->span);
    size_t first, last;
    ireneo_tile_rows(a->holding, TILE, tile, &first, &last);
    if (first == last) return;
    const float *rows = a->rows + first * w->dim;
    if (w->gentle)
        apply_f32(w, a->forward, rows, last - first, a->stride, (float *)(void *)space,
                  a->white + first * a->stride);
    else
        apply_f64(w, rows, last - first, a->stride, space, a->white + first * a->stride);
}

ireneo_error ireneo_whitening_apply_held(const ireneo_whitening *w, const float *rows,
                                         const ireneo_holding *holding, size_t stride, int threads,
                                         float *white) {
    application a = {.w = w, .holding = holding, .rows = rows, .stride = stride, .white = white};
    ireneo_error failed =
        IRENEO_ALLOCATE(&a.tiles, (size_t)threads * TILE * (w->dim + w->span), "rows in float64");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&a.forward, w->span * w->dim, "whitening in float32");
    if (failed == IRENEO_OK) {
        for (size_t k = 0; k < w->span; k++)
            for (size_t j = 0; j < w->dim; j++)
                a.forward[j * w->span + k] = (float)w->forward[k * w->dim + j];
        ireneo_share(ireneo_holding_tiles(holding, TILE), threads, apply_tile, &a);
    }
    free(a.tiles);
    free(a.forward);
    return failed;
}

ireneo_error ireneo_whitening_apply(const ireneo_whitening *w, const float *rows, size_t count, size_t stride,
                                    int threads, float *white) {
    ireneo_holding whole = ireneo_holding_whole(count);
    return ireneo_whitening_apply_held(w, rows, &whole, stride, threads, white);
}
