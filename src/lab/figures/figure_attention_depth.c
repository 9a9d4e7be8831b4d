/* Figure "attention_depth": how alike tokens become over depth, two query-key scales; the recursion exact at
 * T and in the limit against real random networks. */
#include "base/error.h"
#include "lab/figures/depth_runs.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

static depth_run networks(const figure_request *request) {
    depth_run run = {.draws = request->quick ? 4 : 10};
    ireneo_transformer *t = &run.transformer;
    ireneo_transformer_defaults(t);
    t->layers = request->quick ? 20 : 30;
    if (request->quick) t->width = t->mlp_width = 256;
    if (request->quick) t->context = 256.0;
    return run;
}

static ireneo_error make(const figure_request *request) {
    static const double betas[] = {0.5, 3.0};
    figure_csv csv;
    const depth_run run = networks(request);
    IRENEO_TRY(ireneo_figure_note(
        request, "attention_depth",
        "T = %g tokens, width %zu; %zu random networks a point; the theory begins at the\nsimilarity "
        "that their tokens have; bars: standard error",
        run.transformer.context, run.transformer.width, run.draws));
    IRENEO_TRY(ireneo_csv_open(request, "attention_depth.csv", &csv));
    return ireneo_csv_close(&csv, ireneo_depth_write(request, &run, betas, 2, csv.stream));
}

const figure figure_attention_depth = {
    "attention_depth", "similarity of tokens over depth: recursion against real random networks", make, {0}};
