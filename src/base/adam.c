/* Adam's step, a chunk of parameters at a time. Every parameter goes its own way, so threads change no bit.
 *
 * Folded, sqrt(v^) = sqrt(v) / share with share = sqrt(1 - b2^step), and the step is
 *     rate share / (1 - b1^step) m / (sqrt v + 1e-8 share) .
 * Results of either form are on record (data/, sweeps in stores), so both are kept to the last bit. */
#include "base/adam.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 14 };
static const double LEAST = 1e-8;

ireneo_error ireneo_adam_open(const ireneo_adam_settings *settings, size_t count, ireneo_adam *adam) {
    memset(adam, 0, sizeof *adam);
    adam->settings = *settings;
    adam->count = count;
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&adam->mean, count, "Adam's mean gradient");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&adam->square, count, "Adam's mean square");
    if (failed != IRENEO_OK) ireneo_adam_close(adam);
    return failed;
}

void ireneo_adam_close(ireneo_adam *adam) {
    free(adam->mean);
    free(adam->square);
    memset(adam, 0, sizeof *adam);
}

/* What a step multiplies with, once the means' start at zero is corrected for. */
typedef struct step_factors {
    float mean_decay, square_decay, negligible;
    float rate, square_scale, least;
    float gradient;
    bool folded;
} step_factors;

IRENEO_VECTORISED
static void step_chunk(const step_factors *f, size_t count, const float *restrict gradient,
                       float *restrict mean, float *restrict square, float *restrict parameters) {
    const float a = f->mean_decay, b = f->square_decay, rate = f->rate, scale = f->square_scale;
    const float least = f->least, negligible = f->negligible, factor = f->gradient;
    const bool folded = f->folded;
    for (size_t i = 0; i < count; i++) {
        float g = factor * gradient[i];
        float m = a * mean[i] + (1.0f - a) * g;
        float v = b * square[i] + (folded ? (1.0f - b) * (g * g) : (1.0f - b) * g * g);
        mean[i] = fabsf(m) >= negligible ? m : 0.0f;
        square[i] = v >= negligible ? v : 0.0f;
        parameters[i] -= rate * m / (sqrtf(v * scale) + least);
    }
}

static step_factors factors_of(const ireneo_adam *adam, double rate, double factor) {
    const ireneo_adam_settings *s = &adam->settings;
    double steps = (double)adam->steps;
    double mean_share = 1.0 - pow(s->mean_decay, steps), square_share = 1.0 - pow(s->square_decay, steps);
    step_factors f = {.mean_decay = (float)s->mean_decay,
                      .square_decay = (float)s->square_decay,
                      .negligible = s->negligible,
                      .rate = (float)(rate / mean_share),
                      .square_scale = (float)(1.0 / square_share),
                      .least = (float)LEAST,
                      .gradient = (float)factor,
                      .folded = s->folded};
    if (s->folded) {
        f.rate = (float)(rate * sqrt(square_share) / mean_share);
        f.square_scale = 1.0f;
        f.least = (float)(LEAST * sqrt(square_share));
    }
    return f;
}

typedef struct adam_step {
    ireneo_adam *adam;
    step_factors factors;
    const float *gradient;
    float *parameters;
} adam_step;

static void step_range(void *context, size_t first, size_t last) {
    const adam_step *s = context;
    step_chunk(&s->factors, last - first, s->gradient + first, s->adam->mean + first, s->adam->square + first,
               s->parameters + first);
}

void ireneo_adam_step(ireneo_adam *adam, double rate, double factor, const float *gradient, float *parameters,
                      int threads) {
    adam->steps++;
    adam_step s = {adam, factors_of(adam, rate, factor), gradient, parameters};
    ireneo_share_rows(adam->count, CHUNK, threads, step_range, &s);
}
