/* Gated activations, row by row: du = dy phi(g), dg = dy u phi'(g). */
#include "attention/network/gated.h"
#include "attention/network/activation.h"
#include "base/pool.h"
#include "base/vectorised.h"

enum { GRAIN = 16 }; /* rows a thread takes at a time */

/* What the gate passes through. */
static ireneo_activation gate_of(ireneo_activation activation) {
    switch (activation) {
    case IRENEO_ACTIVATION_REGLU:
        return IRENEO_ACTIVATION_RELU;
    case IRENEO_ACTIVATION_GEGLU:
        return IRENEO_ACTIVATION_GELU;
    case IRENEO_ACTIVATION_SWIGLU:
        return IRENEO_ACTIVATION_SILU;
    case IRENEO_ACTIVATION_RELU:
    case IRENEO_ACTIVATION_TANH:
    case IRENEO_ACTIVATION_GELU:
    case IRENEO_ACTIVATION_SILU:
        break;
    }
    return activation;
}

bool ireneo_is_gated(ireneo_activation activation) {
    return gate_of(activation) != activation;
}

IRENEO_VECTORISED
static void multiply(const ireneo_scalar *x, const ireneo_scalar *y, ireneo_scalar *product, size_t count) {
    for (size_t i = 0; i < count; i++) product[i] = x[i] * y[i];
}

typedef struct gated_work {
    ireneo_activation gate;
    const ireneo_scalar *hidden, *gradient; /* gradient: backward only */
    ireneo_scalar *y;                       /* or the gradient of hidden, backward */
    size_t width;
} gated_work;

static void gate_range(void *context, size_t first, size_t last) {
    const gated_work *w = context;
    for (size_t row = first; row < last; row++) {
        const ireneo_scalar *u = w->hidden + row * 2 * w->width;
        ireneo_scalar *y = w->y + row * w->width;
        ireneo_activate(w->gate, u + w->width, y, w->width, 1);
        multiply(u, y, y, w->width);
    }
}

static void gate_range_backward(void *context, size_t first, size_t last) {
    const gated_work *w = context;
    for (size_t row = first; row < last; row++) {
        const ireneo_scalar *u = w->hidden + row * 2 * w->width, *gate = u + w->width,
                            *gradient = w->gradient + row * w->width;
        ireneo_scalar *to_u = w->y + row * 2 * w->width, *to_gate = to_u + w->width;
        ireneo_activate(w->gate, gate, to_u, w->width, 1);
        multiply(gradient, to_u, to_u, w->width);
        multiply(gradient, u, to_gate, w->width);
        ireneo_activate_backward(w->gate, gate, to_gate, w->width, 1);
    }
}

void ireneo_gated(ireneo_activation activation, const ireneo_scalar *hidden, ireneo_scalar *y, size_t rows,
                  size_t width, int threads) {
    gated_work w = {gate_of(activation), hidden, NULL, y, width};
    ireneo_share_rows(rows, GRAIN, threads, gate_range, &w);
}

void ireneo_gated_backward(ireneo_activation activation, const ireneo_scalar *hidden,
                           const ireneo_scalar *gradient, ireneo_scalar *hidden_gradient, size_t rows,
                           size_t width, int threads) {
    gated_work w = {gate_of(activation), hidden, gradient, hidden_gradient, width};
    ireneo_share_rows(rows, GRAIN, threads, gate_range_backward, &w);
}
