/* JSON from files that are trusted with nothing: the text is checked before cJSON sees it. */
#ifndef IRENEO_BASE_JSON_READ_H
#define IRENEO_BASE_JSON_READ_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Parses one JSON object, with spaces allowed behind it but not before. `what` goes on the sentence "PATH: not a valid ..."
 * up to what is wrong: ".safetensors file: the header". Release *json with cJSON_Delete. */
ireneo_error ireneo_json_read(const char *path, const char *what, const unsigned char *bytes, size_t length,
                              cJSON **json);

/* Whether a key of this object occurs twice; cJSON keeps both. */
ireneo_error ireneo_json_keys_repeat(const cJSON *object, bool *repeat);

/* JSON numbers are doubles, exact to 2^53. */
bool ireneo_json_whole_number(const cJSON *item, size_t *number);

/* Sorts names (count) and says whether one occurs twice. */
bool ireneo_names_repeat(const char **names, size_t count);

/* Names end in error sentences on terminals, where control characters could do harm. */
bool ireneo_name_printable(const char *name);

#endif
