/* Soft-capped logits, by the tanh of the MLP. */
#include "attention/network/soft_cap.h"
#include "attention/network/activation.h"
#include "base/vectorised.h"

IRENEO_VECTORISED
static void stretch(ireneo_scalar *values, size_t count, ireneo_scalar factor) {
    for (size_t i = 0; i < count; i++) values[i] *= factor;
}

void ireneo_soft_cap(ireneo_scalar *logits, size_t count, double cap) {
    stretch(logits, count, (ireneo_scalar)(1.0 / cap));
    ireneo_activate(IRENEO_ACTIVATION_TANH, logits, logits, count, 1);
    stretch(logits, count, (ireneo_scalar)cap);
}

IRENEO_VECTORISED
void ireneo_soft_cap_backward(const ireneo_scalar *capped, size_t count, double cap,
                              ireneo_scalar *gradient) {
    ireneo_scalar share = (ireneo_scalar)(1.0 / cap);
    for (size_t i = 0; i < count; i++) {
        ireneo_scalar y = capped[i] * share;
        gradient[i] *= 1 - y * y;
    }
}
