/* Figure "attention_participation": how a row of attention condenses as beta grows, at several T and in the
 * limit. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

static const double CONTEXTS[] = {64.0, 512.0, 4096.0, 1e6, 1e12};
enum { CONTEXT_COUNT = sizeof CONTEXTS / sizeof *CONTEXTS };

/* beta, participation at each T, its limit, entropy over log T at each T, its limit */
static ireneo_error write_row(FILE *stream, double beta) {
    double entropies[CONTEXT_COUNT], participation_limit = 0.0;
    fprintf(stream, "%.6g", beta);
    for (int i = 0; i < CONTEXT_COUNT; i++) {
        ireneo_attention_input input = {
            .beta = beta, .context = CONTEXTS[i], .q = 1.0, .value_variance = 1.0};
        ireneo_attention_report report;
        IRENEO_TRY(ireneo_attention_layer(&input, &report));
        fprintf(stream, ",%.8g", report.participation);
        entropies[i] = report.entropy / log(CONTEXTS[i]);
        participation_limit = report.participation_limit;
    }
    fprintf(stream, ",%.8g", participation_limit);
    for (int i = 0; i < CONTEXT_COUNT; i++) fprintf(stream, ",%.8g", entropies[i]);
    fprintf(stream, ",%.8g\n", fmax(0.0, 1.0 - 0.5 * beta * beta));
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    figure_csv csv;
    IRENEO_TRY(ireneo_figure_note(request, "attention_participation",
                                  "Theory of one row of attention over T tokens, nothing drawn at random; "
                                  "colours are the same in both panels"));
    IRENEO_TRY(ireneo_csv_open(request, "attention_participation.csv", &csv));
    fprintf(csv.stream,
            "beta,y2_64,y2_512,y2_4096,y2_1e6,y2_1e12,y2_limit,h_64,h_512,h_4096,h_1e6,h_1e12,h_limit\n"
            "# y2: participation of a row of attention, h: its entropy in nats, for so many tokens; limit: T "
            "to infinity.\n");
    int steps = request->quick ? 41 : 101;
    ireneo_error failed = IRENEO_OK;
    for (int i = 0; i < steps && failed == IRENEO_OK; i++)
        failed = write_row(csv.stream, 4.0 * (double)i / (steps - 1));
    return ireneo_csv_close(&csv, failed);
}

const figure figure_attention_participation = {
    "attention_participation",
    "participation and entropy of attention against beta at several context lengths",
    make,
    {0}};
