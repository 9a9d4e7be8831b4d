/* mkdir -p. */
#include "folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int make_folder(const command *self, const char *path) {
    char part[4096];
    size_t length = strlen(path);
    if (length >= sizeof part) return complain(self, EXIT_USAGE, "the path of the output folder is too long");
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return complain(self, EXIT_MACHINE, "%s: %s", part, strerror(errno));
    }
    return 0;
}
