/* mkdir -p, and whether a file can be written. */
#include "folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int check_output(const command *self, const char *path) {
    struct stat there;
    if (path == NULL) return 0;
    if (stat(path, &there) == 0) {
        if (S_ISDIR(there.st_mode))
            return complain(self, EXIT_MACHINE, "cannot write %s: it is a folder", path);
        if (!S_ISREG(there.st_mode)) return 0; /* devices and pipes tell when they are written */
    }
    char *folder = strdup(path);
    if (folder == NULL) return complain(self, EXIT_MACHINE, "not enough memory for a path");
    char *slash = strrchr(folder, '/');
    if (slash != NULL) slash[slash == folder] = '\0';
    bool writable = access(slash != NULL ? folder : ".", W_OK | X_OK) == 0;
    int reason = errno;
    free(folder);
    return writable ? 0 : complain(self, EXIT_MACHINE, "cannot write %s: %s", path, strerror(reason));
}
