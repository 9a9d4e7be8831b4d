/* The tensors of a model on disk, sorted by layer and role. */
#ifndef IRENEO_ATTENTION_MODELS_MODEL_TENSORS_H
#define IRENEO_ATTENTION_MODELS_MODEL_TENSORS_H

#include "attention/models/tensor_role.h"
#include "base/error.h"

typedef struct ireneo_model_tensors {
    const char *path; /* the caller's: a .safetensors file, or the index of several */
    ireneo_tensor_family family;
    size_t layers;
    const char **names;              /* (layers, IRENEO_ROLES); NULL where there is none */
    const char *whole[IRENEO_ROLES]; /* of the whole model */
    const char **unknown;            /* (unknown_count), in the order of the file */
    size_t unknown_count;
    char **all; /* what the names point into */
} ireneo_model_tensors;

/* Reads names only. Of several stacks of layers, as encoders and decoders or pictures and text, the one with most tensors
 * counts; the others are unknown. A model without a layer of a known name is an error that lists what it holds. Close it
 * in any case. */
ireneo_error ireneo_model_tensors_open(const char *path, ireneo_model_tensors *tensors);
void ireneo_model_tensors_close(ireneo_model_tensors *tensors);

/* The name of a tensor of a layer, or NULL. */
const char *ireneo_layer_tensor(const ireneo_model_tensors *tensors, size_t layer, ireneo_tensor_role role);

#endif
