/* Writes src/linear/law/cone_table.c: delta(P) and v(P) as Chebyshev series in log P, from the quadrature of
 * src/linear/law/cone.c. Run by scripts/cone_table; tests/linear/law.c holds the series against the quadrature. */
#include "linear/law/cone_table.h"
#include "linear/law/cone.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 96 };

static void write_series(const char *name, const double *at) {
    printf("\nconst double ireneo_cone_%s_series[IRENEO_CONE_TERMS] = {", name);
    for (int j = 0; j < IRENEO_CONE_TERMS; j++) {
        double sum = 0.0;
        for (int k = 0; k < POINTS; k++) sum += at[k] * cos(M_PI * j * (k + 0.5) / POINTS);
        printf("%.15g,", (j == 0 ? 1.0 : 2.0) * sum / POINTS);
    }
    printf("};\n");
}

int main(void) {
    double delta[POINTS], variance[POINTS];
    for (int k = 0; k < POINTS; k++) {
        double way = 0.5 + 0.5 * cos(M_PI * (k + 0.5) / POINTS);
        double candidates = IRENEO_CONE_FROM * pow(IRENEO_CONE_MOST / IRENEO_CONE_FROM, way);
        if (ireneo_cone_quadrature(candidates, &delta[k], &variance[k]) != IRENEO_OK) return 1;
    }
    printf("/* Made by scripts/cone_table. Do not edit. */\n#include \"linear/law/cone_table.h\"\n");
    write_series("delta", delta);
    write_series("variance", variance);
    return 0;
}
