/* Rotary positions: the pair (i, i + width / 2) of a head's query or key at position s turns by the angle
 * s base^(-2 i / width), so that logits know the distance of two tokens. */
#ifndef IRENEO_ATTENTION_NETWORK_ROPE_H
#define IRENEO_ATTENTION_NETWORK_ROPE_H

#include "attention/network/scalar.h"
#include "attention/network/slices.h"

/* turns (context, width): cosines of a position's angles, then their sines; width is even. */
void ireneo_rope_fill(size_t context, size_t width, double base, ireneo_scalar *turns);

/* Turns every slice of x forward (direction 1) or back (-1); row r is at position r % context. The transpose
 * of a turn is the turn back, which is what gradients need. */
void ireneo_rope_turn(ireneo_slices at, size_t context, const ireneo_scalar *turns, int direction,
                      ireneo_scalar *x, int threads);

#endif
