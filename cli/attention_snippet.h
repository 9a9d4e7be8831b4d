/* PyTorch code that applies a recommendation. */
#ifndef IRENEO_CLI_ATTENTION_SNIPPET_H
#define IRENEO_CLI_ATTENTION_SNIPPET_H

#include "ireneo.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum snippet_style {
    SNIPPET_TORCH, /* torch.nn.TransformerEncoder */
    SNIPPET_BERT,  /* Hugging Face's BERT and ViT */
    SNIPPET_GPT2,
    SNIPPET_TIMM,
    SNIPPET_LLAMA, /* and Mistral, Qwen, OLMo */
    SNIPPET_GEMMA  /* the same names; norms multiply by 1 + weight */
} snippet_style;

/* The style of a word of --style, or of a preset or model_type; torch for others. */
snippet_style snippet_style_of(const char *word);

/* Whether models of this style have a gate in their MLP. */
bool snippet_is_gated(snippet_style style);

void print_snippet(FILE *out, const ireneo_attention_recommendation *recommendation, snippet_style style);

#endif
