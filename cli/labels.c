/* Reading of labels, one a line. */
#include "labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void free_labels(label_file *labels) {
    free(labels->text);
    free(labels->lines);
    memset(labels, 0, sizeof *labels);
}

static char *read_text(FILE *file, size_t *length) {
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *length = 0;
    while (text != NULL) {
        *length += fread(text + *length, 1, capacity - *length - 1, file);
        if (*length < capacity - 1) break;
        capacity *= 2;
        char *larger = realloc(text, capacity);
        if (larger == NULL) free(text);
        text = larger;
    }
    if (text != NULL) text[*length] = '\0';
    return text;
}

/* The whole file in labels->text, or an exit code. */
static int load_text(const command *self, const char *path, label_file *labels, size_t *length) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return complain(self, EXIT_MACHINE, "%s: %s", path, strerror(errno));
    labels->text = read_text(file, length);
    int bad = ferror(file);
    fclose(file);
    if (bad) return complain(self, EXIT_MACHINE, "%s could not be read", path);
    if (labels->text == NULL) return complain(self, EXIT_MACHINE, "not enough memory for %s", path);
    if (memchr(labels->text, '\0', *length) != NULL)
        return complain(self, EXIT_DATA, "%s is not a text file: it holds zero bytes", path);
    return 0;
}

/* Counts the lines, and ends every one where it ends, also before a carriage return. */
static int cut_lines(const command *self, const char *path, label_file *labels, size_t length) {
    for (size_t i = 0; i < length; i++) labels->count += labels->text[i] == '\n' || i + 1 == length;
    labels->lines = calloc(labels->count + 1, sizeof *labels->lines);
    if (labels->lines == NULL) return complain(self, EXIT_MACHINE, "not enough memory for %s", path);
    char *cursor = labels->text;
    for (size_t k = 0; k < labels->count; k++) {
        labels->lines[k] = cursor;
        char *end = strchr(cursor, '\n');
        if (end == NULL) break;
        *end = '\0';
        if (end > cursor && end[-1] == '\r') end[-1] = '\0';
        cursor = end + 1;
    }
    return 0;
}

int load_labels(const command *self, const char *path, label_file *labels) {
    memset(labels, 0, sizeof *labels);
    size_t length = 0;
    int outcome = load_text(self, path, labels, &length);
    if (outcome == 0 && labels->text != NULL) outcome = cut_lines(self, path, labels, length);
    if (outcome != 0) free_labels(labels);
    return outcome;
}

const char *label_of(const label_file *labels, int64_t index) {
    return index >= 0 && (size_t)index < labels->count ? labels->lines[index] : NULL;
}
