/* Exact sums of products of float32 numbers, as whole numbers of 1280 bits.
 *
 * Every float32 number is m 2^(e - 149) with a whole m of 24 bits and 0 <= e <= 253. A product of four of them, and a
 * sum of 2^32 such products, has fewer than 1280 bits above 2^-596: nothing is rounded, so the sign of a sum is known
 * also when float64 cannot tell it from zero. */
#ifndef IRENEO_BASE_EXACT_H
#define IRENEO_BASE_EXACT_H

#include <stddef.h>
#include <stdint.h>

enum { IRENEO_EXACT_LIMBS = 20, IRENEO_EXACT_UNIT = -149 }; /* a float32 number is a multiple of 2^-149 */

/* Two's complement, lowest limb first. What a unit stands for is the user's business. */
typedef struct ireneo_exact {
    uint64_t limb[IRENEO_EXACT_LIMBS];
} ireneo_exact;

/* value = *mantissa 2^(shift - 149), with the shift as result. value must be finite. */
unsigned ireneo_exact_split(float value, int32_t *mantissa);

/* sum += value 2^shift. */
void ireneo_exact_add(ireneo_exact *sum, int64_t value, unsigned shift);

/* sum += number factor 2^shift. */
void ireneo_exact_add_multiple(ireneo_exact *sum, const ireneo_exact *number, int32_t factor, unsigned shift);

/* -1, 0 or 1. */
int ireneo_exact_sign(const ireneo_exact *number);

/* number 2^unit, rounded; a number other than zero never becomes zero, and a finite one never infinite. */
double ireneo_exact_value(const ireneo_exact *number, int unit);

#endif
