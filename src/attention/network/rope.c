/* Rotary positions by a table of cosines and sines, made in double precision. */
#include "attention/network/rope.h"
#include "base/pool.h"
#include "base/vectorised.h"

#include <math.h>

enum { GRAIN = 32 }; /* rows a thread takes at a time */

void ireneo_rope_fill(size_t context, size_t width, double base, ireneo_scalar *turns) {
    size_t half = width / 2;
    for (size_t i = 0; i < half; i++) {
        double speed = pow(base, -2.0 * (double)i / (double)width);
        for (size_t place = 0; place < context; place++) {
            turns[place * width + i] = (ireneo_scalar)cos(speed * (double)place);
            turns[place * width + half + i] = (ireneo_scalar)sin(speed * (double)place);
        }
    }
}

IRENEO_VECTORISED
static void turn_slice(ireneo_scalar *x, const ireneo_scalar *turns, ireneo_scalar direction, size_t half) {
    for (size_t i = 0; i < half; i++) {
        ireneo_scalar first = x[i], second = x[half + i], along = turns[i],
                      across = direction * turns[half + i];
        x[i] = first * along - second * across;
        x[half + i] = second * along + first * across;
    }
}

typedef struct turn_work {
    ireneo_slices at;
    size_t context;
    const ireneo_scalar *turns;
    int direction;
    ireneo_scalar *x;
} turn_work;

static void turn_range(void *context, size_t first, size_t last) {
    const turn_work *w = context;
    for (size_t row = first; row < last; row++)
        for (size_t k = 0; k < w->at.count; k++)
            turn_slice(w->x + row * w->at.stride + k * w->at.width, w->turns + row % w->context * w->at.width,
                       (ireneo_scalar)w->direction, w->at.width / 2);
}

void ireneo_rope_turn(ireneo_slices at, size_t context, const ireneo_scalar *turns, int direction,
                      ireneo_scalar *x, int threads) {
    turn_work w = {at, context, turns, direction, x};
    ireneo_share_rows(at.rows, GRAIN, threads, turn_range, &w);
}
