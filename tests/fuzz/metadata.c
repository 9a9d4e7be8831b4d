/* Metadata of .safetensors files from arbitrary bytes, read by key; and what is read, written again as JSON. */
#include "base/json.h"
#include "fuzz.h"
#include "ireneo.h"

#include <cjson/cJSON.h>
#include <string.h>

static void write_again(const char *value) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "value", value);
    ireneo_json_end_object(&json);
    cJSON *back = cJSON_Parse(json.text);
    if (back == NULL || strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(back, "value")), value) != 0) abort();
    cJSON_Delete(back);
    ireneo_json_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const char *const keys[] = {"format", "facts_hash", "reason", "checksum"};
    const char *path = fuzz_file(0, bytes, count);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char *value = NULL;
        if (ireneo_safetensors_metadata(path, keys[k], &value) != IRENEO_OK && value != NULL) abort();
        if (value != NULL) write_again(value);
        ireneo_free(value);
    }
    int found = 0;
    if (ireneo_safetensors_has(path, "W", &found) == IRENEO_OK && found != 0 && found != 1) abort();
    return 0;
}
