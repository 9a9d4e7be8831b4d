/* What cJSON does not check: encoding, control characters, text behind the object, depth, keys that occur twice. */
#include "base/json_read.h"

#include "base/ram.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST_NESTING = 8 /* headers of tensors have 3, indices of shards 2; cJSON recurses at each level */
};

/* Steps over a string whose opening quote is at text[at]; returns the index of the closing quote, or length
 * when there is none or a character that JSON forbids. An escaped NUL would cut names short, so it is refused
 * too. */
static size_t skip_string(const char *text, size_t length, size_t at) {
    for (size_t i = at + 1; i < length; i++) {
        if (text[i] == '"') return i;
        if ((unsigned char)text[i] < ' ') return length;
        if (text[i] != '\\') continue;
        if (length - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0) return length;
        i++;
    }
    return length;
}

/* NULL, or what is wrong. cJSON takes any control character for a space, ignores what follows the object and
 * recurses 1000 deep; this does not. */
static const char *check_text(const char *text, size_t length) {
    if (length == 0 || text[0] != '{') return "is not a JSON object";
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (i > 0 && depth == 0 && !space) return "is not JSON: something follows the object";
        if (!space && (unsigned char)c < ' ') return "is not JSON: it holds a control character";
        if (c == '"' && (i = skip_string(text, length, i)) == length)
            return "is not JSON: a string is not closed or holds a control character";
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        if (depth > DEEPEST_NESTING) return "is nested too deeply";
    }
    return depth == 0 ? NULL : "is not JSON: brackets are not closed";
}

bool ireneo_json_read(const unsigned char *bytes, size_t length, cJSON **json, const char **reason) {
    char *text = malloc(length + 1);
    *json = NULL;
    *reason = "is too large for the memory of this machine";
    if (text == NULL) return false;
    memcpy(text, bytes, length);
    text[length] = '\0'; /* cJSON before 1.7.18 may look one character past the length it is given */
    *reason = check_text(text, length);
    if (*reason == NULL && !ireneo_is_utf8(text)) *reason = "is not UTF-8";
    if (*reason == NULL) {
        *json = cJSON_ParseWithLength(text, length);
        if (!cJSON_IsObject(*json)) *reason = "is not JSON";
    }
    free(text);
    return *reason == NULL;
}

bool ireneo_name_printable(const char *name) {
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
    return true;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool ireneo_names_repeat(const char **names, size_t count) {
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0) return true;
    return false;
}

ireneo_error ireneo_json_keys_repeat(const cJSON *object, bool *repeat) {
    const char **names = NULL;
    size_t count = 0;
    const cJSON *child = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&names, (size_t)cJSON_GetArraySize(object), "names of tensors"));
    cJSON_ArrayForEach(child, object) names[count++] = child->string;
    *repeat = ireneo_names_repeat(names, count);
    free(names);
    return IRENEO_OK;
}

bool ireneo_json_whole_number(const cJSON *item, size_t *number) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 0x1p53)) return false;
    *number = (size_t)item->valuedouble;
    return (double)*number == item->valuedouble;
}
