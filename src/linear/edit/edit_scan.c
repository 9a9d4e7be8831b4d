/* A full pass over all candidates: the smallest gaps, and the pairs that are missing in the lists. */
#include "base/parallel.h"
#include "base/ram.h"
#include "linear/edit/edit_pairs.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { ROWS = 32, MOST_FOUND = 16 };

typedef struct scan_work {
    const ireneo_edit_pairs *pairs;
    size_t most;
    double tolerance;
    double *least;  /* (rows) */
    double *rows;   /* (threads, ROWS, dim_out) D k + o */
    double *scores; /* (threads, ROWS, candidates) */
    size_t *found;  /* (rows, most) */
    size_t *count;  /* (rows) */
} scan_work;

/* The best `most` competitors above the bar that are not listed yet; returns the best of all. */
static double look(const scan_work *w, size_t row, const double *scores, double bar) {
    const ireneo_edit_problem *p = w->pairs->problem;
    size_t *found = w->found + row * w->most, held = 0;
    double best[MOST_FOUND], highest = -INFINITY;
    for (size_t j = 0; j < p->candidates; j++) {
        if (j == p->target[row]) continue;
        if (scores[j] > highest) highest = scores[j];
        if (w->most == 0 || !(scores[j] > bar) || (held == w->most && scores[j] <= best[held - 1])) continue;
        if (ireneo_edit_pairs_listed(w->pairs, row, j)) continue;
        size_t place = held < w->most ? held++ : held - 1;
        for (; place > 0 && best[place - 1] < scores[j]; place--)
            best[place] = best[place - 1], found[place] = found[place - 1];
        best[place] = scores[j], found[place] = j;
    }
    w->count[row] = held;
    return highest;
}

static ireneo_error scan_rows(void *context, size_t tile, int thread) {
    const scan_work *w = context;
    const ireneo_edit_problem *p = w->pairs->problem;
    size_t first = tile * ROWS, count = p->rows - first < ROWS ? p->rows - first : ROWS;
    double *h = w->rows + (size_t)thread * ROWS * p->dim_out,
           *scores = w->scores + (size_t)thread * ROWS * p->candidates;
    for (size_t k = 0; k < count * p->dim_out; k++)
        h[k] = w->pairs->moved[first * p->dim_out + k] + p->outputs[first * p->dim_out + k];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)p->candidates, (int)p->dim_out, 1.0,
                h, (int)p->dim_out, p->values, (int)p->dim_out, 0.0, scores, (int)p->candidates);
    for (size_t k = 0; k < count; k++) {
        size_t row = first + k;
        const double *s = scores + k * p->candidates;
        double target = s[p->target[row]], wanted = p->margins[row] * (1.0 - w->tolerance);
        w->least[row] = target - look(w, row, s, target - wanted);
    }
    return IRENEO_OK;
}

static ireneo_error add_found(ireneo_edit_pairs *s, const scan_work *w, size_t *added) {
    for (size_t i = 0; i < s->problem->rows; i++)
        for (size_t k = 0; k < w->count[i]; k++, ++*added)
            IRENEO_TRY(ireneo_edit_pairs_add(s, i, w->found[i * w->most + k]));
    return IRENEO_OK;
}

ireneo_error ireneo_edit_scan(ireneo_edit_pairs *s, size_t most, double tolerance, double *least,
                              size_t *added) {
    const ireneo_edit_problem *p = s->problem;
    scan_work w = {
        .pairs = s, .most = most < MOST_FOUND ? most : MOST_FOUND, .tolerance = tolerance, .least = least};
    size_t threads = (size_t)p->threads, tiles = (p->rows + ROWS - 1) / ROWS;
    *added = 0;
    ireneo_error failed = IRENEO_ALLOCATE(&w.rows, threads * ROWS * p->dim_out, "a scan");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&w.scores, threads * ROWS * p->candidates, "a scan");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&w.found, p->rows * (w.most + 1), "a scan");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&w.count, p->rows, "a scan");
    if (failed == IRENEO_OK) failed = ireneo_parallel(tiles, p->threads, NULL, "scanning", scan_rows, &w);
    if (failed == IRENEO_OK) failed = add_found(s, &w, added);
    free(w.rows), free(w.scores), free(w.found), free(w.count);
    return failed;
}
