/* Growth of gradients on their way back through all blocks, from the tables of one. */
#ifndef IRENEO_ATTENTION_THEORY_GRADIENT_DEPTH_H
#define IRENEO_ATTENTION_THEORY_GRADIENT_DEPTH_H

#include "attention/theory/block.h"

/* log of |dL/dx|^2 q at the input over that at the output: relative to what it is the gradient of, since Adam does
 * not see the scale, and a stream that grows through its branches divides gradients only because it grows. In
 * post-LN q is 1 throughout. */
double ireneo_relative_growth(const ireneo_block *block, const ireneo_transformer *transformer);

#endif
