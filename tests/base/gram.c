/* Inner products of rows against BLAS, over odd and even numbers of rows and columns. */
#include "base/gram.h"
#include "base/random.h"
#include "expect.h"

#include <cblas.h>

enum { MOST = 41 };

static void test_against_blas(void **state) {
    (void)state;
    static double a[MOST * MOST], got[MOST * MOST], wanted[MOST * MOST];
    ireneo_fill_normals(7, 0, 0, MOST * MOST, a);
    for (int rows = 1; rows <= MOST; rows += 1 + rows / 6)
        for (int columns = 1; columns <= MOST; columns += 1 + columns / 6) {
            for (int i = 0; i < rows * rows; i++) got[i] = wanted[i] = 100.0 + i;
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, columns, 1.0, a, columns, 0.0, wanted,
                        rows);
            ireneo_gram(a, (size_t)rows, (size_t)columns, got);
            for (int i = 0; i < rows * rows; i++) /* above the diagonal nothing is touched */
                expect_close(got[i], wanted[i], i % rows <= i / rows ? 1e-13 : 0.0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_blas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
