/* What others do for an architecture, beside a recommendation. */
#include "attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The recommendation as a row like the others. */
static ireneo_attention_convention own_row(const ireneo_attention_recommendation *r) {
    const ireneo_transformer *t = &r->transformer;
    bool gated = t->activation >= IRENEO_ACTIVATION_REGLU;
    double gate = t->mlp_gate_variance > 0.0 ? sqrt(t->mlp_gate_variance / (double)t->width) : r->std_mlp_in;
    return (ireneo_attention_convention){.name = "recommended",
                                         .std = {.query = r->std_query,
                                                 .key = r->std_key,
                                                 .value = r->std_value,
                                                 .output = r->std_output,
                                                 .mlp_gate = gated ? gate : 0.0,
                                                 .mlp_in = r->std_mlp_in,
                                                 .mlp_out = r->std_mlp_out},
                                         .transformer = *t,
                                         .rho = r->assessment.rho,
                                         .entropy = r->assessment.entropy};
}

static void print_number(int width, double value) {
    if (isnan(value) || value == 0.0)
        printf(" %*s", width, "-");
    else
        printf(" %*.4g", width, value);
}

static void print_row(const ireneo_attention_convention *c, bool gated) {
    const ireneo_transformer *t = &c->transformer;
    printf("  %-12s", c->name);
    print_number(8, c->std.query);
    print_number(8, c->std.value);
    print_number(8, c->std.output);
    if (gated) print_number(8, c->std.mlp_gate);
    print_number(8, c->std.mlp_in);
    print_number(8, c->std.mlp_out);
    print_number(7, t->residual_attention);
    print_number(7, t->query_key_norm > 0.0 ? t->query_key_norm : t->beta);
    printf(isnan(c->rho) ? "        -" : " %8.4f", c->rho);
    print_number(8, c->entropy);
    putchar('\n');
}

static void print_table(const ireneo_attention_recommendation *r,
                        const ireneo_attention_recommend_settings *settings) {
    const ireneo_transformer *t = &r->transformer;
    bool gated = t->activation >= IRENEO_ACTIVATION_REGLU;
    ireneo_attention_convention rows[IRENEO_CONVENTIONS], own = own_row(r);
    if (ireneo_attention_conventions(t, settings->no_output_projection, rows) != IRENEO_OK) return;
    printf(
        "\nWhat others do for this architecture (standard deviations; rho after layer %zu, first entropy)\n"
        "               W_Q, W_K      W_V      W_O%s      W_1      W_2   skips %7s      rho  entropy\n",
        t->layers, gated ? "     gate" : "", t->query_key_norm > 0.0 ? "QK gain" : "beta");
    print_row(&own, gated);
    for (size_t i = 0; i < IRENEO_CONVENTIONS; i++) print_row(&rows[i], gated);
    if (t->normalisation != IRENEO_NORMALISATION_POST) printf("  deepnorm has its norms after the sums.\n");
}

static void write_row(ireneo_json *json, const ireneo_attention_convention *c) {
    const ireneo_transformer *t = &c->transformer;
    ireneo_json_begin_object(json, NULL);
    ireneo_json_text(json, "name", c->name);
    ireneo_json_number(json, "std_query", c->std.query);
    ireneo_json_number(json, "std_key", c->std.key);
    ireneo_json_number(json, "std_value", c->std.value);
    ireneo_json_number(json, "std_output", c->std.output);
    ireneo_json_number(json, "std_mlp_gate", c->std.mlp_gate);
    ireneo_json_number(json, "std_mlp_in", c->std.mlp_in);
    ireneo_json_number(json, "std_mlp_out", c->std.mlp_out);
    ireneo_json_number(json, "residual_attention", t->residual_attention);
    ireneo_json_number(json, "residual_mlp", t->residual_mlp);
    ireneo_json_number(json, "beta", t->beta);
    ireneo_json_number(json, "query_key_norm", t->query_key_norm);
    ireneo_json_text(json, "norm", ireneo_normalisation_name(t->normalisation));
    ireneo_json_number(json, "rho", c->rho);
    ireneo_json_number(json, "entropy", c->entropy);
    ireneo_json_end_object(json);
}

static void write_table(ireneo_json *json, const ireneo_attention_recommendation *r,
                        const ireneo_attention_recommend_settings *settings) {
    ireneo_attention_convention rows[IRENEO_CONVENTIONS], own = own_row(r);
    ireneo_json_begin_array(json, "conventions");
    write_row(json, &own);
    if (ireneo_attention_conventions(&r->transformer, settings->no_output_projection, rows) == IRENEO_OK)
        for (size_t i = 0; i < IRENEO_CONVENTIONS; i++) write_row(json, &rows[i]);
    ireneo_json_end_array(json);
}

const conventions_table attention_conventions = {print_table, write_table};
