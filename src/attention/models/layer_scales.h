/* The scales of one layer of a model on disk: standard deviations of its matrices, and what they amount to behind the gains of
 * its norms. */
#ifndef IRENEO_ATTENTION_MODELS_LAYER_SCALES_H
#define IRENEO_ATTENTION_MODELS_LAYER_SCALES_H

#include "attention/models/model_tensors.h"

#include <stdbool.h>

/* A model whose layers are measured. */
typedef struct ireneo_measured_model {
    ireneo_model_tensors tensors;
    ireneo_transformer shape; /* architecture and sizes; its scales are not looked at */
    double gain_offset;       /* 1 where norms multiply by 1 + weight, as Gemma's; 0 otherwise */
    double logit_factor;      /* on logits that are not divided by the root of a head's width */
    double embedding_factor;  /* on the vectors of tokens */
    bool transposed;          /* matrices are (inputs, outputs) */
} ireneo_measured_model;

/* Every matrix is read once. Fields of matrices that are not there are NaN, and `complete` is 0. */
ireneo_error ireneo_measure_layer(const ireneo_measured_model *model, size_t layer,
                                  ireneo_attention_layer_scales *scales);

/* The architecture with the scales of this layer. */
ireneo_transformer ireneo_transformer_with_scales(const ireneo_transformer *shape,
                                                  const ireneo_attention_layer_scales *scales);

#endif
