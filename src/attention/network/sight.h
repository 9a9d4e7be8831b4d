/* Which keys a token sees: all, those up to itself (causal), or a window of them. */
#ifndef IRENEO_ATTENTION_NETWORK_SIGHT_H
#define IRENEO_ATTENTION_NETWORK_SIGHT_H

#include "attention/network/network.h"

/* Tokens first .. end - 1. */
typedef struct ireneo_span {
    size_t first, end;
} ireneo_span;

/* Keys of one row. A window of w keys is the last w of a causal row, and otherwise the w nearest. Neither end
 * ever moves back from one row to the next. */
static inline ireneo_span ireneo_keys_seen(const ireneo_network_shape *shape, size_t row) {
    size_t T = shape->context, window = shape->window == 0 || shape->window > T ? T : shape->window;
    if (shape->causal) return (ireneo_span){row + 1 > window ? row + 1 - window : 0, row + 1};
    size_t before = (window - 1) / 2, first = row > before ? row - before : 0;
    if (first > T - window) first = T - window;
    return (ireneo_span){first, first + window};
}

/* Keys that one of the rows sees. */
static inline ireneo_span ireneo_keys_of_rows(const ireneo_network_shape *shape, ireneo_span rows) {
    return (ireneo_span){ireneo_keys_seen(shape, rows.first).first,
                         ireneo_keys_seen(shape, rows.end - 1).end};
}

/* Rows that see one of the keys. */
static inline ireneo_span ireneo_rows_of_keys(const ireneo_network_shape *shape, ireneo_span keys) {
    ireneo_span rows = {0, shape->context};
    while (ireneo_keys_seen(shape, rows.first).end <= keys.first) rows.first++;
    while (ireneo_keys_seen(shape, rows.end - 1).first >= keys.end) rows.end--;
    return rows;
}

#endif
