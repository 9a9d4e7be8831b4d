/* The double-precision build of the transformer, behind functions without its number type: a test that uses
 * the float build can call both. */
#ifndef IRENEO_TESTS_NETWORK_DOUBLE_H
#define IRENEO_TESTS_NETWORK_DOUBLE_H

#include "attention/network/language_model.h"

/* Random parameters of the double build; the same count as in the float build. */
void double_draw(const ireneo_language_shape *shape, const ireneo_network_scales *scales, uint64_t seed,
                 double *parameters);

/* Mean cross-entropy over the masked positions; gradients may be NULL, otherwise overwritten. */
double double_loss(const ireneo_language_shape *shape, double *parameters, size_t sequences,
                   const int *tokens, const int *targets, double *gradients);

#endif
