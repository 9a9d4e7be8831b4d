/* Adam (Kingma and Ba 2015) with the usual constants: means over 10 and 1000 steps, epsilon 1e-8. */
#include "linear/training/adam.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

static const double FIRST_DECAY = 0.9, SECOND_DECAY = 0.999;

ireneo_error ireneo_adam_open(size_t count, adam *state) {
    memset(state, 0, sizeof *state);
    state->count = count;
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&state->first, count, "Adam's first moment");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&state->second, count, "Adam's second moment");
    if (failed != IRENEO_OK) ireneo_adam_close(state);
    return failed;
}

void ireneo_adam_close(adam *state) {
    free(state->first);
    free(state->second);
    memset(state, 0, sizeof *state);
}

/* `rate` already holds the correction of both means for their start at zero. */
IRENEO_VECTORISED
static void move(size_t count, const float *restrict gradient, float rate, float epsilon,
                 float *restrict first, float *restrict second, float *restrict parameters) {
    const float a = (float)FIRST_DECAY, b = (float)SECOND_DECAY;
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i];
        first[i] = a * first[i] + (1.0f - a) * g;
        second[i] = b * second[i] + (1.0f - b) * (g * g);
        parameters[i] -= rate * first[i] / (sqrtf(second[i]) + epsilon);
    }
}

void ireneo_adam_step(adam *state, const float *gradient, double rate, float *parameters) {
    state->steps++;
    double steps = (double)state->steps;
    double first_share = 1.0 - pow(FIRST_DECAY, steps), second_share = sqrt(1.0 - pow(SECOND_DECAY, steps));
    move(state->count, gradient, (float)(rate * second_share / first_share), (float)(1e-8 * second_share),
         state->first, state->second, parameters);
}

double ireneo_adam_rate(double peak, size_t step, size_t steps, double warm_up) {
    double at = (double)step, end = (double)steps;
    if (at < warm_up) return peak * (at + 1.0) / (warm_up + 1.0);
    double progress = (at - warm_up) / fmax(1.0, end - warm_up);
    return 0.5 * peak * (1.0 + cos(M_PI * fmin(1.0, progress)));
}
