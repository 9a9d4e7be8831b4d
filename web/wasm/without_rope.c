/* The page knows plain attention: no causal masks, rotary positions, norms of queries and keys, or caps. These need
 * more code than they are worth in a browser; the program has them. */
#include "attention/theory/block.h"

static ireneo_error refuse(const char *what) {
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the page does not know %s; the program does", what);
}

double ireneo_rope_mean(const ireneo_rope *rope, double keys) {
    (void)rope, (void)keys;
    return 1.0;
}

double ireneo_rope_own(const ireneo_rope *rope, double keys, double rho) {
    (void)rope, (void)keys;
    return 1.0 - rho;
}

ireneo_error ireneo_rope_row(const ireneo_rope *rope, double keys, double spread, double rho,
                             const ireneo_logit_nodes *leaf, ireneo_rem_row *row) {
    (void)rope, (void)keys, (void)spread, (void)rho, (void)leaf, (void)row;
    return refuse("rotary positions");
}

ireneo_error ireneo_logit_nodes_open(double sigma, size_t sphere, ireneo_logit_nodes *nodes) {
    (void)sigma, (void)sphere, (void)nodes;
    return refuse("rotary positions, norms of queries and keys, and caps of logits");
}

void ireneo_logit_nodes_close(ireneo_logit_nodes *nodes) {
    (void)nodes;
}

ireneo_error ireneo_logit_nodes_row(const ireneo_logit_nodes *nodes, double keys, double cap, double shift,
                                    ireneo_rem_row *row) {
    (void)nodes, (void)keys, (void)cap, (void)shift, (void)row;
    return refuse("norms of queries and keys");
}

ireneo_error ireneo_causal_open(const ireneo_transformer *transformer, ireneo_causal **causal) {
    (void)transformer, (void)causal;
    return refuse("causal masks");
}

void ireneo_causal_close(ireneo_causal *causal) {
    (void)causal;
}

void ireneo_causal_input(const ireneo_causal *causal, const ireneo_transformer *transformer,
                         ireneo_causal_tokens *tokens) {
    (void)causal, (void)transformer, (void)tokens;
}

void ireneo_causal_step(const ireneo_causal *causal, const ireneo_mlp_map *mlp,
                        const ireneo_transformer *transformer, ireneo_causal_tokens *tokens,
                        ireneo_causal_rows *rows) {
    (void)causal, (void)mlp, (void)transformer, (void)tokens, (void)rows;
}

double ireneo_causal_similarity(const ireneo_causal *causal, const ireneo_causal_tokens *tokens, double from,
                                double to) {
    (void)causal, (void)tokens, (void)from, (void)to;
    return 1.0;
}

double ireneo_causal_mean(const ireneo_causal *causal, const double *of_groups) {
    (void)causal, (void)of_groups;
    return 0.0;
}

double ireneo_causal_final_distance(const ireneo_causal *causal, const ireneo_mlp_map *mlp,
                                    const ireneo_transformer *transformer) {
    (void)causal, (void)mlp, (void)transformer;
    return 0.0;
}
