/* Moments from arbitrary bytes: what is accepted has rows and finite values. */
#include "ireneo.h"
#include "sealed.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_moments *m = NULL;
    if (ireneo_moments_load(fuzz_sealed_file(0, bytes, count), &m) != IRENEO_OK) {
        if (m != NULL) abort();
        return 0;
    }
    size_t dim = ireneo_moments_dim(m);
    if (dim == 0 || ireneo_moments_count(m) == 0) abort();
    double *second = malloc((dim + 1) * dim * sizeof *second);
    if (second == NULL || ireneo_moments_read(m, second, second + dim * dim) != IRENEO_OK) abort();
    for (size_t k = 0; k < (dim + 1) * dim; k++)
        if (!isfinite(second[k])) abort();
    for (size_t i = 0; i < dim; i++)
        if (second[i * dim + i] < 0.0) abort();
    free(second);
    ireneo_moments_free(m);
    return 0;
}
