/* Tokens through the depth of a transformer: the block map iterated, exact at T and in the limit. */
#include "attention/theory/stability.h"
#include "attention/theory/transformer.h"
#include "base/ram.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

void ireneo_attention_propagation_free(ireneo_attention_propagation *propagation) {
    if (propagation == NULL) return;
    free(propagation->block);
    memset(propagation, 0, sizeof *propagation);
}

static ireneo_error allocate(size_t layers, ireneo_attention_propagation *p) {
    double *block = NULL;
    memset(p, 0, sizeof *p);
    double **arrays[] = {&p->rho,     &p->rho_limit,     &p->distance,      &p->distance_limit,
                         &p->scale,   &p->scale_limit,   &p->participation, &p->participation_limit,
                         &p->entropy, &p->entropy_limit, &p->rho_early,     &p->rho_late};
    IRENEO_TRY(
        IRENEO_ALLOCATE(&block, sizeof arrays / sizeof *arrays * (layers + 1), "similarities over depth"));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = block + i * (layers + 1);
    p->layers = layers;
    p->block = block;
    return IRENEO_OK;
}

/* The arrays of one of the two maps. */
typedef struct profile {
    ireneo_map_kind kind;
    double *rho, *distance, *scale, *participation, *entropy;
} profile;

static void write_tokens(const profile *to, size_t layer, ireneo_tokens tokens) {
    to->distance[layer] = tokens.gap / tokens.q;
    to->rho[layer] = 1.0 - to->distance[layer];
    to->scale[layer] = tokens.q;
}

/* The same for the rows of a causal mask: means over those from a share on, and the first and last quarter. */
static void write_rows(const ireneo_causal *causal, const ireneo_causal_tokens *tokens, double from,
                       size_t layer, ireneo_attention_propagation *p) {
    p->rho[layer] = ireneo_causal_similarity(causal, tokens, from, 1.0);
    p->rho_early[layer] = ireneo_causal_similarity(causal, tokens, 0.0, 0.25);
    p->rho_late[layer] = ireneo_causal_similarity(causal, tokens, 0.75, 1.0);
    p->distance[layer] = 1.0 - p->rho[layer];
    p->scale[layer] = ireneo_causal_mean(causal, tokens->q, from);
}

static void iterate_causal(const ireneo_block *block, const ireneo_transformer *transformer, double last,
                           ireneo_attention_propagation *p) {
    ireneo_causal_tokens tokens;
    ireneo_causal_rows rows;
    const ireneo_causal_grid *grid = &block->causal->grid;
    double from = last > 0.0 ? fmax(0.0, 1.0 - last / grid->edge[grid->count]) : 0.0;
    ireneo_causal_input(block->causal, transformer, &tokens);
    write_rows(block->causal, &tokens, from, 0, p);
    for (size_t layer = 0; layer < transformer->layers; layer++) {
        ireneo_causal_step(block->causal, &block->mlp, transformer, &tokens, &rows);
        p->participation[layer] = ireneo_causal_mean(block->causal, rows.participation, from);
        p->entropy[layer] = ireneo_causal_mean(block->causal, rows.entropy, from);
        write_rows(block->causal, &tokens, from, layer + 1, p);
    }
}

/* Returns the tokens before the last block. */
static ireneo_tokens iterate(const ireneo_block *block, const ireneo_transformer *transformer,
                             const profile *to) {
    ireneo_tokens tokens = ireneo_block_input(transformer), before = tokens;
    write_tokens(to, 0, tokens);
    to->rho[0] = transformer->rho_0; /* without the rounding of 1 - (1 - rho) */
    for (size_t layer = 0; layer < transformer->layers; layer++) {
        ireneo_attention_averages attention = ireneo_block_attention(block, to->kind, tokens);
        to->participation[layer] = attention.participation;
        to->entropy[layer] = attention.entropy;
        before = tokens;
        tokens = ireneo_block_step(block, transformer, to->kind, tokens, attention);
        write_tokens(to, layer + 1, tokens);
    }
    return before;
}

static void describe_stability(const ireneo_block *block, const ireneo_transformer *transformer, double q,
                               ireneo_attention_propagation *p) {
    p->chi_attention = ireneo_chi_attention(block, transformer, q);
    p->chi_mlp = ireneo_chi_mlp(block, transformer, q);
    p->chi = p->chi_attention * p->chi_mlp;
    p->correlation_depth = p->chi < 1.0 ? -1.0 / log(p->chi) : INFINITY;
    p->critical_residual = ireneo_balanced_residual(block, transformer, q);
}

/* Without norms a stream may outgrow all numbers. */
static ireneo_error check_scales(const ireneo_attention_propagation *p) {
    for (size_t layer = 0; layer <= p->layers; layer++)
        if (!isfinite(p->scale[layer]) || !isfinite(p->scale_limit[layer]))
            return ireneo_fail(
                IRENEO_ERROR_NUMERIC,
                "tokens outgrow all numbers at layer %zu; make the branches smaller, or add norms", layer);
    return IRENEO_OK;
}

ireneo_error ireneo_attention_propagate(const ireneo_transformer *transformer,
                                        ireneo_attention_propagation *propagation) {
    return ireneo_attention_propagate_last(transformer, 0.0, propagation);
}

ireneo_error ireneo_attention_propagate_last(const ireneo_transformer *transformer, double last,
                                             ireneo_attention_propagation *propagation) {
    IRENEO_REQUIRE(propagation != NULL, "a propagation needs a place to be written to");
    memset(propagation, 0, sizeof *propagation);
    IRENEO_TRY(ireneo_check_transformer(transformer));
    if (last != 0.0 && !(last >= 2.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "overlaps are between rows: the last 2 or more, not %g",
                           last);
    ireneo_block block;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_leave(ireneo_block_open(transformer, &block));
    if (failed != IRENEO_OK) return failed;
    failed = allocate(transformer->layers, propagation);
    if (failed == IRENEO_OK) {
        ireneo_attention_propagation *p = propagation;
        profile exact = {IRENEO_MAP_EXACT, p->rho, p->distance, p->scale, p->participation, p->entropy};
        profile limit = {IRENEO_MAP_LIMIT, p->rho_limit,           p->distance_limit,
                         p->scale_limit,   p->participation_limit, p->entropy_limit};
        iterate(&block, transformer, &limit);
        describe_stability(&block, transformer, iterate(&block, transformer, &exact).q, p);
        memcpy(p->rho_early, p->rho, (transformer->layers + 1) * sizeof *p->rho);
        memcpy(p->rho_late, p->rho, (transformer->layers + 1) * sizeof *p->rho);
        if (block.causal != NULL) iterate_causal(&block, transformer, last, p);
        failed = check_scales(p);
    }
    ireneo_block_close(&block);
    if (failed != IRENEO_OK) ireneo_attention_propagation_free(propagation);
    return failed;
}

ireneo_error ireneo_attention_critical_residual(const ireneo_transformer *transformer, double rank_limit,
                                                double *residual, double *residual_limit) {
    if (residual != NULL) *residual = 0.0;
    if (residual_limit != NULL) *residual_limit = 0.0;
    IRENEO_TRY(ireneo_check_transformer(transformer));
    if (!(rank_limit > 0.0 && rank_limit < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the distance 1 - rho that must remain lies between 0 and 1, not %g", rank_limit);
    ireneo_block block;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_leave(ireneo_block_open(transformer, &block));
    if (failed != IRENEO_OK) return failed;
    if (residual != NULL) *residual = ireneo_rank_line(&block, transformer, IRENEO_MAP_EXACT, rank_limit);
    if (residual_limit != NULL)
        *residual_limit = ireneo_rank_line(&block, transformer, IRENEO_MAP_LIMIT, rank_limit);
    ireneo_block_close(&block);
    return IRENEO_OK;
}
