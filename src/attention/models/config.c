/* Fields of config.json, taken over one by one. The names are those of the configuration classes of Hugging Face's
 * transformers; what they leave out has the default of these classes where files in use leave it out. */
#include "attention/models/config.h"

#include "attention/models/config_field.h"
#include "attention/models/model_family.h"
#include "attention/theory/transformer.h"
#include "base/input_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_WIDTH = 10000000, MOST_LAYERS = 100000, MOST_TOKENS = 1000000000 };

/* One thing and its names. */
#define WIDTH        "hidden_size|n_embd"
#define LAYERS       "num_hidden_layers|n_layer"
#define HEADS        "num_attention_heads|n_head"
#define KEY_HEADS    "num_key_value_heads"
#define HEAD_WIDTH   "head_dim"
#define MLP_WIDTH    "intermediate_size|n_inner"
#define CONTEXT      "max_position_embeddings|n_positions|n_ctx"
#define ACTIVATION   "hidden_activation|hidden_act|activation_function"
#define STD          "initializer_range"
#define WINDOW       "sliding_window"
#define ROPE         "rope_theta"
#define LOCAL_ROPE   "rope_local_base_freq"
#define SOFT_CAP     "attn_logit_softcapping"
#define QUERY_SCALE  "query_pre_attn_scalar"
#define VOCABULARY   "vocab_size"
#define EXPERTS      "num_local_experts|num_experts|n_routed_experts"
#define PART_ROTATED "partial_rotary_factor"
#define PICTURE      "image_size|patch_size"
#define SWITCHES     "is_decoder|use_sliding_window|scale_attn_by_inverse_layer_idx"

static const char USED[] =
    WIDTH "|" LAYERS "|" HEADS "|" KEY_HEADS "|" HEAD_WIDTH "|" MLP_WIDTH "|" CONTEXT "|" ACTIVATION "|" STD
          "|" WINDOW "|" ROPE "|" LOCAL_ROPE "|" SOFT_CAP "|" QUERY_SCALE "|" VOCABULARY "|" EXPERTS
          "|" PART_ROTATED "|" PICTURE "|" SWITCHES
          "|model_type|text_config|position_embedding_type|rope_scaling|rope_parameters";

/* What has no say at initialisation, or about what is computed here. */
static const char NO_MATTER[] =
    "architectures|torch_dtype|dtype|transformers_version|use_cache|tie_word_embeddings|*_token_id|*_token_"
    "index|*_dropout|*_dropout_prob|"
    "*_pdrop|*_eps|layer_norm_epsilon|pretraining_tp|attention_bias|mlp_bias|qkv_bias|max_window_layers|"
    "layer_types|"
    "sliding_window_pattern|_sliding_window_pattern|type_vocab_size|classifier_dropout|gradient_"
    "checkpointing|id2label|label2id|"
    "cache_implementation|final_logit_softcapping|num_channels|encoder_stride|problem_type|_name_or_path|"
    "auto_map|"
    "_attn_implementation|reorder_and_upcast_attn|scale_attn_weights|summary_activation|summary_first_"
    "dropout|summary_proj_to_labels|"
    "summary_type|summary_use_proj|task_specific_params|original_max_position_embeddings|use_bidirectional_"
    "attention|"
    "vision_config|mm_tokens_per_image|pooler_act|pooler_output_size|name_or_path|clip_qkv";

static ireneo_error read_activation(const ireneo_config_file *f, const ireneo_model_family *family,
                                    ireneo_activation *activation) {
    static const struct {
        const char *names;
        ireneo_activation plain, gated;
    } words[] = {
        {"gelu|gelu_new|gelu_fast|gelu_pytorch_tanh", IRENEO_ACTIVATION_GELU, IRENEO_ACTIVATION_GEGLU},
        {"silu|swish", IRENEO_ACTIVATION_SILU, IRENEO_ACTIVATION_SWIGLU},
        {"relu", IRENEO_ACTIVATION_RELU, IRENEO_ACTIVATION_REGLU},
    };
    const char *word = NULL;
    /* Gemma's hidden_act is older than its code and not obeyed by it. */
    IRENEO_TRY(ireneo_config_text(f, "hidden_activation", &word));
    if (word == NULL && !family->scaled) IRENEO_TRY(ireneo_config_text(f, ACTIVATION, &word));
    if (word == NULL) word = family->usual_activation;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ireneo_config_listed(words[i].names, word))
            return *activation = family->gated ? words[i].gated : words[i].plain, IRENEO_OK;
    if (!family->gated && strcmp(word, "tanh") == 0) return *activation = IRENEO_ACTIVATION_TANH, IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: the activation '%.40s' is not known; gelu, silu and relu are",
                       f->path, word);
}

/* gemma3's own files leave out what its class says. */
static bool leaves_out(const ireneo_config_file *f) {
    return strncmp(f->model_type, "gemma3", 6) == 0;
}

static ireneo_error read_heads(const ireneo_config_file *f, ireneo_transformer *t) {
    bool found = false;
    if (leaves_out(f)) {
        t->heads = 8, t->key_heads = 4, t->head_width = 256;
        IRENEO_TRY(ireneo_config_whole(f, HEADS, MOST_WIDTH, &t->heads, &found));
    } else {
        IRENEO_TRY(ireneo_config_needed(f, HEADS, MOST_WIDTH, &t->heads));
    }
    IRENEO_TRY(ireneo_config_whole(f, KEY_HEADS, MOST_WIDTH, &t->key_heads, &found));
    IRENEO_TRY(ireneo_config_whole(f, HEAD_WIDTH, MOST_WIDTH, &t->head_width, &found));
    if (t->head_width == 0 && t->width % t->heads != 0)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: hidden_size %zu cannot be divided among %zu attention heads, and head_dim is not given",
            f->path, t->width, t->heads);
    if (t->key_heads > 0 && t->heads % t->key_heads != 0)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: %zu attention heads cannot share num_key_value_heads %zu",
                           f->path, t->heads, t->key_heads);
    if (t->head_width * t->heads == t->width) t->head_width = 0;
    if (t->key_heads == t->heads) t->key_heads = 0;
    return IRENEO_OK;
}

/* Tokens: of a text, or the patches of a picture and one more. */
static ireneo_error read_context(const ireneo_config_file *f, ireneo_transformer *t) {
    size_t tokens = 0, side = 0, patch = 0;
    bool found = false;
    if (strcmp(f->model_type, "vit") == 0) {
        IRENEO_TRY(ireneo_config_needed(f, "image_size", 1 << 20, &side));
        IRENEO_TRY(ireneo_config_needed(f, "patch_size", 1 << 20, &patch));
        if (side % patch != 0)
            return ireneo_fail(IRENEO_ERROR_DATA,
                               "%s: image_size %zu cannot be divided into patches of patch_size %zu", f->path,
                               side, patch);
        tokens = (side / patch) * (side / patch) + 1;
    } else if (leaves_out(f)) {
        tokens = 131072;
        IRENEO_TRY(ireneo_config_whole(f, CONTEXT, MOST_TOKENS, &tokens, &found));
    } else {
        IRENEO_TRY(ireneo_config_needed(f, CONTEXT, MOST_TOKENS, &tokens));
    }
    if (tokens < 2) return ireneo_fail(IRENEO_ERROR_DATA, "%s: a context of one token", f->path);
    t->context = (double)tokens;
    return IRENEO_OK;
}

static ireneo_error read_sizes(const ireneo_config_file *f, const ireneo_model_family *family,
                               ireneo_transformer *t) {
    bool found = false;
    IRENEO_TRY(ireneo_config_needed(f, WIDTH, MOST_WIDTH, &t->width));
    IRENEO_TRY(ireneo_config_needed(f, LAYERS, MOST_LAYERS, &t->layers));
    IRENEO_TRY(read_heads(f, t));
    if (strcmp(f->model_type, "gpt2") == 0) { /* null: four times the width */
        t->mlp_width = 4 * t->width;
        IRENEO_TRY(ireneo_config_whole(f, MLP_WIDTH, MOST_WIDTH, &t->mlp_width, &found));
    } else {
        IRENEO_TRY(ireneo_config_needed(f, MLP_WIDTH, MOST_WIDTH, &t->mlp_width));
    }
    IRENEO_TRY(read_context(f, t));
    return read_activation(f, family, &t->activation);
}

/* Adds a sentence to the note. */
static void add_note(ireneo_transformer_config *config, const char *sentence) {
    size_t end = strlen(config->note);
    snprintf(config->note + end, sizeof config->note - end, "%s%s", end > 0 ? "; " : "", sentence);
}

static ireneo_error read_window(const ireneo_config_file *f, const ireneo_model_family *family,
                                ireneo_transformer_config *config) {
    ireneo_transformer *t = &config->transformer;
    size_t window = 0;
    bool found = false, used = false;
    IRENEO_TRY(ireneo_config_flag(f, "use_sliding_window", &used));
    IRENEO_TRY(ireneo_config_whole(f, WINDOW, MOST_TOKENS, &window, &found));
    if (!found || !(family->windowed || used) || (double)window >= t->context) return IRENEO_OK;
    if (window < 2) return ireneo_fail(IRENEO_ERROR_DATA, "%s: a sliding_window of one token", f->path);
    t->window = (double)window;
    if (family->scaled) add_note(config, "some layers see more than sliding_window; here all have it");
    return IRENEO_OK;
}

static ireneo_error read_rope(const ireneo_config_file *f, const ireneo_model_family *family,
                              ireneo_transformer_config *config) {
    ireneo_transformer *t = &config->transformer;
    const cJSON *scaling = cJSON_GetObjectItemCaseSensitive(f->json, "rope_scaling");
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(f->json, "rope_parameters");
    double share = 1.0;
    bool found = false, local = false;
    IRENEO_TRY(ireneo_config_real(f, PART_ROTATED, 0.0, 1.0, &share, &found));
    if (!family->rotary) return IRENEO_OK;
    if (share != 1.0)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: partial_rotary_factor %g: heads that are turned in part are not covered; whole ones are",
            f->path, share);
    t->rope_base = leaves_out(f) ? 1e6 : 1e4;
    IRENEO_TRY(ireneo_config_real(f, ROPE, 1.0001, 1e12, &t->rope_base, &found));
    if (!found && cJSON_IsObject(parameters)) { /* where transformers 5 puts it */
        ireneo_config_file inner = {f->path, parameters, f->model_type};
        IRENEO_TRY(ireneo_config_real(&inner, ROPE, 1.0001, 1e12, &t->rope_base, &found));
    }
    if (t->window > 0.0) { /* the layers with a window have their own */
        if (leaves_out(f)) t->rope_base = 1e4;
        IRENEO_TRY(ireneo_config_real(f, LOCAL_ROPE, 1.0001, 1e12, &t->rope_base, &local));
    }
    if (cJSON_IsObject(scaling)) add_note(config, "rope_scaling is left out");
    return IRENEO_OK;
}

/* Logits over sqrt(query_pre_attn_scalar) in the place of sqrt(head_dim); what one standard deviation makes of it is beta. */
static ireneo_error read_logits(const ireneo_config_file *f, const ireneo_model_family *family,
                                ireneo_transformer *t) {
    double head = (double)(t->head_width > 0 ? t->head_width : t->width / t->heads), scalar = head;
    bool found = false, inverse = false;
    IRENEO_TRY(ireneo_config_real(f, QUERY_SCALE, 1e-3, 1e9, &scalar, &found));
    IRENEO_TRY(ireneo_config_real(f, SOFT_CAP, 1e-6, 1e6, &t->soft_cap, &found));
    IRENEO_TRY(ireneo_config_flag(f, "scale_attn_by_inverse_layer_idx", &inverse));
    if (inverse)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: scale_attn_by_inverse_layer_idx: logits that differ from layer to layer are not covered",
            f->path);
    if (!family->scaled) scalar = head;
    if (family->normed)
        t->query_key_norm = sqrt(head / scalar);
    else
        t->beta *= sqrt(head / scalar);
    return IRENEO_OK;
}

static ireneo_error read_weights(const ireneo_config_file *f, const ireneo_model_family *family,
                                 ireneo_transformer_config *config) {
    ireneo_transformer *t = &config->transformer;
    bool found = false;
    config->std = 0.02;
    IRENEO_TRY(ireneo_config_real(f, STD, 1e-9, 1e3, &config->std, &found));
    IRENEO_TRY(ireneo_config_whole(f, VOCABULARY, MOST_TOKENS, &config->vocabulary, &found));
    IRENEO_TRY(
        ireneo_transformer_set_std(t, strcmp(f->model_type, "gpt2") == 0 ? "gpt2" : NULL, config->std, 0));
    IRENEO_TRY(read_logits(f, family, t));
    /* Words, and positions where they are added; BERT's third vector is the same for all tokens. Pictures: presets.c. */
    double power = config->std * config->std;
    t->q_0 = power * (family->scaled ? (double)t->width : family->rotary ? 1.0 : 2.0);
    t->rho_0 = 0.01;
    if (family->normalisation == IRENEO_NORMALISATION_POST) t->rho_0 = 0.34, t->q_0 = 1.0;
    if (strcmp(f->model_type, "vit") == 0) t->rho_0 = 0.2, t->q_0 = 0.31;
    return IRENEO_OK;
}

static ireneo_error refuse_foreign(const ireneo_config_file *f) {
    const char *positions = NULL;
    size_t experts = 1;
    bool found = false;
    IRENEO_TRY(ireneo_config_whole(f, EXPERTS, MOST_WIDTH, &experts, &found));
    if (experts > 1)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: mixtures of experts are not covered, and this model has %zu", f->path,
                           experts);
    IRENEO_TRY(ireneo_config_text(f, "position_embedding_type", &positions));
    if (positions != NULL && strcmp(positions, "absolute") != 0)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: position_embedding_type '%.40s' is not covered; absolute is", f->path,
                           positions);
    return IRENEO_OK;
}

static void list_unknown(const cJSON *json, ireneo_transformer_config *config) {
    size_t end = strlen(config->unknown), capacity = sizeof config->unknown;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        const char *name = item->string;
        if (ireneo_config_listed(USED, name) || ireneo_config_listed(NO_MATTER, name)) continue;
        bool fits = end + strlen(name) + 8 <= capacity && ireneo_name_printable(name);
        end += (size_t)snprintf(config->unknown + end, capacity - end, "%s%s", end > 0 ? ", " : "",
                                fits ? name : "...");
        if (!fits) return;
    }
}

static ireneo_error read_family(const ireneo_config_file *f, ireneo_transformer_config *config) {
    char list[200];
    const ireneo_model_family *family = ireneo_model_family_find(f->model_type);
    ireneo_transformer *t = &config->transformer;
    bool decoder = false;
    if (family == NULL) {
        ireneo_model_family_list(list, sizeof list);
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: models of type '%.40s' are not known; known are %s",
                           f->path, f->model_type, list);
    }
    ireneo_transformer_defaults(t);
    t->normalisation = family->normalisation;
    t->rms_norm = family->rms;
    IRENEO_TRY(ireneo_config_flag(f, "is_decoder", &decoder));
    t->causal = family->causal || decoder;
    IRENEO_TRY(refuse_foreign(f));
    IRENEO_TRY(read_sizes(f, family, t));
    IRENEO_TRY(read_window(f, family, config));
    IRENEO_TRY(read_rope(f, family, config));
    IRENEO_TRY(read_weights(f, family, config));
    snprintf(config->model_type, sizeof config->model_type, "%s", family->model_type);
    return IRENEO_OK;
}

/* A field that is there twice contradicts itself. */
static ireneo_error check_repeats(const char *path, const cJSON *json) {
    bool repeat = false;
    IRENEO_TRY(ireneo_json_keys_repeat(json, &repeat));
    return repeat ? ireneo_fail(IRENEO_ERROR_DATA, "%s: a field is there twice", path) : IRENEO_OK;
}

static ireneo_error read_object(const char *path, const cJSON *json, ireneo_transformer_config *config) {
    ireneo_config_file f = {path, json, NULL};
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(json, "text_config");
    IRENEO_TRY(check_repeats(path, json));
    IRENEO_TRY(ireneo_config_text(&f, "model_type", &f.model_type));
    list_unknown(json, config);
    if (cJSON_IsObject(text)) { /* a model of pictures and text: its text */
        IRENEO_TRY(check_repeats(path, text));
        f.json = text;
        const char *inner = NULL;
        IRENEO_TRY(ireneo_config_text(&f, "model_type", &inner));
        if (inner != NULL) f.model_type = inner;
        list_unknown(text, config);
    }
    if (f.model_type == NULL)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: model_type is missing: is this the config.json of a model?", path);
    return read_family(&f, config);
}

ireneo_error ireneo_config_parse(const char *path, const unsigned char *bytes, size_t count,
                                 ireneo_transformer_config *config) {
    cJSON *json = NULL;
    *config = (ireneo_transformer_config){0};
    while (count > 0 && strchr(" \t\r\n", *bytes) != NULL && *bytes != '\0') bytes++, count--;
    ireneo_error failed = ireneo_json_read(path, "config.json: it", bytes, count, &json);
    if (failed == IRENEO_OK) failed = read_object(path, json, config);
    cJSON_Delete(json);
    if (failed != IRENEO_OK) *config = (ireneo_transformer_config){0};
    return failed;
}

ireneo_error ireneo_transformer_read_config(const char *path, ireneo_transformer_config *config) {
    ireneo_input_file file;
    unsigned char *bytes = NULL;
    size_t count = 0;
    IRENEO_REQUIRE(config != NULL, "what a config.json says needs a place to be written to");
    *config = (ireneo_transformer_config){0};
    IRENEO_REQUIRE(path != NULL, "no config.json was given");
    IRENEO_TRY(ireneo_input_file_open(path, &file));
    ireneo_error failed =
        file.bytes > MOST_BYTES
            ? ireneo_fail(IRENEO_ERROR_DATA, "%s: a config.json of more than 1 MB is not read", path)
            : ireneo_input_file_head(&file, file.bytes, &bytes, &count);
    ireneo_input_file_close(&file);
    if (failed == IRENEO_OK) failed = ireneo_config_parse(path, bytes, count, config);
    free(bytes);
    return failed;
}
