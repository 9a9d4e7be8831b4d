/* PyTorch code that applies a recommendation, for the module names of common implementations. */
#include "attention_snippet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_head(FILE *out, const ireneo_attention_recommendation *r) {
    const ireneo_transformer *t = &r->transformer;
    fprintf(out, "import torch\n\n@torch.no_grad()\ndef init_weights(model):\n");
    fprintf(out,
            "    # %zu layers (norm: %s), width %zu, %zu head%s, context %g; by ireneo attention recommend\n",
            t->layers, ireneo_normalisation_name(t->normalisation), t->width, t->heads,
            t->heads == 1 ? "" : "s", t->context);
}

static void print_skips(FILE *out, const ireneo_transformer *t) {
    static const char *const blocks[] = {
        "norm1(%.5g * x + attention(x));  x = norm2(%.5g * x + mlp(x))",
        "%.5g * x + attention(norm1(x));  x = %.5g * x + mlp(norm2(x))",
        "%.5g * x + attention(x);  x = %.5g * x + mlp(x)",
        "%.5g * x + norm1(attention(x));  x = %.5g * x + norm2(mlp(x))",
        "%.5g * x + post1(attention(norm1(x)));  x = %.5g * x + post2(mlp(norm2(x)))"};
    if (t->residual_attention == 1.0 && t->residual_mlp == 1.0) return;
    fprintf(out, "# and in every block: x = ");
    fprintf(out, blocks[t->normalisation], t->residual_attention, t->residual_mlp);
    fputc('\n', out);
}

/* A snippet that meets other names than it expects must not do nothing in silence. */
static void print_count(FILE *out, size_t matrices, const char *model) {
    fprintf(out, "    assert found == %zu, f'{found} of %zu matrices found: are they named as in %s?'\n",
            matrices, matrices, model);
}

/* Queries, keys and values side by side in one matrix, and the names of the four matrices of a layer. */
typedef struct packed_names {
    const char *packed, *output, *mlp_in, *mlp_out; /* endings */
    bool side_by_side;                              /* weights are (inputs, outputs) */
    const char *model;
} packed_names;

static void print_packed(FILE *out, const ireneo_attention_recommendation *r, packed_names names) {
    const ireneo_transformer *t = &r->transformer;
    bool identity = r->std_output == 0.0;
    fprintf(out, "    d, found = %zu, 0\n    std = {'%s': %.6g, '%s': %.6g,\n           '%s': %.6g}%s\n",
            t->width, names.output, r->std_output, names.mlp_in, r->std_mlp_in, names.mlp_out, r->std_mlp_out,
            identity ? "  # 0: no projection, the identity" : "");
    fprintf(out,
            "    for name, p in model.named_parameters():\n"
            "        for ending, s in std.items():\n"
            "            if name.endswith(ending): %s; found += 1\n"
            "            if name.endswith(ending.replace('weight', 'bias')): p.zero_()\n",
            identity ? "p.normal_(0, s) if s > 0 else p.copy_(torch.eye(d))" : "p.normal_(0, s)");
    fprintf(out,
            "        if name.endswith('%s'):  # queries, keys, values\n"
            "            for i, s in enumerate((%.6g, %.6g, %.6g)): p[%si * d:(i + 1) * d].normal_(0, s)\n"
            "            found += 1\n"
            "        if name.endswith('%.*sbias'): p.zero_()\n",
            names.packed, r->std_query, r->std_key, r->std_value, names.side_by_side ? ":, " : "",
            (int)(strlen(names.packed) - strlen("weight")), names.packed);
    print_count(out, 4 * t->layers, names.model);
}

/* Three matrices for queries, keys and values, named as in the Hugging Face BERT and ViT. */
static void print_bert(FILE *out, const ireneo_attention_recommendation *r) {
    bool projects = r->std_output > 0.0;
    fprintf(out, "    std = {'query': %.6g, 'key': %.6g, 'value': %.6g,\n           ", r->std_query,
            r->std_key, r->std_value);
    if (projects) fprintf(out, "'attention.output.dense': %.6g, ", r->std_output);
    fprintf(out, "'intermediate.dense': %.6g, 'output.dense': %.6g}\n", r->std_mlp_in, r->std_mlp_out);
    fprintf(out, "    found = 0\n"
                 "    for name, module in model.named_modules():\n"
                 "        if not isinstance(module, torch.nn.Linear) or 'layer.' not in name: continue\n"
                 "        for ending, s in std.items():  # the first match counts\n"
                 "            if name.endswith(ending):\n"
                 "                module.weight.normal_(0, s); found += 1\n"
                 "                if module.bias is not None: module.bias.zero_()\n"
                 "                break\n");
    print_count(out, (projects ? 6 : 5) * r->transformer.layers, "the Hugging Face BERT and ViT");
}

/* One matrix each, with a gate, named as in Hugging Face's Llama; gains of norms where the design sets them, and what norms
 * add to their weights. */
static void print_llama(FILE *out, const ireneo_attention_recommendation *r, double offset) {
    const ireneo_transformer *t = &r->transformer;
    double gate = t->mlp_gate_variance > 0.0 ? sqrt(t->mlp_gate_variance / (double)t->width) : r->std_mlp_in;
    fprintf(out,
            "    std, found = {'q_proj': %.6g, 'k_proj': %.6g, 'v_proj': %.6g, 'o_proj': %.6g,\n"
            "                  'gate_proj': %.6g, 'up_proj': %.6g, 'down_proj': %.6g}, 0\n",
            r->std_query, r->std_key, r->std_value, r->std_output, gate, r->std_mlp_in, r->std_mlp_out);
    fprintf(out, "    for name, p in model.named_parameters():\n"
                 "        for ending, s in std.items():\n"
                 "            if name.endswith(ending + '.weight'): p.normal_(0, s); found += 1\n"
                 "            if name.endswith(ending + '.bias'): p.zero_()\n");
    if (t->query_key_norm > 0.0)
        fprintf(out, "        if name.endswith(('q_norm.weight', 'k_norm.weight')): p.fill_(%.6g)\n",
                sqrt(t->query_key_norm) - offset);
    if (t->normalisation >= IRENEO_NORMALISATION_BRANCH)
        fprintf(out,
                "        if name.endswith(('post_attention_layernorm.weight', "
                "'post_feedforward_layernorm.weight')): "
                "p.fill_(%.6g)\n",
                (t->branch_gain > 0.0 ? t->branch_gain : 1.0) - offset);
    print_count(out, 7 * t->layers,
                offset > 0.0 ? "the Hugging Face Gemma" : "the Hugging Face Llama, Qwen and OLMo");
}

static const packed_names TORCH = {"in_proj_weight",
                                   "out_proj.weight",
                                   "linear1.weight",
                                   "linear2.weight",
                                   false,
                                   "torch.nn.TransformerEncoder"};
static const packed_names GPT2 = {
    "attn.c_attn.weight",    "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight", true,
    "the Hugging Face GPT-2"};
static const packed_names TIMM = {"attn.qkv.weight",
                                  "attn.proj.weight",
                                  "mlp.fc1.weight",
                                  "mlp.fc2.weight",
                                  false,
                                  "the VisionTransformer of timm"};

void print_snippet(FILE *out, const ireneo_attention_recommendation *r, snippet_style style) {
    print_head(out, r);
    switch (style) {
    case SNIPPET_TORCH:
        print_packed(out, r, TORCH);
        break;
    case SNIPPET_BERT:
        print_bert(out, r);
        break;
    case SNIPPET_GPT2:
        print_packed(out, r, GPT2);
        break;
    case SNIPPET_TIMM:
        print_packed(out, r, TIMM);
        break;
    case SNIPPET_LLAMA:
        print_llama(out, r, 0.0);
        break;
    case SNIPPET_GEMMA:
        print_llama(out, r, 1.0);
        break;
    }
    print_skips(out, &r->transformer);
}

bool snippet_is_gated(snippet_style style) {
    return style >= SNIPPET_LLAMA;
}

snippet_style snippet_style_of(const char *word) {
    static const struct {
        const char *start;
        snippet_style style;
    } words[] = {{"gpt2", SNIPPET_GPT2},     {"bert", SNIPPET_BERT},  {"roberta", SNIPPET_BERT},
                 {"vit", SNIPPET_BERT},      {"timm", SNIPPET_TIMM},  {"llama", SNIPPET_LLAMA},
                 {"mistral", SNIPPET_LLAMA}, {"qwen", SNIPPET_LLAMA}, {"olmo", SNIPPET_LLAMA},
                 {"gemma", SNIPPET_GEMMA}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(word, words[i].start, strlen(words[i].start)) == 0) return words[i].style;
    return SNIPPET_TORCH;
}
