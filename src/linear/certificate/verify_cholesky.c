/* A certificate close by that cancels exactly, shown to exist without being computed.
 *
 * Let C be the matrix with one column c_k = d_k a_k for every pair, with any d_k > 0, and e = sum_k w_k a_k what the weights
 * fail to cancel. If the columns span the space and r |e| is below the smallest singular value s of C, where r is the largest
 * d_k / w_k, then z = -C^+ e has |z| <= |e| / s < 1 / r, and the weights w_k + d_k z_k are positive and cancel:
 * e + C z = e - e = 0. Whoever doubts the rounding of w need not know it; only |e| and s matter, and both are bounded
 * rigorously: e by summing, s^2 as the smallest eigenvalue of C C^T (definite.h). d_k = w_k asks least of e where many
 * pairs have weights; at the limit itself, where the weights are unique and some are small, C is then too ill-conditioned to be
 * squared, and d_k = sqrt(w_k) or 1 serve better.
 *
 * Coordinates. Any injective linear map may be applied to keys and to differences of values first: the sum vanishes
 * before if it vanishes after. Whitening by an inverse Cholesky factor, which is triangular with a diagonal without
 * zeros, brings s near its best. Where fewer keys are in use than they have dimensions, each key gets an axis of its
 * own: the map goes from there to the keys, and a sum that vanishes on the axes vanishes on the keys. Likewise for
 * values, with y_target - y_j as the difference of two axes, one of which is left out.
 *
 * Right-hand sides b_k (scaled_pairs.h). Where sum w_k b_k is below zero it must stay there:
 * sum (w_k + d_k z_k) b_k <= sum w_k b_k + |z| sqrt(sum d_k^2 b_k^2). Where it is zero to rounding, b_k is one more entry of
 * a_k, so that the weights close by make it zero exactly. */
#include "linear/certificate/verify_cholesky.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/certificate/definite.h"
#include "linear/facts/facts.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { PANEL = 256, TILE = 128 };

static const double UNIT = 0x1p-53, MORE = 1.0 + 1e-6; /* rounding of a bound that is itself computed */

/* Right-hand sides that sum to more than minus this, for a largest weight of one half to one, are taken to mean zero. */
static const double SETTLED = 1e-10;

/* Vectors in the coordinates that the proof uses. */
typedef struct coordinates {
    size_t count, dim;
    double *vector; /* (count, dim) */
    double *error;  /* (count) bound on what rounding did to each, in norm */
} coordinates;

typedef struct cholesky_proof {
    const ireneo_scaled_pairs *p;
    coordinates keys, differences; /* of facts in use; of pairs */
    size_t area;                   /* keys.dim differences.dim */
    int threads;
    const ireneo_progress *progress;
    double power;                   /* d_k = w_k^power */
    double *gram;                   /* (area, area) C C^T */
    double trace;                   /* sum |c_k|^2 */
    double sum, sum_rounding;       /* |e|; bound on the rounding of the sum itself, */
    double sum_error, column_error; /* and of what is summed; of C */
    double ratio;                   /* largest d_k / w_k */
    bool longer;                    /* the right-hand side is an entry of the columns */
    double sides;                   /* sum d_k^2 b_k^2 */
} cholesky_proof;

static ireneo_error allocate_coordinates(coordinates *v, size_t count, size_t dim) {
    *v = (coordinates){.count = count, .dim = dim};
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&v->vector, count * dim, "coordinates of a certificate"));
    return IRENEO_ALLOCATE_ZEROED(&v->error, count, "coordinates of a certificate");
}

/* ---- whitening ---- */

/* Inverse Cholesky factor of the second moment of vectors (count, dim), lower triangular; the identity when there is
 * none. How well it whitens decides whether the proof succeeds, never whether it is right. */
static void make_whitening(const double *vectors, size_t count, size_t dim, double *factor) {
    int n = (int)dim;
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, n, (int)count, 1.0 / (double)count, vectors, n, 0.0,
                factor, n);
    bool fine = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, factor, n) == 0 &&
                LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', n, factor, n) == 0;
    for (size_t a = 0; a < dim; a++) /* upper by columns is lower by rows */
        for (size_t b = 0; b < dim; b++) {
            double *entry = &factor[a * dim + b];
            if (b > a) *entry = 0.0;
            if (b == a && !(isfinite(*entry) && *entry != 0.0)) fine = false;
        }
    if (fine) return;
    memset(factor, 0, dim * dim * sizeof *factor);
    for (size_t a = 0; a < dim; a++) factor[a * dim + a] = 1.0;
}

/* A whitening T under way. */
typedef struct whitening {
    coordinates *v;
    double *factor, size; /* T (dim, dim) and its norm */
    double *space;        /* (threads, dim) */
} whitening;

/* v = T v, in long double and rounded once; *error bounds it. Vectors carry one rounding already. */
static void whiten_vector(void *context, size_t i, int thread) {
    const whitening *w = context;
    size_t dim = w->v->dim;
    double *old = w->space + (size_t)thread * dim, *new = w->v->vector + i *dim, *error = &w->v->error[i];
    memcpy(old, new, dim * sizeof *old);
    for (size_t a = 0; a < dim; a++) {
        long double sum = 0.0L;
        for (size_t b = 0; b <= a; b++) sum += (long double)w->factor[a * dim + b] * (long double)old[b];
        new[a] = (double)sum;
    }
    double steps = ((double)dim + 4.0) * (double)LDBL_EPSILON;
    *error =
        (UNIT * ireneo_norm_f64(new, dim) + w->size * (*error + steps * ireneo_norm_f64(old, dim))) * MORE;
}

static ireneo_error whiten(coordinates *v, int threads) {
    size_t dim = v->dim;
    whitening w = {.v = v};
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&w.factor, dim * dim, "whitening of a certificate"));
    ireneo_error failed = IRENEO_ALLOCATE(&w.space, (size_t)threads * dim, "whitening of a certificate");
    if (failed == IRENEO_OK) {
        make_whitening(v->vector, v->count, dim, w.factor);
        w.size = ireneo_norm_f64(w.factor, dim * dim);
        ireneo_share(v->count, threads, whiten_vector, &w);
    }
    free(w.factor), free(w.space);
    return failed;
}

/* ---- coordinates of keys and of differences ---- */

static ireneo_error make_keys(cholesky_proof *s) {
    const ireneo_scaled_pairs *p = s->p;
    bool axes = p->facts < p->f->dim_in;
    IRENEO_TRY(allocate_coordinates(&s->keys, p->facts, axes ? p->facts : p->f->dim_in));
    for (size_t i = 0; i < p->facts; i++) {
        if (axes)
            s->keys.vector[i * s->keys.dim + i] = 1.0;
        else
            ireneo_scaled_pairs_key(p, i, s->keys.vector + i * s->keys.dim);
    }
    return axes ? IRENEO_OK : whiten(&s->keys, s->threads);
}

/* Numbers the candidates in use; *count tells how many. Own candidates are all different. */
static void number_candidates(const ireneo_scaled_pairs *p, size_t *number, size_t *count) {
    *count = 0;
    for (size_t j = 0; j < p->f->candidates; j++) number[j] = SIZE_MAX;
    for (size_t i = 0; i < p->facts; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            size_t both[2] = {ireneo_target_of(p->f, p->fact[i]), (size_t)p->c->candidates[k]};
            for (int w = 0; w < 2; w++)
                if (number[both[w]] == SIZE_MAX) number[both[w]] = (*count)++;
        }
}

static void put_difference(cholesky_proof *s, size_t i, size_t k, const size_t *number) {
    const ireneo_scaled_pairs *p = s->p;
    double *u = s->differences.vector + k * s->differences.dim;
    if (number == NULL) {
        ireneo_scaled_pairs_difference(p, i, k, u);
        s->differences.error[k] = UNIT * ireneo_norm_f64(u, s->differences.dim) * MORE;
        return;
    }
    /* the scale of u is part of the weight, so the axes carry it */
    size_t target = number[ireneo_target_of(p->f, p->fact[i])], other = number[(size_t)p->c->candidates[k]];
    double length = ldexp(1.0, -p->value_exponent[k]);
    if (target < s->differences.dim) u[target] = length;
    if (other < s->differences.dim) u[other] = -length;
}

static ireneo_error make_differences(cholesky_proof *s) {
    const ireneo_scaled_pairs *p = s->p;
    size_t *number = NULL, used = SIZE_MAX;
    if (p->f->values != NULL) {
        IRENEO_TRY(IRENEO_ALLOCATE(&number, p->f->candidates, "candidates of a certificate"));
        number_candidates(p, number, &used);
    }
    bool axes = used - 1 < p->f->dim_out;
    ireneo_error failed = allocate_coordinates(&s->differences, p->c->count, axes ? used - 1 : p->f->dim_out);
    for (size_t i = 0; failed == IRENEO_OK && i < p->facts; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) put_difference(s, i, k, axes ? number : NULL);
    free(number);
    if (failed == IRENEO_OK && !axes) failed = whiten(&s->differences, s->threads);
    return failed;
}

/* ---- C, its Gram matrix and its sum ---- */

static double scale_of(const cholesky_proof *s, size_t k) {
    double w = s->p->weight[k];
    return s->power == 1.0 ? w : s->power == 0.5 ? sqrt(w) : 1.0;
}

/* c_k (area) of a pair. */
static void make_column(const cholesky_proof *s, size_t i, size_t k, double *column) {
    const double *u = s->differences.vector + k * s->differences.dim, *x = s->keys.vector + i * s->keys.dim;
    double scale = scale_of(s, k);
    for (size_t a = 0; a < s->differences.dim; a++) {
        double factor = scale * u[a];
        for (size_t b = 0; b < s->keys.dim; b++) column[a * s->keys.dim + b] = factor * x[b];
    }
    if (s->longer) column[s->area - 1] = scale * s->p->offset[k];
}

/* A panel (rows, area) of columns that is being added. */
typedef struct panel_sum {
    const cholesky_proof *s;
    const double *panel;
    size_t rows;
} panel_sum;

static void add_panel_row(void *context, size_t i, int thread) {
    (void)thread;
    const panel_sum *sum = context;
    const cholesky_proof *s = sum->s;
    const double *from = sum->panel + i * TILE;
    size_t left = s->area - i * TILE, high = left < TILE ? left : TILE;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)high, (int)left, (int)sum->rows, 1.0, from,
                (int)s->area, from, (int)s->area, 1.0, s->gram + i * TILE * s->area + i * TILE, (int)s->area);
}

/* Tiles on and above the diagonal of gram += panel^T panel. */
static void add_panel(cholesky_proof *s, const double *panel, size_t rows) {
    panel_sum sum = {s, panel, rows};
    ireneo_share((s->area + TILE - 1) / TILE, s->threads, add_panel_row, &sum);
}

static void count_errors(cholesky_proof *s, size_t i, size_t k, double *squares) {
    double u = ireneo_norm_f64(s->differences.vector + k * s->differences.dim, s->differences.dim),
           x = ireneo_norm_f64(s->keys.vector + i * s->keys.dim, s->keys.dim), du = s->differences.error[k],
           dx = s->keys.error[i], w = s->p->weight[k], d = scale_of(s, k);
    double error = (u * dx + x * du + du * dx + 2.0 * UNIT * u * x) * MORE;
    s->trace += d * d * u * u * x * x;
    s->sum_error += w * error;
    s->ratio = fmax(s->ratio, d / w);
    *squares += d * d * error * error;
    if (s->p->offset == NULL) return;
    double b = fabs(s->p->offset[k]), db = (s->p->offset_error[k] + 2.0 * UNIT * b) * MORE;
    s->sides += d * d * (b + db) * (b + db);
    if (!s->longer) return;
    s->trace += d * d * b * b;
    s->sum_error += w * db;
    *squares += d * d * db * db;
}

static ireneo_error make_gram(cholesky_proof *s) {
    const ireneo_scaled_pairs *p = s->p;
    double *panel = NULL, squares = 0.0;
    size_t rows = 0;
    IRENEO_TRY(IRENEO_ALLOCATE(&panel, PANEL * s->area, "panel of an exact proof"));
    for (size_t i = 0; i < p->facts; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            make_column(s, i, k, panel + rows++ * s->area);
            count_errors(s, i, k, &squares);
            if (rows < PANEL && k + 1 < p->c->count) continue;
            add_panel(s, panel, rows);
            rows = 0;
            if (!ireneo_report(s->progress, "proving it exactly", 0.0, 1.0)) continue;
            free(panel);
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the exact proof");
        }
    free(panel);
    s->column_error = sqrt(squares) * MORE;
    for (size_t a = 0; a < s->area; a++) /* the lower triangle as a mirror image */
        for (size_t b = 0; b < a; b++) s->gram[a * s->area + b] = s->gram[b * s->area + a];
    return IRENEO_OK;
}

/* |e|, summed over the facts in long double: each entry takes one product and one addition a fact. */
static ireneo_error make_sum(cholesky_proof *s) {
    const ireneo_scaled_pairs *p = s->p;
    size_t out = s->differences.dim, in = s->keys.dim;
    long double *sum = NULL, *m = NULL, square = 0.0L;
    double size = 0.0;
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&sum, s->area, "sum of a certificate");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&m, out, "sum of a certificate");
    for (size_t i = 0; failed == IRENEO_OK && i < p->facts; i++) {
        const double *x = s->keys.vector + i * in;
        double weight = 0.0;
        memset(m, 0, out * sizeof *m);
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            const double *u = s->differences.vector + k * out;
            for (size_t a = 0; a < out; a++) m[a] += (long double)p->weight[k] * (long double)u[a];
            weight += p->weight[k] * ireneo_norm_f64(u, out);
            if (!s->longer) continue;
            sum[s->area - 1] += (long double)p->weight[k] * (long double)p->offset[k];
            size += p->weight[k] * fabs(p->offset[k]);
        }
        size += weight * ireneo_norm_f64(x, in);
        for (size_t a = 0; a < out; a++)
            for (size_t b = 0; b < in; b++) sum[a * in + b] += m[a] * (long double)x[b];
    }
    for (size_t k = 0; failed == IRENEO_OK && k < s->area; k++) square += sum[k] * sum[k];
    s->sum = (double)sqrtl(square) * MORE;
    s->sum_rounding = ((double)p->c->count + (double)p->facts + 8.0) * (double)LDBL_EPSILON * size * MORE;
    free(sum), free(m);
    return failed;
}

/* Do the right-hand sides still sum to no more than zero for the weights close by? `square`: below the smallest
 * eigenvalue of the computed C C^T. */
static bool sides_stay(const cholesky_proof *s, double square) {
    if (s->p->offset == NULL || s->longer) return true;
    double moved = (s->sum + s->sum_rounding + s->sum_error) / (sqrt(square) - s->column_error);
    return s->p->slack + moved * sqrt(s->sides) * (1.0 + 1e-3) < 0.0;
}

/* With d_k = w_k^power. */
static ireneo_error prove_with(cholesky_proof *s, double power, bool *exact) {
    s->power = power;
    s->trace = s->sum_error = s->ratio = s->sides = 0.0;
    memset(s->gram, 0, s->area * s->area * sizeof *s->gram);
    IRENEO_TRY(make_gram(s));
    /* smallest eigenvalue of the true C C^T > (r times the bound of |e| + what C may be off by)^2 */
    double needed = (s->ratio * (s->sum + s->sum_rounding + s->sum_error) + s->column_error) * MORE;
    if (!(needed * needed < s->trace)) return IRENEO_OK;
    double rounding = ((double)s->p->c->count + 100.0) * UNIT * s->trace * MORE, bound = 0.0;
    double factorising = 3.0 * ((double)s->area + 8.0) * UNIT * s->trace;
    double shift = 4.0 * (rounding + factorising) + 4.0 * needed * needed;
    IRENEO_TRY(ireneo_definite_bound(s->gram, s->area, shift, s->threads, s->progress, &bound));
    *exact = bound - rounding > needed * needed * MORE && sides_stay(s, bound - rounding);
    return IRENEO_OK;
}

static ireneo_error prove(cholesky_proof *s, bool *exact) {
    static const double powers[] = {1.0, 0.5, 0.0};
    IRENEO_TRY(make_keys(s));
    IRENEO_TRY(make_differences(s));
    s->longer = s->p->offset != NULL && s->p->slack >= -SETTLED;
    s->area = s->keys.dim * s->differences.dim + (s->longer ? 1 : 0);
    if (s->p->c->count <= s->area) return IRENEO_OK; /* too few columns to span the space and to cancel */
    IRENEO_TRY(ireneo_ram_require(8.0 * (double)s->area * ((double)s->area + 2.0 * PANEL), "an exact proof"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&s->gram, s->area * s->area, "an exact proof"));
    IRENEO_TRY(make_sum(s));
    for (size_t k = 0; k < sizeof powers / sizeof powers[0] && !*exact; k++)
        IRENEO_TRY(prove_with(s, powers[k], exact));
    return IRENEO_OK;
}

ireneo_error ireneo_verify_cholesky(const ireneo_scaled_pairs *pairs, int threads,
                                    const ireneo_progress *progress, bool *exact) {
    cholesky_proof s = {.p = pairs, .threads = threads, .progress = progress};
    *exact = false;
    ireneo_error failed = prove(&s, exact);
    free(s.keys.vector), free(s.keys.error), free(s.differences.vector), free(s.differences.error),
        free(s.gram);
    return failed;
}
