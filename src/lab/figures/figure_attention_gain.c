/* Figure "attention_gain": tokens over depth with and without gain control, post-LN, in the setting of
 * Giorlandino and Goldt's Figure 4 (beta 0.1, value variance 1, rho_0 0.2) and at a larger beta. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

enum { LAYERS = 100, CURVES = 4 };

static ireneo_error propagate(double beta, int gain_control, ireneo_attention_propagation *p) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = LAYERS;
    t.beta = beta;
    t.value_variance = 1.0;
    t.value_bias_variance = 0.0;
    t.rho_0 = 0.2;
    t.gain_control = gain_control;
    return ireneo_attention_propagate(&t, p);
}

static ireneo_error make(const figure_request *request) {
    static const double betas[CURVES] = {0.1, 0.1, 3.0, 3.0};
    ireneo_attention_propagation p[CURVES] = {{0}};
    ireneo_error failed = IRENEO_OK;
    for (int i = 0; i < CURVES && failed == IRENEO_OK; i++) failed = propagate(betas[i], i % 2, &p[i]);
    figure_csv csv;
    if (failed == IRENEO_OK) failed = ireneo_csv_open(request, "attention_gain.csv", &csv);
    if (failed == IRENEO_OK) {
        failed = ireneo_figure_note(
            request, "attention_gain",
            "Theory, nothing drawn at random: post-LN, full lines T = 512 tokens; similarity 0.2 "
            "before the first layer");
        fprintf(csv.stream,
                "layer,plain_0.1,gain_0.1,plain_3,gain_3,plain_0.1_limit,gain_0.1_limit,plain_3_limit,"
                "gain_3_limit\n");
        for (size_t l = 0; l <= LAYERS; l++) {
            fprintf(csv.stream, "%zu", l);
            for (int i = 0; i < CURVES; i++) fprintf(csv.stream, ",%.8g", p[i].rho[l]);
            for (int i = 0; i < CURVES; i++) fprintf(csv.stream, ",%.8g", p[i].rho_limit[l]);
            fprintf(csv.stream, "\n");
        }
        failed = ireneo_csv_close(&csv, failed);
    }
    for (int i = 0; i < CURVES; i++) ireneo_attention_propagation_free(&p[i]);
    return failed;
}

const figure figure_attention_gain = {
    "attention_gain", "similarity over depth with and without gain control", make, {0}};
