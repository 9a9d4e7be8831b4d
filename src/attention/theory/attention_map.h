/* What attention does to normalised tokens (q = 1) of any similarity, at fixed beta and T: a table over rho,
 * because the recursion through depth asks for hundreds of them. */
#ifndef IRENEO_ATTENTION_THEORY_ATTENTION_MAP_H
#define IRENEO_ATTENTION_THEORY_ATTENTION_MAP_H

#include "attention/theory/chebyshev.h"

typedef struct ireneo_attention_map {
    double keys, log_keys;
    double spread; /* of the logits at rho = 0: beta sqrt(log T) */
    ireneo_chebyshev table;
} ireneo_attention_map;

/* Averages of attention rows. */
typedef struct ireneo_attention_averages {
    double participation, overlap, entropy; /* Y2, O12, H */
    double condensed; /* E[Y2 - 2 Y3 + Y2^2], which gradients of queries and keys are made of */
} ireneo_attention_averages;

/* keys = 0: all of the context. Relative errors of the table are below 1e-7. */
ireneo_error ireneo_attention_map_open(double beta, double context, double keys, ireneo_attention_map *map);
void ireneo_attention_map_close(ireneo_attention_map *map);

/* At distance = 1 - rho in [0, 1]. */
void ireneo_attention_map_at(const ireneo_attention_map *map, double distance,
                             ireneo_attention_averages *averages);
void ireneo_attention_map_limit(const ireneo_attention_map *map, double distance,
                                ireneo_attention_averages *averages);

#endif
