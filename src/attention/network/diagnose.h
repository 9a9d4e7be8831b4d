/* A look inside the trainer's model: are its tokens alike, is its attention condensed? */
#ifndef IRENEO_ATTENTION_NETWORK_DIAGNOSE_H
#define IRENEO_ATTENTION_NETWORK_DIAGNOSE_H

#include "attention/network/language_model.h"

typedef struct ireneo_diagnosis {
    double rho_0, rho; /* mean cosine between tokens, after the embedding and after the last layer */
    double entropy_first, entropy; /* of attention rows, in the first layer and over all layers; nats */
} ireneo_diagnosis;

/* Measures on the first sequences of a batch: tokens and targets as for ireneo_language_model_loss, at least
 * one sequence. */
ireneo_error ireneo_diagnose(const ireneo_language_shape *shape, float *parameters, const int *tokens,
                             const int *targets, size_t sequences, ireneo_diagnosis *diagnosis);

#endif
