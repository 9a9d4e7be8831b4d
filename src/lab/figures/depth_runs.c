/* Networks and recursion, line by line. */
#include "lab/figures/depth_runs.h"
#include "base/error.h"
#include "base/ram.h"

#include <math.h>

const char ireneo_depth_header[] =
    "layer,beta,rho,error,exact,limit,encoder\n"
    "# rho: similarity of tokens after that layer, mean over random networks, and its standard error; exact: "
    "recursion at this context for the tokens that were measured; limit: T to infinity, without a mask; "
    "encoder: exact without a mask.\n";

/* The recursion for tokens as they were and rows as they were measured, and that of an encoder. */
static ireneo_error recur(const depth_run *run, const ireneo_attention_depth *depths,
                          ireneo_attention_propagation *p, ireneo_attention_propagation *encoder) {
    ireneo_transformer start = run->transformer;
    start.rho_0 = fmax(depths[0].rho.mean, 0.0);
    if (run->tokens != NULL)
        IRENEO_TRY(ireneo_attention_tokens_keys(run->tokens, start.context, run->draws, &start.keys));
    IRENEO_TRY(ireneo_attention_propagate_last(&start, (double)run->last, p));
    start.causal = 0;
    return ireneo_attention_propagate(&start, encoder);
}

static ireneo_error write_beta(const figure_request *request, const depth_run *run, FILE *stream) {
    const ireneo_transformer *t = &run->transformer;
    ireneo_attention_simulate_settings settings = {.draws = run->draws,
                                                   .forward_only = 1,
                                                   .seed = request->seed,
                                                   .threads = request->threads,
                                                   .progress = request->progress,
                                                   .tokens = run->tokens,
                                                   .last = run->last};
    ireneo_attention_depth *depths = NULL;
    ireneo_attention_propagation p = {0}, encoder = {0};
    IRENEO_TRY(IRENEO_ALLOCATE(&depths, t->layers + 1, "depths"));
    ireneo_error failed = ireneo_attention_simulate(t, &settings, depths);
    if (failed == IRENEO_OK) failed = recur(run, depths, &p, &encoder);
    for (size_t l = 0; l <= t->layers && failed == IRENEO_OK; l++)
        fprintf(stream, "%zu,%g,%.6g,%.3g,%.6g,%.6g,%.6g\n", l, t->beta, depths[l].rho.mean,
                depths[l].rho.error, p.rho[l], p.rho_limit[l], encoder.rho[l]);
    ireneo_attention_propagation_free(&p);
    ireneo_attention_propagation_free(&encoder);
    free(depths);
    return failed;
}

ireneo_error ireneo_depth_write(const figure_request *request, const depth_run *run, const double *betas,
                                size_t beta_count, FILE *stream) {
    fputs(ireneo_depth_header, stream);
    for (size_t i = 0; i < beta_count; i++) {
        depth_run at = *run;
        at.transformer.beta = betas[i];
        IRENEO_TRY(write_beta(request, &at, stream));
    }
    return IRENEO_OK;
}
