/* The block map of all pairs of rows under a causal mask. With W_sk the mass that row s puts on the keys of group k,
 * c the cosines, and O the overlap of two rows on the same keys,
 *
 *     q_att(s)    = Y2 + (1 - Y2) m ,                 m: mean of c over the pairs of keys that row s weighs
 *     p_att(s, t) = sum_jk W_sj W_tk c_jk + O (1 - c_same) ,
 *
 * where O12 counts keys as themselves that the sum counts as two of a group. */
#include "attention/theory/causal.h"
#include "attention/theory/block.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

/* The share of the logits' spread that a cap leaves, from rows of the same participation. */
static ireneo_error capped_spread(const ireneo_transformer *t, const ireneo_row_law *law, double *spread) {
    *spread = law->spread;
    double distance = fmax(1e-6, 1.0 - t->rho_0);
    if (law->cap == 0.0) return IRENEO_OK;
    IRENEO_TRY(ireneo_row_gaussian_spread(law, distance, spread));
    *spread = fmin(law->spread, *spread / sqrt(ireneo_row_distance(law, distance)));
    return IRENEO_OK;
}

static ireneo_error open_tables(const ireneo_transformer *t, ireneo_causal *c) {
    IRENEO_TRY(ireneo_row_law_open(t, &c->law));
    ireneo_causal_grid_make(floor(c->law.keys), &c->grid);
    for (size_t i = 0; i < c->grid.count; i++)
        c->turned[i] = ireneo_rope_mean(&c->law.rope, fmax(2.0, c->grid.row[i]));
    IRENEO_TRY(capped_spread(t, &c->law, &c->spread));
    IRENEO_TRY(ireneo_causal_leaf_open(&c->law, c->spread, c->law.keys, &c->leaf));
    IRENEO_TRY(ireneo_causal_overlap_open(c->law.keys, c->spread, &c->overlap));
    IRENEO_TRY(ireneo_causal_overlap_fix(&c->grid, &c->overlap));
    return IRENEO_ALLOCATE(&c->work, ireneo_causal_work(&c->leaf), "rows of a causal layer");
}

ireneo_error ireneo_causal_open(const ireneo_transformer *transformer, ireneo_causal **causal) {
    *causal = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(causal, 1, "causal rows"));
    ireneo_error failed = open_tables(transformer, *causal);
    if (failed != IRENEO_OK) {
        ireneo_causal_close(*causal);
        *causal = NULL;
    }
    return failed;
}

void ireneo_causal_close(ireneo_causal *causal) {
    if (causal == NULL) return;
    free(causal->leaf.values);
    ireneo_causal_overlap_close(&causal->overlap);
    free(causal->work);
    free(causal);
}

void ireneo_causal_input(const ireneo_causal *causal, const ireneo_transformer *t,
                         ireneo_causal_tokens *tokens) {
    memset(tokens, 0, sizeof *tokens);
    ireneo_tokens first = ireneo_block_input(t);
    for (size_t i = 0; i < causal->grid.count; i++) {
        tokens->q[i] = first.q;
        for (size_t j = 0; j < causal->grid.count; j++) tokens->p[i][j] = first.q - first.gap;
    }
}

static void cosines(const ireneo_causal *causal, const ireneo_causal_tokens *tokens,
                    double (*c)[IRENEO_CAUSAL_ROWS]) {
    for (size_t i = 0; i < causal->grid.count; i++)
        for (size_t j = 0; j < causal->grid.count; j++)
            c[i][j] = fmin(1.0, tokens->p[i][j] / sqrt(tokens->q[i] * tokens->q[j]));
}

/* Keys of group j that the rows of group i see. */
static double seen(const ireneo_causal_grid *grid, size_t i, size_t j) {
    return j < i ? grid->edge[j + 1] - grid->edge[j] : grid->row[i] - grid->edge[i];
}

/* Mean cosine of the pairs of different keys that row i weighs. */
static double pair_mean(const ireneo_causal_grid *grid, const ireneo_causal_rows *rows,
                        double (*c)[IRENEO_CAUSAL_ROWS], size_t i) {
    double sum = 0.0, total = 0.0;
    for (size_t j = 0; j <= i; j++)
        for (size_t k = 0; k <= i; k++) {
            double weight = rows->mass[i][j] * rows->mass[i][k];
            if (j == k) weight *= fmax(0.0, 1.0 - 1.0 / fmax(1.0, seen(grid, i, j)));
            sum += weight * c[j][k];
            total += weight;
        }
    return total > 1e-12 ? sum / total : 0.0;
}

/* p_att of groups i <= j. */
static double joint(const ireneo_causal *causal, const ireneo_causal_rows *rows,
                    double (*c)[IRENEO_CAUSAL_ROWS], const double *sigma, size_t i, size_t j) {
    const ireneo_causal_grid *grid = &causal->grid;
    double sum = 0.0, same = 0.0, together = 0.0;
    for (size_t a = 0; a <= i; a++)
        for (size_t b = 0; b <= j; b++) sum += rows->mass[i][a] * rows->mass[j][b] * c[a][b];
    for (size_t a = 0; a <= i; a++) {
        same += rows->mass[i][a] * rows->mass[j][a] * c[a][a];
        together += rows->mass[i][a] * rows->mass[j][a];
    }
    double overlap = ireneo_causal_overlap_of(&causal->overlap, grid, i, j, sqrt(sigma[i] * sigma[j]),
                                              ireneo_row_correlation(&causal->law, grid->row[j], c[i][j]));
    return sum + overlap * (1.0 - (together > 0.0 ? same / together : 0.0));
}

/* The attention branch of tokens with cosines c that were read with q = read. */
static void attend(const ireneo_causal *causal, const ireneo_transformer *t, double (*c)[IRENEO_CAUSAL_ROWS],
                   double read, ireneo_causal_rows *rows, ireneo_causal_tokens *branch) {
    const ireneo_causal_grid *grid = &causal->grid;
    double logits[IRENEO_CAUSAL_ROWS][IRENEO_CAUSAL_ROWS], sigma[IRENEO_CAUSAL_ROWS],
        scale = t->value_variance * read;
    for (size_t i = 0; i < grid->count; i++)
        for (size_t j = 0; j <= i; j++) logits[i][j] = logits[j][i] = c[i][j] * causal->turned[i];
    ireneo_causal_attend(&causal->leaf, grid, causal->spread, logits, causal->work, rows);
    for (size_t i = 0; i < grid->count; i++) {
        double mean = pair_mean(grid, rows, c, i), y = rows->participation[i];
        sigma[i] = causal->spread * sqrt(fmax(0.0, 1.0 - mean * causal->turned[i]));
        branch->q[i] = scale * (y + (1.0 - y) * mean) + t->value_bias_variance;
    }
    for (size_t i = 0; i < grid->count; i++)
        for (size_t j = i; j < grid->count; j++)
            branch->p[i][j] = branch->p[j][i] =
                scale * joint(causal, rows, c, sigma, i, j) + t->value_bias_variance;
}

/* The MLP branch. */
static void project(const ireneo_causal *causal, const ireneo_mlp_map *mlp, double (*c)[IRENEO_CAUSAL_ROWS],
                    double read, ireneo_causal_tokens *branch) {
    for (size_t i = 0; i < causal->grid.count; i++)
        for (size_t j = i; j < causal->grid.count; j++) {
            ireneo_tokens out =
                ireneo_mlp_map_at(mlp, (ireneo_tokens){.q = read, .gap = read * fmax(0.0, 1.0 - c[i][j])});
            branch->q[i] = out.q;
            branch->p[i][j] = branch->p[j][i] = out.q - out.gap;
        }
}

/* tokens <- strength^2 tokens + branch, the branch through the norm on its output. */
static void add(const ireneo_causal *causal, const ireneo_transformer *t, double strength,
                const ireneo_causal_tokens *branch, ireneo_causal_tokens *tokens) {
    double square = strength * strength, factor[IRENEO_CAUSAL_ROWS];
    for (size_t i = 0; i < causal->grid.count; i++) factor[i] = sqrt(ireneo_branch_factor(t, branch->q[i]));
    for (size_t i = 0; i < causal->grid.count; i++) {
        tokens->q[i] = square * tokens->q[i] + factor[i] * factor[i] * branch->q[i];
        for (size_t j = 0; j < causal->grid.count; j++)
            tokens->p[i][j] = square * tokens->p[i][j] + factor[i] * factor[j] * branch->p[i][j];
    }
}

static void normalise(const ireneo_causal *causal, const ireneo_transformer *t,
                      ireneo_causal_tokens *tokens) {
    if (t->normalisation != IRENEO_NORMALISATION_POST) return;
    double c[IRENEO_CAUSAL_ROWS][IRENEO_CAUSAL_ROWS];
    cosines(causal, tokens, c);
    for (size_t i = 0; i < causal->grid.count; i++) {
        tokens->q[i] = 1.0;
        for (size_t j = 0; j < causal->grid.count; j++) tokens->p[i][j] = c[i][j];
    }
}

/* q of what a branch reads: that of the stream, the same for all rows, where there is no norm before it. */
static double read_scale(const ireneo_transformer *t, const ireneo_causal_tokens *tokens) {
    return ireneo_branch_input(t, (ireneo_tokens){.q = tokens->q[0], .gap = 0.0}).q;
}

void ireneo_causal_step(const ireneo_causal *causal, const ireneo_mlp_map *mlp, const ireneo_transformer *t,
                        ireneo_causal_tokens *tokens, ireneo_causal_rows *rows) {
    double c[IRENEO_CAUSAL_ROWS][IRENEO_CAUSAL_ROWS];
    ireneo_causal_tokens branch, mlp_branch;
    cosines(causal, tokens, c);
    attend(causal, t, c, read_scale(t, tokens), rows, &branch);
    if (t->parallel) project(causal, mlp, c, read_scale(t, tokens), &mlp_branch);
    add(causal, t, t->residual_attention, &branch, tokens);
    if (!t->parallel) {
        normalise(causal, t, tokens);
        cosines(causal, tokens, c);
        project(causal, mlp, c, read_scale(t, tokens), &mlp_branch);
    }
    add(causal, t, t->parallel ? 1.0 : t->residual_mlp, &mlp_branch, tokens);
    normalise(causal, t, tokens);
}

double ireneo_causal_similarity(const ireneo_causal *causal, const ireneo_causal_tokens *tokens, double from,
                                double to) {
    const ireneo_causal_grid *grid = &causal->grid;
    double rows = grid->edge[grid->count], c[IRENEO_CAUSAL_ROWS][IRENEO_CAUSAL_ROWS],
           weight[IRENEO_CAUSAL_ROWS];
    double sum = 0.0, total = 0.0;
    cosines(causal, tokens, c);
    for (size_t i = 0; i < grid->count; i++)
        weight[i] = fmax(0.0, fmin(grid->edge[i + 1], to * rows) - fmax(grid->edge[i], from * rows));
    for (size_t i = 0; i < grid->count; i++)
        for (size_t j = 0; j < grid->count; j++) {
            double pairs = weight[i] * (i == j ? fmax(0.0, weight[j] - 1.0) : weight[j]);
            sum += pairs * c[i][j];
            total += pairs;
        }
    return total > 0.0 ? sum / total : 1.0;
}

double ireneo_causal_mean(const ireneo_causal *causal, const double *of_groups, double from) {
    const ireneo_causal_grid *grid = &causal->grid;
    double sum = 0.0, total = 0.0, first = from * grid->edge[grid->count];
    for (size_t i = 0; i < grid->count; i++) {
        double rows = fmax(0.0, grid->edge[i + 1] - fmax(grid->edge[i], first));
        sum += rows * of_groups[i];
        total += rows;
    }
    return sum / total;
}

double ireneo_causal_final_distance(const ireneo_causal *causal, const ireneo_mlp_map *mlp,
                                    const ireneo_transformer *t) {
    ireneo_causal_tokens tokens;
    ireneo_causal_rows rows;
    ireneo_causal_input(causal, t, &tokens);
    for (size_t layer = 0; layer < t->layers; layer++) ireneo_causal_step(causal, mlp, t, &tokens, &rows);
    double distance = 1.0 - ireneo_causal_similarity(causal, &tokens, 0.75, 1.0);
    return distance >= 0.0 ? distance : 0.0;
}
