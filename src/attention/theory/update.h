/* What one step of Adam changes of the function that was drawn. */
#ifndef IRENEO_ATTENTION_THEORY_UPDATE_H
#define IRENEO_ATTENTION_THEORY_UPDATE_H

#include "attention/theory/block.h"

/* U over the learning rate, of all layers together. */
double ireneo_update_per_rate(const ireneo_block *block, const ireneo_transformer *transformer);

/* The change of both branches together where they are so small that only what is written into the stream counts. */
double ireneo_written_per_rate(const ireneo_transformer *transformer);

#endif
