/* W's first three rows are s w^T with s = (s_1, s_2, s_3), so that h = W x is along s for every x, and values that
 * differ by k (s_2, -s_1, 0) + l (0, s_3, -s_2) tie; the fourth row is tiny and breaks some of the ties. */
#include "ties.h"

#include <math.h>
#include <string.h>

static float signed_whole(ireneo_generator *g, int bits) {
    float size = (float)kind_between(g, (size_t)1 << (bits - 1), ((size_t)1 << bits) - 1);
    return ireneo_draw_below(g, 2) == 0 ? size : -size;
}

static void fill_matrix(ties *t, ireneo_generator *g, float *s) {
    float w[2] = {signed_whole(g, 12), signed_whole(g, 12)};
    int scale = (int)kind_between(g, 0, 120) - 60;
    for (int k = 0; k < 3; k++) s[k] = signed_whole(g, 12);
    for (int k = 0; k < 6; k++) t->matrix[k] = ldexpf(s[k / 2] * w[k % 2], scale);
    for (int k = 6; k < 8; k++) t->matrix[k] = ldexpf(signed_whole(g, 12), scale - 50);
}

static void fill_values(ties *t, ireneo_generator *g, const float *s) {
    float base[3] = {signed_whole(g, 20), signed_whole(g, 20), signed_whole(g, 20)};
    int scale = (int)kind_between(g, 0, 120) - 80;
    for (size_t j = 0; j < t->facts.candidates; j++) {
        float k = j == 0 ? 0.0F : signed_whole(g, 10), l = j == 0 ? 0.0F : signed_whole(g, 10);
        const float y[4] = {base[0] + k * s[1], base[1] - k * s[0] + l * s[2], base[2] - l * s[1],
                            (float)ireneo_draw_below(g, 3)};
        for (size_t a = 0; a < 4; a++) t->values[4 * j + a] = ldexpf(y[a], scale);
    }
}

void ties_make(ties *t, ireneo_generator *g) {
    float s[3];
    memset(t, 0, sizeof *t);
    t->facts = (ireneo_facts){.facts = kind_between(g, 1, KIND_MOST),
                              .candidates = kind_between(g, 2, 4),
                              .dim_in = 2,
                              .dim_out = 4,
                              .keys = t->keys,
                              .values = t->values,
                              .targets = t->targets};
    t->memory = (ireneo_memory){.dim_in = 2, .dim_out = 4, .matrix = t->matrix};
    fill_matrix(t, g, s);
    fill_values(t, g, s);
    for (size_t k = 0; k < 2 * t->facts.facts; k++) t->keys[k] = ldexpf(signed_whole(g, 24), -20);
}
