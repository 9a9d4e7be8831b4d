/* DeepNorm's numbers, which a preset and a convention share. */
#ifndef IRENEO_ATTENTION_THEORY_PRESETS_H
#define IRENEO_ATTENTION_THEORY_PRESETS_H

#include "base/error.h"

/* Standard deviations for the transformer's sizes; its skips are strengthened. */
void ireneo_deepnorm(ireneo_transformer *transformer, ireneo_block_deviations *std);

#endif
