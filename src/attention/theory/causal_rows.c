/* Attention of all rows of a causal layer at once. Tokens that saw few keys are more alike: to a good approximation
 * the overlap of two tokens is that of the later one with those before it, c_jk = g(max(j, k)) with g falling. Then
 * the logits of a row are
 *
 *     e_k = own_k + f_k + f_{k+1} + ... ,   Var own_k = sigma^2 (1 - g_k) ,   Var f_k = sigma^2 (g_k - g_{k+1}) :
 *
 * a random energy model on a tree with one branch after another. With Phi(t) = E exp(-Z e^{-t}) of the keys up to
 * group j, one pass from the first group to the last gives all rows,
 *
 *     Phi_j(t) = E_f [ Phi_{j-1}(t - f) phi_j(t - f)^{n_j} ] ,
 *
 * with their Y2, entropies and the mass on each group, which is less than its share for the early keys: many that
 * are alike have one chance together to be the largest. */
#include "attention/theory/causal.h"
#include "attention/theory/rem_kernel.h"
#include "attention/theory/shift.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

static const double STEP = 0.25, RATIO = 1.45;
enum { SINGLE = 4, SPREADS = 48, KEPT = 4 }; /* KEPT: F, M_1, M_2, D */
enum { PHI, SECOND, ENTROPY, MASS };         /* tracks; MASS and on: one for each group */
enum { HERMITE = 5 };
static const double SHIFT[HERMITE] = {0.0, 1.3556261799742659, -1.3556261799742659, 2.8569700138728056,
                                      -2.8569700138728056};
static const double SHARE[HERMITE] = {0.5333333333333333, 0.2220759220056126, 0.2220759220056126,
                                      0.011257411327720689, 0.011257411327720689};

void ireneo_causal_grid_make(double rows, ireneo_causal_grid *grid) {
    double ratio = fmax(RATIO, pow(rows / SINGLE, 1.0 / (IRENEO_CAUSAL_ROWS - SINGLE - 2)));
    *grid = (ireneo_causal_grid){.count = 0};
    while (grid->edge[grid->count] < rows && grid->count < IRENEO_CAUSAL_ROWS) {
        double from = grid->edge[grid->count];
        double to = grid->count < SINGLE ? from + 1.0 : fmax(from + 1.0, floor(from * ratio + 0.5));
        if (rows - to < 0.5 * (to - from) || grid->count + 1 == IRENEO_CAUSAL_ROWS) to = rows;
        grid->row[grid->count++] = 0.5 * (from + 1.0 + to);
        grid->edge[grid->count] = to;
    }
}

ireneo_error ireneo_causal_leaf_open(const ireneo_row_law *law, double widest, double rows,
                                     ireneo_causal_leaf *leaf) {
    double log_rows = log(rows), top = fmax(log_rows + 0.5 * widest * widest, 0.0);
    if (widest * widest > 2.0 * log_rows) top = widest * sqrt(2.0 * log_rows);
    leaf->first = -8.0 - 6.0 * widest;
    leaf->widest = fmax(widest, 1e-6);
    leaf->count = (size_t)ceil((top + 12.0 - leaf->first) / STEP) + 1;
    IRENEO_TRY(IRENEO_ALLOCATE(&leaf->values, (SPREADS + 1) * KEPT * leaf->count, "rows of a causal layer"));
    for (size_t s = 0; s <= SPREADS; s++) {
        ireneo_logit_nodes nodes;
        IRENEO_TRY(ireneo_logit_nodes_open(leaf->widest * (double)s / SPREADS, law->sphere, &nodes));
        for (size_t i = 0; i < leaf->count; i++) {
            double averages[IRENEO_REM_AVERAGES], *at = leaf->values + s * KEPT * leaf->count + i;
            ireneo_logit_nodes_at(&nodes, leaf->first + STEP * (double)i, averages);
            at[0] = averages[IRENEO_REM_F];
            at[leaf->count] = averages[1];
            at[2 * leaf->count] = averages[2];
            at[3 * leaf->count] = averages[IRENEO_REM_D];
        }
        ireneo_logit_nodes_close(&nodes);
    }
    return IRENEO_OK;
}

/* Between spreads: a cubic through four of them. */
static void leaf_at(const ireneo_causal_leaf *leaf, double sigma, double *kept) {
    double place = fmin(SPREADS, sigma / leaf->widest * SPREADS),
           base = fmin(SPREADS - 2.0, fmax(1.0, floor(place)));
    double weight[4];
    ireneo_cubic(place - base, weight);
    size_t size = KEPT * leaf->count;
    const double *from = leaf->values + (size_t)(base - 1.0) * size;
    for (size_t i = 0; i < size; i++)
        kept[i] = weight[0] * from[i] + weight[1] * from[size + i] + weight[2] * from[2 * size + i] +
                  weight[3] * from[3 * size + i];
}

size_t ireneo_causal_work(const ireneo_causal_leaf *leaf) {
    return (2 * (MASS + IRENEO_CAUSAL_ROWS) + KEPT + 2) * leaf->count;
}

/* n more keys, of group j, beside those that the tracks hold; phi^n and n phi^{n-1} are ready. */
static void add_keys(const ireneo_causal_leaf *leaf, size_t j, const double *kept, const double *all,
                     const double *others, const double *from, double *to) {
    size_t count = leaf->count;
    for (size_t i = 0; i < count; i++) {
        double phi = from[PHI * count + i], other = phi * others[i];
        to[PHI * count + i] = phi * all[i];
        to[SECOND * count + i] = from[SECOND * count + i] * all[i] + other * kept[2 * count + i];
        to[ENTROPY * count + i] = from[ENTROPY * count + i] * all[i] + other * kept[3 * count + i];
        to[(MASS + j) * count + i] = other * kept[count + i];
    }
    for (size_t k = 0; k < j; k++)
        for (size_t i = 0; i < count; i++) to[(MASS + k) * count + i] = from[(MASS + k) * count + i] * all[i];
}

static void powers(const ireneo_causal_leaf *leaf, const double *kept, double n, double *all,
                   double *others) {
    for (size_t i = 0; i < leaf->count; i++) {
        double log_phi = log1p(-fmin(fmax(kept[i], 0.0), 1.0 - 2e-16));
        all[i] = exp(n * log_phi);
        others[i] = n * exp((n - 1.0) * log_phi);
    }
}

static double integrate(const double *track, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += track[i];
    return sum * STEP;
}

/* The rows of group j from the tracks of all keys that they see. */
static void read_rows(const double *tracks, size_t count, size_t j, ireneo_causal_rows *rows) {
    double whole = 0.0;
    for (size_t k = 0; k <= j; k++) {
        rows->mass[j][k] = fmax(0.0, integrate(tracks + (MASS + k) * count, count));
        whole += rows->mass[j][k];
    }
    for (size_t k = 0; k <= j; k++) rows->mass[j][k] /= whole;
    rows->participation[j] = integrate(tracks + SECOND * count, count) / whole;
    rows->entropy[j] = fmax(0.0, ireneo_digamma(1.0) - integrate(tracks + ENTROPY * count, count) / whole);
}

/* The average over a field of this standard deviation, of `tracks` tracks. */
static void blur(size_t tracks, size_t count, double deviation, const double *from, double *to) {
    memset(to, 0, tracks * count * sizeof *to);
    for (size_t track = 0; track < tracks; track++)
        for (int z = 0; z < HERMITE; z++)
            ireneo_add_shifted(from + track * count, count, -SHIFT[z] * deviation / STEP, SHARE[z],
                               to + track * count);
}

/* g of the tree: the mean cosine of a group's tokens with those that they see, falling. */
static void levels(const ireneo_causal_grid *grid, double (*c)[IRENEO_CAUSAL_ROWS], double *level) {
    for (size_t j = 0; j < grid->count; j++) {
        double sum = 0.0, keys = 0.0;
        for (size_t k = 0; k <= j; k++) {
            double size = grid->edge[k + 1] - grid->edge[k];
            if (k == j) size = 0.5 * (size - 1.0);
            sum += size * c[j][k];
            keys += size;
        }
        level[j] = keys > 0.0 ? sum / keys : 1.0;
        if (j > 1) level[j] = fmin(level[j], level[j - 1]);
        level[j] = fmin(1.0, fmax(0.0, level[j]));
    }
    if (grid->count > 1) level[0] = level[1];
}

void ireneo_causal_attend(const ireneo_causal_leaf *leaf, const ireneo_causal_grid *grid, double spread,
                          double (*c)[IRENEO_CAUSAL_ROWS], double *work, ireneo_causal_rows *rows) {
    size_t count = leaf->count, size = (MASS + IRENEO_CAUSAL_ROWS) * count;
    double *tracks = work, *next = work + size, *kept = next + size, *all = kept + KEPT * count,
           *others = all + count;
    double level[IRENEO_CAUSAL_ROWS];
    levels(grid, c, level);
    memset(tracks, 0, size * sizeof *tracks);
    for (size_t i = 0; i < count; i++) tracks[PHI * count + i] = 1.0;
    for (size_t j = 0; j < grid->count; j++) {
        leaf_at(leaf, spread * sqrt(1.0 - level[j]), kept);
        powers(leaf, kept, grid->row[j] - grid->edge[j], all,
               others); /* what the middle row sees of its group */
        add_keys(leaf, j, kept, all, others, tracks, next);
        read_rows(next, count, j, rows);
        if (j + 1 == grid->count) break;
        powers(leaf, kept, grid->edge[j + 1] - grid->edge[j], all, others);
        add_keys(leaf, j, kept, all, others, tracks, next);
        blur(MASS + j + 1, count, spread * sqrt(fmax(0.0, level[j] - level[j + 1])), next, tracks);
    }
}
