/* What a tensor of a model on disk is, told by its name: the names of Hugging Face's Llama, Qwen, Gemma, OLMo, Phi-3, GPT-2,
 * BERT and ViT, of llama2.c, of timm and of torch.nn.TransformerEncoder. A name that is not in the table is not guessed at. */
#ifndef IRENEO_ATTENTION_MODELS_TENSOR_ROLE_H
#define IRENEO_ATTENTION_MODELS_TENSOR_ROLE_H

#include <stddef.h>

typedef enum ireneo_tensor_role {
    IRENEO_ROLE_UNKNOWN,
    IRENEO_ROLE_LEFT_OUT, /* known, and of no use here: output heads, last norms, buffers */
    /* of the whole model */
    IRENEO_ROLE_EMBEDDING,
    IRENEO_ROLE_POSITIONS,
    IRENEO_ROLE_SEGMENTS, /* BERT's token types */
    IRENEO_ROLE_EMBEDDING_NORM,
    /* of a layer: norms before and after a branch, norms of queries and keys */
    IRENEO_ROLE_NORM_ATTENTION,
    IRENEO_ROLE_NORM_MLP,
    IRENEO_ROLE_BRANCH_NORM_ATTENTION,
    IRENEO_ROLE_BRANCH_NORM_MLP,
    IRENEO_ROLE_QUERY_NORM,
    IRENEO_ROLE_KEY_NORM,
    /* its matrices; the last two hold several, one below the other or side by side */
    IRENEO_ROLE_QUERY,
    IRENEO_ROLE_KEY,
    IRENEO_ROLE_VALUE,
    IRENEO_ROLE_OUTPUT,
    IRENEO_ROLE_GATE,
    IRENEO_ROLE_MLP_IN,
    IRENEO_ROLE_MLP_OUT,
    IRENEO_ROLE_QUERY_KEY_VALUE,
    IRENEO_ROLE_GATE_AND_IN,
    /* its biases; queries and keys have some, too, which the theory leaves out */
    IRENEO_ROLE_VALUE_BIAS,
    IRENEO_ROLE_OUTPUT_BIAS,
    IRENEO_ROLE_MLP_IN_BIAS,
    IRENEO_ROLE_MLP_OUT_BIAS,
    IRENEO_ROLE_QUERY_KEY_VALUE_BIAS,
    IRENEO_ROLES
} ireneo_tensor_role;

typedef enum ireneo_tensor_family {
    IRENEO_FAMILY_NONE,
    IRENEO_FAMILY_LLAMA, /* also Qwen, Gemma, OLMo, Phi-3, llama2.c */
    IRENEO_FAMILY_GPT2,
    IRENEO_FAMILY_BERT,
    IRENEO_FAMILY_VIT,
    IRENEO_FAMILY_TIMM,
    IRENEO_FAMILY_TORCH
} ireneo_tensor_family;

/* A name taken apart. */
typedef struct ireneo_tensor_place {
    ireneo_tensor_role role;
    ireneo_tensor_family family; /* none for what belongs to no layer */
    size_t layer;
    size_t
        stack; /* characters before the number of the layer: "model.layers." has 13; 0 for the whole model */
} ireneo_tensor_place;

ireneo_tensor_place ireneo_tensor_place_of(const char *name);

#endif
