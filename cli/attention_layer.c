/* ireneo attention layer: what one attention layer does to tokens. */
#include "attention.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The query-key scale that the logits amount to. */
static double logit_scale(const ireneo_attention_input *in) {
    return in->query_key_norm > 0.0 ? in->query_key_norm / sqrt(log(in->context)) : in->beta;
}

static double keys_of(const ireneo_attention_input *in) {
    double keys = in->keys > 0.0 ? in->keys : in->context;
    return in->window > 0.0 ? fmin(keys, in->window) : keys;
}

static void print_ingredients(const ireneo_attention_input *in) {
    if (in->gain_control) printf(", gain control");
    if (in->window > 0.0) printf(", window %g", in->window);
    if (in->rope_base > 0.0) printf(", RoPE %g", in->rope_base);
    if (in->query_key_norm > 0.0) printf(", QK-norm %.4g", in->query_key_norm);
    if (in->soft_cap > 0.0) printf(", soft cap %g", in->soft_cap);
    printf("\n\n");
}

static void print_regime(const ireneo_attention_input *in, const ireneo_attention_report *r) {
    if (isinf(r->beta_c) && in->soft_cap > 0.0)
        printf("  beta_c                          inf   capped logits spread over all keys as T grows\n");
    else
        printf("  beta_c                    %9.4f   where attention condenses as T grows; you are %s it\n",
               r->beta_c, logit_scale(in) < r->beta_c ? "below" : "above");
    printf("  beta_effective            %9.4f   spread of a row's logits over sqrt(log keys); sqrt 2 at "
           "beta_c\n\n",
           r->beta_effective);
}

static void print_table(const ireneo_attention_input *in, const ireneo_attention_report *r) {
    double keys = keys_of(in);
    printf("Attention over %g keys, beta %.6g, tokens of similarity %g", keys, logit_scale(in),
           in->p / in->q);
    print_ingredients(in);
    print_regime(in, r);
    printf("                              exact at T    T to inf\n");
    printf("  participation Y2          %12.5g %12.5g   a query attends to about %.3g keys\n",
           r->participation, r->participation_limit, 1.0 / r->participation);
    printf("  Y3                        %12.5g %12.5g\n", r->y3, r->y3_limit);
    printf("  entropy (nats)            %12.5g %12.5g   of at most log(keys) = %.4g\n", r->entropy,
           r->entropy_limit, log(keys));
    printf("  overlap of two rows O12   %12.5g %12.5g   uniform attention has 1/keys = %.3g\n", r->overlap,
           0.0, 1.0 / keys);
    printf("  q_out                     %12.5g %12.5g   mean square of an output token\n", r->q_out,
           r->q_out_limit);
    printf("  p_out                     %12.5g %12.5g   overlap of two output tokens\n", r->p_out,
           r->p_out_limit);
    printf("  output similarity         %12.5g ", r->q_out > 0.0 ? r->p_out / r->q_out : 0.0);
    if (r->q_out_limit > 0.0)
        printf("%12.5g   before the skip; 1 is rank collapse\n", r->p_out_limit / r->q_out_limit);
    else
        printf("%12s   before the skip; in the limit nothing is left\n", "");
    printf("  query gradient            %12.5g %12.5g   |dL/dW_Q|^2 / (d sqrt(log T) sum |dL/do|^2)\n",
           r->gradient, r->gradient_limit);
    if (in->width > 0)
        printf("\n  width %zu adds about %.3g to q_out and %.3g to p_out; %.3g of the gradient is its 1/d "
               "floor\n",
               in->width, r->finite_width_q, r->finite_width_p, r->gradient_floor);
}

static void write_report(ireneo_json *json, const ireneo_attention_report *r) {
    ireneo_json_number(json, "beta_c", r->beta_c);
    ireneo_json_number(json, "beta_effective", r->beta_effective);
    ireneo_json_number(json, "participation", r->participation);
    ireneo_json_number(json, "participation_limit", r->participation_limit);
    ireneo_json_number(json, "y3", r->y3);
    ireneo_json_number(json, "y3_limit", r->y3_limit);
    ireneo_json_number(json, "y4", r->y4);
    ireneo_json_number(json, "y4_limit", r->y4_limit);
    ireneo_json_number(json, "y2_squared", r->y2_squared);
    ireneo_json_number(json, "y2_squared_limit", r->y2_squared_limit);
    ireneo_json_number(json, "entropy", r->entropy);
    ireneo_json_number(json, "entropy_limit", r->entropy_limit);
    ireneo_json_number(json, "overlap", r->overlap);
    ireneo_json_number(json, "participation_exponent", r->participation_exponent);
    ireneo_json_number(json, "overlap_exponent", r->overlap_exponent);
    ireneo_json_number(json, "q_out", r->q_out);
    ireneo_json_number(json, "p_out", r->p_out);
    ireneo_json_number(json, "q_out_limit", r->q_out_limit);
    ireneo_json_number(json, "p_out_limit", r->p_out_limit);
    ireneo_json_number(json, "finite_width_q", r->finite_width_q);
    ireneo_json_number(json, "finite_width_p", r->finite_width_p);
    ireneo_json_number(json, "gradient", r->gradient);
    ireneo_json_number(json, "gradient_limit", r->gradient_limit);
    ireneo_json_number(json, "gradient_floor", r->gradient_floor);
}

static void write_input(ireneo_json *json, const ireneo_attention_input *in) {
    ireneo_json_number(json, "beta", in->beta);
    ireneo_json_number(json, "context", in->context);
    ireneo_json_number(json, "keys", keys_of(in));
    ireneo_json_number(json, "q", in->q);
    ireneo_json_number(json, "p", in->p);
    ireneo_json_number(json, "value_variance", in->value_variance);
    ireneo_json_number(json, "value_bias_variance", in->value_bias_variance);
    ireneo_json_size(json, "width", in->width);
    ireneo_json_bool(json, "gain_control", in->gain_control != 0);
    ireneo_json_number(json, "window", in->window);
    ireneo_json_number(json, "rope_base", in->rope_base);
    ireneo_json_number(json, "query_key_norm", in->query_key_norm);
    ireneo_json_number(json, "soft_cap", in->soft_cap);
    ireneo_json_size(json, "head_width", in->head_width);
}

/* Rows 2, 4, 8, ... of a causal layer, up to the last, or to that which fills a window. */
static int causal_rows(const command *self, ireneo_attention_input *in, bool json_wanted) {
    double rows = keys_of(in);
    ireneo_json json = {0};
    if (json_wanted) {
        ireneo_json_begin_object(&json, NULL);
        write_input(&json, in);
        ireneo_json_begin_array(&json, "rows");
    } else {
        printf("Causal attention, weights scaled for %g tokens, beta %.6g, similarity %g", in->context,
               logit_scale(in), in->p / in->q);
        print_ingredients(in);
        printf("       row s  beta_eff    Y2 exact  limit     entropy / log s     O12     q_out     p_out\n");
    }
    ireneo_error failed = IRENEO_OK;
    for (double s = 2.0; failed == IRENEO_OK; s *= 2.0) {
        ireneo_attention_report r;
        in->keys = fmin(s, rows);
        failed = ireneo_attention_layer(in, &r);
        if (failed == IRENEO_OK && json_wanted) {
            ireneo_json_begin_object(&json, NULL);
            ireneo_json_number(&json, "keys", in->keys);
            write_report(&json, &r);
            ireneo_json_end_object(&json);
        } else if (failed == IRENEO_OK) {
            printf("%12.12g %9.3f %11.4g %8.4f %10.4g %6.3f %10.3g %9.4f %9.4f\n", in->keys, r.beta_effective,
                   r.participation, r.participation_limit, r.entropy, r.entropy / log(in->keys), r.overlap,
                   r.q_out, r.p_out);
        }
        if (s >= rows) break;
    }
    if (failed != IRENEO_OK) {
        ireneo_json_free(&json);
        return report_error(self, failed);
    }
    if (!json_wanted) return finish_output(self, EXIT_DONE);
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

/* Options of a transformer that say nothing about one attention layer, and where they belong. */
typedef struct foreign_option {
    const char *name, *instead;
} foreign_option;

#define OF_A_BLOCK "belongs to a block; see 'ireneo attention propagate --layers 1'"
static const foreign_option FOREIGN[] = {
    {"layers", "is for more than one; see 'ireneo attention propagate'"},
    {"mlp-width", OF_A_BLOCK},
    {"norm", OF_A_BLOCK},
    {"rms-norm", OF_A_BLOCK},
    {"branch-gain", OF_A_BLOCK},
    {"activation", OF_A_BLOCK},
    {"parallel", OF_A_BLOCK},
    {"weight-variance", OF_A_BLOCK},
    {"mlp-in-variance", OF_A_BLOCK},
    {"mlp-out-variance", OF_A_BLOCK},
    {"mlp-gate-variance", OF_A_BLOCK},
    {"mlp-bias-variance", OF_A_BLOCK},
    {"residual-attention", OF_A_BLOCK},
    {"residual", OF_A_BLOCK},
    {"residual-mlp", OF_A_BLOCK},
    {"output-projection", "changes nothing here: --value-variance is that of W_O W_V"},
    {"rho0", "is --rho for one layer"},
    {"q0", "is -q for one layer"},
};
enum { FOREIGN_COUNT = sizeof FOREIGN / sizeof *FOREIGN };

static int refuse_foreign(const command *self, int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        for (size_t j = 0; j < FOREIGN_COUNT; j++) {
            size_t length = strlen(FOREIGN[j].name);
            if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, FOREIGN[j].name, length) != 0)
                continue;
            if (argv[i][2 + length] == '\0' || argv[i][2 + length] == '=')
                return complain(self, EXIT_USAGE, "--%s %s", FOREIGN[j].name, FOREIGN[j].instead);
        }
    return 0;
}

/* A transformer's options without those of its blocks; some have defaults of their own here. */
static void declare_layer(transformer_options *t, double *q, bool *json) {
    static const char *const replaced[] = {
        "width", "causal", "value-variance", "bias-variance", "value-bias-variance", "key-heads"};
    declare_transformer(t);
    ireneo_transformer *a = &t->transformer;
    for (size_t i = 0; i < FOREIGN_COUNT; i++) drop_option(t, FOREIGN[i].name);
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) drop_option(t, replaced[i]);
    const option own[] = {
        COUNT("width", &a->width, "D", "for corrections of order log(T)/D (default: infinite)", 1, 1e9),
        COUNT("key-heads", &a->key_heads, "N", "heads of keys and values: changes no mean", 1, 1e6),
        FLAG("causal", &t->causal, "a table over the rows of a causal mask"),
        NUMBER("rho", &a->rho_0, "R", "cosine similarity of the tokens (default 0.05)", 0, 1),
        NUMBER("q", q, "Q", "mean square of a token (default 1, as after LayerNorm)", 1e-9, 1e6),
        NUMBER("value-variance", &a->value_variance, "V", "of W_V times its inputs (default 1)", 0, 1e12),
        NUMBER("bias-variance", &t->bias_variance, "V", "of the value bias (default 0)", 0, 1e12),
        NUMBER("value-bias-variance", &a->value_bias_variance, "V", "the same", 0, 1e12),
        JSON(json),
        OPTIONS_END,
    };
    declare_options(t, own);
    a->width = 0;
    a->value_variance = 1.0;
    a->value_bias_variance = 0.0;
}

static ireneo_attention_input input_of(const transformer_options *t, double q) {
    const ireneo_transformer *a = &t->transformer;
    if (q == 0.0) q = a->normalisation == IRENEO_NORMALISATION_NONE ? a->q_0 : 1.0;
    return (ireneo_attention_input){.beta = a->beta,
                                    .context = a->context,
                                    .keys = a->keys,
                                    .q = q,
                                    .p = a->rho_0 * q,
                                    .value_variance = a->value_variance,
                                    .value_bias_variance = a->value_bias_variance,
                                    .width = a->width,
                                    .gain_control = a->gain_control,
                                    .window = a->window,
                                    .rope_base = a->rope_base,
                                    .query_key_norm = a->query_key_norm,
                                    .soft_cap = a->soft_cap,
                                    .head_width = a->head_width > 0 ? a->head_width : a->width / a->heads};
}

/* What the library cannot know: which options were given together. */
static int check_layer(const command *self, const transformer_options *t) {
    const ireneo_transformer *a = &t->transformer;
    if (t->causal && a->keys > 0.0) return complain(self, EXIT_USAGE, "give --causal or --keys, not both");
    if (was_given(t, "std") && a->width == 0)
        return complain(self, EXIT_USAGE, "--std is that of matrices of some width: give --width");
    if (a->rope_base > 0.0 && a->width == 0 && a->head_width == 0)
        return complain(self, EXIT_USAGE,
                        "--rope turns the planes of a head: give --head-width, or --width and --heads");
    if (a->head_width == 0 && a->width % a->heads != 0)
        return complain(self, EXIT_USAGE, "%zu heads do not divide the width %zu", a->heads, a->width);
    if (a->key_heads > 0 && a->heads % a->key_heads != 0)
        return complain(self, EXIT_USAGE, "%zu heads cannot share %zu heads of keys and values", a->heads,
                        a->key_heads);
    return 0;
}

static int run(const command *self, int argc, char **argv) {
    transformer_options t;
    double q = 0.0;
    bool json_wanted = false;
    declare_layer(&t, &q, &json_wanted);
    int outcome = refuse_foreign(self, argc, argv);
    if (outcome == 0) outcome = parse_transformer(self, argc, argv, &t);
    if (outcome == 0) outcome = check_layer(self, &t);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    ireneo_attention_input in = input_of(&t, q);
    if (t.causal) return causal_rows(self, &in, json_wanted);
    ireneo_attention_report report;
    ireneo_error failed = ireneo_attention_layer(&in, &report);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (!json_wanted) {
        print_table(&in, &report);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    write_input(&json, &in);
    write_report(&json, &report);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

const command command_attention_layer = {
    "attention layer", "one attention layer: participation, entropy, overlaps, gradient", run, "",
    "W_Q and W_K are drawn with variance beta sqrt(log T) / width, so that logits have variance beta^2 log "
    "T. "
    "'Exact at T'\nholds for that many keys; 'T to inf' is the limit, which practical T do not reach near "
    "beta_c."};
