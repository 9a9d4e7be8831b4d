/* Options that `attention simulate` and `attention train` share: the network and its initialisation. */
#ifndef IRENEO_CLI_ATTENTION_NETWORK_H
#define IRENEO_CLI_ATTENTION_NETWORK_H

#include "base/json.h"
#include "ireneo.h"
#include "options.h"

typedef struct network_words {
    const char *normalisation, *activation;
    size_t context;
    bool gain_control;
} network_words;

enum { NETWORK_OPTIONS = 16 };

/* Writes NETWORK_OPTIONS rows for the transformer, whose present values are the defaults. */
void network_options(ireneo_transformer *transformer, network_words *words, option *options);

/* Turns the words into what they mean. */
void read_network_words(const network_words *words, ireneo_transformer *transformer);

/* The network as JSON members. */
void network_json(const ireneo_transformer *transformer, ireneo_json *json);

#endif
