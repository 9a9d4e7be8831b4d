/* A look inside the trainer's model: are its tokens alike, is its attention condensed? */
#ifndef IRENEO_ATTENTION_NETWORK_INSIDE_H
#define IRENEO_ATTENTION_NETWORK_INSIDE_H

#include "attention/network/language_model.h"

typedef struct ireneo_inside {
    double rho_0, rho; /* mean cosine between tokens, after the embedding and after the last layer */
    double entropy_first, entropy; /* of attention rows, in the first layer and over all layers; nats */
} ireneo_inside;

/* Measures on the first sequences of a batch: tokens and targets as for ireneo_language_model_loss, at least
 * one sequence. */
ireneo_error ireneo_look_inside(const ireneo_language_shape *shape, float *parameters, const int *tokens,
                                const int *targets, size_t sequences, ireneo_inside *inside);

#endif
