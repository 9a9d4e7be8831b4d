/* ireneo attention trainability: which query-key scales and residual strengths escape both collapses. */
#include "attention.h"
#include "folder.h"
#include "lab/figures/figure_attention_trainability.h"
#include "lab/sweep/grid.h"

#include "base/error.h"
#include "base/text_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trainability_question {
    transformer_options transformer;
    ireneo_attention_collapse_settings settings;
    const char *betas, *residuals, *output, *picture;
    size_t threads;
    bool json;
} trainability_question;

static char letter(int rank, int entropy) {
    return rank && entropy ? '#' : rank ? 'r' : entropy ? 'e' : '.';
}

/* One line of the map for each residual strength, strongest first; exact on the left, the limit on the right.
 */
static void print_map(const ireneo_attention_trainability *d) {
    size_t columns = d->betas < 40 ? d->betas : 40;
    if (columns == 0) return;
    printf("\n  . trainable   r rank collapse   e entropy collapse   # both      (left exact at T, right T "
           "to inf)\n\n");
    for (size_t i = d->residuals; i-- > 0;) {
        printf("  %7.3g  ", d->cells[i].residual);
        for (int limit = 0; limit < 2; limit++) {
            for (size_t k = 0; k < columns; k++) {
                const ireneo_attention_trainability_cell *c =
                    &d->cells[k * d->betas / columns * d->residuals + i];
                putchar(limit ? letter(c->rank_collapse_limit, c->entropy_collapse_limit)
                              : letter(c->rank_collapse, c->entropy_collapse));
            }
            fputs(limit ? "\n" : "    ", stdout);
        }
    }
    printf("  residual  beta from %.3g to %.3g\n", d->cells[0].beta,
           d->cells[(columns - 1) * d->betas / columns * d->residuals].beta);
}

static void print_lines(const ireneo_attention_trainability *d, const ireneo_attention_collapse_settings *s) {
    printf("\nEntropy collapse (first layer's entropy below %.3g log T) above beta %.4g; T to inf: beta_c = "
           "%.4g.\n",
           s->entropy_limit, d->beta_line, d->beta_line_limit);
    printf("Rank collapse (1 - rho after the last layer below %.3g) below a residual strength of\n\n",
           s->rank_limit);
    printf("      beta   exact at T   T to inf\n");
    size_t step = (d->betas + 11) / 12;
    for (size_t k = 0; k < d->betas; k += step)
        printf("  %8.4g   %10.4g   %8.4g\n", d->cells[k * d->residuals].beta, d->rank_line[k],
               d->rank_line_limit[k]);
}

static ireneo_error save_csv(const char *path, const ireneo_attention_trainability *d) {
    ireneo_text text;
    FILE *stream = ireneo_text_open(&text);
    if (stream == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", path);
    ireneo_trainability_write(stream, d, false);
    bool complete = ireneo_text_close(stream, &text);
    ireneo_error failed = complete ? ireneo_save_bytes(path, text.bytes, text.length)
                                   : ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", path);
    free(text.bytes);
    return failed;
}

static void write_cell(ireneo_json *json, const ireneo_attention_trainability_cell *c) {
    ireneo_json_begin_object(json, NULL);
    ireneo_json_number(json, "beta", c->beta);
    ireneo_json_number(json, "residual", c->residual);
    ireneo_json_number(json, "rho", c->rho);
    ireneo_json_number(json, "rho_limit", c->rho_limit);
    ireneo_json_number(json, "entropy", c->entropy);
    ireneo_json_number(json, "participation", c->participation);
    ireneo_json_bool(json, "rank_collapse", c->rank_collapse != 0);
    ireneo_json_bool(json, "entropy_collapse", c->entropy_collapse != 0);
    ireneo_json_bool(json, "trainable", c->trainable != 0);
    ireneo_json_bool(json, "trainable_limit", c->trainable_limit != 0);
    ireneo_json_end_object(json);
}

static int print_report(const command *self, const trainability_question *q,
                        const ireneo_attention_trainability *d) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    write_transformer(&json, "transformer", &q->transformer.transformer);
    ireneo_json_number(&json, "rank_limit", q->settings.rank_limit);
    ireneo_json_number(&json, "entropy_limit", q->settings.entropy_limit);
    ireneo_json_number(&json, "beta_line", d->beta_line);
    ireneo_json_number(&json, "beta_line_limit", d->beta_line_limit);
    ireneo_json_begin_array(&json, "rank_line");
    for (size_t k = 0; k < d->betas; k++) ireneo_json_number(&json, NULL, d->rank_line[k]);
    ireneo_json_end_array(&json);
    ireneo_json_begin_array(&json, "rank_line_limit");
    for (size_t k = 0; k < d->betas; k++) ireneo_json_number(&json, NULL, d->rank_line_limit[k]);
    ireneo_json_end_array(&json);
    ireneo_json_begin_array(&json, "cells");
    for (size_t i = 0; i < d->betas * d->residuals; i++) write_cell(&json, &d->cells[i]);
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int answer(const command *self, trainability_question *q, const grid *betas, const grid *residuals) {
    ireneo_attention_trainability d;
    catch_interrupts();
    q->settings.threads = (int)q->threads;
    q->settings.progress = start_progress();
    ireneo_error failed =
        ireneo_attention_trainability_diagram(&q->transformer.transformer, betas->values, betas->count,
                                              residuals->values, residuals->count, &q->settings, &d);
    finish_progress();
    if (failed == IRENEO_OK && q->output != NULL) failed = save_csv(q->output, &d);
    if (failed == IRENEO_OK && q->picture != NULL)
        failed = ireneo_trainability_picture(&(figure_request){.directory = q->picture},
                                             &q->transformer.transformer, &d);
    int outcome = EXIT_DONE;
    if (failed != IRENEO_OK) {
        outcome = report_error(self, failed);
    } else if (q->json) {
        outcome = print_report(self, q, &d);
    } else {
        print_shape(&q->transformer.transformer);
        print_map(&d);
        print_lines(&d, &q->settings);
        if (q->output != NULL) printf("\nwritten: %s\n", q->output);
        if (q->picture != NULL)
            printf("\nwritten: %s/attention_trainability.csv .svg .png .pdf\n", q->picture);
        outcome = finish_output(self, EXIT_DONE);
    }
    ireneo_attention_trainability_free(&d);
    return outcome;
}

static int run(const command *self, int argc, char **argv) {
    trainability_question q = {.betas = "0.2:6:30", .residuals = "0.25:5:20"};
    q.settings = (ireneo_attention_collapse_settings){.rank_limit = 0.05, .entropy_limit = 1.0 / 3.0};
    transformer_options *t = &q.transformer;
    declare_transformer(t);
    drop_option(t, "beta");
    drop_option(t, "residual-attention");
    drop_option(t, "residual");
    const option own[] = {
        TEXT("betas", &q.betas, "LIST", "query-key scales, as 0.5,1,2 or 0.2:6:30 (the default)"),
        TEXT("residuals", &q.residuals, "LIST", "attention residual strengths (default 0.25:5:20)"),
        NUMBER("rank-limit", &q.settings.rank_limit, "E", "rank collapse is 1 - rho below E (default 0.05)",
               1e-12, 0.999),
        NUMBER("entropy-limit", &q.settings.entropy_limit, "F",
               "entropy collapse is below F log T (default 1/3)", 1e-6, 0.999),
        TEXT("o", &q.output, "FILE.csv", "all points as a table"),
        TEXT("picture", &q.picture, "DIR", "draws the diagram into this folder (needs gnuplot)"),
        THREADS(&q.threads),
        JSON(&q.json),
        OPTIONS_END,
    };
    declare_options(t, own);
    int outcome = parse_transformer(self, argc, argv, t);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    grid betas = {0}, residuals = {0};
    ireneo_error failed = ireneo_grid_parse("--betas", q.betas, 0.0, 200.0, false, &betas);
    if (failed == IRENEO_OK)
        failed = ireneo_grid_parse("--residuals", q.residuals, 0.0, 1e6, false, &residuals);
    outcome = report_error(self, failed);
    if (outcome == 0 && q.picture != NULL && (betas.count < 2 || residuals.count < 2))
        outcome = complain(self, EXIT_USAGE, "--picture needs at least two --betas and two --residuals");
    if (outcome == 0 && q.picture != NULL) outcome = make_folder(self, q.picture);
    if (outcome == 0)
        outcome =
            check_outputs(self, &(output_file){"-o", q.output, OUTPUT_TABLE, "beta,residual,"}, 1, NULL, 0);
    if (outcome == 0) outcome = answer(self, &q, &betas, &residuals);
    ireneo_grid_free(&betas);
    ireneo_grid_free(&residuals);
    return outcome;
}

const command command_attention_trainability = {
    "attention trainability",
    "diagram over query-key scale and residual strength: which escape both collapses", run, "",
    "Below a residual strength tokens become alike (rank collapse); above a beta attention condenses on a "
    "few keys\n"
    "(entropy collapse). Both are judged at initialisation. 'ireneo figure attention_training' shows what "
    "real training "
    "says."};
