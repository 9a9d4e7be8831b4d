/* The names of tensors: one table for layers, one for the rest. */
#include "attention/models/tensor_role.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct layer_name {
    const char *ending; /* all that follows the number of the layer */
    ireneo_tensor_role role;
    ireneo_tensor_family family;
} layer_name;

static const layer_name LAYER_NAMES[] = {
    {"self_attn.q_proj.weight", IRENEO_ROLE_QUERY, IRENEO_FAMILY_LLAMA},
    {"self_attn.k_proj.weight", IRENEO_ROLE_KEY, IRENEO_FAMILY_LLAMA},
    {"self_attn.v_proj.weight", IRENEO_ROLE_VALUE, IRENEO_FAMILY_LLAMA},
    {"self_attn.o_proj.weight", IRENEO_ROLE_OUTPUT, IRENEO_FAMILY_LLAMA},
    {"self_attn.qkv_proj.weight", IRENEO_ROLE_QUERY_KEY_VALUE, IRENEO_FAMILY_LLAMA},
    {"self_attn.q_proj.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_LLAMA},
    {"self_attn.k_proj.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_LLAMA},
    {"self_attn.v_proj.bias", IRENEO_ROLE_VALUE_BIAS, IRENEO_FAMILY_LLAMA},
    {"self_attn.o_proj.bias", IRENEO_ROLE_OUTPUT_BIAS, IRENEO_FAMILY_LLAMA},
    {"self_attn.q_norm.weight", IRENEO_ROLE_QUERY_NORM, IRENEO_FAMILY_LLAMA},
    {"self_attn.k_norm.weight", IRENEO_ROLE_KEY_NORM, IRENEO_FAMILY_LLAMA},
    {"self_attn.rotary_emb.inv_freq", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_LLAMA},
    {"mlp.gate_proj.weight", IRENEO_ROLE_GATE, IRENEO_FAMILY_LLAMA},
    {"mlp.up_proj.weight", IRENEO_ROLE_MLP_IN, IRENEO_FAMILY_LLAMA},
    {"mlp.down_proj.weight", IRENEO_ROLE_MLP_OUT, IRENEO_FAMILY_LLAMA},
    {"mlp.gate_up_proj.weight", IRENEO_ROLE_GATE_AND_IN, IRENEO_FAMILY_LLAMA},
    {"input_layernorm.weight", IRENEO_ROLE_NORM_ATTENTION, IRENEO_FAMILY_LLAMA},
    {"post_attention_layernorm.weight", IRENEO_ROLE_BRANCH_NORM_ATTENTION,
     IRENEO_FAMILY_LLAMA}, /* or NORM_MLP */
    {"pre_feedforward_layernorm.weight", IRENEO_ROLE_NORM_MLP, IRENEO_FAMILY_LLAMA},
    {"post_feedforward_layernorm.weight", IRENEO_ROLE_BRANCH_NORM_MLP, IRENEO_FAMILY_LLAMA},
    {"attention.wq.weight", IRENEO_ROLE_QUERY, IRENEO_FAMILY_LLAMA},
    {"attention.wk.weight", IRENEO_ROLE_KEY, IRENEO_FAMILY_LLAMA},
    {"attention.wv.weight", IRENEO_ROLE_VALUE, IRENEO_FAMILY_LLAMA},
    {"attention.wo.weight", IRENEO_ROLE_OUTPUT, IRENEO_FAMILY_LLAMA},
    {"feed_forward.w1.weight", IRENEO_ROLE_GATE, IRENEO_FAMILY_LLAMA},
    {"feed_forward.w3.weight", IRENEO_ROLE_MLP_IN, IRENEO_FAMILY_LLAMA},
    {"feed_forward.w2.weight", IRENEO_ROLE_MLP_OUT, IRENEO_FAMILY_LLAMA},
    {"attention_norm.weight", IRENEO_ROLE_NORM_ATTENTION, IRENEO_FAMILY_LLAMA},
    {"ffn_norm.weight", IRENEO_ROLE_NORM_MLP, IRENEO_FAMILY_LLAMA},
    {"attn.c_attn.weight", IRENEO_ROLE_QUERY_KEY_VALUE, IRENEO_FAMILY_GPT2},
    {"attn.c_attn.bias", IRENEO_ROLE_QUERY_KEY_VALUE_BIAS, IRENEO_FAMILY_GPT2},
    {"attn.c_proj.weight", IRENEO_ROLE_OUTPUT, IRENEO_FAMILY_GPT2},
    {"attn.c_proj.bias", IRENEO_ROLE_OUTPUT_BIAS, IRENEO_FAMILY_GPT2},
    {"attn.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_GPT2}, /* the mask */
    {"attn.masked_bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_GPT2},
    {"mlp.c_fc.weight", IRENEO_ROLE_MLP_IN, IRENEO_FAMILY_GPT2},
    {"mlp.c_fc.bias", IRENEO_ROLE_MLP_IN_BIAS, IRENEO_FAMILY_GPT2},
    {"mlp.c_proj.weight", IRENEO_ROLE_MLP_OUT, IRENEO_FAMILY_GPT2},
    {"mlp.c_proj.bias", IRENEO_ROLE_MLP_OUT_BIAS, IRENEO_FAMILY_GPT2},
    {"ln_1.weight", IRENEO_ROLE_NORM_ATTENTION, IRENEO_FAMILY_GPT2},
    {"ln_1.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_GPT2},
    {"ln_2.weight", IRENEO_ROLE_NORM_MLP, IRENEO_FAMILY_GPT2},
    {"ln_2.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_GPT2},
    {"attention.self.query.weight", IRENEO_ROLE_QUERY, IRENEO_FAMILY_BERT},
    {"attention.self.query.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_BERT},
    {"attention.self.key.weight", IRENEO_ROLE_KEY, IRENEO_FAMILY_BERT},
    {"attention.self.key.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_BERT},
    {"attention.self.value.weight", IRENEO_ROLE_VALUE, IRENEO_FAMILY_BERT},
    {"attention.self.value.bias", IRENEO_ROLE_VALUE_BIAS, IRENEO_FAMILY_BERT},
    {"attention.output.dense.weight", IRENEO_ROLE_OUTPUT, IRENEO_FAMILY_BERT},
    {"attention.output.dense.bias", IRENEO_ROLE_OUTPUT_BIAS, IRENEO_FAMILY_BERT},
    {"attention.output.LayerNorm.weight", IRENEO_ROLE_NORM_ATTENTION, IRENEO_FAMILY_BERT},
    {"attention.output.LayerNorm.gamma", IRENEO_ROLE_NORM_ATTENTION, IRENEO_FAMILY_BERT},
    {"attention.output.LayerNorm.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_BERT},
    {"attention.output.LayerNorm.beta", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_BERT},
    {"intermediate.dense.weight", IRENEO_ROLE_MLP_IN, IRENEO_FAMILY_NONE}, /* BERT and ViT */
    {"intermediate.dense.bias", IRENEO_ROLE_MLP_IN_BIAS, IRENEO_FAMILY_NONE},
    {"output.dense.weight", IRENEO_ROLE_MLP_OUT, IRENEO_FAMILY_NONE},
    {"output.dense.bias", IRENEO_ROLE_MLP_OUT_BIAS, IRENEO_FAMILY_NONE},
    {"output.LayerNorm.weight", IRENEO_ROLE_NORM_MLP, IRENEO_FAMILY_BERT},
    {"output.LayerNorm.gamma", IRENEO_ROLE_NORM_MLP, IRENEO_FAMILY_BERT},
    {"output.LayerNorm.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_BERT},
    {"output.LayerNorm.beta", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_BERT},
    {"attention.attention.query.weight", IRENEO_ROLE_QUERY, IRENEO_FAMILY_VIT},
    {"attention.attention.query.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_VIT},
    {"attention.attention.key.weight", IRENEO_ROLE_KEY, IRENEO_FAMILY_VIT},
    {"attention.attention.key.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_VIT},
    {"attention.attention.value.weight", IRENEO_ROLE_VALUE, IRENEO_FAMILY_VIT},
    {"attention.attention.value.bias", IRENEO_ROLE_VALUE_BIAS, IRENEO_FAMILY_VIT},
    {"layernorm_before.weight", IRENEO_ROLE_NORM_ATTENTION, IRENEO_FAMILY_VIT},
    {"layernorm_before.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_VIT},
    {"layernorm_after.weight", IRENEO_ROLE_NORM_MLP, IRENEO_FAMILY_VIT},
    {"layernorm_after.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_VIT},
    {"attn.qkv.weight", IRENEO_ROLE_QUERY_KEY_VALUE, IRENEO_FAMILY_TIMM},
    {"attn.qkv.bias", IRENEO_ROLE_QUERY_KEY_VALUE_BIAS, IRENEO_FAMILY_TIMM},
    {"attn.proj.weight", IRENEO_ROLE_OUTPUT, IRENEO_FAMILY_TIMM},
    {"attn.proj.bias", IRENEO_ROLE_OUTPUT_BIAS, IRENEO_FAMILY_TIMM},
    {"mlp.fc1.weight", IRENEO_ROLE_MLP_IN, IRENEO_FAMILY_TIMM},
    {"mlp.fc1.bias", IRENEO_ROLE_MLP_IN_BIAS, IRENEO_FAMILY_TIMM},
    {"mlp.fc2.weight", IRENEO_ROLE_MLP_OUT, IRENEO_FAMILY_TIMM},
    {"mlp.fc2.bias", IRENEO_ROLE_MLP_OUT_BIAS, IRENEO_FAMILY_TIMM},
    {"self_attn.in_proj_weight", IRENEO_ROLE_QUERY_KEY_VALUE, IRENEO_FAMILY_TORCH},
    {"self_attn.in_proj_bias", IRENEO_ROLE_QUERY_KEY_VALUE_BIAS, IRENEO_FAMILY_TORCH},
    {"self_attn.out_proj.weight", IRENEO_ROLE_OUTPUT, IRENEO_FAMILY_TORCH},
    {"self_attn.out_proj.bias", IRENEO_ROLE_OUTPUT_BIAS, IRENEO_FAMILY_TORCH},
    {"linear1.weight", IRENEO_ROLE_MLP_IN, IRENEO_FAMILY_TORCH},
    {"linear1.bias", IRENEO_ROLE_MLP_IN_BIAS, IRENEO_FAMILY_TORCH},
    {"linear2.weight", IRENEO_ROLE_MLP_OUT, IRENEO_FAMILY_TORCH},
    {"linear2.bias", IRENEO_ROLE_MLP_OUT_BIAS, IRENEO_FAMILY_TORCH},
    {"norm1.weight", IRENEO_ROLE_NORM_ATTENTION, IRENEO_FAMILY_NONE}, /* timm and torch */
    {"norm1.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_NONE},
    {"norm2.weight", IRENEO_ROLE_NORM_MLP, IRENEO_FAMILY_NONE},
    {"norm2.bias", IRENEO_ROLE_LEFT_OUT, IRENEO_FAMILY_NONE},
};

/* Names that end so, at a dot or at their beginning, belong to the whole model. */
static const struct whole_name {
    const char *ending;
    ireneo_tensor_role role;
} WHOLE_NAMES[] = {
    {"embed_tokens.weight", IRENEO_ROLE_EMBEDDING},
    {"tok_embeddings.weight", IRENEO_ROLE_EMBEDDING},
    {"wte.weight", IRENEO_ROLE_EMBEDDING},
    {"word_embeddings.weight", IRENEO_ROLE_EMBEDDING},
    {"embedding.weight", IRENEO_ROLE_EMBEDDING},
    {"wpe.weight", IRENEO_ROLE_POSITIONS},
    {"position_embeddings.weight", IRENEO_ROLE_POSITIONS},
    {"token_type_embeddings.weight", IRENEO_ROLE_SEGMENTS},
    {"embeddings.LayerNorm.weight", IRENEO_ROLE_EMBEDDING_NORM},
    {"embeddings.LayerNorm.gamma", IRENEO_ROLE_EMBEDDING_NORM},
    {"embeddings.LayerNorm.bias", IRENEO_ROLE_LEFT_OUT},
    {"embeddings.LayerNorm.beta", IRENEO_ROLE_LEFT_OUT},
    {"lm_head.weight", IRENEO_ROLE_LEFT_OUT},
    {"output.weight", IRENEO_ROLE_LEFT_OUT},
    {"norm.weight", IRENEO_ROLE_LEFT_OUT},
    {"norm.bias", IRENEO_ROLE_LEFT_OUT},
    {"ln_f.weight", IRENEO_ROLE_LEFT_OUT},
    {"ln_f.bias", IRENEO_ROLE_LEFT_OUT},
    {"layernorm.weight", IRENEO_ROLE_LEFT_OUT},
    {"layernorm.bias", IRENEO_ROLE_LEFT_OUT},
    {"position_ids", IRENEO_ROLE_LEFT_OUT},
    {"pooler.dense.weight", IRENEO_ROLE_LEFT_OUT},
    {"pooler.dense.bias", IRENEO_ROLE_LEFT_OUT},
    {"classifier.weight", IRENEO_ROLE_LEFT_OUT},
    {"classifier.bias", IRENEO_ROLE_LEFT_OUT},
    {"head.weight", IRENEO_ROLE_LEFT_OUT},
    {"head.bias", IRENEO_ROLE_LEFT_OUT},
    {"cls_token", IRENEO_ROLE_LEFT_OUT},
    {"pos_embed", IRENEO_ROLE_LEFT_OUT},
    {"embeddings.position_embeddings", IRENEO_ROLE_LEFT_OUT},
    {"patch_embed.proj.weight", IRENEO_ROLE_LEFT_OUT},
    {"patch_embed.proj.bias", IRENEO_ROLE_LEFT_OUT},
    {"patch_embeddings.projection.weight", IRENEO_ROLE_LEFT_OUT},
    {"patch_embeddings.projection.bias", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.bias", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.decoder.weight", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.decoder.bias", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.transform.dense.weight", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.transform.dense.bias", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.transform.LayerNorm.weight", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.transform.LayerNorm.bias", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.transform.LayerNorm.gamma", IRENEO_ROLE_LEFT_OUT},
    {"cls.predictions.transform.LayerNorm.beta", IRENEO_ROLE_LEFT_OUT},
    {"cls.seq_relationship.weight", IRENEO_ROLE_LEFT_OUT},
    {"cls.seq_relationship.bias", IRENEO_ROLE_LEFT_OUT},
};

/* What lists of layers are called. */
static const char *const LISTS[] = {"layers", "layer", "h", "blocks"};

static bool is_list(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++)
        if (strlen(LISTS[i]) == length && strncmp(word, LISTS[i], length) == 0) return true;
    return false;
}

/* The number of the first list of layers in a name, at most six digits; NULL when there is none. */
static const char *layer_number(const char *name, size_t *digits) {
    for (const char *word = name, *dot; (dot = strchr(word, '.')) != NULL; word = dot + 1) {
        *digits = strspn(dot + 1, "0123456789");
        if (is_list(word, (size_t)(dot - word)) && *digits > 0 && *digits < 7 && dot[1 + *digits] == '.')
            return dot + 1;
    }
    return NULL;
}

static bool ends_at_dot(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    if (length < tail || strcmp(name + length - tail, ending) != 0) return false;
    return length == tail || name[length - tail - 1] == '.';
}

ireneo_tensor_place ireneo_tensor_place_of(const char *name) {
    ireneo_tensor_place place = {IRENEO_ROLE_UNKNOWN, IRENEO_FAMILY_NONE, 0, 0};
    size_t digits = 0;
    const char *number = layer_number(name, &digits);
    if (number == NULL) {
        for (size_t i = 0; i < sizeof WHOLE_NAMES / sizeof *WHOLE_NAMES; i++)
            if (ends_at_dot(name, WHOLE_NAMES[i].ending)) place.role = WHOLE_NAMES[i].role;
        return place;
    }
    for (size_t i = 0; i < sizeof LAYER_NAMES / sizeof *LAYER_NAMES; i++)
        if (strcmp(number + digits + 1, LAYER_NAMES[i].ending) == 0) {
            place.role = LAYER_NAMES[i].role;
            place.family = LAYER_NAMES[i].family;
            place.layer = (size_t)strtoul(number, NULL, 10);
            place.stack = (size_t)(number - name);
        }
    return place;
}
