/* Looking up fields. */
#include "attention/models/config_field.h"

#include <math.h>
#include <string.h>

/* Calls for each name in "a|b|c": its length, and the next or NULL. */
static const char *next_name(const char *names, size_t *length) {
    const char *bar = strchr(names, '|');
    *length = bar != NULL ? (size_t)(bar - names) : strlen(names);
    return bar != NULL ? bar + 1 : NULL;
}

static const cJSON *lookup(const cJSON *json, const char *name, size_t length) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        if (strlen(item->string) == length && strncmp(item->string, name, length) == 0)
            return cJSON_IsNull(item) ? NULL : item;
    }
    return NULL;
}

/* The first of the names that is there; the others must say the same. */
static ireneo_error find(const ireneo_config_file *file, const char *names, const cJSON **found) {
    size_t length;
    *found = NULL;
    for (const char *name = names, *next; name != NULL; name = next) {
        next = next_name(name, &length);
        const cJSON *item = lookup(file->json, name, length);
        if (item == NULL) continue;
        if (*found != NULL && !cJSON_Compare(*found, item, true))
            return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s and %s contradict each other", file->path,
                               (*found)->string, item->string);
        if (*found == NULL) *found = item;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_config_whole(const ireneo_config_file *file, const char *names, size_t most,
                                 size_t *value, bool *found) {
    const cJSON *item = NULL;
    IRENEO_TRY(find(file, names, &item));
    *found = item != NULL;
    if (item == NULL) return IRENEO_OK;
    if (!ireneo_json_whole_number(item, value) || *value < 1 || *value > most)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s must be a whole number between 1 and %zu", file->path,
                           item->string, most);
    return IRENEO_OK;
}

ireneo_error ireneo_config_needed(const ireneo_config_file *file, const char *names, size_t most,
                                  size_t *value) {
    bool found = false;
    size_t length;
    IRENEO_TRY(ireneo_config_whole(file, names, most, value, &found));
    next_name(names, &length);
    if (!found)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: %.*s is missing, which a model of type %s needs",
                           file->path, (int)length, names, file->model_type);
    return IRENEO_OK;
}

ireneo_error ireneo_config_real(const ireneo_config_file *file, const char *names, double least, double most,
                                double *value, bool *found) {
    const cJSON *item = NULL;
    IRENEO_TRY(find(file, names, &item));
    *found = item != NULL;
    if (item == NULL) return IRENEO_OK;
    *value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (!(*value >= least && *value <= most))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s must be a number between %g and %g", file->path,
                           item->string, least, most);
    return IRENEO_OK;
}

ireneo_error ireneo_config_text(const ireneo_config_file *file, const char *names, const char **value) {
    const cJSON *item = NULL;
    *value = NULL;
    IRENEO_TRY(find(file, names, &item));
    if (item == NULL) return IRENEO_OK;
    if (!cJSON_IsString(item) || !ireneo_name_printable(item->valuestring))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s must be a word", file->path, item->string);
    *value = item->valuestring;
    return IRENEO_OK;
}

ireneo_error ireneo_config_flag(const ireneo_config_file *file, const char *name, bool *value) {
    const cJSON *item = lookup(file->json, name, strlen(name));
    *value = cJSON_IsTrue(item);
    if (item != NULL && !cJSON_IsBool(item))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s must be true or false", file->path, name);
    return IRENEO_OK;
}

bool ireneo_config_listed(const char *names, const char *name) {
    size_t length, whole = strlen(name);
    for (const char *listed = names, *next; listed != NULL; listed = next) {
        next = next_name(listed, &length);
        bool ending = listed[0] == '*';
        if (ending && whole >= length - 1 &&
            strncmp(name + whole - (length - 1), listed + 1, length - 1) == 0)
            return true;
        if (!ending && whole == length && strncmp(name, listed, length) == 0) return true;
    }
    return false;
}
