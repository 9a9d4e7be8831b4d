/* The Cholesky factor by tiles against its definition, at sizes around those of the tiles. */
#include "linear/certificate/cholesky.h"
#include "linear_instance.h"

#include <string.h>

/* B B^T + side 1, positive definite. */
static double *make_matrix(size_t side) {
    double *b = malloc(side * side * sizeof *b), *a = malloc(side * side * sizeof *a);
    ireneo_fill_normals(5, side, 0, side * side, b);
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            double sum = i == j ? (double)side : 0.0;
            for (size_t k = 0; k < side; k++) sum += b[i * side + k] * b[j * side + k];
            a[i * side + j] = sum;
        }
    free(b);
    return a;
}

/* Largest entry of |L L^T - matrix|. */
static double largest_error(const double *factor, const double *matrix, size_t side) {
    double most = 0.0;
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (size_t k = 0; k <= j; k++) sum += factor[i * side + k] * factor[j * side + k];
            most = fmax(most, fabs(sum - matrix[i * side + j]));
        }
    return most;
}

static void test_definition(void **state) {
    (void)state;
    const size_t sides[] = {1, 7, 95, 96, 97, 192, 250};
    for (size_t s = 0; s < COUNT(sides); s++) {
        size_t side = sides[s], bytes = side * side * sizeof(double);
        double *matrix = make_matrix(side), *one = malloc(bytes), *three = malloc(bytes);
        memcpy(one, matrix, bytes);
        memcpy(three, matrix, bytes);
        assert_true(ireneo_cholesky(one, side, 1));
        assert_true(ireneo_cholesky(three, side, 3));
        assert_memory_equal(one, three, bytes);
        expect_close(largest_error(one, matrix, side), 0.0, 1e-12 * (double)(side * side));
        free(matrix), free(one), free(three);
    }
}

/* In the first tile, in a later one, and when a number is missing. */
static void test_not_positive(void **state) {
    (void)state;
    const size_t side = 150, places[] = {0, 50, 140};
    for (size_t p = 0; p < COUNT(places); p++)
        for (int missing = 0; missing < 2; missing++) {
            double *matrix = make_matrix(side);
            matrix[places[p] * side + places[p]] = missing ? NAN : -1.0;
            assert_false(ireneo_cholesky(matrix, side, 2));
            free(matrix);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_not_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
