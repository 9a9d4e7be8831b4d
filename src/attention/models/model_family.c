/* The families, as the modelling code of Hugging Face's transformers has them. */
#include "attention/models/model_family.h"

#include <stdio.h>
#include <string.h>

#define POST     IRENEO_NORMALISATION_POST
#define PRE      IRENEO_NORMALISATION_PRE
#define BRANCH   IRENEO_NORMALISATION_BRANCH
#define SANDWICH IRENEO_NORMALISATION_SANDWICH

/* type; norms; rms, gated, causal; rotary, normed, windowed, scaled; activation */
static const ireneo_model_family FAMILIES[] = {
    {"llama", PRE, true, true, true, true, false, false, false, "silu"},
    {"mistral", PRE, true, true, true, true, false, true, false, "silu"},
    {"qwen2", PRE, true, true, true, true, false, false, false, "silu"},
    {"qwen3", PRE, true, true, true, true, true, false, false, "silu"},
    {"phi3", PRE, true, true, true, true, false, true, false, "silu"},
    {"gemma", PRE, true, true, true, true, false, false, true, "gelu_pytorch_tanh"},
    {"gemma2", SANDWICH, true, true, true, true, false, true, true, "gelu_pytorch_tanh"},
    {"gemma3", SANDWICH, true, true, true, true, true, true, true, "gelu_pytorch_tanh"},
    {"gemma3_text", SANDWICH, true, true, true, true, true, true, true, "gelu_pytorch_tanh"},
    {"olmo", PRE, false, true, true, true, false, false, false, "silu"},
    {"olmo2", BRANCH, true, true, true, true, true, false, false, "silu"},
    {"gpt2", PRE, false, false, true, false, false, false, false, "gelu_new"},
    {"bert", POST, false, false, false, false, false, false, false, "gelu"},
    {"roberta", POST, false, false, false, false, false, false, false, "gelu"},
    {"vit", PRE, false, false, false, false, false, false, false, "gelu"},
};

const ireneo_model_family *ireneo_model_family_find(const char *model_type) {
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++)
        if (strcmp(model_type, FAMILIES[i].model_type) == 0) return &FAMILIES[i];
    return NULL;
}

void ireneo_model_family_list(char *list, size_t capacity) {
    size_t end = 0;
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES && end < capacity; i++)
        end +=
            (size_t)snprintf(list + end, capacity - end, "%s%s", i == 0 ? "" : ", ", FAMILIES[i].model_type);
}
