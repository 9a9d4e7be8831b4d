/* A layer looked at as a memory (docs/layers.md, "Room in a layer"). */
#include "base/ram.h"
#include "base/threads.h"
#include "base/whiten.h"
#include "linear/layer/spectrum.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double RANK_FLOOR = 1e-6; /* of the largest singular value: what float32 weights leave */
static const double SPAN_FLOOR =
    1e-10; /* of the largest eigenvalue: as the solver counts dimensions of keys */
static const double USUAL_SHARE = 0.99, GENTLE = 0.01;

/* ---- the spectrum ---- */

static void report_spectrum(const double *s, size_t count, ireneo_layer_report *r) {
    double square = 0.0, fourth = 0.0, sum = 0.0, entropy = 0.0;
    for (size_t k = 0; k < count; k++) {
        double relative = s[0] > 0.0 ? s[k] / s[0] : 0.0; /* squares of squares do not overflow */
        sum += relative;
        square += relative * relative;
        fourth += relative * relative * relative * relative;
        r->rank += relative > RANK_FLOOR;
    }
    for (size_t k = 0; sum > 0.0 && k < count; k++) {
        double share = s[k] / s[0] / sum;
        if (share > 0.0) entropy -= share * log(share);
    }
    r->norm = s[0] * sqrt(square);
    r->largest = s[0];
    r->smallest = s[count - 1];
    r->median = 0.5 * (s[(count - 1) / 2] + s[count / 2]);
    r->stable_rank = square;
    r->participation = fourth > 0.0 ? square * square / fourth : 0.0;
    r->effective_rank = sum > 0.0 ? exp(entropy) : 0.0;
}

/* ---- the law ---- */

static ireneo_error find_span_out(const ireneo_layer_settings *s, int threads, ireneo_layer_report *r) {
    if (s->values != NULL) {
        ireneo_whitening values;
        ireneo_error failed =
            ireneo_whitening_make(s->values, s->value_count, r->dim_out, true, false, threads, &values);
        r->span_out = values.span;
        ireneo_whitening_free(&values);
        return failed;
    }
    size_t most = s->candidates > 0.0 && s->candidates - 1.0 < (double)r->dim_out ? (size_t)s->candidates - 1
                                                                                  : r->dim_out;
    r->span_out = most; /* P values span at most P - 1 dimensions around their mean */
    return IRENEO_OK;
}

static ireneo_error report_law(const ireneo_layer_settings *s, ireneo_layer_report *r) {
    double candidates = s->values != NULL ? (double)s->value_count : s->candidates;
    ireneo_shape shape = {.dim_in = r->span_in, .dim_out = r->span_out, .candidates = candidates};
    ireneo_capacity_report law;
    if (r->span_in == 0 || r->span_out == 0) return IRENEO_OK; /* nothing varies, and nothing fits */
    IRENEO_TRY(ireneo_capacity(&shape, &law));
    r->facts_capacity = r->facts_capacity_at_rank = law.facts_capacity;
    r->candidates = law.candidates;
    r->delta = law.delta;
    size_t smaller = r->span_in < r->span_out ? r->span_in : r->span_out;
    if (r->rank >= smaller) return IRENEO_OK;
    r->facts_capacity_at_rank = 0.0;
    shape.rank = r->rank;
    if (r->rank > 0) IRENEO_TRY(ireneo_capacity(&shape, &law));
    if (r->rank > 0) r->facts_capacity_at_rank = law.facts_capacity;
    return IRENEO_OK;
}

/* ---- ordinary use ---- */

enum { SLAB = 64 };

/* E |W x|^2 = sum over rows w of w^T C w. */
static ireneo_error find_output_square(const float *matrix, const double *second, ireneo_layer_report *r) {
    size_t dim = r->dim_in;
    double *w = NULL; /* a slab of rows, and its product with C */
    IRENEO_TRY(IRENEO_ALLOCATE(&w, 2 * SLAB * dim, "rows of the layer"));
    r->output_square = 0.0;
    for (size_t first = 0; first < r->dim_out; first += SLAB) {
        size_t rows = r->dim_out - first < SLAB ? r->dim_out - first : SLAB;
        double *product = w + SLAB * dim;
        for (size_t k = 0; k < rows * dim; k++) w[k] = (double)matrix[first * dim + k];
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)dim, (int)dim, 1.0, w,
                    (int)dim, second, (int)dim, 0.0, product, (int)dim);
        for (size_t k = 0; k < rows * dim; k++) r->output_square += w[k] * product[k];
    }
    free(w);
    return IRENEO_OK;
}

/* The fewest directions that hold the share of the square. */
static size_t directions_of(const double *spectrum, size_t dim, double share) {
    double total = 0.0, held = 0.0;
    size_t count = 0;
    for (size_t k = 0; k < dim; k++) total += spectrum[k];
    while (count < dim && held < share * total) held += spectrum[count++];
    return count;
}

static ireneo_error look_at_keys(const float *matrix, const ireneo_layer_settings *s, double *spectrum,
                                 ireneo_layer_report *r) {
    size_t dim = r->dim_in;
    ireneo_moments_report keys;
    double *second = NULL;
    IRENEO_TRY(ireneo_moments_describe(s->ordinary, &keys));
    if (!(keys.mean_square > 0.0))
        return ireneo_fail(IRENEO_ERROR_DATA, "the ordinary keys of the layer are all zero");
    r->key_participation = keys.participation;
    r->key_participation_centred = keys.participation_centred;
    IRENEO_TRY(IRENEO_ALLOCATE(&second, dim * dim, "second moment"));
    ireneo_error failed = ireneo_moments_read(s->ordinary, second, NULL);
    if (failed == IRENEO_OK) failed = find_output_square(matrix, second, r);
    if (failed == IRENEO_OK) failed = ireneo_eigenvalues(second, dim, spectrum);
    free(second);
    if (failed != IRENEO_OK) return failed;
    r->span_in = 0;
    while (r->span_in < dim && spectrum[r->span_in] > SPAN_FLOOR * spectrum[0]) r->span_in++;
    r->key_directions = (double)directions_of(spectrum, dim, s->share > 0.0 ? s->share : USUAL_SHARE);
    r->facts_gentle = GENTLE * (double)r->span_in;
    return IRENEO_OK;
}

/* The law counts dimensions of W: k directions of keys stand for k of span_in parts of it. */
static void report_room(ireneo_layer_report *r) {
    if (isnan(r->key_directions) || r->span_in == 0) return;
    double claimed = fmin(r->key_directions, (double)r->span_in) / (double)r->span_in;
    r->facts_claimed = claimed * r->facts_capacity;
    r->facts_left = r->facts_capacity - r->facts_claimed;
}

/* ---- the call ---- */

static ireneo_error check_call(const float *matrix, size_t dim_out, size_t dim_in,
                               const ireneo_layer_settings *s) {
    IRENEO_REQUIRE(matrix != NULL && dim_out > 0 && dim_in > 0, "a look at a layer needs its matrix");
    IRENEO_TRY(ireneo_check_reserved(s->reserved, "the settings of a layer"));
    IRENEO_REQUIRE(s->values == NULL || s->value_count > 1, "candidates of a layer are two or more");
    IRENEO_REQUIRE(s->candidates == 0.0 || (s->candidates >= 2.0 && s->candidates <= 1e12),
                   "candidates must lie between 2 and 1e12");
    IRENEO_REQUIRE(s->share >= 0.0 && s->share <= 1.0, "the share that is left alone lies between 0 and 1");
    for (size_t k = 0; k < dim_out * dim_in; k++)
        if (!(fabsf(matrix[k]) <= FLT_MAX))
            return ireneo_fail(IRENEO_ERROR_DATA, "row %zu, column %zu of the layer is not finite",
                               k / dim_in, k % dim_in);
    if (s->ordinary != NULL && ireneo_moments_dim(s->ordinary) != dim_in)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "the ordinary keys have %zu entries, but the layer is %zu x %zu: they must have %zu",
            ireneo_moments_dim(s->ordinary), dim_out, dim_in, dim_in);
    double side = (double)(dim_out < dim_in ? dim_out : dim_in),
           keys = s->ordinary != NULL ? (double)dim_in : 0.0;
    return ireneo_ram_require(8.0 * (side * (side + 260.0) + 2.0 * keys * keys), "a look at this layer");
}

static ireneo_error look(const float *matrix, const ireneo_layer_settings *s, int threads, double *singular,
                         double *spectrum, ireneo_layer_report *r) {
    size_t smaller = r->dim_in < r->dim_out ? r->dim_in : r->dim_out;
    IRENEO_TRY(ireneo_singular_values(matrix, r->dim_out, r->dim_in, threads, s->progress, singular));
    report_spectrum(singular, smaller, r);
    IRENEO_TRY(find_span_out(s, threads, r));
    if (s->ordinary != NULL) IRENEO_TRY(look_at_keys(matrix, s, spectrum, r));
    IRENEO_TRY(report_law(s, r));
    report_room(r);
    return IRENEO_OK;
}

ireneo_error ireneo_layer(const float *matrix, size_t dim_out, size_t dim_in,
                          const ireneo_layer_settings *settings, double *singular, double *spectrum,
                          ireneo_layer_report *report) {
    IRENEO_REQUIRE(report != NULL, "a look at a layer needs a place for the report");
    memset(report, 0, sizeof *report);
    const ireneo_layer_settings usual = {0}, *s = settings != NULL ? settings : &usual;
    int threads;
    IRENEO_TRY(check_call(matrix, dim_out, dim_in, s));
    IRENEO_TRY(ireneo_enter(s->threads, &threads));
    ireneo_layer_report r = {.dim_in = dim_in, .dim_out = dim_out, .span_in = dim_in};
    r.key_participation = r.key_participation_centred = r.key_directions = r.facts_claimed = r.facts_left =
        r.output_square = r.facts_gentle = (double)NAN;
    double *space = NULL; /* both spectra, where the caller does not want them */
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&space, dim_in + dim_out + dim_in, "spectrum");
    if (failed == IRENEO_OK)
        failed = look(matrix, s, threads, singular != NULL ? singular : space,
                      spectrum != NULL ? spectrum : space + dim_in + dim_out, &r);
    free(space);
    if (failed == IRENEO_OK) *report = r;
    return ireneo_leave(failed);
}
