/* Along D every active score of a row changes by s_j = y_j^T D x and its level by their mean with the
 * target's; what is left, c_j = s_j - mean, weighs the values: the product is sum_i (sum_j c_j (y_j -
 * y_target)) x_i^T. */
#include "linear/certificate/pair_hessian_f32.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/kernels/dot8.h"
#include "linear/kernels/weighted_sum.h"

#include <cblas.h>
#include <string.h>

enum { TILE = 96 };

void ireneo_pair_hessian_f32_free(ireneo_pair_hessian_f32 *h) {
    free(h->start), free(h->active), free(h->along), free(h->partial), free(h->tiles);
    memset(h, 0, sizeof *h);
}

static ireneo_error allocate(const ireneo_pair_loss *loss, ireneo_pair_hessian_f32 *h) {
    const ireneo_problem *p = loss->p;
    h->tile_space = TILE * 2 * p->stride + TILE * p->dim_in + IRENEO_MOST_PAIRS + 1;
    IRENEO_TRY(IRENEO_ALLOCATE(&h->start, p->rows + 1, "active pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&h->active, loss->active, "active pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&h->along, loss->area, "direction"));
    IRENEO_TRY(IRENEO_ALLOCATE(&h->partial, IRENEO_GROUPS * loss->area, "Hessian sums"));
    return IRENEO_ALLOCATE_ZEROED(&h->tiles, (size_t)p->threads * h->tile_space, "row tiles");
}

ireneo_error ireneo_pair_hessian_f32_make(const ireneo_pair_loss *loss, ireneo_pair_hessian_f32 *h) {
    *h = (ireneo_pair_hessian_f32){.p = loss->p};
    ireneo_error failed = allocate(loss, h);
    if (failed != IRENEO_OK) {
        ireneo_pair_hessian_f32_free(h);
        return failed;
    }
    size_t at = 0;
    for (size_t i = 0; i < loss->p->rows; i++) {
        h->start[i] = at;
        for (size_t k = loss->start[i]; k < loss->start[i + 1]; k++)
            if (loss->residual[k] > 0.0) h->active[at++] = loss->candidate[k];
    }
    h->start[loss->p->rows] = at;
    return IRENEO_OK;
}

/* m (stride) = sum_j c_j (y_j - y_target) of a row with active competitors, from h = D x. */
static void weigh_row(const ireneo_pair_hessian_f32 *t, size_t row, const float *h, float *slopes, float *m) {
    const ireneo_problem *p = t->p;
    const uint32_t *list = t->active + t->start[row];
    size_t count = t->start[row + 1] - t->start[row], stride = p->stride;
    const float *target = p->y + ireneo_problem_target(p, row) * stride;
    double sum = (double)cblas_sdot((int)stride, h, 1, target, 1), total = 0.0;
    ireneo_dot8_listed(h, p->y, stride, stride, list, count, slopes);
    for (size_t k = 0; k < count; k++) sum += (double)slopes[k];
    double mean = sum / (1.0 + (double)count);
    const float *vectors[IRENEO_MOST_PAIRS + 1];
    for (size_t k = 0; k < count; k++) {
        double change = (double)slopes[k] - mean;
        vectors[k] = p->y + (size_t)list[k] * stride;
        slopes[k] = (float)change;
        total += change;
    }
    vectors[count] = target;
    slopes[count] = (float)-total;
    ireneo_weighted_sum(slopes, vectors, count + 1, m, stride);
}

/* A product under way. */
typedef struct hessian_product {
    const ireneo_pair_hessian_f32 *hessian;
    double *product; /* (dim_out, dim_in) */
} hessian_product;

/* Sum of one group of rows. */
static void sum_group(void *context, size_t group, int thread) {
    const ireneo_pair_hessian_f32 *t = ((const hessian_product *)context)->hessian;
    const ireneo_problem *p = t->p;
    float *h = t->tiles + (size_t)thread * t->tile_space, *out = t->partial + group * p->dim_out * p->dim_in,
          *m = h + TILE * p->stride, *x = m + TILE * p->stride, *slopes = x + TILE * p->dim_in, beta = 0.0f;
    size_t first, last;
    ireneo_group_range(group, p->rows, &first, &last);
    for (size_t i = first; i < last; i += TILE) {
        size_t count = last - i < TILE ? last - i : TILE, held = 0;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)p->dim_out, (int)p->dim_in,
                    1.0f, p->x + i * p->dim_in, (int)p->dim_in, t->along, (int)p->dim_in, 0.0f, h,
                    (int)p->stride);
        for (size_t k = 0; k < count; k++) {
            if (t->start[i + k] == t->start[i + k + 1]) continue;
            weigh_row(t, i + k, h + k * p->stride, slopes, m + held * p->stride);
            memcpy(x + held * p->dim_in, p->x + (i + k) * p->dim_in, p->dim_in * sizeof *x);
            held++;
        }
        if (held == 0) continue;
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->dim_out, (int)p->dim_in, (int)held, 1.0f,
                    m, (int)p->stride, x, (int)p->dim_in, beta, out, (int)p->dim_in);
        beta = 1.0f;
    }
    if (beta == 0.0f) memset(out, 0, p->dim_out * p->dim_in * sizeof *out);
}

static void add_groups(void *context, size_t first, size_t last) {
    const hessian_product *work = context;
    const ireneo_pair_hessian_f32 *h = work->hessian;
    size_t area = h->p->dim_out * h->p->dim_in;
    for (size_t k = first; k < last; k++) {
        double sum = 0.0;
        for (size_t group = 0; group < IRENEO_GROUPS; group++) sum += (double)h->partial[group * area + k];
        work->product[k] = sum;
    }
}

void ireneo_pair_hessian_f32_product(ireneo_pair_hessian_f32 *h, const double *direction, double *product) {
    enum { GRAIN = 4096 };
    const ireneo_problem *p = h->p;
    size_t area = p->dim_out * p->dim_in;
    hessian_product work = {h, product};
    for (size_t k = 0; k < area; k++) h->along[k] = (float)direction[k];
    ireneo_share(IRENEO_GROUPS, p->threads, sum_group, &work);
    ireneo_share_rows(area, GRAIN, p->threads, add_groups, &work);
}
