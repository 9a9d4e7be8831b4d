/* Parts of a work that several processes or machines share. */
#include "shard.h"

#include <stdio.h>
#include <string.h>

int parse_shard(const command *self, const char *text, size_t *index, size_t *count) {
    char rest;
    unsigned part, parts;
    *index = 0;
    *count = 1;
    if (text == NULL) return 0;
    if (strchr(text, '-') != NULL || sscanf(text, "%u/%u%c", &part, &parts, &rest) != 2 || parts < 1 ||
        part < 1 || part > parts)
        return complain(self, EXIT_USAGE, "--shard is I/N with 1 <= I <= N, such as 2/8, not '%s'", text);
    *index = part - 1;
    *count = parts;
    return 0;
}
