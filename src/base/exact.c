/* Whole numbers of 1280 bits: just the operations that exact scores need, without allocation. */
#include "base/exact.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LIMBS = IRENEO_EXACT_LIMBS };

unsigned ireneo_exact_split(float value, int32_t *mantissa) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    int32_t whole = (int32_t)(exponent > 0 ? fraction | 0x800000 : fraction);
    *mantissa = bits >> 31 != 0 ? -whole : whole;
    return exponent > 0 ? exponent - 1 : 0;
}

/* Adds the words to the limbs from `at` on, and the sign's extension to all above them. */
static void add_words(ireneo_exact *sum, size_t at, const uint64_t *words, size_t count, bool negative) {
    uint64_t extension = negative ? UINT64_MAX : 0;
    unsigned carry = 0;
    for (size_t k = at; k < LIMBS; k++) {
        if (k >= at + count && extension + carry == 0) return; /* nothing more changes */
        uint64_t word = k < at + count ? words[k - at] : extension, with_carry = word + carry;
        carry = with_carry < carry;
        sum->limb[k] += with_carry;
        carry += sum->limb[k] < with_carry;
    }
}

void ireneo_exact_add(ireneo_exact *sum, int64_t value, unsigned shift) {
    __extension__ typedef __int128 int128;
    int128 shifted = (int128)value * ((int128)1 << shift % 64);
    uint64_t words[2] = {(uint64_t)shifted, (uint64_t)(shifted >> 64)};
    add_words(sum, shift / 64, words, 2, value < 0);
}

static bool is_negative(const ireneo_exact *number) {
    return number->limb[LIMBS - 1] >> 63 != 0;
}

static ireneo_exact negated(const ireneo_exact *number) {
    ireneo_exact result;
    unsigned carry = 1;
    for (size_t k = 0; k < LIMBS; k++) {
        result.limb[k] = ~number->limb[k] + carry;
        carry = carry && result.limb[k] == 0;
    }
    return result;
}

void ireneo_exact_add_multiple(ireneo_exact *sum, const ireneo_exact *number, int32_t factor,
                               unsigned shift) {
    __extension__ typedef unsigned __int128 uint128;
    if (factor == 0) return;
    bool negative = is_negative(number);
    ireneo_exact size = negative ? negated(number) : *number, product = {{0}};
    uint128 times = (uint128)(factor < 0 ? -(int64_t)factor : factor), carry = 0;
    size_t skip = shift / 64;
    unsigned bits = shift % 64;
    uint64_t before = 0;
    for (size_t k = 0; k + skip < LIMBS; k++) {
        carry += size.limb[k] * times;
        uint64_t word = (uint64_t)carry;
        product.limb[k + skip] = bits == 0 ? word : word << bits | before >> (64 - bits);
        before = word;
        carry >>= 64;
    }
    if (negative != (factor < 0)) product = negated(&product);
    add_words(sum, 0, product.limb, LIMBS, is_negative(&product));
}

int ireneo_exact_sign(const ireneo_exact *number) {
    if (is_negative(number)) return -1;
    for (size_t k = 0; k < LIMBS; k++)
        if (number->limb[k] != 0) return 1;
    return 0;
}

double ireneo_exact_value(const ireneo_exact *number, int unit) {
    int sign = ireneo_exact_sign(number);
    if (sign == 0) return 0.0;
    ireneo_exact size = sign < 0 ? negated(number) : *number;
    size_t top = LIMBS - 1;
    while (size.limb[top] == 0) top--;
    double value = (double)size.limb[top] + (top > 0 ? (double)size.limb[top - 1] * 0x1p-64 : 0.0);
    value = fmin(ldexp(value, (int)(64 * top) + unit), DBL_MAX);
    return (double)sign * fmax(value, DBL_TRUE_MIN);
}
