/* Figure "attention_trainability": similarity after 60 layers over query-key scale and residual strength,
 * with both lines of collapse, exact at T = 512 and in the limit. The same picture of any transformer is
 * drawn by `ireneo attention trainability --picture`. */
#include "lab/figures/figure_attention_trainability.h"
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

void ireneo_trainability_write(FILE *stream, const ireneo_attention_trainability *d, bool blocks) {
    fprintf(stream,
            "beta,residual,rho,rho_limit,entropy,participation,rank_collapse,entropy_collapse,trainable,"
            "rank_collapse_limit,entropy_collapse_limit,trainable_limit,rank_line,rank_line_limit,beta_line,"
            "beta_line_limit,growth,update,safe_rate,gradients_explode,rate_too_large,rate_too_small\n");
    for (size_t i = 0; i < d->betas * d->residuals; i++) {
        const ireneo_attention_trainability_cell *c = &d->cells[i];
        if (blocks && i > 0 && i % d->residuals == 0) fprintf(stream, "\n");
        fprintf(stream, "%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%d,%d,%d,%d,%d,%d,%.10g,%.10g,%.10g,%.10g,",
                c->beta, c->residual, c->rho, c->rho_limit, c->entropy, c->participation, c->rank_collapse,
                c->entropy_collapse, c->trainable, c->rank_collapse_limit, c->entropy_collapse_limit,
                c->trainable_limit, d->rank_line[i / d->residuals], d->rank_line_limit[i / d->residuals],
                d->beta_line, d->beta_line_limit);
        fprintf(stream, "%.10g,%.10g,%.10g,%d,%d,%d\n", c->growth, c->update, c->safe_rate,
                c->gradients_explode, c->rate_too_large, c->rate_too_small);
    }
}

static ireneo_error write_data(const figure_request *request, const ireneo_transformer *t,
                               const ireneo_attention_trainability *diagram) {
    if (diagram->betas < 2 || diagram->residuals < 2)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a picture needs at least two query-key scales and two residual strengths");
    figure_csv csv;
    IRENEO_TRY(ireneo_figure_note(
        request, "attention_trainability",
        "Theory, nothing drawn at random: %zu layers of width %zu, T = %g tokens; %zu x %zu points; "
        "dotted: trainable",
        t->layers, t->width, t->context, diagram->betas, diagram->residuals));
    IRENEO_TRY(ireneo_csv_open(request, "attention_trainability.csv", &csv));
    ireneo_trainability_write(csv.stream, diagram, true);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

static ireneo_error make(const figure_request *request) {
    enum { MOST = 41 };
    double betas[MOST], residuals[MOST];
    size_t count = request->quick ? 11 : MOST;
    for (size_t i = 0; i < count; i++) {
        betas[i] = 0.1 + 5.9 * (double)i / (double)(count - 1);
        residuals[i] = 0.25 + 4.75 * (double)i / (double)(count - 1);
    }
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 60;
    const ireneo_attention_collapse_settings settings = {.threads = request->threads,
                                                         .progress = request->progress};
    ireneo_attention_trainability diagram;
    IRENEO_TRY(
        ireneo_attention_trainability_diagram(&t, betas, count, residuals, count, &settings, &diagram));
    ireneo_error failed = write_data(request, &t, &diagram);
    ireneo_attention_trainability_free(&diagram);
    return failed;
}

const figure figure_attention_trainability = {
    "attention_trainability",
    "similarity after 60 layers over query-key scale and residual strength",
    make,
    {0}};

ireneo_error ireneo_trainability_picture(const figure_request *request, const ireneo_transformer *transformer,
                                         const ireneo_attention_trainability *diagram) {
    IRENEO_TRY(write_data(request, transformer, diagram));
    return ireneo_figure_draw(&figure_attention_trainability, request->directory);
}
