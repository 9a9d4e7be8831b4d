/* ireneo attention trainability: which query-key scales, residual strengths and learning rates train. */
#include "attention_reasons.h"
#include "folder.h"
#include "lab/figures/figure_attention_trainability.h"
#include "lab/sweep/grid.h"

#include "base/error.h"
#include "base/text_stream.h"

#include <math.h>
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

static char exact_letter(const ireneo_attention_trainability_cell *c) {
    reasons r = reasons_of_cell(c);
    return r.count == 0                                ? '.'
           : r.count > 1                               ? '#'
           : r.words[0][0] == 'r' && c->rate_too_large ? 'R'
                                                       : r.words[0][0];
}

static char limit_letter(const ireneo_attention_trainability_cell *c) {
    bool rank = c->rank_collapse_limit, entropy = c->entropy_collapse_limit;
    return rank && entropy ? '#' : rank ? 'r' : entropy ? 'e' : '.';
}

static void print_legend(const ireneo_attention_trainability *d,
                         const ireneo_attention_collapse_settings *s) {
    bool known = !isnan(d->cells[0].growth);
    printf("\n  . trainable   r rank collapse   %s", known ? "g gradients explode   " : "");
    if (s->rate > 0.0) printf("R rate %g too large   %s", s->rate, s->steps > 0.0 ? "s too small   " : "");
    printf(
        "# several\n  left exact at T; right T to inf: neither collapse, or r rank, e entropy collapse\n\n");
}

/* One line of the map for each residual strength, strongest first; exact on the left, the limit on the right.
 */
static void print_map(const ireneo_attention_trainability *d, const ireneo_attention_collapse_settings *s) {
    size_t columns = d->betas < 40 ? d->betas : 40;
    if (columns == 0) return;
    print_legend(d, s);
    for (size_t i = d->residuals; i-- > 0;) {
        printf("  %7.3g  ", d->cells[i].residual);
        for (int limit = 0; limit < 2; limit++) {
            for (size_t k = 0; k < columns; k++) {
                const ireneo_attention_trainability_cell *c =
                    &d->cells[k * d->betas / columns * d->residuals + i];
                putchar(limit ? limit_letter(c) : exact_letter(c));
            }
            fputs(limit ? "\n" : "    ", stdout);
        }
    }
    printf("  residual  beta from %.3g to %.3g\n", d->cells[0].beta,
           d->cells[(columns - 1) * d->betas / columns * d->residuals].beta);
}

/* The largest rates at the first beta; of the others they hardly differ. */
static void print_rates(const ireneo_attention_trainability *d) {
    if (isnan(d->cells[0].safe_rate)) return;
    printf("\nLargest safe learning rate of Adam, at a residual strength of\n\n  ");
    size_t step = (d->residuals + 7) / 8;
    for (size_t i = 0; i < d->residuals; i += step) printf("%9.3g", d->cells[i].residual);
    printf("\n  ");
    for (size_t i = 0; i < d->residuals; i += step) printf("%9.2g", d->cells[i].safe_rate);
    printf("\n");
}

/* All about a single point. */
static void print_point(const ireneo_attention_trainability_cell *c) {
    reasons r = reasons_of_cell(c);
    printf("\n  beta %g, residual strength %g: %s", c->beta, c->residual,
           r.count == 0 ? "trainable" : "not trainable, for");
    for (size_t i = 0; i < r.count; i++) printf("%s %s", i > 0 ? "," : "", r.words[i]);
    printf("\n\n  1 - rho after the last layer   %9.3g\n", 1.0 - c->rho);
    if (isnan(c->growth)) return;
    printf("  growth of gradients            %9.3g\n", c->growth);
    if (c->update > 0.0) printf("  change by a step of Adam       %9.3g\n", c->update);
    if (!isnan(c->safe_rate)) printf("  largest safe learning rate     %9.2g\n", c->safe_rate);
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
    ireneo_json_number(json, "growth", c->growth);
    ireneo_json_number(json, "update", c->update);
    ireneo_json_number(json, "safe_rate", c->safe_rate);
    ireneo_json_bool(json, "trainable", c->trainable != 0);
    reasons r = reasons_of_cell(c);
    write_reasons(json, &r);
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
    ireneo_json_number(&json, "growth_limit", q->settings.growth_limit);
    if (q->settings.rate > 0.0) ireneo_json_number(&json, "rate", q->settings.rate);
    if (q->settings.steps > 0.0) ireneo_json_number(&json, "steps", q->settings.steps);
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
        if (d.betas * d.residuals == 1) {
            print_point(d.cells);
        } else {
            print_map(&d, &q->settings);
            print_rates(&d);
        }
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
    q.settings = (ireneo_attention_collapse_settings){.rank_limit = 0.001, .entropy_limit = 1.0 / 3.0};
    transformer_options *t = &q.transformer;
    declare_transformer(t);
    drop_option(t, "beta");
    drop_option(t, "residual-attention");
    drop_option(t, "residual");
    const option own[] = {
        TEXT("betas", &q.betas, "LIST", "query-key scales, as 0.5,1,2 or 0.2:6:30 (the default)"),
        TEXT("residuals", &q.residuals, "LIST", "attention residual strengths (default 0.25:5:20)"),
        NUMBER("rank-limit", &q.settings.rank_limit, "E", "rank collapse is 1 - rho below E (default 0.001)",
               1e-12, 0.999),
        NUMBER("entropy-limit", &q.settings.entropy_limit, "F",
               "entropy collapse is below F log T (default 1/3)", 1e-6, 0.999),
        NUMBER(
            "growth-limit", &q.settings.growth_limit, "G",
            "gradients explode when they grow by more than G, squared (default 1000; 1e5 where not post-LN)",
            1e-6, 1e12),
        NUMBER("rate", &q.settings.rate, "R", "judges this learning rate of Adam, too", 1e-9, 10),
        NUMBER("steps", &q.settings.steps, "N", "and whether it is too small for N steps", 1, 1e12),
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
    if (q.settings.growth_limit == 0.0) q.settings.growth_limit = usual_growth_limit(&t->transformer);
    if (outcome == 0 && q.settings.steps > 0.0 && q.settings.rate == 0.0)
        outcome = complain(self, EXIT_USAGE, "--steps needs a learning rate: give --rate, too");
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
    "diagram over query-key scale and residual strength: what can be trained, and at which learning rate",
    run, "",
    "Below a residual strength tokens become alike (rank collapse), with sharp attention gradients explode, "
    "and "
    "a\n"
    "learning rate of Adam can be too large for the skips: all three are judged at initialisation, and held "
    "against\n"
    "training runs in docs/attention-network.md. Entropy collapse is where attention condenses on a few "
    "keys."};
