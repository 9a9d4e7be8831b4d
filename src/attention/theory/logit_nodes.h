/* The law of one logit as a sum over nodes, for laws that are not Gaussian. */
#ifndef IRENEO_ATTENTION_THEORY_LOGIT_NODES_H
#define IRENEO_ATTENTION_THEORY_LOGIT_NODES_H

#include "attention/theory/rem.h"

typedef struct ireneo_logit_nodes {
    size_t count;
    double *value, *weight; /* (count), values rise, weights sum to 1 */
    double *tail;           /* (count + 1): sum of the weights from a node upward */
} ireneo_logit_nodes;

/* A logit of standard deviation sigma: Gaussian, or, for sphere > 0, sigma sqrt(sphere) times a coordinate of the
 * unit sphere in that many dimensions. */
ireneo_error ireneo_logit_nodes_open(double sigma, size_t sphere, ireneo_logit_nodes *nodes);
void ireneo_logit_nodes_close(ireneo_logit_nodes *nodes);

/* F, M_1 .. M_4 and D of rem_kernel.h at one t. */
void ireneo_logit_nodes_at(const ireneo_logit_nodes *nodes, double t, double *averages);

/* A t above which `keys` logits leave nothing to integrate. */
double ireneo_logit_nodes_top(const ireneo_logit_nodes *nodes, double keys);

/* A row of independent logits of this law, with c tanh(x / c) and x = value + shift for them when cap c > 0. */
ireneo_error ireneo_logit_nodes_row(const ireneo_logit_nodes *nodes, double keys, double cap, double shift,
                                    ireneo_rem_row *row);

#endif
