/* Rotary positions: how much a logit's key keeps of what it shares with another key some tokens away. */
#ifndef IRENEO_ATTENTION_THEORY_ROPE_H
#define IRENEO_ATTENTION_THEORY_ROPE_H

#include "attention/theory/logit_nodes.h"

enum { IRENEO_ROPE_LEVELS = 24 };

typedef struct ireneo_rope {
    double base;       /* 0: no rotations */
    size_t head_width; /* planes are half of it */
} ireneo_rope;

/* Mean of r(k - l) = (2 / d_H) sum_i cos(theta_i (k - l)) over pairs of different keys among `keys` neighbours;
 * 1 without rotations. */
double ireneo_rope_mean(const ireneo_rope *rope, double keys);

/* A row over `keys` keys of similarity rho; leaf: what of a logit is its own, of variance 1 - rho C_1 in units of
 * spread^2 (rope.c), which is *own. */
double ireneo_rope_own(const ireneo_rope *rope, double keys, double rho);
ireneo_error ireneo_rope_row(const ireneo_rope *rope, double keys, double spread, double rho,
                             const ireneo_logit_nodes *leaf, ireneo_rem_row *row);

#endif
