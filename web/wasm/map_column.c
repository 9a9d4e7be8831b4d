/* map column: one column of the trainability diagram, the cells of one beta, so that the map fills while the page stays
 * ready for another question. The command `attention trainability` makes the same cells all at once. */
#include "page.h"

#include "attention_reasons.h"
#include "lab/sweep/grid.h"

static void write_cell(ireneo_json *json, const ireneo_attention_trainability_cell *c) {
    ireneo_json_begin_object(json, NULL);
    ireneo_json_number(json, "residual", c->residual);
    ireneo_json_number(json, "rho", c->rho);
    ireneo_json_number(json, "entropy", c->entropy);
    ireneo_json_bool(json, "rank_collapse", c->rank_collapse != 0);
    ireneo_json_bool(json, "entropy_collapse", c->entropy_collapse != 0);
    reasons r = reasons_of_cell(c);
    write_reasons(json, &r);
    ireneo_json_end_object(json);
}

static int print_column(const command *self, const ireneo_attention_trainability *d) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_number(&json, "beta", d->cells[0].beta);
    ireneo_json_number(&json, "beta_line", d->beta_line);
    ireneo_json_number(&json, "rank_line", d->rank_line[0]);
    ireneo_json_begin_array(&json, "cells");
    for (size_t i = 0; i < d->residuals; i++) write_cell(&json, &d->cells[i]);
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    transformer_options t;
    const char *betas = "1", *residuals = "1";
    size_t column = 0;
    ireneo_attention_collapse_settings settings = {0};
    bool json = false;
    declare_transformer(&t);
    const option own[] = {
        TEXT("betas", &betas, "LIST", ""),
        TEXT("residuals", &residuals, "LIST", ""),
        COUNT("column", &column, "K", "", 0, 1e5),
        NUMBER("rate", &settings.rate, "R", "", 1e-9, 10),
        JSON(&json),
        OPTIONS_END,
    };
    declare_options(&t, own);
    int outcome = parse_transformer(self, argc, argv, &t);
    if (outcome != 0) return outcome;
    grid x = {0}, y = {0};
    ireneo_attention_trainability d = {0};
    ireneo_error failed = ireneo_grid_parse("--betas", betas, 0.0, 200.0, false, &x);
    if (failed == IRENEO_OK) failed = ireneo_grid_parse("--residuals", residuals, 0.0, 1e6, false, &y);
    if (failed == IRENEO_OK)
        failed = ireneo_attention_trainability_diagram(&t.transformer, &x.values[column % x.count], 1,
                                                       y.values, y.count, &settings, &d);
    outcome = failed == IRENEO_OK ? print_column(self, &d) : report_error(self, failed);
    ireneo_attention_trainability_free(&d);
    ireneo_grid_free(&x);
    ireneo_grid_free(&y);
    return outcome;
}

const command command_map_column = {"map column", "", run, "", ""};
