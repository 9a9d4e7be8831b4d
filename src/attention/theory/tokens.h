/* Tokens as every map sees them: q, the overlap of a token with itself, and the gap q - p to its overlap with
 * another token, which stays accurate when tokens are nearly alike. */
#ifndef IRENEO_ATTENTION_THEORY_TOKENS_H
#define IRENEO_ATTENTION_THEORY_TOKENS_H

typedef struct ireneo_tokens {
    double q, gap;
} ireneo_tokens;

#endif
