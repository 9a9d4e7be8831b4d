/* What the model_type of a config.json says about a transformer's blocks. */
#ifndef IRENEO_ATTENTION_MODELS_MODEL_FAMILY_H
#define IRENEO_ATTENTION_MODELS_MODEL_FAMILY_H

#include "ireneo/attention.h"

#include <stdbool.h>

typedef struct ireneo_model_family {
    const char *model_type;
    ireneo_normalisation normalisation;
    bool rms, gated, causal;
    bool rotary;                  /* rope_theta, 1e4 where it is not said; positions are added otherwise */
    bool normed;                  /* queries and keys are normalised */
    bool windowed;                /* sliding_window counts, and not only beside use_sliding_window */
    bool scaled;                  /* embeddings are multiplied by sqrt(width) */
    const char *usual_activation; /* where it is not said; NULL: it must be */
} ireneo_model_family;

/* NULL when the type is not known. */
const ireneo_model_family *ireneo_model_family_find(const char *model_type);

/* "bert, gpt2, ..." */
void ireneo_model_family_list(char *list, size_t capacity);

#endif
