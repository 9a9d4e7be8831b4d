/* Figure "attention_gradient": the query gradient against beta at several T and widths, and its limit. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

static const struct {
    double context;
    size_t width;
} CURVES[] = {{512.0, 512}, {4096.0, 512}, {1e6, 512}, {1e6, 8192}};
enum { CURVE_COUNT = sizeof CURVES / sizeof *CURVES };

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

static ireneo_error make(const figure_request *request) {
    figure_csv csv;
    IRENEO_TRY(
        ireneo_figure_note(request, "attention_gradient",
                           "Theory of one attention layer, nothing drawn at random; T tokens;\nleft of "
                           "β_c attention is spread, right of it on few tokens"));
    IRENEO_TRY(ireneo_csv_open(request, "attention_gradient.csv", &csv));
    fprintf(csv.stream, "beta,t512_d512,t4096_d512,t1e6_d512,t1e6_d8192,limit\n"
                        "# growth of the gradient by one attention layer, for context t and width d; limit: "
                        "T to infinity.\n");
    int steps = request->quick ? 49 : 121;
    ireneo_error failed = IRENEO_OK;
    for (int i = 1; i < steps && failed == IRENEO_OK; i++)
        failed = write_row(csv.stream, 6.0 * (double)i / (steps - 1));
    return ireneo_csv_close(&csv, failed);
}

const figure figure_attention_gradient = {
    "attention_gradient", "gradient of the query weights against beta, with its floor", make, {0}};
