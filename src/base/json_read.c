/* What cJSON does not check: syntax to the letter, encoding, keys that occur twice. */
#include "base/json_read.h"

#include "base/json_syntax.h"
#include "base/ram.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

ireneo_error ireneo_json_read(const char *path, const char *what, const unsigned char *bytes, size_t length,
                              cJSON **json) {
    char *text = NULL;
    *json = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&text, length + 1, "the header of a file"));
    memcpy(text, bytes, length);
    text[length] = '\0';
    const char *reason = strlen(text) == length ? ireneo_json_syntax(text) : "holds a control character, NUL";
    if (reason == NULL && !ireneo_is_utf8(text)) reason = "is not UTF-8";
    if (reason == NULL) *json = cJSON_ParseWithLength(text, length + 1);
    free(text);
    if (reason != NULL) return ireneo_fail(IRENEO_ERROR_DATA, "%s: not a valid %s %s", path, what, reason);
    if (!cJSON_IsObject(*json)) /* the syntax was right */
        return ireneo_fail(IRENEO_ERROR_MEMORY, "%s: not enough memory for a header of %zu bytes", path,
                           length);
    return IRENEO_OK;
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
