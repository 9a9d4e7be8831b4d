/* Looks for a file of a folder of the source tree where it can be, beside the program or installed. */
#include "lab/figures/data_folder.h"
#include "base/error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file `name` of `folder` ("data"), which the environment variable `variable` may name. */
static ireneo_error find(const char *folder, const char *variable, const char *name, char *path,
                         size_t size) {
    static const char *const above[] = {"/..", "/../..", "/../share/ireneo"};
    const char *named = getenv(variable);
    char program[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) *slash = '\0';
    for (size_t i = 0; i < 1 + sizeof above / sizeof *above; i++) {
        if (i == 0 && named == NULL) continue;
        int written = i == 0 ? snprintf(path, size, "%s/%s", named, name)
                             : snprintf(path, size, "%s%s/%s/%s", program, above[i - 1], folder, name);
        if (written >= 0 && (size_t)written < size && access(path, R_OK) == 0) return IRENEO_OK;
    }
    return ireneo_fail(IRENEO_ERROR_IO, "%s was not found; set %s to the folder that holds it", name,
                       variable);
}

ireneo_error ireneo_data_path(const char *name, char *path, size_t size) {
    return find("data", "IRENEO_DATA", name, path, size);
}

ireneo_error ireneo_figure_script_path(const char *name, char *path, size_t size) {
    return find("figures", "IRENEO_FIGURES", name, path, size);
}
