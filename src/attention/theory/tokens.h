/* Tokens as every map sees them: q, the overlap of a token with itself, and the gap q - p to its overlap with
 * another token, which stays accurate when tokens are nearly alike. crowding: by which share tr C^2 / (tr C)^2 exceeds 1/d, C the covariance
 * of the tokens; 0 where they fill all directions alike (crowding.c). */
#ifndef IRENEO_ATTENTION_THEORY_TOKENS_H
#define IRENEO_ATTENTION_THEORY_TOKENS_H

typedef struct ireneo_tokens {
    double q, gap, crowding;
} ireneo_tokens;

#endif
