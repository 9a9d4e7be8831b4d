/* ireneo attention diagnose: where the weights of a model on disk stand. */
#include "attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct diagnose_question {
    const char *model;
    ireneo_attention_diagnose_settings settings;
    bool norm_first, json;
} diagnose_question;

/* ---- for people ---- */

/* A number of a table, or a dash for what is not there. */
static void print_cell(int width, double value) {
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.4g", width, value);
}

static void print_deviations(const ireneo_attention_diagnosis *d) {
    bool gated = d->transformer.activation >= IRENEO_ACTIVATION_REGLU;
    printf("\nStandard deviations\n  layer       W_Q       W_K       W_V       W_O%s       W_1       W_2\n",
           gated ? "      gate" : "");
    for (size_t l = 0; l < d->layers; l++) {
        const ireneo_block_deviations *s = &d->scales[l].std;
        printf("  %5zu", l);
        print_cell(9, s->query);
        print_cell(9, s->key);
        print_cell(9, s->value);
        print_cell(9, s->output);
        if (gated) print_cell(9, s->mlp_gate);
        print_cell(9, s->mlp_in);
        print_cell(9, s->mlp_out);
        putchar('\n');
    }
}

static const char *lines_near(const ireneo_attention_layer_scales *s) {
    if (!s->complete) return "   matrices are missing";
    if (s->beta_margin < 1.0 && s->residual_margin < 1.0) return "   beyond both lines";
    if (s->near_entropy && s->near_rank) return "   near both lines, or beyond";
    if (s->near_entropy)
        return s->beta_margin < 1.0 ? "   beyond entropy collapse" : "   near entropy collapse";
    if (s->near_rank) return s->residual_margin < 1.0 ? "   beyond rank collapse" : "   near rank collapse";
    return "";
}

static void print_points(const ireneo_attention_diagnosis *d) {
    bool normed = d->transformer.query_key_norm > 0.0, behind = d->transformer.branch_gain > 0.0;
    printf("\nOn the diagram, behind the gains of the norms; how many times away the lines of entropy and "
           "rank collapse are\n"
           "  layer %9s     value %9s   MLP out   residual   entropy       rho   entropy      rank\n",
           normed ? "QK gain" : "beta", behind ? "branch" : "MLP in");
    for (size_t l = 0; l < d->layers; l++) {
        const ireneo_attention_layer_scales *s = &d->scales[l];
        printf("  %5zu", l);
        print_cell(9, normed ? s->query_key_norm : s->beta);
        print_cell(9, s->value_variance);
        print_cell(9, behind ? s->branch_gain : s->mlp_in_variance);
        print_cell(9, s->mlp_out_variance);
        print_cell(10, s->residual_attention);
        print_cell(9, s->entropy);
        print_cell(9, s->rho);
        print_cell(9, s->beta_margin);
        print_cell(9, s->residual_margin);
        printf("%s\n", lines_near(s));
    }
}

static void print_unknown(const ireneo_attention_diagnosis *d) {
    if (d->unknown_count == 0) return;
    printf("\n%zu tensor%s with unknown names, left out:\n", d->unknown_count,
           d->unknown_count == 1 ? "" : "s");
    for (size_t i = 0; i < d->unknown_count; i++) {
        printf("  ");
        print_words(d->unknown[i]);
        putchar('\n');
    }
}

static void print_input(const diagnose_question *q, const ireneo_attention_diagnosis *d) {
    char count[40];
    if (isnan(d->rho_0)) {
        printf("Input: no embedding of tokens was found; rho_0 %.4g and q_0 %.4g are assumed\n",
               d->transformer.rho_0, d->transformer.q_0);
        return;
    }
    printf("Input: rho_0 %.4f, q_0 %.4g, of %s tokens %s\n", d->rho_0, d->q_0,
           grouped((double)d->tokens, count),
           q->settings.tokens != NULL ? "in sequences" : "of the embedding");
}

static void print_verdict(const ireneo_attention_diagnosis *d) {
    const ireneo_attention_assessment *a = &d->assessment;
    if (d->refusal[0] != '\0') {
        printf("\nNo judgement: %s\n", d->refusal);
        return;
    }
    printf("\nThe mean layer: entropy collapse %.3g times away (at beta %.4g), rank collapse %.3g (at "
           "residual %.4g): %s\n",
           a->beta_margin, a->beta_line, a->residual_margin, a->residual_line,
           a->rank_collapse && a->entropy_collapse ? "rank and entropy collapse"
           : a->rank_collapse                      ? "rank collapse"
           : a->entropy_collapse                   ? "entropy collapse"
                                                   : "neither collapse");
}

static void print_text(const diagnose_question *q, const ireneo_attention_diagnosis *d) {
    print_words(q->model);
    printf(" (%s names): ", d->family);
    print_shape(&d->transformer);
    if (d->unknown_fields[0] != '\0')
        printf("config.json: fields that are not understood: %s\n", d->unknown_fields);
    if (d->note[0] != '\0') printf("Note: %s\n", d->note);
    print_input(q, d);
    print_deviations(d);
    print_points(d);
    print_verdict(d);
    print_unknown(d);
}

/* ---- for programs ---- */

static void write_layer(ireneo_json *json, const ireneo_attention_layer_scales *s) {
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"std_query", s->std.query},
                   {"std_key", s->std.key},
                   {"std_value", s->std.value},
                   {"std_output", s->std.output},
                   {"std_mlp_gate", s->std.mlp_gate},
                   {"std_mlp_in", s->std.mlp_in},
                   {"std_mlp_out", s->std.mlp_out},
                   {"beta", s->beta},
                   {"value_variance", s->value_variance},
                   {"mlp_in_variance", s->mlp_in_variance},
                   {"mlp_gate_variance", s->mlp_gate_variance},
                   {"mlp_out_variance", s->mlp_out_variance},
                   {"value_bias_variance", s->value_bias_variance},
                   {"mlp_bias_variance", s->mlp_bias_variance},
                   {"residual_attention", s->residual_attention},
                   {"residual_mlp", s->residual_mlp},
                   {"query_key_norm", s->query_key_norm},
                   {"branch_gain", s->branch_gain},
                   {"rho", s->rho},
                   {"q", s->q},
                   {"entropy", s->entropy},
                   {"beta_line", s->beta_line},
                   {"beta_margin", s->beta_margin},
                   {"residual_line", s->residual_line},
                   {"residual_margin", s->residual_margin}};
    ireneo_json_begin_object(json, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ireneo_json_number(json, numbers[i].key, numbers[i].value);
    ireneo_json_bool(json, "complete", s->complete != 0);
    ireneo_json_bool(json, "near_entropy_collapse", s->near_entropy != 0);
    ireneo_json_bool(json, "near_rank_collapse", s->near_rank != 0);
    ireneo_json_end_object(json);
}

static void write_model(ireneo_json *json, const ireneo_attention_diagnosis *d) {
    ireneo_json_text(json, "family", d->family);
    ireneo_json_number(json, "rho_0", d->rho_0);
    ireneo_json_number(json, "q_0", d->q_0);
    ireneo_json_size(json, "vocabulary", d->vocabulary);
    ireneo_json_size(json, "tokens", d->tokens);
    ireneo_json_text(json, "unknown_fields", d->unknown_fields);
    ireneo_json_text(json, "note", d->note);
    ireneo_json_text(json, "refusal", d->refusal);
    write_transformer(json, "transformer", &d->transformer);
}

static int print_report(const command *self, const ireneo_attention_diagnosis *d) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    write_model(&json, d);
    if (d->refusal[0] == '\0') write_assessment(&json, "assessment", &d->assessment);
    ireneo_json_begin_array(&json, "layers");
    for (size_t l = 0; l < d->layers; l++) write_layer(&json, &d->scales[l]);
    ireneo_json_end_array(&json);
    ireneo_json_begin_array(&json, "unknown");
    for (size_t i = 0; i < d->unknown_count; i++) ireneo_json_text(&json, NULL, d->unknown[i]);
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    diagnose_question q = {0};
    ireneo_attention_diagnose_settings *s = &q.settings;
    option options[] = {
        TEXT("config", &s->config, "FILE", "the model's config.json (default: what names and shapes tell)"),
        TEXT("tokens", &s->tokens, "FILE",
             "ids of tokens, a sequence a row, -1 as padding (default: all tokens)"),
        NUMBER("context", &s->context, "T", "tokens (default: the longest sequence, or what the model says)",
               2, 1e12),
        FLAG("norm-first", &q.norm_first, "layers of torch.nn.TransformerEncoder have norm_first"),
        NUMBER("near", &s->near, "F", "a line is near when less than F times away (default 1.5)", 1, 1e6),
        NUMBER("rank-limit", &s->collapse.rank_limit, "E", "rank collapse is 1 - rho below E (default 0.05)",
               1e-12, 0.999),
        NUMBER("entropy-limit", &s->collapse.entropy_limit, "F",
               "entropy collapse is below F log T (default 1/3)", 1e-6, 0.999),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, &q.model, 1, 1, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    s->norm_first = q.norm_first;
    s->collapse.progress = start_progress();
    catch_interrupts();
    ireneo_attention_diagnosis d;
    ireneo_error failed = ireneo_attention_diagnose(q.model, s, &d);
    finish_progress();
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (!q.json) print_text(&q, &d);
    outcome = q.json ? print_report(self, &d) : finish_output(self, EXIT_DONE);
    ireneo_attention_diagnosis_free(&d);
    return outcome;
}

const command command_attention_diagnose = {
    "attention diagnose", "where the weights of a model on disk stand between the two collapses", run,
    "MODEL",
    "MODEL is a .safetensors file, or the .index.json of a model in several. Weights count as random numbers "
    "of "
    "the\nstandard deviations that they have, which trained ones are not (docs/attention-models.md)."};
