/* Two rows against two rows at a time, so that every number read is used twice; each product in four partial sums that
 * run side by side, the same four on every instruction set. */
#include "base/gram.h"
#include "base/vectorised.h"

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Products of rows x and y with rows u and v: xu, xv, yu, yv. */
static inline void two_by_two(const double *x, const double *y, const double *u, const double *v,
                              size_t columns, double products[4]) {
    lanes xu = {0}, xv = {0}, yu = {0}, yv = {0};
    size_t j = 0;
    for (; j + LANES <= columns; j += LANES) {
        const lanes *x4 = (const lanes *)(x + j), *y4 = (const lanes *)(y + j), *u4 = (const lanes *)(u + j),
                    *v4 = (const lanes *)(v + j);
        xu += *x4 * *u4;
        xv += *x4 * *v4;
        yu += *y4 * *u4;
        yv += *y4 * *v4;
    }
    products[0] = (xu[0] + xu[1]) + (xu[2] + xu[3]);
    products[1] = (xv[0] + xv[1]) + (xv[2] + xv[3]);
    products[2] = (yu[0] + yu[1]) + (yu[2] + yu[3]);
    products[3] = (yv[0] + yv[1]) + (yv[2] + yv[3]);
    for (; j < columns; j++) {
        products[0] += x[j] * u[j];
        products[1] += x[j] * v[j];
        products[2] += y[j] * u[j];
        products[3] += y[j] * v[j];
    }
}

IRENEO_VECTORISED
void ireneo_gram(const double *a, size_t rows, size_t columns, double *products) {
    for (size_t i = 0; i < rows; i += 2) {
        size_t below = i + 1 < rows ? i + 1 : i; /* the last row of an odd number keeps itself company */
        for (size_t k = 0; k <= i; k += 2) {
            size_t beside = k + 1 < rows ? k + 1 : k;
            double four[4];
            two_by_two(a + i * columns, a + below * columns, a + k * columns, a + beside * columns, columns,
                       four);
            products[i * rows + k] = four[0];
            products[below * rows + k] = four[2];
            if (beside <= i) products[i * rows + beside] = four[1];
            if (beside <= below) products[below * rows + beside] = four[3];
        }
    }
}
