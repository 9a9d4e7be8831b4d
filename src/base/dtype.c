/* Elements are read with memcpy because files align them as they like. */
#include "base/dtype.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements of files are taken as little-endian");

static const struct type {
    const char *name;
    size_t size;
    bool whole;
} types[] = {[IRENEO_DTYPE_FLOAT16] = {"float16", 2, false}, [IRENEO_DTYPE_FLOAT32] = {"float32", 4, false},
             [IRENEO_DTYPE_FLOAT64] = {"float64", 8, false}, [IRENEO_DTYPE_INT32] = {"int32", 4, true},
             [IRENEO_DTYPE_INT64] = {"int64", 8, true},      [IRENEO_DTYPE_BFLOAT16] = {"bfloat16", 2, false},
             [IRENEO_DTYPE_INT8] = {"int8", 1, true},        [IRENEO_DTYPE_UINT8] = {"uint8", 1, true},
             [IRENEO_DTYPE_INT16] = {"int16", 2, true},      [IRENEO_DTYPE_UINT16] = {"uint16", 2, true},
             [IRENEO_DTYPE_UINT32] = {"uint32", 4, true},    [IRENEO_DTYPE_UINT64] = {"uint64", 8, true},
             [IRENEO_DTYPE_BOOL] = {"bool", 1, true}};

static const struct type *find_type(ireneo_dtype dtype) {
    static const struct type unknown = {"unknown", 0, false};
    return (size_t)dtype < sizeof types / sizeof types[0] ? &types[dtype] : &unknown;
}

const char *ireneo_dtype_name(ireneo_dtype dtype) {
    return find_type(dtype)->name;
}

size_t ireneo_dtype_size(ireneo_dtype dtype) {
    return find_type(dtype)->size;
}

bool ireneo_dtype_whole(ireneo_dtype dtype) {
    return find_type(dtype)->whole;
}

/* ---- One element ---- */

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE 754 half precision: 1 sign bit, 5 of exponent with bias 15, 10 of fraction. */
static float half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = (half >> 10) & 31u, fraction = half & 0x3ffu;
    if (exponent == 0) {
        float magnitude = (float)fraction * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    return float_of_bits(sign | fraction << 13 | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23));
}

/* bfloat16 is the upper half of a float32. */
static float brain_to_float(uint16_t brain) {
    return float_of_bits((uint32_t)brain << 16);
}

static bool is_true(uint8_t byte) {
    return byte != 0;
}

static float itself(float value) {
    return value;
}

/* Every type once: its name, the C type of its bytes, and what makes a number of them. */
#define FOR_EACH_TYPE(X)                                                                                     \
    X(IRENEO_DTYPE_FLOAT16, uint16_t, half_to_float)                                                         \
    X(IRENEO_DTYPE_BFLOAT16, uint16_t, brain_to_float)                                                       \
    X(IRENEO_DTYPE_FLOAT32, float, itself)                                                                   \
    X(IRENEO_DTYPE_FLOAT64, double, )                                                                        \
    FOR_EACH_WHOLE_TYPE(X)
#define FOR_EACH_WHOLE_TYPE(X)                                                                               \
    X(IRENEO_DTYPE_INT8, int8_t, )                                                                           \
    X(IRENEO_DTYPE_UINT8, uint8_t, )                                                                         \
    X(IRENEO_DTYPE_INT16, int16_t, )                                                                         \
    X(IRENEO_DTYPE_UINT16, uint16_t, )                                                                       \
    X(IRENEO_DTYPE_INT32, int32_t, )                                                                         \
    X(IRENEO_DTYPE_UINT32, uint32_t, )                                                                       \
    X(IRENEO_DTYPE_INT64, int64_t, )                                                                         \
    X(IRENEO_DTYPE_UINT64, uint64_t, )                                                                       \
    X(IRENEO_DTYPE_BOOL, uint8_t, is_true)

#define ELEMENT_CASE(dtype, type, number)                                                                    \
    case dtype: {                                                                                            \
        type element;                                                                                        \
        memcpy(&element, source, sizeof element);                                                            \
        return (double)number(element);                                                                      \
    }

double ireneo_element(ireneo_dtype dtype, const unsigned char *source) {
    switch (dtype) { FOR_EACH_TYPE(ELEMENT_CASE) }
    return (double)NAN;
}

#define WHOLE_CASE(dtype, type, number)                                                                      \
    case dtype: {                                                                                            \
        type element;                                                                                        \
        memcpy(&element, source, sizeof element);                                                            \
        return !__builtin_add_overflow(number(element), 0, value);                                           \
    }

bool ireneo_whole_element(ireneo_dtype dtype, const unsigned char *source, int64_t *value) {
    switch (dtype) {
        FOR_EACH_WHOLE_TYPE(WHOLE_CASE)
    default:
        return false;
    }
}

/* ---- Many elements ---- */

#define CONVERT_CASE(dtype, type, number)                                                                    \
    case dtype:                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                                 \
            type element;                                                                                    \
            memcpy(&element, source + i * sizeof element, sizeof element);                                   \
            values[i] = (float)number(element);                                                              \
        }                                                                                                    \
        return;

void ireneo_elements_to_float(ireneo_dtype dtype, const unsigned char *source, size_t count, float *values) {
    switch (dtype) { FOR_EACH_TYPE(CONVERT_CASE) }
}

void ireneo_swap_bytes(unsigned char *elements, size_t count, size_t size) {
    for (size_t i = 0; i < count; i++, elements += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            unsigned char byte = elements[low];
            elements[low] = elements[high];
            elements[high] = byte;
        }
}
