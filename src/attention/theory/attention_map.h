/* What attention does to tokens of any similarity, for a given law of logits: a table over rho, because the
 * recursion through depth asks for hundreds of them. */
#ifndef IRENEO_ATTENTION_THEORY_ATTENTION_MAP_H
#define IRENEO_ATTENTION_THEORY_ATTENTION_MAP_H

#include "attention/theory/chebyshev.h"
#include "attention/theory/row_law.h"

#include <stdbool.h>

typedef struct ireneo_attention_map {
    ireneo_row_law law;
    double log_keys;
    bool unbound; /* the spread of logits follows q of the tokens: a table over sigma and rho */
    ireneo_chebyshev table;
} ireneo_attention_map;

/* Averages of attention rows. */
typedef struct ireneo_attention_averages {
    double participation, overlap, entropy; /* Y2, O12, H */
    double condensed;                       /* as in rem.h: which gradients of logits follow */
    double tilt;                            /* S / sigma^4 of rem.h, which finite widths add */
} ireneo_attention_averages;

/* For a checked transformer. Relative errors of the table are below 1e-7 (1e-3 where logits are unbound). */
ireneo_error ireneo_attention_map_open(const ireneo_transformer *transformer, ireneo_attention_map *map);
void ireneo_attention_map_close(ireneo_attention_map *map);

/* For tokens of scale q (1 unless logits are unbound) at distance = 1 - rho in [0, 1]. */
void ireneo_attention_map_at(const ireneo_attention_map *map, double q, double distance,
                             ireneo_attention_averages *averages);
void ireneo_attention_map_limit(const ireneo_attention_map *map, double q, double distance,
                                ireneo_attention_averages *averages);

#endif
