/* Weighted sums of vectors against float64, for every count around the number taken at a time. */
#include "linear/kernels/weighted_sum.h"
#include "expect.h"

static void test_against_float64(void **state) {
    (void)state;
    enum { MOST = 13, DIM = 112 };
    float entries[MOST][DIM], weights[MOST], out[DIM + 1];
    const float *vectors[MOST];
    for (size_t k = 0; k < MOST; k++) {
        vectors[k] = entries[(k * 5) % MOST];
        weights[k] = (float)sin(3.0 + (double)k);
        for (size_t i = 0; i < DIM; i++) entries[k][i] = (float)cos((double)(k * DIM + i));
    }
    for (size_t count = 1; count <= MOST; count++)
        for (size_t dim = 1; dim <= DIM; dim += dim < 20 ? 1 : 23) {
            for (size_t i = 0; i <= DIM; i++) out[i] = 77.0f; /* what was there before does not matter */
            ireneo_weighted_sum(weights, vectors, count, out, dim);
            for (size_t i = 0; i < dim; i++) {
                double sum = 0.0;
                for (size_t k = 0; k < count; k++) sum += (double)weights[k] * (double)vectors[k][i];
                expect_close((double)out[i], sum, 1e-5);
            }
            assert_true(out[dim] == 77.0f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_float64)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
