/* --tokens and --padding: text as token ids, for the commands that read it. */
#ifndef IRENEO_CLI_ATTENTION_TOKENS_H
#define IRENEO_CLI_ATTENTION_TOKENS_H

#include "attention.h"

typedef struct token_options {
    const char *path; /* NULL: no ids */
    double padding;   /* NaN: negative ids */
    ireneo_attention_tokens tokens;
} token_options;

#define TOKEN_OPTIONS(t)                                                                                     \
    TEXT("tokens", &(t)->path, "FILE", "token ids as .npy: a stream, or sequences in rows"),                 \
        WHOLE("padding", &(t)->padding, "ID", "the id that fills rows up (default: negative ids)",           \
              -2147483648.0, 2147483647.0)

/* Reads the ids, if there are some. Returns 0 or an exit code after one sentence. */
int open_tokens(const command *self, const transformer_options *t, token_options *own);

#endif
