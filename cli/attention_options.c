/* The options that describe a transformer, shared by the commands under `ireneo attention`. */
#include "attention.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static config_reader read_config;
static ireneo_transformer_config config; /* what --config said; model_type "" without it */

void set_config_reader(config_reader reader) {
    read_config = reader;
}

void declare_options(transformer_options *t, const option *own) {
    size_t count = 0, most = sizeof t->list / sizeof *t->list - 1;
    while (t->list[count].name != NULL) count++;
    while (own->name != NULL && count < most) t->list[count++] = *own++;
    assert(own->name == NULL);
}

void declare_transformer(transformer_options *t) {
    memset(t, 0, sizeof *t);
    ireneo_transformer *a = &t->transformer;
    ireneo_transformer_defaults(a);
    t->weight_variance = t->bias_variance = t->std = NAN;
    const option options[] = {
        TEXT("preset", &t->preset, "NAME",
             "a known model with its usual weights: bert-base, gpt2-small, gpt2-xl, vit-b, llama-3-8b, "
             "qwen-3, "
             "gemma-3, olmo-2 or deepnorm"),
        TEXT("config", &t->config, "FILE", "or: the config.json of a Hugging Face model"),
        COUNT("layers", &a->layers, "L", "blocks of attention and MLP (default 50)", 1, 1e6),
        COUNT("width", &a->width, "D", "width of a token (default 720)", 1, 1e7),
        COUNT("heads", &a->heads, "H", "attention heads (default 1)", 1, 1e6),
        COUNT("mlp-width", &a->mlp_width, "M", "hidden units of the MLP (default: width)", 1, 1e8),
        NUMBER("context", &a->context, "T", "tokens (default 512, up to 1e12)", 2, 1e12),
        NUMBER("keys", &a->keys, "K", "keys a row sees, under a mask or padding (default: all)", 2, 1e12),
        FLAG("causal", &t->causal, "a token sees only itself and those before it"),
        NUMBER("window", &a->window, "W", "keys a row sees at most (default: all)", 2, 1e12),
        CHOICE("norm", &t->norm, "post|pre|none|branch|sandwich", "where the norms are (default post)"),
        FLAG("rms-norm", &t->rms_norm, "norms do not take the mean away"),
        NUMBER("branch-gain", &a->branch_gain, "G", "of the norm on a branch's output (default 1)", 0, 1e6),
        CHOICE("activation", &t->activation, "relu|tanh|gelu|silu|reglu|geglu|swiglu",
               "of the MLP (default relu)"),
        FLAG("parallel", &t->parallel, "attention and MLP read the same tokens"),
        COUNT("key-heads", &a->key_heads, "N", "heads of keys and values, shared by groups (default: heads)",
              1, 1e6),
        COUNT("head-width", &a->head_width, "D", "width of a head (default: width / heads)", 1, 1e7),
        NUMBER("rope", &a->rope_base, "BASE", "rotary positions with this base (default: none)", 1.000001,
               1e12),
        NUMBER("qk-norm", &a->query_key_norm, "G",
               "queries and keys are normalised; product of their gains (default: not)", 1e-6, 1e6),
        NUMBER("soft-cap", &a->soft_cap, "C", "logits x become C tanh(x / C) (default: not)", 1e-6, 1e6),
        FLAG("output-projection", &t->output_projection, "networks have a W_O of their own"),
        FLAG("gain-control", &t->gain_control, "subtract 1/T from the attention weights"),
        NUMBER("beta", &a->beta, "B", "query-key scale (default 1)", 0, 200),
        NUMBER("std", &t->std, "S", "or: standard deviation of every weight, W_O too, as initializer_range",
               0, 1e3),
        NUMBER("value-variance", &a->value_variance, "V", "of W_V times its inputs (default 0.2)", 0, 1e12),
        NUMBER("weight-variance", &t->weight_variance, "V",
               "of both MLP matrices times their inputs (default 0.2)", 0, 1e12),
        NUMBER("mlp-in-variance", &a->mlp_in_variance, "V", "of the first MLP matrix only", 0, 1e12),
        NUMBER("mlp-out-variance", &a->mlp_out_variance, "V", "of the second only", 0, 1e12),
        NUMBER("mlp-gate-variance", &a->mlp_gate_variance, "V",
               "of a gated MLP's gate (default: of the first)", 0, 1e12),
        NUMBER("bias-variance", &t->bias_variance, "V", "of value and MLP biases (default 0.0004)", 0, 1e12),
        NUMBER("value-bias-variance", &a->value_bias_variance, "V", "of the value biases only", 0, 1e12),
        NUMBER("mlp-bias-variance", &a->mlp_bias_variance, "V", "of the MLP biases only", 0, 1e12),
        NUMBER("residual-attention", &a->residual_attention, "A",
               "strength of the skip around attention (default 1)", 0, 1e6),
        NUMBER("residual", &a->residual_attention, "A", "short for --residual-attention", 0, 1e6),
        NUMBER("residual-mlp", &a->residual_mlp, "A", "strength of the skip around the MLP (default 1)", 0,
               1e6),
        NUMBER("rho0", &a->rho_0, "R", "cosine similarity of the input tokens (default 0.05)", 0, 1),
        NUMBER("q0", &a->q_0, "Q", "mean square of the input tokens, not for post-LN (default 1)", 1e-12,
               1e12),
        OPTIONS_END,
    };
    declare_options(t, options);
    if (read_config == NULL) drop_option(t, "config");
}

void drop_option(transformer_options *t, const char *name) {
    option *kept = t->list;
    for (const option *o = t->list; o->name != NULL; o++)
        if (strcmp(o->name, name) != 0) *kept++ = *o;
    *kept = (option)OPTIONS_END;
}

bool was_given(const transformer_options *t, const char *name) {
    const option *o = option_named(t->list, name);
    return o != NULL && o->given;
}

/* The value of --preset or --config before anything is parsed: its numbers are the defaults that other options change. */
static const char *find_value(int argc, char **argv, const char *option_name) {
    size_t length = strlen(option_name);
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], option_name) == 0) return i + 1 < argc ? argv[i + 1] : NULL;
        if (strncmp(argv[i], option_name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
    }
    return NULL;
}

static bool from_model(const transformer_options *t) {
    return t->preset != NULL || t->config != NULL;
}

/* What one standard deviation for all matrices amounts to, in the way of the model. */
static ireneo_error usual_scales(const transformer_options *t, ireneo_transformer *s) {
    bool own = was_given(t, "std");
    if (t->config == NULL)
        return ireneo_transformer_set_std(s, t->preset, own ? t->std : 0.0, t->no_projection);
    const ireneo_transformer *c = &config.transformer; /* whose logits may have a factor of their own */
    double factor = c->beta / ireneo_beta_from_std(config.std, config.std, (double)c->width, c->context);
    ireneo_error failed =
        ireneo_transformer_set_std(s, strcmp(config.model_type, "gpt2") == 0 ? "gpt2" : NULL,
                                   own ? t->std : config.std, t->no_projection);
    s->beta *= factor;
    return failed;
}

/* The same where no option says otherwise. */
static ireneo_error apply_std(transformer_options *t) {
    ireneo_transformer *a = &t->transformer, s = *a;
    bool both = was_given(t, "weight-variance");
    ireneo_error failed = usual_scales(t, &s);
    if (failed != IRENEO_OK) return failed;
    if (!was_given(t, "beta")) a->beta = s.beta;
    if (!was_given(t, "value-variance")) a->value_variance = s.value_variance;
    if (!both && !was_given(t, "mlp-in-variance")) a->mlp_in_variance = s.mlp_in_variance;
    if (!both && !was_given(t, "mlp-gate-variance")) a->mlp_gate_variance = s.mlp_gate_variance;
    if (!both && !was_given(t, "mlp-out-variance")) a->mlp_out_variance = s.mlp_out_variance;
    if (!was_given(t, "value-bias-variance")) a->value_bias_variance = s.value_bias_variance;
    if (!was_given(t, "mlp-bias-variance")) a->mlp_bias_variance = s.mlp_bias_variance;
    a->output_projection = s.output_projection;
    if (!was_given(t, "residual-attention") && !was_given(t, "residual"))
        a->residual_attention = s.residual_attention;
    if (!was_given(t, "residual-mlp")) a->residual_mlp = s.residual_mlp;
    return IRENEO_OK;
}

static bool scale_given(const transformer_options *t) {
    static const char *const names[] = {"beta",
                                        "value-variance",
                                        "weight-variance",
                                        "mlp-in-variance",
                                        "mlp-out-variance",
                                        "mlp-gate-variance"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (was_given(t, names[i])) return true;
    return false;
}

/* The words of --norm and --activation are the names of the library's numbers. */
static void choose_words(transformer_options *t) {
    for (int i = 0; t->norm != NULL && i <= IRENEO_NORMALISATION_SANDWICH; i++)
        if (strcmp(t->norm, ireneo_normalisation_name((ireneo_normalisation)i)) == 0)
            t->transformer.normalisation = (ireneo_normalisation)i;
    for (int i = 0; t->activation != NULL && i <= IRENEO_ACTIVATION_SWIGLU; i++)
        if (strcmp(t->activation, ireneo_activation_name((ireneo_activation)i)) == 0)
            t->transformer.activation = (ireneo_activation)i;
}

/* A model and options that contradict it. */
static int check_model(const command *self, transformer_options *t) {
    ireneo_transformer *a = &t->transformer;
    const char *model = t->preset != NULL ? t->preset : t->config;
    bool gated = a->activation >= IRENEO_ACTIVATION_REGLU,
         behind = a->normalisation >= IRENEO_NORMALISATION_BRANCH;
    if (model == NULL) return 0;
    if (a->head_width == 0 && a->width % a->heads != 0)
        return complain(self, EXIT_USAGE, "%s: a width of %zu cannot be divided among %zu heads", model,
                        a->width, a->heads);
    if (a->key_heads > 0 && a->heads % a->key_heads != 0)
        return complain(self, EXIT_USAGE,
                        "%s: %zu heads cannot share %zu heads of keys and values; give --key-heads", model,
                        a->heads, a->key_heads);
    if (was_given(t, "beta") && a->query_key_norm > 0.0)
        return complain(self, EXIT_USAGE,
                        "%s normalises queries and keys, so that --beta has no say; give --qk-norm", model);
    if (was_given(t, "mlp-gate-variance") && !gated)
        return complain(self, EXIT_USAGE, "%s has no gate in its MLP; leave out --mlp-gate-variance", model);
    if (was_given(t, "branch-gain") && !behind)
        return complain(self, EXIT_USAGE, "%s has no norm behind its branches; leave out --branch-gain",
                        model);
    if (strcmp(model, "deepnorm") == 0 && a->normalisation != IRENEO_NORMALISATION_POST)
        return complain(self, EXIT_USAGE, "deepnorm has its norms after the sums; leave out --norm");
    if (!was_given(t, "window") && a->window >= a->context) a->window = 0.0; /* a short text: all is seen */
    return 0;
}

static int combine(const command *self, transformer_options *t) {
    ireneo_transformer *a = &t->transformer;
    if (was_given(t, "std") && scale_given(t))
        return complain(self, EXIT_USAGE, "give --std, or --beta and variances, not both");
    if (t->output_projection && t->no_projection)
        return complain(self, EXIT_USAGE, "give --output-projection or --no-projection, not both");
    if (!from_model(t) && was_given(t, "width") && !was_given(t, "mlp-width")) a->mlp_width = a->width;
    choose_words(t);
    ireneo_error failed = was_given(t, "std") || from_model(t) ? apply_std(t) : IRENEO_OK;
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (was_given(t, "weight-variance")) {
        if (!was_given(t, "mlp-in-variance")) a->mlp_in_variance = t->weight_variance;
        if (!was_given(t, "mlp-out-variance")) a->mlp_out_variance = t->weight_variance;
    }
    if (was_given(t, "bias-variance")) {
        if (!was_given(t, "value-bias-variance")) a->value_bias_variance = t->bias_variance;
        if (!was_given(t, "mlp-bias-variance")) a->mlp_bias_variance = t->bias_variance;
    }
    if (t->gain_control) a->gain_control = 1;
    if (t->causal) a->causal = 1;
    if (t->rms_norm) a->rms_norm = 1;
    if (t->parallel) a->parallel = 1;
    if (t->output_projection) a->output_projection = 1;
    return check_model(self, t);
}

/* The model that the command line names, before other options change it. */
static int find_model(const command *self, int argc, char **argv, transformer_options *t) {
    const char *preset = find_value(argc, argv, "--preset");
    const char *path = read_config != NULL ? find_value(argc, argv, "--config") : NULL;
    ireneo_error failed = IRENEO_OK;
    config = (ireneo_transformer_config){0};
    if (preset != NULL && path != NULL)
        return complain(self, EXIT_USAGE, "give --preset or --config, not both");
    if (preset != NULL) failed = ireneo_transformer_preset(preset, &t->transformer);
    if (path != NULL) {
        failed = read_config(path, &config);
        t->transformer = config.transformer;
    }
    t->model = path != NULL ? config.model_type : preset;
    return failed == IRENEO_OK ? 0 : report_error(self, failed);
}

static int parse(const command *self, int argc, char **argv, transformer_options *t, const char **words,
                 size_t least, size_t most) {
    int outcome = find_model(self, argc, argv, t);
    if (outcome != 0) return outcome;
    outcome = parse_options(self, argc, argv, t->list, words, least, most, NULL);
    return outcome != 0 ? outcome : combine(self, t);
}

int parse_transformer(const command *self, int argc, char **argv, transformer_options *t) {
    return parse(self, argc, argv, t, NULL, 0, 0);
}

int parse_transformer_and_word(const command *self, int argc, char **argv, transformer_options *t,
                               const char **word) {
    return parse(self, argc, argv, t, word, 1, 1);
}

int parse_transformer_and_optional_word(const command *self, int argc, char **argv, transformer_options *t,
                                        const char **word) {
    return parse(self, argc, argv, t, word, 0, 1);
}

/* What a config.json said besides, for people; nothing without one. */
static void print_config(void) {
    if (config.unknown[0] != '\0')
        printf("config.json: fields that are not understood: %s\n", config.unknown);
    if (config.note[0] != '\0') printf("config.json: %s\n", config.note);
    config.unknown[0] = config.note[0] = '\0'; /* once */
}

void print_shape(const ireneo_transformer *t) {
    static const char *const norms[] = {"post-LN", "pre-LN", "norm-free", "branch-norm", "sandwich-norm"};
    printf("%zu %s layers, width %zu, %zu head%s, %g tokens", t->layers, norms[t->normalisation], t->width,
           t->heads, t->heads == 1 ? "" : "s", t->context);
    if (t->keys > 0.0) printf(" (%g keys a row)", t->keys);
    printf(", %s MLP of width %zu%s", ireneo_activation_name(t->activation), t->mlp_width,
           t->gain_control ? ", gain control" : "");
    if (t->causal) printf(", causal");
    if (t->window > 0.0) printf(", window %g", t->window);
    if (t->rms_norm) printf(", RMSNorm");
    if (t->key_heads > 0 && t->key_heads != t->heads) printf(", %zu key heads", t->key_heads);
    if (t->rope_base > 0.0) printf(", RoPE %g", t->rope_base);
    if (t->query_key_norm > 0.0) printf(", QK-norm %.4g", t->query_key_norm);
    if (t->soft_cap > 0.0) printf(", soft cap %g", t->soft_cap);
    if (t->parallel) printf(", parallel branches");
    putchar('\n');
    print_config();
}

double usual_growth_limit(const ireneo_transformer *t) {
    return t->normalisation == IRENEO_NORMALISATION_POST ? 1e3 : 1e5;
}

void print_transformer(const ireneo_transformer *t) {
    print_shape(t);
    if (t->query_key_norm == 0.0) printf("beta %.4g, ", t->beta); /* has no say beside the norm */
    printf(
        "value variance %.4g, MLP variances %.4g and %.4g, bias variance %.4g, residual strengths %.4g and "
        "%.4g\n",
        t->value_variance, t->mlp_in_variance, t->mlp_out_variance, t->value_bias_variance,
        t->residual_attention, t->residual_mlp);
}

/* What differs from the plain block, as options. */
static void print_ingredients(FILE *out, const ireneo_transformer *t) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"window", t->window},
                   {"branch-gain", t->branch_gain},
                   {"rope", t->rope_base},
                   {"mlp-gate-variance", t->mlp_gate_variance},
                   {"qk-norm", t->query_key_norm},
                   {"soft-cap", t->soft_cap},
                   {"key-heads", (double)t->key_heads},
                   {"head-width", (double)t->head_width}};
    const struct {
        const char *name;
        int on;
    } flags[] = {{"causal", t->causal},
                 {"rms-norm", t->rms_norm},
                 {"parallel", t->parallel},
                 {"output-projection", t->output_projection}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].on) fprintf(out, " --%s", flags[i].name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value > 0.0) fprintf(out, " --%s %.12g", numbers[i].name, numbers[i].value);
}

void print_options(FILE *out, const ireneo_transformer *t) {
    fprintf(out, "--layers %zu --width %zu --heads %zu --mlp-width %zu --context %.12g", t->layers, t->width,
            t->heads, t->mlp_width, t->context);
    if (t->keys > 0.0) fprintf(out, " --keys %.12g", t->keys);
    fprintf(out, " --norm %s --activation %s%s --rho0 %.6g --q0 %.6g",
            ireneo_normalisation_name(t->normalisation), ireneo_activation_name(t->activation),
            t->gain_control ? " --gain-control" : "", t->rho_0, t->q_0);
    fprintf(out, " --beta %.6g --value-variance %.6g --mlp-in-variance %.6g --mlp-out-variance %.6g", t->beta,
            t->value_variance, t->mlp_in_variance, t->mlp_out_variance);
    if (t->value_bias_variance == t->mlp_bias_variance)
        fprintf(out, " --bias-variance %.6g", t->value_bias_variance);
    else
        fprintf(out, " --value-bias-variance %.6g --mlp-bias-variance %.6g", t->value_bias_variance,
                t->mlp_bias_variance);
    fprintf(out, " --residual-attention %.6g --residual-mlp %.6g", t->residual_attention, t->residual_mlp);
    print_ingredients(out, t);
}

static void write_ingredients(ireneo_json *json, const ireneo_transformer *t) {
    bool gated = t->activation >= IRENEO_ACTIVATION_REGLU;
    ireneo_json_bool(json, "causal", t->causal != 0);
    ireneo_json_number(json, "window", t->window);
    ireneo_json_bool(json, "rms_norm", t->rms_norm != 0);
    ireneo_json_number(json, "branch_gain", t->branch_gain > 0.0 ? t->branch_gain : 1.0);
    ireneo_json_number(json, "mlp_gate_variance",
                       !gated                       ? 0.0
                       : t->mlp_gate_variance > 0.0 ? t->mlp_gate_variance
                                                    : t->mlp_in_variance);
    ireneo_json_number(json, "rope_base", t->rope_base);
    ireneo_json_number(json, "query_key_norm", t->query_key_norm);
    ireneo_json_size(json, "key_heads", t->key_heads > 0 ? t->key_heads : t->heads);
    ireneo_json_size(json, "head_width", t->head_width > 0 ? t->head_width : t->width / t->heads);
    ireneo_json_bool(json, "parallel", t->parallel != 0);
    ireneo_json_number(json, "soft_cap", t->soft_cap);
    ireneo_json_bool(json, "output_projection", t->output_projection != 0);
}

void write_transformer(ireneo_json *json, const char *key, const ireneo_transformer *t) {
    ireneo_json_begin_object(json, key);
    ireneo_json_size(json, "layers", t->layers);
    ireneo_json_size(json, "width", t->width);
    ireneo_json_size(json, "heads", t->heads);
    ireneo_json_size(json, "mlp_width", t->mlp_width);
    ireneo_json_number(json, "context", t->context);
    ireneo_json_number(json, "keys", t->keys > 0.0 ? t->keys : t->context);
    ireneo_json_text(json, "norm", ireneo_normalisation_name(t->normalisation));
    ireneo_json_text(json, "activation", ireneo_activation_name(t->activation));
    ireneo_json_bool(json, "gain_control", t->gain_control != 0);
    ireneo_json_number(json, "beta", t->beta);
    ireneo_json_number(json, "value_variance", t->value_variance);
    ireneo_json_number(json, "mlp_in_variance", t->mlp_in_variance);
    ireneo_json_number(json, "mlp_out_variance", t->mlp_out_variance);
    ireneo_json_number(json, "value_bias_variance", t->value_bias_variance);
    ireneo_json_number(json, "mlp_bias_variance", t->mlp_bias_variance);
    ireneo_json_number(json, "residual_attention", t->residual_attention);
    ireneo_json_number(json, "residual_mlp", t->residual_mlp);
    ireneo_json_number(json, "rho_0", t->rho_0);
    ireneo_json_number(json, "q_0", t->q_0);
    write_ingredients(json, t);
    if (config.model_type[0] != '\0') {
        ireneo_json_text(json, "model_type", config.model_type);
        ireneo_json_text(json, "unknown_fields", config.unknown);
        ireneo_json_text(json, "config_note", config.note);
    }
    ireneo_json_end_object(json);
}
