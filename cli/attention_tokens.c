/* Token ids from a file that the command line names. */
#include "attention_tokens.h"

int open_tokens(const command *self, const transformer_options *t, token_options *own) {
    bool padded = was_given(t, "padding");
    if (own->path == NULL)
        return padded ? complain(self, EXIT_USAGE, "--padding is an id of --tokens, which is missing") : 0;
    int64_t padding = padded ? (int64_t)own->padding : 0;
    ireneo_error failed = ireneo_attention_tokens_open(own->path, padded ? &padding : NULL, &own->tokens);
    return failed == IRENEO_OK ? 0 : report_error(self, failed);
}
