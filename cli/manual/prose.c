/* Reads the prose of a page and cuts it at the lines that begin with @. */
#include "manual/prose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The whole file, with a zero at its end. */
static char *read_bytes(FILE *file) {
    size_t size = 0, room = 1 << 16;
    char *bytes = malloc(room);
    while (bytes != NULL) {
        size += fread(bytes + size, 1, room - size - 1, file);
        if (feof(file) || ferror(file)) break;
        char *larger = realloc(bytes, room *= 2);
        if (larger == NULL) free(bytes);
        bytes = larger;
    }
    if (bytes != NULL) bytes[size] = '\0';
    return bytes;
}

/* What stands before the first @ is for readers of the file. */
static bool cut(prose *p, const char *path) {
    bool line_begins = true;
    for (char *at = p->bytes; *at != '\0'; at++) {
        if (line_begins && *at == '@') {
            char *end = strchr(at, '\n');
            if (end == NULL || p->count == MOST_PARTS) {
                fprintf(stderr, "%s: '%.40s' has no text, or is one part too many\n", path, at);
                return false;
            }
            *at = *end = '\0';
            p->parts[p->count++] = (prose_part){.name = at + 1, .text = end + 1};
            at = end;
        }
        line_begins = *at == '\n' || *at == '\0';
    }
    return true;
}

bool prose_read(prose *p, const char *path) {
    memset(p, 0, sizeof *p);
    FILE *file = fopen(path, "r");
    if (file == NULL && errno == ENOENT) return true;
    p->bytes = file != NULL ? read_bytes(file) : NULL;
    bool good = p->bytes != NULL && !ferror(file);
    if (file != NULL) fclose(file);
    if (!good) {
        fprintf(stderr, "%s cannot be read\n", path);
        return false;
    }
    return cut(p, path);
}

void prose_free(prose *p) {
    free(p->bytes);
    memset(p, 0, sizeof *p);
}

const char *prose_text(prose *p, const char *name) {
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->parts[i].name, name) != 0) continue;
        p->parts[i].used = true;
        return p->parts[i].text;
    }
    return NULL;
}

bool prose_all_used(const prose *p, const char *path) {
    bool all = true;
    for (size_t i = 0; i < p->count; i++) {
        if (p->parts[i].used) continue;
        fprintf(stderr, "%s: there is no such thing as '%s'\n", path, p->parts[i].name);
        all = false;
    }
    return all;
}
