/* Reading of labels, one a line. */
#include "labels.h"

#include "text_file.h"

#include <stdlib.h>
#include <string.h>

void free_labels(label_file *labels) {
    free(labels->text);
    free(labels->lines);
    memset(labels, 0, sizeof *labels);
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
    int outcome = read_text_file(self, path, &labels->text, &length);
    if (outcome == 0 && labels->text != NULL) outcome = cut_lines(self, path, labels, length);
    if (outcome != 0) free_labels(labels);
    return outcome;
}

const char *label_of(const label_file *labels, int64_t index) {
    return index >= 0 && (size_t)index < labels->count ? labels->lines[index] : NULL;
}
