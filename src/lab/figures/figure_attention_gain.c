/* Figure "attention_gain": tokens over depth with and without gain control, post-LN and pre-LN: the four curves of Giorlandino and Goldt's
 * Figure 4 (beta 0.1, value variance 1, biases in the MLP only, rho_0 0.2), and the same at a larger beta. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

enum { LAYERS = 100, CURVES = 8 };

/* In the order of the columns. */
static const struct {
    double beta;
    ireneo_normalisation normalisation;
    int gain_control;
} CURVE[CURVES] = {
    {0.1, IRENEO_NORMALISATION_POST, 0}, {0.1, IRENEO_NORMALISATION_POST, 1},
    {0.1, IRENEO_NORMALISATION_PRE, 0},  {0.1, IRENEO_NORMALISATION_PRE, 1},
    {3.0, IRENEO_NORMALISATION_POST, 0}, {3.0, IRENEO_NORMALISATION_POST, 1},
    {3.0, IRENEO_NORMALISATION_PRE, 0},  {3.0, IRENEO_NORMALISATION_PRE, 1},
};

static ireneo_error propagate(int curve, ireneo_attention_propagation *p) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = LAYERS;
    t.beta = CURVE[curve].beta;
    t.normalisation = CURVE[curve].normalisation;
    t.gain_control = CURVE[curve].gain_control;
    t.value_variance = 1.0;
    t.value_bias_variance = 0.0;
    t.rho_0 = 0.2;
    return ireneo_attention_propagate(&t, p);
}

static void write_rows(const ireneo_attention_propagation *p, FILE *stream) {
    fprintf(stream, "layer");
    for (int limit = 0; limit < 2; limit++)
        for (int i = 0; i < CURVES; i++)
            fprintf(stream, ",%s_%s_%g%s", ireneo_normalisation_name(CURVE[i].normalisation),
                    CURVE[i].gain_control ? "gain" : "plain", CURVE[i].beta, limit ? "_limit" : "");
    fprintf(stream, "\n");
    for (size_t l = 0; l <= LAYERS; l++) {
        fprintf(stream, "%zu", l);
        for (int i = 0; i < CURVES; i++) fprintf(stream, ",%.8g", p[i].rho[l]);
        for (int i = 0; i < CURVES; i++) fprintf(stream, ",%.8g", p[i].rho_limit[l]);
        fprintf(stream, "\n");
    }
}

static ireneo_error make(const figure_request *request) {
    ireneo_attention_propagation p[CURVES] = {{0}};
    ireneo_error failed =
        ireneo_figure_note(request, "attention_gain",
                           "Theory, nothing drawn at random: T = 512 tokens; value variance 1, biases in the "
                           "MLP only; similarity 0.2 before the first "
                           "layer");
    for (int i = 0; i < CURVES && failed == IRENEO_OK; i++) failed = propagate(i, &p[i]);
    figure_csv csv;
    if (failed == IRENEO_OK) failed = ireneo_csv_open(request, "attention_gain.csv", &csv);
    if (failed == IRENEO_OK) {
        write_rows(p, csv.stream);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    for (int i = 0; i < CURVES; i++) ireneo_attention_propagation_free(&p[i]);
    return failed;
}

const figure figure_attention_gain = {
    "attention_gain", "similarity over depth with and without gain control", make, {0}};
