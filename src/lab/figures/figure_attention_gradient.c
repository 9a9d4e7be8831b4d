/* Figure "attention_gradient": the query gradient against beta at several T and widths, and its limit; and of real layers, as in Giorlandino and
 * Goldt's Figure 3. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

static const struct {
    double context;
    size_t width;
} CURVES[] = {{512.0, 512}, {2048.0, 512}, {1e6, 512}, {1e6, 8192}};
enum { CURVE_COUNT = sizeof CURVES / sizeof *CURVES, MEASURED = 2 };

static ireneo_error write_row(FILE *stream, double beta) {
    double limit = 0.0;
    fprintf(stream, "%.6g", beta);
    for (int i = 0; i < CURVE_COUNT; i++) {
        ireneo_attention_input input = {.beta = beta,
                                        .context = CURVES[i].context,
                                        .q = 1.0,
                                        .value_variance = 1.0,
                                        .width = CURVES[i].width};
        ireneo_attention_report report;
        IRENEO_TRY(ireneo_attention_layer(&input, &report));
        fprintf(stream, ",%.8g", report.gradient);
        limit = report.gradient_limit;
    }
    fprintf(stream, ",%.8g\n", limit);
    return IRENEO_OK;
}

static ireneo_error write_laws(const figure_request *request) {
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, "attention_gradient.csv", &csv));
    fprintf(csv.stream, "beta,t512_d512,t2048_d512,t1e6_d512,t1e6_d8192,limit\n"
                        "# squared gradient of the query weights, scaled, for context t and width d; limit: "
                        "T to infinity.\n");
    int steps = request->quick ? 49 : 121;
    ireneo_error failed = IRENEO_OK;
    for (int i = 1; i < steps && failed == IRENEO_OK; i++)
        failed = write_row(csv.stream, 6.0 * (double)i / (steps - 1));
    return ireneo_csv_close(&csv, failed);
}

/* ---- real layers ---- */

static size_t draws(const figure_request *request) {
    return request->quick ? 2 : 4;
}

/* One attention layer and nothing else: the MLP is zero, and the skip is so strong that LayerNorm divides all tokens by its strength. Then
 * |dL/dW_Q|^2 is that of the law, over that strength squared. */
static ireneo_error measure(const figure_request *request, double beta, int curve, FILE *stream) {
    static const double skip = 100.0;
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 1;
    t.width = CURVES[curve].width;
    t.mlp_width = 2;
    t.context = CURVES[curve].context;
    t.beta = beta;
    t.value_variance = 1.0;
    t.mlp_in_variance = t.mlp_out_variance = t.value_bias_variance = t.mlp_bias_variance = t.rho_0 = 0.0;
    t.residual_attention = skip;
    const ireneo_attention_simulate_settings settings = {.draws = draws(request),
                                                         .seed = request->seed,
                                                         .threads = request->threads,
                                                         .progress = request->progress};
    ireneo_attention_depth depths[2];
    IRENEO_TRY(ireneo_attention_simulate(&t, &settings, depths));
    double scale = skip * skip / ((double)t.width * sqrt(log(t.context)));
    fprintf(stream, "%g,%g,%zu,%.6g,%.3g\n", beta, t.context, t.width, depths[1].gradient_query.mean * scale,
            depths[1].gradient_query.error * scale);
    return IRENEO_OK;
}

static ireneo_error write_points(const figure_request *request) {
    static const double betas[] = {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.5, 6.0};
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, "attention_gradient_points.csv", &csv));
    fprintf(csv.stream, "beta,context,width,gradient,error\n");
    ireneo_error failed = IRENEO_OK;
    for (int curve = 0; curve < (request->quick ? 1 : MEASURED); curve++)
        for (size_t i = 0; i < sizeof betas / sizeof *betas && failed == IRENEO_OK; i++)
            failed = measure(request, betas[i], curve, csv.stream);
    return ireneo_csv_close(&csv, failed);
}

static ireneo_error make(const figure_request *request) {
    IRENEO_TRY(ireneo_figure_note(request, "attention_gradient",
                                  "Lines: theory of one attention layer, T tokens. Points: real layers of "
                                  "width 512,\nT = 512%s, %zu draws each; bars: standard "
                                  "error. Left of β_c attention is\nspread, right of it on few tokens",
                                  request->quick ? "" : " and 2048", draws(request)));
    IRENEO_TRY(write_laws(request));
    return write_points(request);
}

const figure figure_attention_gradient = {
    "attention_gradient", "gradient of the query weights against beta, with its floor", make, {0}};
