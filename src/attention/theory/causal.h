/* Tokens under a causal mask: row s sees the keys 1 .. s, so that early rows differ from late ones and every pair of
 * rows has an overlap of its own. Rows stand on a grid, single at first and then in groups that grow with s. */
#ifndef IRENEO_ATTENTION_THEORY_CAUSAL_H
#define IRENEO_ATTENTION_THEORY_CAUSAL_H

#include "attention/theory/attention_map.h"
#include "attention/theory/mlp_map.h"

enum { IRENEO_CAUSAL_ROWS = 64 };

/* Groups of rows: group i holds the rows edge[i] + 1 .. edge[i + 1], and its middle sees row[i] keys. */
typedef struct ireneo_causal_grid {
    size_t count;
    double edge[IRENEO_CAUSAL_ROWS + 1], row[IRENEO_CAUSAL_ROWS];
} ireneo_causal_grid;

void ireneo_causal_grid_make(double rows, ireneo_causal_grid *grid);

/* Overlaps of tokens: q of a token of group i, and p of two different tokens of groups i and j. */
typedef struct ireneo_causal_tokens {
    double q[IRENEO_CAUSAL_ROWS], p[IRENEO_CAUSAL_ROWS][IRENEO_CAUSAL_ROWS];
} ireneo_causal_tokens;

/* What attention does with them: Y2 and entropy of the rows of a group, and the mass that they put on the keys of
 * every group. */
typedef struct ireneo_causal_rows {
    double participation[IRENEO_CAUSAL_ROWS], entropy[IRENEO_CAUSAL_ROWS];
    double mass[IRENEO_CAUSAL_ROWS][IRENEO_CAUSAL_ROWS];
} ireneo_causal_rows;

/* One private logit at every spread: F, M_1, M_2 and D on a grid of t. */
typedef struct ireneo_causal_leaf {
    size_t count;         /* of t */
    double first, widest; /* t, spread */
    double *values;
} ireneo_causal_leaf;

ireneo_error ireneo_causal_leaf_open(const ireneo_row_law *law, double widest, double rows,
                                     ireneo_causal_leaf *leaf);

/* Rows whose tokens have cosines c (c[i][j] of groups i and j), for logits of standard deviation `spread`. `work` has
 * room for ireneo_causal_work(leaf) numbers. */
size_t ireneo_causal_work(const ireneo_causal_leaf *leaf);
void ireneo_causal_attend(const ireneo_causal_leaf *leaf, const ireneo_causal_grid *grid, double spread,
                          double (*c)[IRENEO_CAUSAL_ROWS], double *work, ireneo_causal_rows *rows);

/* log(t O12) of rows with s <= t keys, over s, t, the spread of logits and their correlation. */
typedef struct ireneo_causal_overlap {
    double rows, widest;
    double *values, *pairs; /* pairs: what is left of the table for two groups of a grid */
} ireneo_causal_overlap;

ireneo_error ireneo_causal_overlap_open(double rows, double widest, ireneo_causal_overlap *table);
void ireneo_causal_overlap_close(ireneo_causal_overlap *table);
double ireneo_causal_overlap_at(const ireneo_causal_overlap *table, double keys, double later_keys,
                                double sigma, double rho);

/* The same at the middles of groups i <= j, thirty times faster, for a table that was fixed to their grid. */
ireneo_error ireneo_causal_overlap_fix(const ireneo_causal_grid *grid, ireneo_causal_overlap *table);
double ireneo_causal_overlap_of(const ireneo_causal_overlap *table, const ireneo_causal_grid *grid, size_t i,
                                size_t j, double sigma, double rho);

/* All of it. */
typedef struct ireneo_causal {
    ireneo_causal_grid grid;
    ireneo_causal_leaf leaf;
    ireneo_causal_overlap overlap;
    ireneo_row_law law;
    double spread; /* of the logits, that of the law with its cap in it */
    double turned
        [IRENEO_CAUSAL_ROWS]; /* what rotary positions leave of the cosines that a group sees; 1 without */
    double *work;
} ireneo_causal;

/* For a checked transformer. */
ireneo_error ireneo_causal_open(const ireneo_transformer *transformer, ireneo_causal **causal);
void ireneo_causal_close(ireneo_causal *causal);

void ireneo_causal_input(const ireneo_causal *causal, const ireneo_transformer *transformer,
                         ireneo_causal_tokens *tokens);

/* One block; `rows` gets what its attention did. */
void ireneo_causal_step(const ireneo_causal *causal, const ireneo_mlp_map *mlp,
                        const ireneo_transformer *transformer, ireneo_causal_tokens *tokens,
                        ireneo_causal_rows *rows);

/* Mean cosine of different tokens among the shares `from` to `to` of the rows, and means over the rows from a share on. */
double ireneo_causal_similarity(const ireneo_causal *causal, const ireneo_causal_tokens *tokens, double from,
                                double to);
double ireneo_causal_mean(const ireneo_causal *causal, const double *of_groups, double from);

/* 1 - rho of the last quarter of the rows after all layers. */
double ireneo_causal_final_distance(const ireneo_causal *causal, const ireneo_mlp_map *mlp,
                                    const ireneo_transformer *transformer);

#endif
