/* Packing of labels. They end up on terminals, so that a file from elsewhere must not smuggle control characters
 * in; and they are text, so that every other program can read them. */
#include "linear/memory/labels.h"

#include "base/ram.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* U+0000 to U+001F, U+007F to U+009F: what terminals obey instead of showing. */
static bool is_control(const unsigned char *c) {
    return c[0] < ' ' || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
}

static ireneo_error check_label(const char *label, const char *what, size_t index) {
    if (label == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s %zu is missing", what, index);
    if (strnlen(label, IRENEO_LONGEST_LABEL + 1) > IRENEO_LONGEST_LABEL)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s %zu (counting from 0) is longer than %d bytes", what, index,
                           IRENEO_LONGEST_LABEL);
    while (*label != '\0') {
        size_t length = ireneo_utf8_character(label);
        if (length == 0)
            return ireneo_fail(IRENEO_ERROR_DATA, "%s %zu (counting from 0) is not UTF-8", what, index);
        if (is_control((const unsigned char *)label))
            return ireneo_fail(IRENEO_ERROR_DATA, "%s %zu (counting from 0) holds a control character", what,
                               index);
        label += length;
    }
    return IRENEO_OK;
}

static ireneo_error measure(char *const *labels, size_t count, const char *what, size_t *bytes) {
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        IRENEO_TRY(check_label(labels[i], what, i));
        *bytes += strlen(labels[i]);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_labels_pack(char *const *labels, size_t count, const char *what,
                                ireneo_packed_labels *packed) {
    *packed = (ireneo_packed_labels){.count = count};
    IRENEO_TRY(measure(labels, count, what, &packed->bytes));
    ireneo_error failed = IRENEO_ALLOCATE(&packed->text, packed->bytes, "labels");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&packed->offsets, count + 1, "labels");
    if (failed != IRENEO_OK) {
        ireneo_packed_labels_free(packed);
        return failed;
    }
    packed->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(labels[i]);
        memcpy(packed->text + packed->offsets[i], labels[i], length);
        packed->offsets[i + 1] = packed->offsets[i] + (int64_t)length;
    }
    return IRENEO_OK;
}

/* Before anything is allocated or copied. */
static ireneo_error check_offsets(const unsigned char *text, size_t bytes, const int64_t *offsets,
                                  size_t count, const char *what) {
    if (offsets[0] != 0 || offsets[count] < 0 || (uint64_t)offsets[count] != bytes)
        return ireneo_fail(IRENEO_ERROR_DATA, "the offsets of each %s do not begin and end with the text",
                           what);
    for (size_t i = 0; i < count; i++)
        if (offsets[i + 1] < offsets[i] || (uint64_t)offsets[i + 1] > bytes)
            return ireneo_fail(IRENEO_ERROR_DATA, "the offsets of %s %zu (counting from 0) do not ascend",
                               what, i);
    if (memchr(text, '\0', bytes) != NULL)
        return ireneo_fail(IRENEO_ERROR_DATA, "the text of each %s holds a zero byte", what);
    return IRENEO_OK;
}

/* Copies the texts behind the pointers to them, each with its end. */
static ireneo_error copy_labels(const unsigned char *text, const int64_t *offsets, size_t count,
                                const char *what, char **labels) {
    char *place = (char *)(labels + count);
    for (size_t i = 0; i < count; i++) {
        size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        memcpy(place, text + offsets[i], length);
        place[length] = '\0';
        labels[i] = place;
        place += length + 1;
        IRENEO_TRY(check_label(labels[i], what, i));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_labels_unpack(const unsigned char *text, size_t bytes, const int64_t *offsets,
                                  size_t count, const char *what, char ***labels) {
    *labels = NULL;
    IRENEO_TRY(check_offsets(text, bytes, offsets, count, what));
    size_t pointers = 0, all = 0;
    IRENEO_TRY(ireneo_multiply_sizes(count, sizeof **labels + 1, &pointers, "labels"));
    if (__builtin_add_overflow(pointers, bytes, &all))
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for labels");
    void *block = NULL;
    IRENEO_TRY(ireneo_allocate(&block, all, 1, "labels"));
    ireneo_error failed = copy_labels(text, offsets, count, what, block);
    if (failed != IRENEO_OK)
        free(block);
    else
        *labels = block;
    return failed;
}

void ireneo_packed_labels_free(ireneo_packed_labels *packed) {
    free(packed->text);
    free(packed->offsets);
    *packed = (ireneo_packed_labels){0};
}
