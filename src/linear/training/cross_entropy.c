/* The fused scan behind cross-entropy training. Shared candidates: a tile of rows against a block of columns
 * is one sgemm, the weighted sum of candidates another. Own candidates are made block by block for each fact
 * and never kept. The target is left out of both sums: with S = sum_{j != target} exp(s_j - s_target),
 *     loss = log1p(S),   m = (sum_{j != target} e_j y_j - S y_target) / (1 + S) ,
 * which loses no digits when a fact is nearly certain. */
#include "linear/training/cross_entropy.h"
#include "base/exponential.h"
#include "base/floats.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/facts/facts.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    TILE_ROWS = 128, /* at most */
    OWN_ROWS = 16,   /* facts with own candidates are many times the work */
    TILE_COLUMNS = 512,
    GRADIENT_ROWS = 32,          /* rows of the gradient made at a time */
    OWN_BLOCK_FLOATS = 32 * 1024 /* own candidates made at a time: half of a small second-level cache */
};

/* A row of the softmax while it is being summed: weights are exp(score - reference). */
typedef struct softmax_row {
    float reference, target, best;
    double others; /* sum of the weights of the competitors */
} softmax_row;

size_t ireneo_cross_entropy_parameters(const cross_entropy *objective) {
    const ireneo_facts *facts = objective->facts;
    return objective->rank == 0 ? facts->dim_out * facts->dim_in
                                : (facts->dim_out + facts->dim_in) * objective->rank;
}

static ireneo_error allocate(cross_entropy *objective, size_t threads) {
    const ireneo_facts *facts = objective->facts;
    size_t width = facts->dim_out > objective->rank ? facts->dim_out : objective->rank;
    objective->hidden_size = TILE_ROWS * width;
    objective->scores_size = facts->values != NULL
                                 ? TILE_ROWS * objective->columns
                                 : objective->block_columns * facts->dim_out + objective->block_columns;
    IRENEO_TRY(IRENEO_ALLOCATE(&objective->pull, facts->facts * facts->dim_out, "the softmax gradient"));
    if (objective->rank > 0)
        IRENEO_TRY(IRENEO_ALLOCATE(&objective->reduced, 2 * facts->facts * objective->rank, "reduced keys"));
    IRENEO_TRY(IRENEO_ALLOCATE(&objective->hidden, threads * objective->hidden_size, "images of keys"));
    IRENEO_TRY(
        IRENEO_ALLOCATE(&objective->points, (facts->facts + objective->rows - 1) / objective->rows, "tiles"));
    return IRENEO_ALLOCATE(&objective->scores, threads * objective->scores_size, "scores");
}

ireneo_error ireneo_cross_entropy_open(const ireneo_facts *facts, size_t rank, int threads, size_t columns,
                                       cross_entropy *objective) {
    memset(objective, 0, sizeof *objective);
    objective->facts = facts;
    objective->rank = rank;
    objective->threads = ireneo_thread_count(threads); /* no change when the caller has done so */
    objective->columns = columns > 0 ? columns : TILE_COLUMNS;
    objective->rows = facts->values == NULL          ? OWN_ROWS
                      : facts->facts < 8 * TILE_ROWS ? TILE_ROWS / 4
                                                     : TILE_ROWS;
    size_t fitting = OWN_BLOCK_FLOATS / facts->dim_out;
    objective->block_columns = columns > 0 ? columns : fitting > 16 ? fitting : 16;
    ireneo_error failed = allocate(objective, (size_t)objective->threads);
    if (failed != IRENEO_OK) ireneo_cross_entropy_close(objective);
    return failed;
}

void ireneo_cross_entropy_close(cross_entropy *objective) {
    free(objective->pull);
    free(objective->reduced);
    free(objective->hidden);
    free(objective->scores);
    free(objective->points);
    memset(objective, 0, sizeof *objective);
}

/* images (rows, dim_out) = W x, and what is added to it, for the facts first .. first + rows - 1. */
static void make_images(const cross_entropy *objective, const float *parameters, size_t first, size_t rows,
                        float *images) {
    const ireneo_facts *facts = objective->facts;
    int count = (int)rows, in = (int)facts->dim_in, out = (int)facts->dim_out, rank = (int)objective->rank;
    const float *keys = facts->keys + first * facts->dim_in;
    const float kept = facts->residuals != NULL ? 1.0f : 0.0f;
    if (facts->residuals != NULL)
        memcpy(images, facts->residuals + first * facts->dim_out, rows * facts->dim_out * sizeof *images);
    if (rank == 0) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, out, in, 1.0f, keys, in, parameters, in,
                    kept, images, out);
        return;
    }
    float *reduced = objective->reduced + first * objective->rank;
    const float *right = parameters + facts->dim_out * objective->rank;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count, rank, in, 1.0f, keys, in, right, rank, 0.0f,
                reduced, rank);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, out, rank, 1.0f, reduced, rank, parameters,
                rank, kept, images, out);
}

/* Takes one block of scores of one fact into the row: the scores become weights, the target's becomes 0.
 * `place` is the target's place in the block, or at least `count` when it is not there. */
static void absorb_scores(softmax_row *row, float *scores, size_t count, size_t place, float *pull,
                          size_t dim_out) {
    if (place < count) {
        row->target = scores[place];
        scores[place] = -INFINITY;
    }
    float largest = ireneo_largest_float(scores, count);
    if (largest > row->best) row->best = largest;
    if (largest > row->reference) {
        float shrink = expf(row->reference - largest);
        row->others *= (double)shrink;
        if (pull != NULL) cblas_sscal((int)dim_out, shrink, pull, 1);
        row->reference = largest;
    }
    row->others += ireneo_exp_sum(scores, count, 1.0f, row->reference, -87.0f);
}

/* Turns the sums of a row into its m_i and its share of the loss. */
static double finish_row(const softmax_row *row, const float *target_value, float *pull, size_t dim_out) {
    double lift = (double)row->reference - (double)row->target; /* weights are relative to the reference */
    double odds = log(row->others) + lift;                      /* log S */
    double loss = odds > 30.0 ? odds : log1p(exp(odds));
    if (pull != NULL) {
        /* 1 / (1 + S) of the target's own scale is e^-lift / (e^-lift + others). */
        double own = exp(-lift), total = own + row->others;
        float scale = (float)(1.0 / total), miss = (float)(row->others / total);
        for (size_t k = 0; k < dim_out; k++) pull[k] = pull[k] * scale - miss * target_value[k];
    }
    return loss;
}

static void start_row(softmax_row *row, const float *image, const float *target_value, size_t dim_out) {
    row->reference = cblas_sdot((int)dim_out, image, 1, target_value, 1);
    row->target = row->reference;
    row->best = -INFINITY;
    row->others = 0.0;
}

/* A tile of facts against all shared candidates. losses and gaps are (rows). */
static void sweep_shared(const cross_entropy *objective, size_t first, size_t rows, const float *images,
                         float *scores, float *pull, double *losses, float *gaps) {
    const ireneo_facts *facts = objective->facts;
    size_t out = facts->dim_out, block = objective->columns;
    softmax_row state[TILE_ROWS];
    for (size_t i = 0; i < rows; i++)
        start_row(&state[i], images + i * out, facts->values + ireneo_target_of(facts, first + i) * out, out);
    for (size_t start = 0; start < facts->candidates; start += block) {
        size_t count = facts->candidates - start < block ? facts->candidates - start : block;
        const float *values = facts->values + start * out;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)count, (int)out, 1.0f, images,
                    (int)out, values, (int)out, 0.0f, scores, (int)count);
        for (size_t i = 0; i < rows; i++) {
            size_t target = ireneo_target_of(facts, first + i),
                   place = target >= start ? target - start : count;
            absorb_scores(&state[i], scores + i * count, count, place, pull != NULL ? pull + i * out : NULL,
                          out);
        }
        if (pull != NULL)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)out, (int)count, 1.0f,
                        scores, (int)count, values, (int)out, 1.0f, pull, (int)out);
    }
    for (size_t i = 0; i < rows; i++) {
        losses[i] = finish_row(&state[i], facts->values + ireneo_target_of(facts, first + i) * out,
                               pull != NULL ? pull + i * out : NULL, out);
        gaps[i] = state[i].target - state[i].best;
    }
}

/* One fact against its own candidates. */
static void sweep_own(const cross_entropy *objective, size_t fact, const float *image, float *buffer,
                      float *pull, double *loss, float *gap) {
    const ireneo_facts *facts = objective->facts;
    size_t out = facts->dim_out, block = objective->block_columns, target = ireneo_target_of(facts, fact);
    float *values = buffer, *scores = buffer + block * out;
    softmax_row row;
    facts->own_candidates(facts->own_context, fact, target, 1, values);
    start_row(&row, image, values, out);
    for (size_t start = 0; start < facts->candidates; start += block) {
        size_t count = facts->candidates - start < block ? facts->candidates - start : block;
        facts->own_candidates(facts->own_context, fact, start, count, values);
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)count, (int)out, 1.0f, values, (int)out, image, 1, 0.0f,
                    scores, 1);
        absorb_scores(&row, scores, count, target >= start ? target - start : count, pull, out);
        if (pull != NULL)
            cblas_sgemv(CblasRowMajor, CblasTrans, (int)count, (int)out, 1.0f, values, (int)out, scores, 1,
                        1.0f, pull, 1);
    }
    facts->own_candidates(facts->own_context, fact, target, 1, values);
    *loss = finish_row(&row, values, pull, out);
    *gap = row.target - row.best;
}

/* Passes over all facts. */
typedef struct pass {
    const cross_entropy *objective;
    const float *parameters;
    bool with_gradient;
} pass;

static void sweep_tile(void *context, size_t tile, int thread) {
    const pass *work = context;
    const cross_entropy *objective = work->objective;
    const ireneo_facts *facts = objective->facts;
    size_t height = objective->rows, first = tile * height, out = facts->dim_out,
           rows = facts->facts - first < height ? facts->facts - first : height;
    float *images = objective->hidden + (size_t)thread * objective->hidden_size;
    float *scores = objective->scores + (size_t)thread * objective->scores_size;
    float *pull = work->with_gradient ? objective->pull + first * out : NULL, gaps[TILE_ROWS];
    double losses[TILE_ROWS];
    cross_entropy_point *point = &objective->points[tile];
    make_images(objective, work->parameters, first, rows, images);
    if (pull != NULL) memset(pull, 0, rows * out * sizeof *pull);
    if (facts->values != NULL) {
        sweep_shared(objective, first, rows, images, scores, pull, losses, gaps);
    } else {
        for (size_t i = 0; i < rows; i++)
            sweep_own(objective, first + i, images + i * out, scores, pull != NULL ? pull + i * out : NULL,
                      &losses[i], &gaps[i]);
    }
    *point = (cross_entropy_point){0.0, 0, INFINITY};
    for (size_t i = 0; i < rows; i++) {
        point->loss += losses[i];
        if (gaps[i] > 0.0f) point->recalled++;
        if (!(gaps[i] >= point->least_gap)) point->least_gap = gaps[i];
    }
}

/* A product left^T right / n, where left and right have a row a fact. */
typedef struct contraction {
    const float *left, *right;
    size_t facts, left_width, right_width;
    float *target; /* (left_width, right_width) */
} contraction;

static void contract_rows(void *context, size_t first, size_t last) {
    const contraction *c = context;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(last - first), (int)c->right_width,
                (int)c->facts, (float)(1.0 / (double)c->facts), c->left + first, (int)c->left_width, c->right,
                (int)c->right_width, 0.0f, c->target + first * c->right_width, (int)c->right_width);
}

/* Blocks of rows of the result are shared out, so that each is summed over the facts in one order. */
static void contract(const cross_entropy *objective, const float *left, size_t left_width, const float *right,
                     size_t right_width, float *target) {
    contraction c = {left, right, objective->facts->facts, left_width, right_width, target};
    ireneo_share_rows(left_width, GRADIENT_ROWS, objective->threads, contract_rows, &c);
}

/* Pulls of facts first .. last - 1, times the left factor. */
static void reduce_pulls(void *context, size_t first, size_t last) {
    const pass *work = context;
    const cross_entropy *objective = work->objective;
    size_t out = objective->facts->dim_out, rank = objective->rank;
    float *pulls = objective->reduced + (objective->facts->facts + first) * rank;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(last - first), (int)rank, (int)out, 1.0f,
                objective->pull + first * out, (int)out, work->parameters, (int)rank, 0.0f, pulls, (int)rank);
}

static void make_gradient(const cross_entropy *objective, const float *parameters, float *gradient) {
    const ireneo_facts *facts = objective->facts;
    size_t n = facts->facts, out = facts->dim_out, in = facts->dim_in, rank = objective->rank;
    if (rank == 0) {
        contract(objective, objective->pull, out, facts->keys, in, gradient);
        return;
    }
    float *keys = objective->reduced, *pulls = objective->reduced + n * rank;
    pass work = {objective, parameters, true};
    ireneo_share_rows(n, objective->rows, objective->threads, reduce_pulls, &work);
    contract(objective, objective->pull, out, keys, rank, gradient);
    contract(objective, facts->keys, in, pulls, rank, gradient + out * rank);
}

void ireneo_cross_entropy_evaluate(cross_entropy *objective, const float *parameters, float *gradient,
                                   cross_entropy_point *point) {
    size_t n = objective->facts->facts, height = objective->rows, tiles = (n + height - 1) / height;
    double loss = 0.0;
    size_t recalled = 0;
    float least = INFINITY;
    pass work = {objective, parameters, gradient != NULL};
    ireneo_share(tiles, objective->threads, sweep_tile, &work);
    /* Tiles are added in order, so that the loss is one number whatever the thread count. */
    for (size_t tile = 0; tile < tiles; tile++) {
        const cross_entropy_point *part = &objective->points[tile];
        loss += part->loss;
        recalled += part->recalled;
        if (!(part->least_gap >= least)) least = part->least_gap;
    }
    if (gradient != NULL) make_gradient(objective, parameters, gradient);
    *point = (cross_entropy_point){loss / (double)n, recalled, least};
}
