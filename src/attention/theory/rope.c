/* With rotary positions the logits of a row have covariance G_kl r(k - l), r(n) = (2/d_H) sum_i cos(theta_i n),
 * theta_i = base^{-2i/d_H}: keys that are far from each other share less, and by r they share it with logarithmically
 * few: a field that is smooth at all scales, beside what each key has of its own. Such a row is a random energy model
 * on a tree. Cut the T keys into b blocks, these into b, and so on until single keys; let the logits of two keys have
 * the covariance rho C_j of the smallest block that holds both, of size B_j = b^j, with C_j the mean of r over such
 * pairs. With Phi(t) = E exp(-Z e^{-t}) of one block
 *
 *     Phi_0(t) = E exp(-e^{x - t}) ,  x ~ N(0, sigma^2 (1 - rho C_1)) ,
 *     Phi_j(t) = E_f Phi_{j-1}(t - f)^b ,  f ~ N(0, sigma^2 rho (C_j - C_{j+1})) ,
 *
 * and likewise for the moments; the field that all keys share cancels. */
#include "attention/theory/rope.h"
#include "attention/theory/rem_kernel.h"
#include "attention/theory/shift.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

static const double FINEST = 0.25, BRANCHING = 4.0; /* step of t; children of a block */
enum { PAIRS = IRENEO_REM_AVERAGES, TRACKS };       /* M_2 M_2 of two keys beside the averages of one */
enum { SHIFTS = 9 };                                /* of f on each side, half a standard deviation apart */

/* Mean of cos(theta (k - l)) over pairs: Fejer's kernel without its diagonal. */
static double plane_mean(double theta, double keys) {
    double ratio = sin(0.5 * keys * theta) / sin(0.5 * theta);
    return (ratio * ratio - keys) / (keys * (keys - 1.0));
}

double ireneo_rope_mean(const ireneo_rope *rope, double keys) {
    if (rope->base <= 0.0 || keys < 1.0 + 1e-9) return 1.0;
    size_t planes = rope->head_width / 2 > 0 ? rope->head_width / 2 : 1;
    double sum = 0.0;
    for (size_t i = 0; i < planes; i++) sum += plane_mean(pow(rope->base, -(double)i / (double)planes), keys);
    return sum / (double)planes;
}

/* Number of levels, and C_1 .. C_levels. */
static int shared(const ireneo_rope *rope, double keys, double *branching, double *levels) {
    int count =
        (int)fmax(1.0, fmin((double)(IRENEO_ROPE_LEVELS - 1), floor(log(keys) / log(BRANCHING) + 0.5)));
    *branching = pow(keys, 1.0 / count);
    double inner = 1.0, inner_mean = 1.0;
    for (int j = 1; j <= count; j++) {
        double block = pow(*branching, j), mean = ireneo_rope_mean(rope, block);
        double same = (inner - 1.0) / (block - 1.0); /* share of pairs that a smaller block holds */
        levels[j] = (mean - same * inner_mean) / (1.0 - same);
        if (j > 1) levels[j] = fmin(levels[j], levels[j - 1]);
        inner = block;
        inner_mean = mean;
    }
    return count;
}

double ireneo_rope_own(const ireneo_rope *rope, double keys, double rho) {
    double branching, levels[IRENEO_ROPE_LEVELS] = {0};
    if (rope->base <= 0.0) return 1.0 - rho;
    shared(rope, keys, &branching, levels);
    return 1.0 - rho * levels[1];
}

/* tracks is (TRACKS, count) over t, rising. */
typedef struct tree_row {
    size_t count;
    double first, step;
    double *tracks, *work;
} tree_row;

/* b blocks in place of one. */
static void join(const tree_row *tree, double b) {
    for (size_t i = 0; i < tree->count; i++) {
        double *at = tree->tracks + i, log_phi = log1p(-fmin(at[0], 1.0 - 1e-16));
        double others = b * exp((b - 1.0) * log_phi), second = at[2 * tree->count];
        at[PAIRS * tree->count] =
            others * at[PAIRS * tree->count] + b * (b - 1.0) * second * second * exp((b - 2.0) * log_phi);
        for (int n = 1; n < IRENEO_REM_AVERAGES; n++) at[(size_t)n * tree->count] *= others;
        at[0] = -expm1(b * log_phi);
    }
}

/* The average over a field of this standard deviation. */
static void blur(const tree_row *tree, double deviation) {
    if (deviation < 1e-9) return;
    double total = 0.0;
    for (int z = -SHIFTS; z <= SHIFTS; z++) total += exp(-0.125 * z * z);
    memset(tree->work, 0, TRACKS * tree->count * sizeof *tree->work);
    for (int n = 0; n < TRACKS; n++)
        for (int z = -SHIFTS; z <= SHIFTS; z++)
            ireneo_add_shifted(tree->tracks + (size_t)n * tree->count, tree->count,
                               -0.5 * z * deviation / tree->step, exp(-0.125 * z * z) / total,
                               tree->work + (size_t)n * tree->count);
    memcpy(tree->tracks, tree->work, TRACKS * tree->count * sizeof *tree->work);
}

static double sum_track(const tree_row *tree, int track) {
    double sum = 0.0;
    for (size_t i = 0; i < tree->count; i++) sum += tree->tracks[(size_t)track * tree->count + i];
    return sum * tree->step;
}

static void read_row(const tree_row *tree, double keys, ireneo_rem_row *row) {
    double whole = sum_track(tree, 1); /* 1 up to the error of the grid */
    *row = (ireneo_rem_row){.y = {keys, 1.0, sum_track(tree, 2) / whole, 0.5 * sum_track(tree, 3) / whole,
                                  sum_track(tree, 4) / 6.0 / whole},
                            .log_partition = NAN};
    row->y2_squared = row->y[4] + sum_track(tree, PAIRS) / 6.0 / whole;
    row->entropy = ireneo_digamma(1.0) - sum_track(tree, IRENEO_REM_D);
    ireneo_rem_uncapped(row);
}

/* The integrands vary over sigma / sqrt(2 log T) or over 1, whichever is larger. */
static ireneo_error open_tree(const ireneo_logit_nodes *leaf, double keys, double spread, double field,
                              tree_row *tree) {
    tree->step = fmax(FINEST, spread / 64.0);
    double lowest = leaf->value[0],
           top = ireneo_logit_nodes_top(leaf, keys) - 14.0 + 0.5 * field * field + 5.0 * field;
    tree->first = fmin(lowest, 0.0) - 5.0 - 5.0 * field;
    tree->count = (size_t)ceil((top - tree->first) / tree->step) + 1;
    IRENEO_TRY(IRENEO_ALLOCATE(&tree->tracks, 2 * TRACKS * tree->count, "row with rotary positions"));
    tree->work = tree->tracks + TRACKS * tree->count;
    for (size_t i = 0; i < tree->count; i++) {
        double averages[IRENEO_REM_AVERAGES];
        ireneo_logit_nodes_at(leaf, tree->first + tree->step * (double)i, averages);
        for (int n = 0; n < IRENEO_REM_AVERAGES; n++) tree->tracks[(size_t)n * tree->count + i] = averages[n];
        tree->tracks[PAIRS * tree->count + i] = 0.0;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_rope_row(const ireneo_rope *rope, double keys, double spread, double rho,
                             const ireneo_logit_nodes *leaf, ireneo_rem_row *row) {
    double branching, levels[IRENEO_ROPE_LEVELS] = {0};
    int count = shared(rope, keys, &branching, levels);
    tree_row tree;
    double field = spread * sqrt(rho * fmax(0.0, levels[1] - levels[count]));
    IRENEO_TRY(open_tree(leaf, keys, spread * sqrt(1.0 - rho * levels[count]), field, &tree));
    for (int j = 1; j <= count; j++) {
        join(&tree, branching);
        if (j < count) blur(&tree, spread * sqrt(rho * fmax(0.0, levels[j] - levels[j + 1])));
    }
    read_row(&tree, keys, row);
    free(tree.tracks);
    return IRENEO_OK;
}
