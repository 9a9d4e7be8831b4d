/* Sweeps over the scores of a trained memory, and its singular values by LAPACK. */
#include "lab/sweep/observables.h"
#include "base/normal.h"
#include "base/ram.h"
#include "linear/problem/problem.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

double ireneo_score_bin(size_t bin) {
    return SCORE_LOWEST + (SCORE_HIGHEST - SCORE_LOWEST) * ((double)bin + 0.5) / SCORE_BINS;
}

static size_t bin_of(double score) {
    double place = (score - SCORE_LOWEST) / (SCORE_HIGHEST - SCORE_LOWEST) * SCORE_BINS;
    if (!(place > 0.0)) return 0;
    return place >= SCORE_BINS ? SCORE_BINS - 1 : (size_t)place;
}

/* ---- scores ---- */

typedef struct score_sums {
    double off_sum, off_squares, target_sum, target_squares;
    size_t off_count, target_count;
    score_statistics *histograms; /* NULL in the first pass, which finds mean and spread */
} score_sums;

static void take_scores(score_sums *sums, const float *scores, size_t count, size_t target) {
    score_statistics *h = sums->histograms;
    for (size_t j = 0; j < count; j++) {
        double score = (double)scores[j];
        if (h != NULL) {
            double scaled = (score - h->off_mean) / h->off_spread;
            (j == target ? h->target : h->off)[bin_of(scaled)] += 1.0;
        } else if (j == target) {
            sums->target_sum += score;
            sums->target_squares += score * score;
            sums->target_count++;
        } else {
            sums->off_sum += score;
            sums->off_squares += score * score;
            sums->off_count++;
        }
    }
}

typedef struct score_buffers {
    float *image, *reduced, *own, *scores;
} score_buffers;

static void make_image(const ireneo_memory *memory, const float *key, score_buffers *b) {
    int in = (int)memory->dim_in, out = (int)memory->dim_out, rank = (int)memory->rank;
    if (rank == 0) {
        cblas_sgemv(CblasRowMajor, CblasNoTrans, out, in, 1.0f, memory->matrix, in, key, 1, 0.0f, b->image,
                    1);
        return;
    }
    cblas_sgemv(CblasRowMajor, CblasTrans, in, rank, 1.0f, memory->right, rank, key, 1, 0.0f, b->reduced, 1);
    cblas_sgemv(CblasRowMajor, CblasNoTrans, out, rank, 1.0f, memory->left, rank, b->reduced, 1, 0.0f,
                b->image, 1);
}

static void sweep_scores(const ireneo_memory *memory, const ireneo_facts *facts, size_t first, size_t count,
                         score_buffers *b, score_sums *sums) {
    for (size_t i = first; i < first + count; i++) {
        const float *values = facts->values;
        size_t target = facts->targets != NULL ? (size_t)facts->targets[i] : i;
        if (values == NULL) {
            facts->own_candidates(facts->own_context, i, 0, facts->candidates, b->own);
            values = b->own;
        }
        make_image(memory, facts->keys + i * facts->dim_in, b);
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)facts->candidates, (int)facts->dim_out, 1.0f, values,
                    (int)facts->dim_out, b->image, 1, 0.0f, b->scores, 1);
        take_scores(sums, b->scores, facts->candidates, target);
    }
}

/* Turns counts into shares and compares the off-target ones with the normal law at the bins' ends. */
static void finish_histograms(score_statistics *s, const score_sums *sums) {
    double below = 0.0, width = (SCORE_HIGHEST - SCORE_LOWEST) / SCORE_BINS;
    s->off_distance = 0.0;
    for (size_t k = 0; k < SCORE_BINS; k++) {
        s->off[k] /= (double)sums->off_count;
        s->target[k] /= (double)sums->target_count;
        below += s->off[k];
        double normal = ireneo_normal_cdf(SCORE_LOWEST + width * (double)(k + 1));
        s->off_distance = fmax(s->off_distance, fabs(below - normal));
    }
}

static ireneo_error allocate_buffers(const ireneo_memory *memory, const ireneo_facts *facts,
                                     score_buffers *b) {
    IRENEO_TRY(IRENEO_ALLOCATE(&b->image, facts->dim_out, "the image of a key"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->reduced, memory->rank + 1, "a reduced key"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->scores, facts->candidates, "scores"));
    if (facts->values != NULL) return IRENEO_OK;
    return IRENEO_ALLOCATE(&b->own, facts->candidates * facts->dim_out, "own candidates");
}

ireneo_error ireneo_observe_scores(const ireneo_memory *memory, const ireneo_facts *facts, size_t first,
                                   size_t count, score_statistics *statistics) {
    score_buffers b = {0};
    score_sums sums = {0};
    memset(statistics, 0, sizeof *statistics);
    ireneo_error failed = allocate_buffers(memory, facts, &b);
    if (failed == IRENEO_OK) {
        sweep_scores(memory, facts, first, count, &b, &sums);
        double off = (double)sums.off_count, targets = (double)sums.target_count;
        double mean = sums.off_sum / off, spread = sqrt(fmax(0.0, sums.off_squares / off - mean * mean));
        double target = sums.target_sum / targets;
        statistics->off_mean = mean;
        statistics->off_spread = spread;
        statistics->target_mean = (target - mean) / spread;
        statistics->target_spread = sqrt(fmax(0.0, sums.target_squares / targets - target * target)) / spread;
        sums.histograms = statistics;
        sweep_scores(memory, facts, first, count, &b, &sums);
        finish_histograms(statistics, &sums);
    }
    free(b.image);
    free(b.reduced);
    free(b.own);
    free(b.scores);
    return failed;
}

/* ---- singular values ---- */

size_t ireneo_spectrum_size(const ireneo_memory *memory) {
    size_t smaller = memory->dim_in < memory->dim_out ? memory->dim_in : memory->dim_out;
    return memory->rank > 0 ? memory->rank : smaller;
}

/* The memory as a matrix (dim_out, dim_in), whether it is one or a product. */
static ireneo_error whole_matrix(const ireneo_memory *memory, float **matrix) {
    size_t in = memory->dim_in, out = memory->dim_out;
    IRENEO_TRY(IRENEO_ALLOCATE(matrix, in * out, "a copy of the memory"));
    if (memory->rank == 0)
        memcpy(*matrix, memory->matrix, in * out * sizeof **matrix);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)out, (int)in, (int)memory->rank, 1.0f,
                    memory->left, (int)memory->rank, memory->right, (int)memory->rank, 0.0f, *matrix,
                    (int)in);
    return IRENEO_OK;
}

/* The `count` largest singular values of a matrix (out, in), which is destroyed; zeros where it has fewer. */
static ireneo_error singular_values(float *matrix, size_t out, size_t in, double mean_square, size_t count,
                                    double *values) {
    size_t smaller = in < out ? in : out;
    float *all = NULL, unused;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&all, smaller > count ? smaller : count, "singular values"));
    /* Column by column the array is the transpose, which has the same singular values. */
    lapack_int code = LAPACKE_sgesdd(LAPACK_COL_MAJOR, 'N', (lapack_int)in, (lapack_int)out, matrix,
                                     (lapack_int)in, all, &unused, 1, &unused, 1);
    if (code == 0) {
        double squares = 0.0;
        for (size_t i = 0; i < count; i++) squares += (double)all[i] * (double)all[i];
        double scale = mean_square > 0.0 && squares > 0.0 ? sqrt(mean_square * (double)count / squares) : 1.0;
        for (size_t i = 0; i < count; i++) values[i] = scale * (double)all[i];
    }
    free(all);
    return code == 0 ? IRENEO_OK : ireneo_fail(IRENEO_ERROR_NUMERIC, "the singular values did not converge");
}

ireneo_error ireneo_observe_spectrum(const ireneo_memory *memory, double mean_square, double *values) {
    float *matrix = NULL;
    ireneo_error failed = whole_matrix(memory, &matrix);
    if (failed == IRENEO_OK)
        failed = singular_values(matrix, memory->dim_out, memory->dim_in, mean_square,
                                 ireneo_spectrum_size(memory), values);
    free(matrix);
    return failed;
}

ireneo_error ireneo_observe_white_spectrum(const ireneo_memory *memory, const ireneo_facts *facts,
                                           double mean_square, double *values) {
    float *matrix = NULL, *white = NULL;
    ireneo_problem problem = {0};
    ireneo_error failed = whole_matrix(memory, &matrix);
    if (failed == IRENEO_OK) failed = ireneo_problem_make(facts, 1, &problem);
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&white, problem.dim_in * problem.dim_out, "a white memory");
    if (failed == IRENEO_OK) failed = ireneo_matrix_to_white(&problem, matrix, white);
    if (failed == IRENEO_OK)
        failed = singular_values(white, problem.dim_out, problem.dim_in, mean_square,
                                 ireneo_spectrum_size(memory), values);
    ireneo_problem_free(&problem);
    free(matrix);
    free(white);
    return failed;
}

/* ---- distances ---- */

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double ireneo_kolmogorov_distance(double *values, size_t count, double (*cdf)(double x, const void *context),
                                  const void *context) {
    double distance = 0.0;
    qsort(values, count, sizeof *values, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        double law = cdf(values[i], context);
        distance = fmax(distance, fabs(law - (double)i / (double)count));
        distance = fmax(distance, fabs(law - (double)(i + 1) / (double)count));
    }
    return distance;
}
