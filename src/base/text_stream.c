/* The stream's writes come here, and a failure is remembered. */
#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

static ssize_t append(void *cookie, const char *bytes, size_t count) {
    ireneo_text *text = cookie;
    if (text->broken) return 0;
    if (text->length + count + 1 > text->capacity) {
        size_t capacity = 2 * text->capacity + count + 4096;
        char *larger = realloc(text->bytes, capacity);
        if (larger == NULL) {
            text->broken = true;
            return 0;
        }
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
    return (ssize_t)count;
}

FILE *ireneo_text_open(ireneo_text *text) {
    memset(text, 0, sizeof *text);
    return fopencookie(text, "w", (cookie_io_functions_t){.write = append});
}

bool ireneo_text_close(FILE *stream, ireneo_text *text) {
    return fclose(stream) == 0 && !text->broken;
}
