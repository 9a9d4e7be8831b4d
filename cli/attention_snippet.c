/* PyTorch code that applies a recommendation, for the module names of common implementations. */
#include "attention_snippet.h"

#include <stdio.h>

static void print_head(FILE *out, const ireneo_recommendation *r) {
    const ireneo_transformer *t = &r->transformer;
    fprintf(out, "import torch\n\n@torch.no_grad()\ndef init_weights(model):\n");
    fprintf(out, "    # %zu %s-LN layers, width %zu, %zu heads, context %g; by ireneo attention recommend\n",
            t->layers, ireneo_normalisation_name(t->normalisation), t->width, t->heads, t->context);
}

static void print_skips(FILE *out, const ireneo_transformer *t) {
    if (t->residual_attention == 1.0 && t->residual_mlp == 1.0) return;
    if (t->normalisation == IRENEO_POST_LN)
        fprintf(out,
                "# and in every block: x = norm1(%.5g * x + attention(x));  x = norm2(%.5g * x + mlp(x))\n",
                t->residual_attention, t->residual_mlp);
    else
        fprintf(out,
                "# and in every block: x = %.5g * x + attention(norm1(x));  x = %.5g * x + mlp(norm2(x))\n",
                t->residual_attention, t->residual_mlp);
}

/* Names as in torch.nn.TransformerEncoder: queries, keys and values are three blocks of one matrix. */
static void print_torch(FILE *out, const ireneo_recommendation *r) {
    fprintf(out,
            "    for name, p in model.named_parameters():\n"
            "        if name.endswith('in_proj_weight'):\n"
            "            q, k, v = p.chunk(3)\n"
            "            q.normal_(0, %.6g); k.normal_(0, %.6g); v.normal_(0, %.6g)\n"
            "        elif name.endswith('out_proj.weight'): p.normal_(0, %.6g)\n"
            "        elif name.endswith('linear1.weight'):  p.normal_(0, %.6g)\n"
            "        elif name.endswith('linear2.weight'):  p.normal_(0, %.6g)\n"
            "        elif name.endswith('bias'):            p.zero_()\n",
            r->std_query, r->std_key, r->std_value, r->std_output, r->std_mlp_in, r->std_mlp_out);
}

/* Names as in the Hugging Face BERT and ViT. */
static void print_bert(FILE *out, const ireneo_recommendation *r) {
    fprintf(out,
            "    std = {'query': %.6g, 'key': %.6g, 'value': %.6g,\n"
            "           'attention.output.dense': %.6g, 'intermediate.dense': %.6g, 'output.dense': %.6g}\n"
            "    for name, module in model.named_modules():\n"
            "        if not isinstance(module, torch.nn.Linear) or 'layer.' not in name: continue\n"
            "        for ending, s in std.items():  # the first match counts\n"
            "            if name.endswith(ending):\n"
            "                module.weight.normal_(0, s); module.bias.zero_(); break\n",
            r->std_query, r->std_key, r->std_value, r->std_output, r->std_mlp_in, r->std_mlp_out);
}

/* Names as in the Hugging Face GPT-2, whose Conv1D weights are (inputs, outputs). */
static void print_gpt2(FILE *out, const ireneo_recommendation *r) {
    fprintf(out,
            "    for name, p in model.named_parameters():\n"
            "        if name.endswith('attn.c_attn.weight'):\n"
            "            q, k, v = p.chunk(3, dim=1)\n"
            "            q.normal_(0, %.6g); k.normal_(0, %.6g); v.normal_(0, %.6g)\n"
            "        elif name.endswith('attn.c_proj.weight'): p.normal_(0, %.6g)\n"
            "        elif name.endswith('mlp.c_fc.weight'):    p.normal_(0, %.6g)\n"
            "        elif name.endswith('mlp.c_proj.weight'):  p.normal_(0, %.6g)\n"
            "        elif name.endswith('bias'):               p.zero_()\n",
            r->std_query, r->std_key, r->std_value, r->std_output, r->std_mlp_in, r->std_mlp_out);
}

void print_snippet(FILE *out, const ireneo_recommendation *r, snippet_style style) {
    print_head(out, r);
    switch (style) {
    case SNIPPET_TORCH:
        print_torch(out, r);
        break;
    case SNIPPET_BERT:
        print_bert(out, r);
        break;
    case SNIPPET_GPT2:
        print_gpt2(out, r);
        break;
    }
    print_skips(out, &r->transformer);
}
