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

int load_labels_of(const command *self, const char *path, size_t count, const char *what,
                   label_file *labels) {
    int outcome = load_labels(self, path, labels);
    if (outcome != 0) return outcome;
    while (labels->count > count && labels->lines[labels->count - 1][0] == '\0') labels->count--;
    if (labels->count == count) return 0;
    if (labels->count == count + 1)
        outcome =
            complain(self, EXIT_DATA,
                     "%s holds %zu labels for %zu %s; if its first line, '%.40s', is a heading, remove it",
                     path, labels->count, count, what, labels->lines[0]);
    else
        outcome = complain(self, EXIT_DATA, "%s holds %zu labels for %zu %s; one a line is needed for each",
                           path, labels->count, count, what);
    free_labels(labels);
    return outcome;
}

const char *label_of(const label_file *labels, int64_t index) {
    return index >= 0 && (size_t)index < labels->count ? labels->lines[index] : NULL;
}
