/* The name under which the store keeps one draw of a dense memory. */
#ifndef IRENEO_LAB_SWEEP_DRAW_KEY_H
#define IRENEO_LAB_SWEEP_DRAW_KEY_H

#include "ireneo.h"

enum { DRAW_KEY_SIZE = 384 };

/* The canonical text of everything the draw depends on: equal for equal draws, different for different ones.
 * Settings that the method or the measure does not read are left out. */
void ireneo_draw_key(const ireneo_dense_experiment *e, uint64_t index, char key[DRAW_KEY_SIZE]);

#endif
