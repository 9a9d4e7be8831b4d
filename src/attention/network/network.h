/* A random transformer: forward and backward through attention, MLP, norms and skips.
 *
 *   attention   a_st = (W_Q x_s) . (W_K x_t) / sqrt(d_head) ,   A = softmax_t a ,
 *               o_s  = sum_t A_st (W_V x_t + b_V) ,   or W_O o_s with an output projection
 *   MLP         W_2 phi(W_1 x + b_1) + b_2 ,   or W_2 [(W_1 x + b_1) phi(W_G x + b_G)] + b_2 when gated
 *   post        x <- norm(residual x + branch(x))
 *   pre         x <- residual x + branch(norm x)
 *   none        x <- residual x + branch(x)
 *   branch      x <- residual x + gain norm(branch(x))
 *   sandwich    x <- residual x + gain norm(branch(norm x))
 *   parallel    both branches read the same input, and are added to one skip, that of attention
 *
 * Norms are LayerNorm or RMSNorm, without affine part. Queries and keys may be normalised head by head
 * (QK-norm, with a constant gain instead of trained ones), turned by rotary positions, and shared: several
 * heads of queries then read one head of keys and values. Logits may be capped. A row sees all keys, those
 * up to itself, or a window of them (sight.h).
 *
 * Several sequences of `context` tokens go through together: their tokens are the rows of every matrix.
 * Weights are stored as (outputs, inputs). */
#ifndef IRENEO_ATTENTION_NETWORK_NETWORK_H
#define IRENEO_ATTENTION_NETWORK_NETWORK_H

#include "attention/network/products.h"
#include "base/error.h"

/* Zero is what docs/attention.md calls plain: all keys, no rotation, heads that fill the width. */
typedef struct ireneo_network_shape {
    size_t layers, width, heads, context, mlp_width;
    size_t key_heads;  /* heads of keys and values; 0: as many as of queries */
    size_t head_width; /* 0: width / heads; others need an output projection */
    size_t window;     /* keys that a row sees at most; 0: all */
    ireneo_normalisation normalisation;
    ireneo_activation activation;
    bool causal;            /* token s sees tokens 0 .. s only */
    bool gain_control;      /* the uniform part of attention is taken away: A - 1/T */
    bool rms_norm;          /* norms divide by the root mean square and do not centre */
    bool parallel;          /* both branches read the same input */
    bool output_projection; /* W_O after the heads */
    double branch_gain;     /* of the norm on a branch's output; 0: 1 */
    double rope_base;       /* of rotary positions; 0: none */
    double query_key_norm;  /* product of the gains of queries and keys; 0: not normalised */
    double soft_cap;        /* logits are at most this large; 0: any size */
    double residual_attention, residual_mlp;
} ireneo_network_shape;

static inline size_t ireneo_head_width(const ireneo_network_shape *shape) {
    return shape->head_width > 0 ? shape->head_width : shape->width / shape->heads;
}

static inline size_t ireneo_key_heads(const ireneo_network_shape *shape) {
    return shape->key_heads > 0 ? shape->key_heads : shape->heads;
}

/* Numbers of a token's queries, of all heads; and of its keys, or of its values. */
static inline size_t ireneo_query_width(const ireneo_network_shape *shape) {
    return shape->heads * ireneo_head_width(shape);
}

static inline size_t ireneo_key_width(const ireneo_network_shape *shape) {
    return ireneo_key_heads(shape) * ireneo_head_width(shape);
}

/* Numbers of queries, keys and values together. */
static inline size_t ireneo_projection_width(const ireneo_network_shape *shape) {
    return ireneo_query_width(shape) + 2 * ireneo_key_width(shape);
}

/* Numbers of a token before the activation: gated MLPs have twice as many. */
size_t ireneo_hidden_width(const ireneo_network_shape *shape);

/* Variances at initialisation, see ireneo_network_draw. */
typedef struct ireneo_network_scales {
    double beta, value_variance, mlp_in_variance, mlp_out_variance, value_bias_variance, mlp_bias_variance;
    double mlp_gate_variance; /* 0: as mlp_in_variance */
    double context;           /* tokens for which queries and keys are scaled; 0: those of the shape */
} ireneo_network_scales;

/* ---- parameters: one flat block, layer after layer ---- */

typedef struct ireneo_layer_view {
    ireneo_scalar *query_key_value; /* (projection width, width): W_Q, W_K, W_V one below the other */
    ireneo_scalar *value_bias;      /* (key width) */
    ireneo_scalar *output;          /* (width, query width): W_O, only with an output projection */
    ireneo_scalar *mlp_in;          /* (hidden width, width): W_1, and below it W_G when gated */
    ireneo_scalar *mlp_in_bias;     /* (hidden width) */
    ireneo_scalar *mlp_out;         /* (width, mlp_width) */
    ireneo_scalar *mlp_out_bias;    /* (width) */
} ireneo_layer_view;

/* Numbers in all layers together. */
size_t ireneo_network_parameters(const ireneo_network_shape *shape);

/* Where layer `layer` lies inside a block of parameters or gradients. */
ireneo_layer_view ireneo_network_layer(const ireneo_network_shape *shape, ireneo_scalar *block, size_t layer);

/* Fills the block with N(0, variance) numbers of one random stream: W_Q and W_K beta sqrt(log T) / d each, so
 * that logits of unit tokens have variance beta^2 log T; W_V value_variance / d; MLP weights theirs over
 * their number of inputs; biases theirs. With an output projection W_V has 1 / d and W_O value_variance over
 * its inputs, and the value bias is such that what W_O makes of it has value_bias_variance. */
void ireneo_network_draw(const ireneo_network_shape *shape, const ireneo_network_scales *scales,
                         uint64_t seed, uint64_t stream, ireneo_scalar *block, int threads);

/* ---- what a pass leaves behind ---- */

/* What one layer keeps of the forward pass. rows = sequences * context. */
typedef struct ireneo_layer_trace {
    ireneo_scalar *attention_input;               /* (rows, width) */
    ireneo_scalar *query_key_value;               /* (rows, projection width), normalised and turned */
    ireneo_scalar *query_key_scale;               /* (rows, heads + key heads): of QK-norm */
    ireneo_scalar *log_sum;                       /* (sequences, heads, context): softmax denominators */
    ireneo_scalar *mixed;                         /* (rows, query width): what W_O reads */
    ireneo_scalar *mlp_input;                     /* (rows, width); parallel: the attention_input */
    ireneo_scalar *hidden;                        /* (rows, hidden width), before the activation */
    ireneo_scalar *attention_scale, *mlp_scale;   /* (rows): of the norm at each branch */
    ireneo_scalar *attention_output, *mlp_output; /* (rows, width): normalised outputs of the branches */
    ireneo_scalar *attention_output_scale, *mlp_output_scale; /* (rows) */
} ireneo_layer_trace;

typedef struct ireneo_network_trace {
    size_t sequences, rows;
    int threads;
    ireneo_layer_trace *layers; /* (layers + 1): the last holds only attention_input */
    ireneo_scalar *stream;      /* (rows, width): the tokens between layers; normalised in post only */
    ireneo_scalar *gradient;    /* (rows, width): of the loss with respect to the stream */
    ireneo_scalar *turns;       /* (context, head width): table of rotary positions */

    /* Measured in the last attention pass, when not NULL: (sequences, heads, context) each, and the column
     * sums of A (sequences, heads, context). */
    ireneo_scalar *participation, *entropy, *column_sum;

    /* Scratch. */
    ireneo_scalar *branch, *branch_gradient; /* (rows, width) */
    ireneo_scalar *normed_gradient;          /* (rows, width): behind the norm of a branch's output */
    ireneo_scalar *other_gradient;           /* (rows, width): of the other of two parallel branches */
    ireneo_scalar *mixed_gradient;           /* (rows, query width) */
    ireneo_scalar *wide, *wide_gradient;     /* (rows, max(projection width, hidden width)) */
    ireneo_scalar *tiles;                    /* (threads, tile rows, context) */
    ireneo_scalar *weights, *logit_gradient; /* (context, context) */
    ireneo_scalar *block;                    /* what free releases */
} ireneo_network_trace;

/* Room for passes over `sequences` sequences; backward also reserves what the way back needs, measured also
 * the three measured arrays. */
ireneo_error ireneo_network_trace_create(const ireneo_network_shape *shape, size_t sequences, int threads,
                                         bool backward, bool measured, ireneo_network_trace *trace);
void ireneo_network_trace_free(ireneo_network_trace *trace);

/* ---- passes; the BLAS must be set to one thread ---- */

/* The attention branch of one layer, from trace->layers[layer].attention_input into branch (rows, width). */
void ireneo_attention_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                              ireneo_network_trace *trace, size_t layer, ireneo_scalar *branch);

/* Adds the parameters' gradients to `gradients`; input_gradient (rows, width) is overwritten with the one
 * with respect to the branch's input. The same for the MLP. */
void ireneo_attention_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                               ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                               const ireneo_scalar *branch_gradient, ireneo_scalar *input_gradient);

void ireneo_mlp_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                        ireneo_network_trace *trace, size_t layer, ireneo_scalar *branch);
void ireneo_mlp_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                         ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                         const ireneo_scalar *branch_gradient, ireneo_scalar *input_gradient);

/* The norm of this network, of whole tokens (rows, width); arguments as in layer_norm.h. */
void ireneo_network_normalise(const ireneo_network_shape *shape, const ireneo_scalar *x, ireneo_scalar *y,
                              size_t rows, ireneo_scalar *scale, int threads);
void ireneo_network_normalise_backward(const ireneo_network_shape *shape, const ireneo_scalar *y,
                                       const ireneo_scalar *scale, ireneo_scalar *gradient, size_t rows,
                                       int threads);

/* Takes the tokens in trace->stream (rows, width), normalised by the caller, as the input of layer 0. */
void ireneo_network_begin(const ireneo_network_shape *shape, ireneo_network_trace *trace);

/* trace->stream through one layer; layers in order 0 .. layers - 1 after begin. */
void ireneo_network_layer_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                  ireneo_network_trace *trace, size_t layer);

/* trace->gradient back through one layer, adding to `gradients`; layers in order layers - 1 .. 0. */
void ireneo_network_layer_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                   ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer);

#endif
