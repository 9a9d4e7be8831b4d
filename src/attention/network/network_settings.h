/* The public description of a transformer, checked and turned into what the network works with. */
#ifndef IRENEO_ATTENTION_NETWORK_NETWORK_SETTINGS_H
#define IRENEO_ATTENTION_NETWORK_NETWORK_SETTINGS_H

#include "attention/network/network.h"

/* Fails with a sentence when a size or a scale is out of range, or two ingredients do not go together. Where
 * fewer keys than the context are seen the rest is padding, which has no effect on other tokens and is not
 * measured: the network then has `keys` tokens, and weights scaled for `context`. */
ireneo_error ireneo_network_read(const ireneo_transformer *transformer, ireneo_network_shape *shape,
                                 ireneo_network_scales *scales);

#endif
