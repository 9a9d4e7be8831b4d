/* Growth of gradients on their way back through all blocks, from the tables of one. */
#ifndef IRENEO_ATTENTION_THEORY_GRADIENT_DEPTH_H
#define IRENEO_ATTENTION_THEORY_GRADIENT_DEPTH_H

#include "attention/theory/block.h"

/* Whether the law of these blocks is known; with a sentence where it is not. */
bool ireneo_gradients_known(const ireneo_transformer *transformer);
ireneo_error ireneo_check_gradients(const ireneo_transformer *transformer);

/* log of |dL/dx|^2 at the input over that at the output; `factors` (layers), when not NULL, gets what each
 * block multiplies it by. For a transformer whose law is known. */
double ireneo_gradient_growth(const ireneo_block *block, const ireneo_transformer *transformer,
                              double *factors);

#endif
