/* ireneo attention layer: what one attention layer does to tokens. */
#include "attention.h"

#include <math.h>
#include <stdio.h>

typedef struct layer_question {
    ireneo_attention_input input;
    double rho;
    bool gain_control, causal, json;
} layer_question;

static void print_regime(const ireneo_attention_input *in, const ireneo_attention_report *r) {
    printf("  beta_c                    %9.4f   where attention condenses as T grows; you are %s it\n",
           r->beta_c, in->beta < r->beta_c ? "below" : "above");
    printf("  beta_effective            %9.4f   spread of a row's logits over sqrt(log keys); sqrt 2 at "
           "beta_c\n\n",
           r->beta_effective);
}

static void print_table(const ireneo_attention_input *in, const ireneo_attention_report *r) {
    double keys = in->keys > 0.0 ? in->keys : in->context;
    printf("Attention over %g keys, beta %g, tokens of similarity %g%s\n\n", keys, in->beta, in->p / in->q,
           in->gain_control ? ", gain control" : "");
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
    printf("  output similarity         %12.5g %12.5g   before the skip; 1 is rank collapse\n",
           r->p_out / r->q_out, r->p_out_limit / r->q_out_limit);
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
    ireneo_json_number(json, "keys", in->keys > 0.0 ? in->keys : in->context);
    ireneo_json_number(json, "q", in->q);
    ireneo_json_number(json, "p", in->p);
    ireneo_json_number(json, "value_variance", in->value_variance);
    ireneo_json_number(json, "value_bias_variance", in->value_bias_variance);
    ireneo_json_size(json, "width", in->width);
    ireneo_json_bool(json, "gain_control", in->gain_control != 0);
}

/* Rows 2, 4, 8, ... of a causal layer, up to the last. */
static int causal_rows(const command *self, ireneo_attention_input *in, bool json_wanted) {
    ireneo_json json = {0};
    if (json_wanted) {
        ireneo_json_begin_object(&json, NULL);
        write_input(&json, in);
        ireneo_json_begin_array(&json, "rows");
    } else {
        printf("Causal attention, weights scaled for %g tokens, beta %g, similarity %g\n\n", in->context,
               in->beta, in->p / in->q);
        printf("       row s  beta_eff    Y2 exact  limit     entropy / log s     O12     q_out     p_out\n");
    }
    ireneo_error failed = IRENEO_OK;
    for (double s = 2.0; failed == IRENEO_OK; s *= 2.0) {
        ireneo_attention_report r;
        in->keys = fmin(s, in->context);
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
        if (s >= in->context) break;
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

static int run(const command *self, int argc, char **argv) {
    layer_question q = {.input = {.beta = 1.0, .context = 512.0, .q = 1.0, .value_variance = 1.0},
                        .rho = 0.05};
    ireneo_attention_input *in = &q.input;
    option options[] = {
        NUMBER("beta", &in->beta, "B", "query-key scale (default 1)", 0, 200),
        NUMBER("context", &in->context, "T", "tokens (default 512, up to 1e12)", 2, 1e12),
        NUMBER("keys", &in->keys, "K", "keys the row sees, under a mask or padding (default: all)", 2, 1e12),
        FLAG("causal", &q.causal, "a table over the rows of a causal mask"),
        NUMBER("rho", &q.rho, "R", "cosine similarity of the tokens (default 0.05)", 0, 1),
        NUMBER("q", &in->q, "Q", "mean square of a token (default 1, as after LayerNorm)", 1e-9, 1e6),
        NUMBER("value-variance", &in->value_variance, "V", "of W_V times its inputs (default 1)", 0, 1e12),
        NUMBER("bias-variance", &in->value_bias_variance, "V", "of the value bias (default 0)", 0, 1e12),
        COUNT("width", &in->width, "D", "for corrections of order log(T)/D (default: infinite)", 1, 1e9),
        FLAG("gain-control", &q.gain_control, "subtract 1/T from the attention weights"),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (q.causal && in->keys > 0.0) return complain(self, EXIT_USAGE, "give --causal or --keys, not both");
    in->p = q.rho * in->q;
    in->gain_control = q.gain_control;
    if (q.causal) return causal_rows(self, in, q.json);
    ireneo_attention_report report;
    ireneo_error failed = ireneo_attention_layer(in, &report);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (!q.json) {
        print_table(in, &report);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    write_input(&json, in);
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
