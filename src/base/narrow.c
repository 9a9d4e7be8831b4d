/* Rounding to narrower types, by the bits. */
#include "base/narrow.h"
#include "base/dtype.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The upper half of a float32; the lower half decides the rounding. */
static uint16_t to_brain(float value) {
    uint32_t bits = bits_of(value), odd = (bits >> 16) & 1u;
    return (uint16_t)((bits + 0x7fffu + odd) >> 16);
}

/* 10 bits of fraction; below 2^-14 a multiple of 2^-24. Adding a power of two leaves the rounding to the processor. */
static uint16_t to_half(float value) {
    uint32_t bits = bits_of(value);
    uint16_t sign = (uint16_t)((bits >> 16) & 0x8000u);
    float size = fabsf(value);
    if (!(size < 65520.0f)) return (uint16_t)(sign | 0x7c00u);
    if (size < 0x1p-14f) return (uint16_t)(sign | (uint16_t)lrintf(size * 0x1p24f));
    uint32_t magnitude = bits & 0x7fffffffu, odd = (magnitude >> 13) & 1u;
    magnitude += 0xfffu + odd;
    return (uint16_t)(sign | (uint16_t)((magnitude - (112u << 23)) >> 13));
}

static void narrow_one(ireneo_dtype dtype, float *number, unsigned char *element) {
    double wide = (double)*number;
    uint16_t half = dtype == IRENEO_DTYPE_BFLOAT16 ? to_brain(*number) : to_half(*number);
    if (dtype == IRENEO_DTYPE_FLOAT64)
        memcpy(element, &wide, sizeof wide);
    else if (dtype == IRENEO_DTYPE_FLOAT32)
        memcpy(element, number, sizeof *number);
    else
        memcpy(element, &half, sizeof half);
    *number = (float)ireneo_element(dtype, element);
}

ireneo_error ireneo_narrow(ireneo_dtype dtype, float *numbers, size_t count, unsigned char *elements) {
    unsigned char one[8] = {0};
    size_t size = ireneo_dtype_size(dtype);
    if (dtype != IRENEO_DTYPE_FLOAT16 && dtype != IRENEO_DTYPE_BFLOAT16 && dtype != IRENEO_DTYPE_FLOAT32 &&
        dtype != IRENEO_DTYPE_FLOAT64)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "numbers cannot be rounded to %s",
                           ireneo_dtype_name(dtype));
    for (size_t k = 0; k < count; k++) {
        float before = numbers[k];
        narrow_one(dtype, &numbers[k], elements != NULL ? elements + k * size : one);
        if (!isfinite(numbers[k]))
            return ireneo_fail(IRENEO_ERROR_DATA, "entry %zu is %.6g, which %s cannot hold", k,
                               (double)before, ireneo_dtype_name(dtype));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_round_to(ireneo_dtype dtype, float *numbers, size_t count) {
    IRENEO_REQUIRE(numbers != NULL || count == 0, "there are no numbers to round");
    return ireneo_narrow(dtype, numbers, count, NULL);
}
