/* How many queries attention takes at a time: logits of a tile stay in second-level cache up to contexts of a
 * few thousand tokens. */
#ifndef IRENEO_ATTENTION_NETWORK_NETWORK_TILES_H
#define IRENEO_ATTENTION_NETWORK_NETWORK_TILES_H

enum { NETWORK_TILE_ROWS = 128 };

#endif
