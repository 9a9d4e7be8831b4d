/* Exact arithmetic on facts and memories. A finite float is a whole number times 2^-149, so that differences of
 * values, their products with keys and whole scores are whole numbers (GMP): nothing is rounded anywhere. Shares
 * no code with the library. */
#ifndef IRENEO_TESTS_ATTACK_EXACT_H
#define IRENEO_TESTS_ATTACK_EXACT_H

#include "ireneo.h"

#include <gmp.h>
#include <stdbool.h>

/* number = value times 2^149; the value is finite. */
void exact_from_float(mpz_t number, float value);

/* An array of `count` zeros, released by exact_free. Ends the program when memory runs out. */
mpz_t *exact_array(size_t count);
void exact_free(mpz_t *numbers, size_t count);

size_t exact_target(const ireneo_facts *facts, size_t fact);

/* differences (candidates, dim_out) = y_target - y_j of one fact, times 2^149. */
void exact_differences(const ireneo_facts *facts, size_t fact, mpz_t *differences);

bool exact_finite(const ireneo_memory *memory);

/* Facts that the memory recalls by strict inequality; none when an entry is not finite. flags (facts) may be
 * NULL. */
size_t exact_recalled(const ireneo_memory *memory, const ireneo_facts *facts, unsigned char *flags);

#endif
