/* Figure "attention_depth": how alike tokens become over depth, two query-key scales; the recursion exact at
 * T and in the limit against real random networks. */
#include "base/error.h"
#include "base/ram.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

static const double BETAS[] = {0.5, 3.0};
enum { BETA_COUNT = sizeof BETAS / sizeof *BETAS };

static size_t draws(const figure_request *request) {
    return request->quick ? 4 : 10;
}

static ireneo_transformer network(const figure_request *request) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = request->quick ? 20 : 30;
    if (request->quick) t.width = t.mlp_width = 256;
    if (request->quick) t.context = 256.0;
    return t;
}

static ireneo_error simulate(const figure_request *request, ireneo_transformer *t,
                             ireneo_attention_depth *depths, ireneo_attention_propagation *p) {
    ireneo_attention_simulate_settings settings = {.draws = draws(request),
                                                   .forward_only = 1,
                                                   .seed = request->seed,
                                                   .threads = request->threads,
                                                   .progress = request->progress};
    IRENEO_TRY(ireneo_attention_simulate(t, &settings, depths));
    ireneo_transformer start = *t;
    start.rho_0 = depths[0].rho.mean; /* the overlap that the tokens really have */
    return ireneo_attention_propagate(&start, p);
}

/* layer,beta,rho,error,exact,limit: one row for every depth. */
static ireneo_error write_beta(const figure_request *request, double beta, FILE *stream) {
    ireneo_transformer t = network(request);
    t.beta = beta;
    ireneo_attention_depth *depths = NULL;
    ireneo_attention_propagation p = {0};
    IRENEO_TRY(IRENEO_ALLOCATE(&depths, t.layers + 1, "depths"));
    ireneo_error failed = simulate(request, &t, depths, &p);
    for (size_t l = 0; l <= t.layers && failed == IRENEO_OK; l++)
        fprintf(stream, "%zu,%g,%.6g,%.3g,%.6g,%.6g\n", l, beta, depths[l].rho.mean, depths[l].rho.error,
                p.rho[l], p.rho_limit[l]);
    ireneo_attention_propagation_free(&p);
    free(depths);
    return failed;
}

static ireneo_error make(const figure_request *request) {
    figure_csv csv;
    ireneo_transformer t = network(request);
    IRENEO_TRY(ireneo_figure_note(
        request, "attention_depth",
        "T = %g tokens, width %zu; %zu random networks a point; the theory begins at the\nsimilarity "
        "that their tokens have; bars: standard error",
        t.context, t.width, draws(request)));
    IRENEO_TRY(ireneo_csv_open(request, "attention_depth.csv", &csv));
    fprintf(csv.stream, "layer,beta,rho,error,exact,limit\n"
                        "# rho: similarity of tokens after that layer, mean over random networks, and its "
                        "standard error; exact: recursion at this context; limit: T to infinity.\n");
    ireneo_error failed = IRENEO_OK;
    for (int i = 0; i < BETA_COUNT && failed == IRENEO_OK; i++)
        failed = write_beta(request, BETAS[i], csv.stream);
    return ireneo_csv_close(&csv, failed);
}

const figure figure_attention_depth = {
    "attention_depth", "similarity of tokens over depth: recursion against real random networks", make, {0}};
