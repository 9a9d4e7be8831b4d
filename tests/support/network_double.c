/* Compiled with IRENEO_NETWORK_DOUBLE: ireneo_scalar is double here. */
#include "network_double.h"

#include <stdlib.h>
#include <string.h>

void double_draw(const ireneo_language_shape *shape, const ireneo_network_scales *scales, uint64_t seed,
                 double *parameters) {
    double *frequency = malloc(shape->symbols * sizeof *frequency);
    for (size_t i = 0; i < shape->symbols; i++)
        frequency[i] = 2.0 * (double)(i + 1) / (double)(shape->symbols * (shape->symbols + 1));
    ireneo_language_model_draw(shape, scales, frequency, seed, 0, parameters);
    free(frequency);
}

double double_loss(const ireneo_language_shape *shape, double *parameters, size_t sequences,
                   const int *tokens, const int *targets, double *gradients) {
    ireneo_language_work work;
    if (ireneo_language_work_create(shape, sequences, 1, false, &work) != IRENEO_OK) abort();
    size_t count = 0;
    for (size_t row = 0; row < work.trace.rows; row++) count += targets[row] >= 0;
    double loss;
    if (gradients == NULL) {
        loss = ireneo_language_model_loss(shape, parameters, &work, tokens, targets);
    } else {
        memset(gradients, 0, ireneo_language_model_layout(shape).count * sizeof *gradients);
        loss = ireneo_language_model_gradients(shape, parameters, &work, tokens, targets, 1.0 / (double)count,
                                               gradients);
    }
    ireneo_language_work_free(&work);
    return loss / (double)count;
}
