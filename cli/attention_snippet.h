/* PyTorch code that applies a recommendation. */
#ifndef IRENEO_CLI_ATTENTION_SNIPPET_H
#define IRENEO_CLI_ATTENTION_SNIPPET_H

#include "ireneo.h"

#include <stdio.h>

typedef enum snippet_style { SNIPPET_TORCH, SNIPPET_BERT, SNIPPET_GPT2, SNIPPET_TIMM } snippet_style;

void print_snippet(FILE *out, const ireneo_attention_recommendation *recommendation, snippet_style style);

#endif
