/* Order parameters of the trainer's model on real text. */
#include "attention/network/inside.h"
#include "attention/network/order_parameters.h"
#include "base/ram.h"

#include <string.h>

/* One sequence; adds to what is seen. */
static void add_sequence(const ireneo_language_shape *shape, float *parameters, ireneo_language_work *work,
                         const int *tokens, const int *targets, double *scratch, ireneo_inside *sum) {
    const ireneo_network_shape *network = &shape->network;
    ireneo_network_trace *trace = &work->trace;
    float *layers = parameters + ireneo_language_model_layout(shape).layers;
    double rho, q, participation, entropy, overlap;
    ireneo_language_model_loss(shape, parameters, work, tokens, targets);
    ireneo_measure_tokens(work->embedding, trace->rows, network->width, scratch, &rho, &q);
    sum->rho_0 += rho;
    ireneo_measure_tokens(trace->stream, trace->rows, network->width, scratch, &rho, &q);
    sum->rho += rho;
    for (size_t layer = 0; layer < network->layers; layer++) {
        ireneo_attention_forward(network, ireneo_network_layer(network, layers, layer), trace, layer,
                                 trace->branch);
        ireneo_measure_rows(network, trace, &participation, &entropy, &overlap);
        sum->entropy += entropy / (double)network->layers;
        if (layer == 0) sum->entropy_first += entropy;
    }
}

ireneo_error ireneo_look_inside(const ireneo_language_shape *shape, float *parameters, const int *tokens,
                                const int *targets, size_t sequences, ireneo_inside *inside) {
    ireneo_language_work work;
    double *scratch = NULL;
    size_t T = shape->network.context;
    memset(inside, 0, sizeof *inside);
    IRENEO_TRY(ireneo_language_work_create(shape, 1, 1, true, &work));
    ireneo_error failed = IRENEO_ALLOCATE(&scratch, shape->network.width, "measurements");
    if (failed == IRENEO_OK) {
        for (size_t s = 0; s < sequences; s++)
            add_sequence(shape, parameters, &work, tokens + s * T, targets + s * T, scratch, inside);
        inside->rho_0 /= (double)sequences;
        inside->rho /= (double)sequences;
        inside->entropy_first /= (double)sequences;
        inside->entropy /= (double)sequences;
    }
    free(scratch);
    ireneo_language_work_free(&work);
    return failed;
}
