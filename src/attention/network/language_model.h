/* The trainer's model: token and position embeddings, the network, and a softmax over symbols at the masked
 * positions.
 *
 *   x = norm(E[token] + P[position]),  features = network(x) (normalised once more, but for post),
 *   logits = U features + b,  with U of its own or U = E / sqrt(width) (tied). */
#ifndef IRENEO_ATTENTION_NETWORK_LANGUAGE_MODEL_H
#define IRENEO_ATTENTION_NETWORK_LANGUAGE_MODEL_H

#include "attention/network/network.h"

typedef struct ireneo_language_shape {
    ireneo_network_shape network;
    size_t symbols; /* that can be predicted; token number `symbols` is the mask */
    bool tied;
} ireneo_language_shape;

/* Where the kinds of parameters lie in one flat block. */
typedef struct ireneo_language_layout {
    size_t tokens;      /* (symbols + 1, width) */
    size_t positions;   /* (context, width); none with rotary positions */
    size_t layers;      /* as in network.h */
    size_t output;      /* (symbols, width); none when tied */
    size_t output_bias; /* (symbols) */
    size_t count;       /* all numbers together */
} ireneo_language_layout;

ireneo_language_layout ireneo_language_model_layout(const ireneo_language_shape *shape);

/* Random parameters. Embeddings of tokens are N(0, 0.1^2), those of positions sines and cosines of wave
 * lengths 4 to 2 context of the same size; the layers are as ireneo_network_draw makes them, the output
 * matrix is small (variance 0.01 / width) and its bias is log frequency (symbols), so that an untrained
 * model predicts symbols by how frequent they are. */
void ireneo_language_model_draw(const ireneo_language_shape *shape, const ireneo_network_scales *scales,
                                const double *frequency, uint64_t seed, uint64_t stream,
                                ireneo_scalar *parameters);

/* Room for one group of sequences. */
typedef struct ireneo_language_work {
    ireneo_network_trace trace;
    ireneo_scalar *embedding;       /* (rows, width), normalised */
    ireneo_scalar *embedding_scale; /* (rows) */
    ireneo_scalar *features;        /* (rows, width): the network's output, normalised */
    ireneo_scalar *features_scale;  /* (rows), all but post */
    ireneo_scalar *chosen;          /* (rows, width): features at the masked positions, one below the other */
    ireneo_scalar *logits;          /* (rows, symbols) */
    size_t *masked;                 /* (rows): row numbers of the masked positions */
    size_t masked_count;
} ireneo_language_work;

/* For passes forward and back, or (measured) forward only with a look at the attention rows. */
ireneo_error ireneo_language_work_create(const ireneo_language_shape *shape, size_t sequences, int threads,
                                         bool measured, ireneo_language_work *work);
void ireneo_language_work_free(ireneo_language_work *work);

/* One group of sequences. tokens (rows) are what the model sees, targets (rows) the symbols to predict, or
 * negative where nothing is asked. Returns the sum of cross-entropies, in nats, over the work->masked_count
 * masked positions. */
double ireneo_language_model_loss(const ireneo_language_shape *shape, ireneo_scalar *parameters,
                                  ireneo_language_work *work, const int *tokens, const int *targets);

/* The same, and adds the gradient of factor times that sum to `gradients`, a block like the parameters. */
double ireneo_language_model_gradients(const ireneo_language_shape *shape, ireneo_scalar *parameters,
                                       ireneo_language_work *work, const int *tokens, const int *targets,
                                       double factor, ireneo_scalar *gradients);

#endif
