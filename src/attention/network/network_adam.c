/* m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,  x <- x - rate m^ / (sqrt v^ + 1e-8), where m^ and v^
 * are m and v over 1 - b^step. b1 = 0.9, b2 = 0.98. */
#include "attention/network/network_adam.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 14 };
static const float MEAN_DECAY = 0.9f, SQUARE_DECAY = 0.98f, LEAST = 1e-8f;
static const float NEGLIGIBLE = 1e-36f; /* smaller averages would become denormal, and slow */

ireneo_error ireneo_network_adam_create(size_t count, ireneo_network_adam *adam) {
    memset(adam, 0, sizeof *adam);
    adam->count = count;
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&adam->mean, count, "the optimiser");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&adam->square, count, "the optimiser");
    if (failed != IRENEO_OK) ireneo_network_adam_free(adam);
    return failed;
}

void ireneo_network_adam_free(ireneo_network_adam *adam) {
    free(adam->mean);
    free(adam->square);
    memset(adam, 0, sizeof *adam);
}

IRENEO_VECTORISED
static void step_chunk(size_t count, float rate, float square_scale, float factor, const float *gradients,
                       float *mean, float *square, float *parameters) {
    for (size_t i = 0; i < count; i++) {
        float g = factor * gradients[i];
        float m = MEAN_DECAY * mean[i] + (1.0f - MEAN_DECAY) * g;
        float v = SQUARE_DECAY * square[i] + (1.0f - SQUARE_DECAY) * g * g;
        mean[i] = fabsf(m) > NEGLIGIBLE ? m : 0.0f;
        square[i] = v > NEGLIGIBLE ? v : 0.0f;
        parameters[i] -= rate * m / (sqrtf(v * square_scale) + LEAST);
    }
}

void ireneo_network_adam_step(ireneo_network_adam *adam, double rate, double factor, const float *gradients,
                              float *parameters, int threads) {
    adam->steps++;
    double steps = (double)adam->steps;
    float corrected = (float)(rate / (1.0 - pow((double)MEAN_DECAY, steps)));
    float scale = (float)(1.0 / (1.0 - pow((double)SQUARE_DECAY, steps)));
    size_t chunks = (adam->count + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1 && chunks > 1)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t first = chunk * CHUNK, count = adam->count - first < CHUNK ? adam->count - first : CHUNK;
        step_chunk(count, corrected, scale, (float)factor, gradients + first, adam->mean + first,
                   adam->square + first, parameters + first);
    }
}
