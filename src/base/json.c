/* The JSON writer. It only writes; files are read with cJSON. */
#include "base/json.h"

#include "base/number_text.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(ireneo_json *json, const char *bytes, size_t count) {
    if (json->broken) return;
    if (json->length + count + 1 > json->capacity) {
        size_t capacity = 2 * json->capacity + count + 256;
        char *text = realloc(json->text, capacity);
        if (text == NULL) {
            json->broken = true;
            return;
        }
        json->text = text;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, bytes, count);
    json->length += count;
    json->text[json->length] = '\0';
}

static void append_text(ireneo_json *json, const char *text) {
    append(json, text, strlen(text));
}

/* Text that is not UTF-8, as file names may be, must not make the whole invalid: such bytes become U+FFFD. */
static void append_quoted(ireneo_json *json, const char *value) {
    append_text(json, "\"");
    while (*value != '\0') {
        char escaped[8];
        size_t length = ireneo_utf8_character(value);
        if (length == 0)
            append_text(json, "\\ufffd");
        else if (ireneo_utf8_is_control(value, length)) {
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned char)value[length - 1]);
            append_text(json, escaped);
        } else if (*value == '"' || *value == '\\') {
            snprintf(escaped, sizeof escaped, "\\%c", *value);
            append_text(json, escaped);
        } else
            append(json, value, length);
        value += length == 0 ? 1 : length;
    }
    append_text(json, "\"");
}

static void begin_item(ireneo_json *json, const char *key) {
    if (json->depth > 0 && !json->first) append_text(json, ", ");
    json->first = false;
    if (key == NULL) return;
    append_quoted(json, key);
    append_text(json, ": ");
}

static void open_group(ireneo_json *json, const char *key, const char *bracket) {
    begin_item(json, key);
    append_text(json, bracket);
    json->depth++;
    json->first = true;
}

static void close_group(ireneo_json *json, const char *bracket) {
    append_text(json, bracket);
    json->depth--;
    json->first = false;
}

void ireneo_json_begin_object(ireneo_json *json, const char *key) {
    open_group(json, key, "{");
}
void ireneo_json_end_object(ireneo_json *json) {
    close_group(json, "}");
}
void ireneo_json_begin_array(ireneo_json *json, const char *key) {
    open_group(json, key, "[");
}
void ireneo_json_end_array(ireneo_json *json) {
    close_group(json, "]");
}

void ireneo_json_number(ireneo_json *json, const char *key, double value) {
    char buffer[32];
    begin_item(json, key);
    append_text(json, isfinite(value) ? ireneo_shortest_double(value, buffer) : "null");
}

void ireneo_json_size(ireneo_json *json, const char *key, uint64_t value) {
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%llu", (unsigned long long)value);
    begin_item(json, key);
    append_text(json, buffer);
}

void ireneo_json_text(ireneo_json *json, const char *key, const char *value) {
    begin_item(json, key);
    if (value == NULL)
        append_text(json, "null");
    else
        append_quoted(json, value);
}

void ireneo_json_bool(ireneo_json *json, const char *key, bool value) {
    begin_item(json, key);
    append_text(json, value ? "true" : "false");
}

void ireneo_json_free(ireneo_json *json) {
    free(json->text);
    memset(json, 0, sizeof *json);
}
