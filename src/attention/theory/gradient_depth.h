/* Growth of gradients on their way back through all blocks, from the tables of one. */
#ifndef IRENEO_ATTENTION_THEORY_GRADIENT_DEPTH_H
#define IRENEO_ATTENTION_THEORY_GRADIENT_DEPTH_H

#include "attention/theory/block.h"

/* log of |dL/dx|^2 at the input over that at the output; `factors` (layers), when not NULL, gets what each
 * block multiplies it by. */
double ireneo_gradient_growth(const ireneo_block *block, const ireneo_transformer *transformer,
                              double *factors);

#endif
