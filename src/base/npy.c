/* Reader and writer of .npy. The header is a Python dict literal; the parser here accepts that dict and
 * nothing else, and never looks outside the header. */
#include "base/npy.h"

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/dtype.h"

#include <stdio.h>
#include <string.h>

enum {
    MAGIC_BYTES = 6,
    PREFIX_BYTES = 8,      /* magic and version */
    HEADER_ALIGNMENT = 64, /* where NumPy lets the data begin */
    LONGEST_STRING = 32,
    LARGEST_HEADER = 1 << 20 /* a header that can be read has less than a kilobyte */
};

static const unsigned char magic[MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

bool ireneo_npy_recognise(const unsigned char *bytes, size_t count) {
    return count >= MAGIC_BYTES && memcmp(bytes, magic, MAGIC_BYTES) == 0;
}

/* ---- Reading ---- */

typedef struct cursor {
    const char *path;
    const unsigned char *at;
    const unsigned char *end;
} cursor;

typedef struct npy_header {
    ireneo_layout layout;
    bool has_descr, has_order, has_shape;
} npy_header;

static ireneo_error malformed(const cursor *text, const char *reason) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: the .npy header is malformed: %s", text->path, reason);
}

static void skip_spaces(cursor *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' || *text->at == '\n')) text->at++;
}

/* Whether the next character that is not a space is this one; if so, steps over it. */
static bool take(cursor *text, char expected) {
    skip_spaces(text);
    if (text->at == text->end || *text->at != (unsigned char)expected) return false;
    text->at++;
    return true;
}

static bool take_word(cursor *text, const char *word) {
    size_t length = strlen(word);
    skip_spaces(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) return false;
    text->at += length;
    return true;
}

/* A quoted string of printable ASCII without escapes: all that keys and plain dtypes need. */
static ireneo_error parse_string(cursor *text, char string[LONGEST_STRING + 1]) {
    char quote = take(text, '\'') ? '\'' : take(text, '"') ? '"' : '\0';
    if (quote == '\0') return malformed(text, "a quoted string is missing");
    size_t length = 0;
    for (; text->at < text->end; text->at++) {
        unsigned char c = *text->at;
        if (c == (unsigned char)quote) {
            text->at++;
            string[length] = '\0';
            return IRENEO_OK;
        }
        if (c < ' ' || c > '~' || c == '\\') return malformed(text, "a string holds an unexpected character");
        if (length == LONGEST_STRING) return malformed(text, "a string is too long");
        string[length++] = (char)c;
    }
    return malformed(text, "a string is not closed");
}

/* What NumPy's code letters stand for; NULL: a letter of no meaning here. */
static const char *kind_name(const char *code) {
    static const struct {
        const char *prefix, *name;
    } kinds[] = {{"f16", "long double"}, {"f12", "long double"},
                 {"c", "complex"},       {"O", "Python objects"},
                 {"U", "text"},          {"S", "text"},
                 {"a", "text"},          {"M", "dates"},
                 {"m", "durations"},     {"V2", "raw bytes, as NumPy saves bfloat16"},
                 {"V", "raw bytes"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(code, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) return kinds[i].name;
    return NULL;
}

static ireneo_error unsupported_type(const cursor *text, const char *type, const char *kind) {
    return ireneo_fail(
        IRENEO_ERROR_DATA, "%s: elements of type '%s'%s%s%s cannot be read; save array.astype('float32')",
        text->path, type, kind != NULL ? " (" : "", kind != NULL ? kind : "", kind != NULL ? ")" : "");
}

static const struct type_code {
    const char *code;
    ireneo_dtype dtype;
} type_codes[] = {{"f2", IRENEO_DTYPE_FLOAT16}, {"f4", IRENEO_DTYPE_FLOAT32}, {"f8", IRENEO_DTYPE_FLOAT64},
                  {"i1", IRENEO_DTYPE_INT8},    {"i2", IRENEO_DTYPE_INT16},   {"i4", IRENEO_DTYPE_INT32},
                  {"i8", IRENEO_DTYPE_INT64},   {"u1", IRENEO_DTYPE_UINT8},   {"u2", IRENEO_DTYPE_UINT16},
                  {"u4", IRENEO_DTYPE_UINT32},  {"u8", IRENEO_DTYPE_UINT64},  {"b1", IRENEO_DTYPE_BOOL}};

static ireneo_error parse_descr(cursor *text, npy_header *header) {
    if (take(text, '[')) return unsupported_type(text, "structure", "several fields an element");
    char descr[LONGEST_STRING + 1] = "";
    IRENEO_TRY(parse_string(text, descr));
    /* '=' is the order of this machine and '|' means that order does not matter; both are little-endian here.
     */
    const char *code = descr + (descr[0] != '\0' && strchr("<>=|", descr[0]) != NULL);
    for (size_t i = 0; i < sizeof type_codes / sizeof type_codes[0]; i++) {
        if (strcmp(code, type_codes[i].code) != 0) continue;
        header->layout.dtype = type_codes[i].dtype;
        header->layout.big_endian = descr[0] == '>' && code[1] != '1';
        return IRENEO_OK;
    }
    return unsupported_type(text, descr, kind_name(code));
}

static ireneo_error parse_order(cursor *text, npy_header *header) {
    header->layout.fortran_order = take_word(text, "True");
    if (!header->layout.fortran_order && !take_word(text, "False"))
        return malformed(text, "'fortran_order' is neither True nor False");
    return IRENEO_OK;
}

static ireneo_error parse_length(cursor *text, size_t *length) {
    skip_spaces(text);
    if (text->at < text->end && *text->at == '-') return malformed(text, "the shape holds a negative length");
    const unsigned char *start = text->at;
    *length = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++)
        if (__builtin_mul_overflow(*length, 10, length) ||
            __builtin_add_overflow(*length, (size_t)(*text->at - '0'), length))
            return malformed(text, "the shape holds a length that is too large");
    if (text->at == start) return malformed(text, "the shape is not a tuple of whole numbers");
    if (text->at < text->end && *text->at == 'L') text->at++; /* written by Python 2 */
    return IRENEO_OK;
}

static ireneo_error parse_shape(cursor *text, npy_header *header) {
    if (!take(text, '(')) return malformed(text, "the shape is not a tuple");
    bool comma = true; /* "(3)" is a number in Python, "(3,)" a tuple */
    while (!take(text, ')')) {
        if (header->layout.axes > 0 && !comma)
            return malformed(text, "the shape is not a tuple of whole numbers");
        if (header->layout.axes == IRENEO_MAX_AXES)
            return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array has more than %d axes", text->path,
                               IRENEO_MAX_AXES);
        IRENEO_TRY(parse_length(text, &header->layout.shape[header->layout.axes]));
        header->layout.axes++;
        comma = take(text, ',');
    }
    if (header->layout.axes == 1 && !comma) return malformed(text, "the shape is not a tuple");
    return IRENEO_OK;
}

static ireneo_error parse_entry(cursor *text, npy_header *header) {
    char key[LONGEST_STRING + 1] = "";
    IRENEO_TRY(parse_string(text, key));
    bool *seen = strcmp(key, "descr") == 0           ? &header->has_descr
                 : strcmp(key, "fortran_order") == 0 ? &header->has_order
                 : strcmp(key, "shape") == 0         ? &header->has_shape
                                                     : NULL;
    if (seen == NULL)
        return malformed(text, "there is a key other than 'descr', 'fortran_order' and 'shape'");
    if (*seen) return malformed(text, "a key occurs twice");
    *seen = true;
    if (!take(text, ':')) return malformed(text, "a key is not followed by a colon");
    if (seen == &header->has_descr) return parse_descr(text, header);
    if (seen == &header->has_order) return parse_order(text, header);
    return parse_shape(text, header);
}

static ireneo_error parse_header(cursor *text, npy_header *header) {
    if (!take(text, '{')) return malformed(text, "it is not a dict");
    bool comma = true;
    while (!take(text, '}')) {
        if (!comma) return malformed(text, "entries are not separated by commas");
        IRENEO_TRY(parse_entry(text, header));
        comma = take(text, ',');
    }
    skip_spaces(text);
    if (text->at != text->end) return malformed(text, "something follows the dict");
    if (!header->has_descr || !header->has_order || !header->has_shape)
        return malformed(text, "'descr', 'fortran_order' or 'shape' is missing");
    return IRENEO_OK;
}

/* Column order and row order are the same bytes when at most one axis is longer than 1. */
static bool order_matters(const ireneo_layout *layout) {
    int long_axes = 0;
    for (int axis = 0; axis < layout->axes; axis++) {
        if (layout->shape[axis] == 0) return false;
        long_axes += layout->shape[axis] > 1;
    }
    return long_axes > 1;
}

/* Bytes before the header text: its length has 2 bytes in version 1 and 4 afterwards. */
static size_t text_start(const unsigned char *bytes) {
    return PREFIX_BYTES + (bytes[6] == 1 ? 2u : 4u);
}

/* The announced length of the header text, from the first text_start() bytes. */
static size_t text_length(const unsigned char *bytes) {
    size_t length = 0;
    for (size_t i = PREFIX_BYTES; i < text_start(bytes); i++)
        length |= (size_t)bytes[i] << (8 * (i - PREFIX_BYTES));
    return length;
}

size_t ireneo_npy_head_bytes(const unsigned char *first, size_t count) {
    if (!ireneo_npy_recognise(first, count) || count < PREFIX_BYTES || count < text_start(first)) return 0;
    size_t length = text_length(first);
    return text_start(first) + (length < LARGEST_HEADER ? length : LARGEST_HEADER);
}

/* Finds the header text behind the prefix. */
static ireneo_error find_header(const char *path, const unsigned char *bytes, size_t head, size_t count,
                                cursor *text) {
    if (!ireneo_npy_recognise(bytes, head))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: not a .npy file: it does not begin with \\x93NUMPY", path);
    unsigned major = head > 6 ? bytes[6] : 1, minor = head > 7 ? bytes[7] : 0;
    if (major < 1 || major > 3 || minor != 0)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: .npy version %u.%u is unknown", path, major, minor);
    if (head < PREFIX_BYTES || head < text_start(bytes))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the file is truncated inside the .npy header", path);
    size_t length = text_length(bytes), start = text_start(bytes);
    if (length > count - start)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: the file is truncated: a .npy header of %zu bytes is announced, %zu are there", path, length,
            count - start);
    if (length > LARGEST_HEADER || length > head - start)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: a .npy header of %zu bytes is too long", path, length);
    *text = (cursor){path, bytes + start, bytes + start + length};
    return IRENEO_OK;
}

ireneo_error ireneo_npy_parse(const char *path, const unsigned char *bytes, size_t head, size_t count,
                              ireneo_layout *layout) {
    *layout = (ireneo_layout){0};
    cursor text = {0};
    npy_header header = {0};
    IRENEO_TRY(find_header(path, bytes, head, count, &text));
    header.layout.offset = (size_t)(text.end - bytes);
    IRENEO_TRY(parse_header(&text, &header));
    header.layout.fortran_order = header.layout.fortran_order && order_matters(&header.layout);
    size_t there = count - header.layout.offset;
    if (!ireneo_layout_measure(&header.layout))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the shape is larger than any memory", path);
    if (header.layout.bytes > there)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: the file is truncated: the shape needs %zu bytes of data, %zu are there",
                           path, header.layout.bytes, there);
    *layout = header.layout;
    return IRENEO_OK;
}

/* ---- Writing ---- */

/* "<f4"; NULL for a type that .npy has no name for. */
static const char *descr_of(ireneo_dtype dtype, char descr[4]) {
    for (size_t i = 0; i < sizeof type_codes / sizeof type_codes[0]; i++) {
        const char *code = type_codes[i].code;
        if (type_codes[i].dtype != dtype) continue;
        snprintf(descr, 4, "%c%s", code[1] == '1' ? '|' : '<', code);
        return descr;
    }
    return NULL;
}

/* Magic, version, length and dict, padded so that the data begin at a multiple of 64. Returns the bytes used.
 */
static size_t format_header(char *header, size_t capacity, const char *descr, int axes, const size_t *shape) {
    enum { TEXT_START = PREFIX_BYTES + 2 };
    size_t end = TEXT_START;
    end += (size_t)snprintf(header + end, capacity - end,
                            "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int axis = 0; axis < axes; axis++)
        end += (size_t)snprintf(header + end, capacity - end, axis == 0 ? "%zu," : " %zu,", shape[axis]);
    if (axes > 1) end--; /* "(3,)" keeps its comma, "(3, 4)" has none at the end */
    end += (size_t)snprintf(header + end, capacity - end, "), }");
    size_t total = (end + 1 + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT;
    memset(header + end, ' ', total - end);
    header[total - 1] = '\n';
    memcpy(header, magic, MAGIC_BYTES);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)((total - TEXT_START) & 0xff);
    header[9] = (char)((total - TEXT_START) >> 8);
    return total;
}

ireneo_error ireneo_save_npy(const char *path, ireneo_dtype dtype, int axes, const size_t *shape,
                             const void *data) {
    size_t bytes = 0;
    IRENEO_TRY(ireneo_check_writable("the array", dtype, axes, shape, data, &bytes));
    char code[4];
    const char *descr = descr_of(dtype, code);
    if (descr == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, ".npy has no name for %s; write .safetensors",
                           ireneo_dtype_name(dtype));
    char header[512]; /* 8 axes of 20 digits and the words around them need less */
    size_t header_bytes = format_header(header, sizeof header, descr, axes, shape);
    ireneo_atomic_file file;
    IRENEO_TRY(ireneo_atomic_file_begin(&file, path));
    ireneo_error error = ireneo_atomic_file_write(&file, header, header_bytes);
    if (error == IRENEO_OK) error = ireneo_atomic_file_write(&file, data, bytes);
    return ireneo_atomic_file_finish(&file, error);
}
