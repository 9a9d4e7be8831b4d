/* Reader of model.safetensors.index.json. */
#include "base/safetensors_index.h"

#include "base/file_view.h"
#include "base/json_read.h"
#include "base/ram.h"
#include "base/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ireneo_error malformed(const char *path, const char *reason) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: not a valid index of .safetensors files: %s", path, reason);
}

/* "a, b, c, ..." of the first names, into list (capacity). */
static void list_names(const cJSON *map, char *list, size_t capacity) {
    size_t end = 0;
    list[0] = '\0';
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, map) {
        bool fits = end + strlen(item->string) + 8 <= capacity && ireneo_name_printable(item->string);
        end += (size_t)snprintf(list + end, capacity - end, "%s%s", item == map->child ? "" : ", ",
                                fits ? item->string : "...");
        if (!fits) return;
    }
}

static ireneo_error not_found(const char *path, const cJSON *map, const char *name) {
    char list[512];
    list_names(map, list, sizeof list);
    if (map->child == NULL) return malformed(path, "it names no tensors");
    if (name == NULL)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s names %d tensors; choose one as '%s:name' from %s", path,
                           cJSON_GetArraySize(map), path, list);
    return ireneo_fail(IRENEO_ERROR_DATA, "%s names no tensor '%.100s'; it names %s", path, name, list);
}

/* A plain name of a file beside the index. */
static bool stays_here(const char *shard) {
    return shard[0] != '\0' && strchr(shard, '/') == NULL && strcmp(shard, ".") != 0 &&
           strcmp(shard, "..") != 0 && ireneo_name_printable(shard);
}

static ireneo_error join(const char *path, const char *file, char **shard) {
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - path);
    if (asprintf(shard, "%.*s%s", folder, path, file) >= 0) return IRENEO_OK;
    *shard = NULL;
    return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to open %s", path);
}

static ireneo_error find_shard(const char *path, const cJSON *json, const char *name, char **shard) {
    const cJSON *map = cJSON_GetObjectItemCaseSensitive(json, "weight_map");
    bool repeat = false;
    if (!cJSON_IsObject(map)) return malformed(path, "it has no weight_map");
    IRENEO_TRY(ireneo_json_keys_repeat(map, &repeat));
    if (repeat) return malformed(path, "a tensor occurs twice in its weight_map");
    const cJSON *item = name == NULL ? NULL : cJSON_GetObjectItemCaseSensitive(map, name);
    if (item == NULL) return not_found(path, map, name);
    if (!cJSON_IsString(item)) return malformed(path, "its weight_map holds something else than file names");
    if (!stays_here(item->valuestring))
        return malformed(path, "its weight_map leads to another folder; shards lie beside the index");
    return join(path, item->valuestring, shard);
}

ireneo_error ireneo_safetensors_shard(const char *path, const unsigned char *bytes, size_t count,
                                      const char *name, char **shard) {
    cJSON *json = NULL;
    *shard = NULL;
    ireneo_error error = ireneo_json_read(path, "index of .safetensors files: it", bytes, count, &json);
    if (error == IRENEO_OK) error = find_shard(path, json, name, shard);
    cJSON_Delete(json);
    return error;
}

static ireneo_error list_map(const char *path, const cJSON *map, char ***names, size_t *count) {
    if (!cJSON_IsObject(map)) return malformed(path, "it has no weight_map");
    const char **list = NULL;
    size_t many = 0;
    IRENEO_TRY(IRENEO_ALLOCATE(&list, (size_t)cJSON_GetArraySize(map), "list of tensors"));
    ireneo_error error = IRENEO_OK;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, map) {
        if (error == IRENEO_OK && !ireneo_name_printable(item->string))
            error = malformed(path, "the name of a tensor holds a control character");
        list[many++] = item->string;
    }
    if (error == IRENEO_OK) error = ireneo_names_pack(list, many, names);
    if (error == IRENEO_OK) *count = many;
    free(list);
    return error;
}

ireneo_error ireneo_index_names(const char *path, char ***names, size_t *count) {
    ireneo_file_view view;
    IRENEO_TRY(ireneo_file_view_open(path, &view));
    cJSON *json = NULL;
    ireneo_error error =
        ireneo_json_read(path, "index of .safetensors files: it", view.bytes, view.count, &json);
    if (error == IRENEO_OK)
        error = list_map(path, cJSON_GetObjectItemCaseSensitive(json, "weight_map"), names, count);
    cJSON_Delete(json);
    ireneo_file_view_close(&view);
    return error;
}
