/* A random transformer encoder: forward and backward through attention, MLP, LayerNorm and skips.
 *
 *   attention   a_st = (W_Q x_s) . (W_K x_t) / sqrt(d_head) ,   A = softmax_t a ,
 *               o_s  = sum_t A_st (W_V x_t + b_V)
 *   MLP         W_2 phi(W_1 x + b_1) + b_2
 *   post-LN     x <- LN(residual x + branch(x))
 *   pre-LN      x <- residual x + branch(LN x)
 *
 * Several sequences of `context` tokens go through together: their tokens are the rows of every matrix. There
 * is no output projection and LayerNorm has no affine part, as in docs/attention.md. Weights are stored as
 * (outputs, inputs). */
#ifndef IRENEO_ATTENTION_NETWORK_NETWORK_H
#define IRENEO_ATTENTION_NETWORK_NETWORK_H

#include "attention/network/products.h"
#include "base/error.h"

typedef struct ireneo_network_shape {
    size_t layers, width, heads, context, mlp_width;
    ireneo_normalisation normalisation;
    ireneo_activation activation;
    bool causal;       /* token s sees tokens 0 .. s only */
    bool gain_control; /* the uniform part of attention is taken away: A - 1/T */
    double residual_attention, residual_mlp;
} ireneo_network_shape;

/* Variances at initialisation, see ireneo_network_draw. */
typedef struct ireneo_network_scales {
    double beta, value_variance, mlp_in_variance, mlp_out_variance, value_bias_variance, mlp_bias_variance;
    double context; /* tokens for which queries and keys are scaled; 0: those of the shape */
} ireneo_network_scales;

/* ---- parameters: one flat block, layer after layer ---- */

typedef struct ireneo_layer_view {
    ireneo_scalar *query_key_value; /* (3 width, width): W_Q, W_K, W_V one below the other */
    ireneo_scalar *value_bias;      /* (width) */
    ireneo_scalar *mlp_in;          /* (mlp_width, width) */
    ireneo_scalar *mlp_in_bias;     /* (mlp_width) */
    ireneo_scalar *mlp_out;         /* (width, mlp_width) */
    ireneo_scalar *mlp_out_bias;    /* (width) */
} ireneo_layer_view;

/* Numbers in all layers together. */
size_t ireneo_network_parameters(const ireneo_network_shape *shape);

/* Where layer `layer` lies inside a block of parameters or gradients. */
ireneo_layer_view ireneo_network_layer(const ireneo_network_shape *shape, ireneo_scalar *block, size_t layer);

/* Fills the block with N(0, variance) numbers of one random stream: W_Q and W_K beta sqrt(log T) / d each, so
 * that logits of unit tokens have variance beta^2 log T; W_V value_variance / d; MLP weights theirs over
 * their number of inputs; biases theirs. */
void ireneo_network_draw(const ireneo_network_shape *shape, const ireneo_network_scales *scales,
                         uint64_t seed, uint64_t stream, ireneo_scalar *block, int threads);

/* ---- what a pass leaves behind ---- */

/* What one layer keeps of the forward pass. rows = sequences * context. */
typedef struct ireneo_layer_trace {
    ireneo_scalar *attention_input;             /* (rows, width) */
    ireneo_scalar *query_key_value;             /* (rows, 3 width) */
    ireneo_scalar *log_sum;                     /* (sequences, heads, context): softmax denominators */
    ireneo_scalar *mlp_input;                   /* (rows, width) */
    ireneo_scalar *hidden;                      /* (rows, mlp_width), before the activation */
    ireneo_scalar *attention_scale, *mlp_scale; /* (rows): of the LayerNorm at each branch */
} ireneo_layer_trace;

typedef struct ireneo_network_trace {
    size_t sequences, rows;
    int threads;
    ireneo_layer_trace *layers; /* (layers + 1): the last holds only attention_input */
    ireneo_scalar *stream;      /* (rows, width): the tokens between layers; in pre-LN not normalised */
    ireneo_scalar *gradient;    /* (rows, width): of the loss with respect to the stream */

    /* Measured in the last attention pass, when not NULL: (sequences, heads, context) each, and the column
     * sums of A (sequences, heads, context). */
    ireneo_scalar *participation, *entropy, *column_sum;

    /* Scratch. */
    ireneo_scalar *branch, *branch_gradient; /* (rows, width) */
    ireneo_scalar *wide, *wide_gradient;     /* (rows, max(3 width, mlp_width)) */
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

/* Takes the tokens in trace->stream (rows, width), normalised by the caller, as the input of layer 0. */
void ireneo_network_begin(const ireneo_network_shape *shape, ireneo_network_trace *trace);

/* trace->stream through one layer; layers in order 0 .. layers - 1 after begin. */
void ireneo_network_layer_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                  ireneo_network_trace *trace, size_t layer);

/* trace->gradient back through one layer, adding to `gradients`; layers in order layers - 1 .. 0. */
void ireneo_network_layer_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                   ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer);

#endif
