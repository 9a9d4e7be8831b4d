/* Facts that a known matrix recalls by a margin that no rounding can hide, of any kind in kinds.h: whatever
 * certificate is offered for them is a forgery. */
#ifndef IRENEO_TESTS_ATTACK_PLANTED_H
#define IRENEO_TESTS_ATTACK_PLANTED_H

#include "kinds.h"

#include <stdbool.h>

/* Replaces the targets by the best candidates of a random matrix. False when a key ties, or when the smallest
 * angular margin <W, a> / (|W| |a|) over the pairs a = (y_target - y_j) x^T is not above 1e-6. */
bool planted_make(kind_instance *instance, uint64_t seed, uint64_t number);

#endif
