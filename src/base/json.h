/* Writes JSON text into a growing buffer. Doubles are written with the fewest digits that read back as the
 * same double. */
#ifndef IRENEO_BASE_JSON_H
#define IRENEO_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ireneo_json {
    char *text; /* NUL-terminated; owned; NULL after a failed allocation */
    size_t length, capacity;
    int depth;
    bool first;  /* no comma before the next item */
    bool broken; /* memory ran out; later calls do nothing */
} ireneo_json;

/* Inside an object every item has a key; inside an array and at the top the key is NULL. */
void ireneo_json_begin_object(ireneo_json *json, const char *key);
void ireneo_json_end_object(ireneo_json *json);
void ireneo_json_begin_array(ireneo_json *json, const char *key);
void ireneo_json_end_array(ireneo_json *json);
void ireneo_json_number(ireneo_json *json, const char *key,
                        double value); /* NaN and infinities become null */
void ireneo_json_size(ireneo_json *json, const char *key, uint64_t value);
void ireneo_json_text(ireneo_json *json, const char *key, const char *value); /* NULL becomes null */
void ireneo_json_bool(ireneo_json *json, const char *key, bool value);
void ireneo_json_free(ireneo_json *json);

#endif
