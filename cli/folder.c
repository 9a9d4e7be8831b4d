/* mkdir -p, and whether a file may be written. */
#include "folder.h"

#include "base/error.h"
#include "base/foreign.h"
#include "ireneo.h"
#include "lab/figures/figure.h"
#include "report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_folder(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

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
    if (!is_folder(path)) return complain(self, EXIT_MACHINE, "%s is a file, not a folder", path);
    return 0;
}

/* ---- can it be written ---- */

/* The folder of a path, in a block to be freed; NULL when RAM ran out. */
static char *folder_of(const char *path) {
    char *folder = strdup(path), *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    if (slash != NULL) {
        slash[slash == folder] = '\0';
        return folder;
    }
    free(folder);
    return strdup(".");
}

static int check_writable(const command *self, const char *path) {
    struct stat there;
    if (is_folder(path)) return complain(self, EXIT_MACHINE, "cannot write %s: it is a folder", path);
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return 0; /* devices and pipes tell when they are written */
    char *folder = folder_of(path);
    if (folder == NULL) return complain(self, EXIT_MACHINE, "not enough memory for a path");
    bool writable = access(folder, W_OK | X_OK) == 0;
    int reason = errno;
    free(folder);
    return writable ? 0 : complain(self, EXIT_MACHINE, "cannot write %s: %s", path, strerror(reason));
}

/* ---- is it an input, or written twice ---- */

bool find_file(const char *location, char *path) {
    struct stat there;
    if (snprintf(path, PATH_MAX, "%s", location) >= PATH_MAX) return false;
    while (stat(path, &there) != 0) {
        char *colon = strrchr(path, ':');
        if (colon == NULL) return false;
        *colon = '\0';
    }
    return true;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether two paths, of files that need not exist yet, lead to the same place. */
static bool same_place(const char *a, const char *b) {
    struct stat first, second;
    if (stat(a, &first) == 0 && stat(b, &second) == 0) return same_file(&first, &second);
    char *folders[2] = {folder_of(a), folder_of(b)};
    const char *slashes[2] = {strrchr(a, '/'), strrchr(b, '/')};
    bool same = folders[0] != NULL && folders[1] != NULL && stat(folders[0], &first) == 0 &&
                stat(folders[1], &second) == 0 && first.st_dev == second.st_dev &&
                first.st_ino == second.st_ino &&
                strcmp(slashes[0] != NULL ? slashes[0] + 1 : a, slashes[1] != NULL ? slashes[1] + 1 : b) == 0;
    free(folders[0]);
    free(folders[1]);
    return same;
}

static int check_apart(const command *self, const output_file *outputs, size_t index,
                       const char *const *inputs, size_t input_count) {
    const output_file *o = &outputs[index];
    struct stat there, input;
    char path[PATH_MAX];
    if (stat(o->path, &there) == 0)
        for (size_t i = 0; i < input_count; i++)
            if (inputs[i] != NULL && find_file(inputs[i], path) && stat(path, &input) == 0 &&
                same_file(&there, &input))
                return complain(self, EXIT_USAGE,
                                "%s %s would overwrite the input %s; choose another name for the output",
                                o->option, o->path, inputs[i]);
    for (size_t k = 0; k < index; k++)
        if (outputs[k].path != NULL && same_place(o->path, outputs[k].path))
            return complain(self, EXIT_USAGE, "%s and %s would both write %s; choose two names",
                            outputs[k].option, o->option, o->path);
    return 0;
}

/* ---- is it of another kind ---- */

static const struct {
    const char *name, *ending;
} kinds[] = {
    [OUTPUT_MEMORY] = {"a memory", ".safetensors"},
    [OUTPUT_CERTIFICATE] = {"a certificate", ".safetensors"},
    [OUTPUT_MOMENTS] = {"a file of moments", ".safetensors"},
    [OUTPUT_MODEL] = {"a model", ".safetensors"},
    [OUTPUT_ANSWERS] = {"a file of answers", ".safetensors"},
    [OUTPUT_ARRAY] = {"a NumPy array", ".npy"},
    [OUTPUT_PICTURE] = {"a picture", ".svg"},
    [OUTPUT_TABLE] = {"a table", ".csv"},
    [OUTPUT_LIST] = {"a list", ".txt"},
    [OUTPUT_LABELS] = {"a list of labels", ".txt"},
};

/* Endings that promise something; a name without one of them may hold anything. */
static const char *const ENDINGS[] = {".safetensors", ".npy", ".npz", ".csv", ".tsv", ".txt", ".json",
                                      ".db",          ".svg", ".png", ".pdf", ".pt",  ".pkl", ".bin"};

static int check_ending(const command *self, const output_file *o) {
    bool text = o->kind >= OUTPUT_TABLE;
    if (o->kind == OUTPUT_PICTURE)
        return ireneo_picture_format(o->path) != NULL
                   ? 0
                   : complain(self, EXIT_USAGE, "%s %s: a picture is a .svg, .png or .pdf file", o->option,
                              o->path);
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        if (!ireneo_ends_with(o->path, ENDINGS[i]) || strcmp(ENDINGS[i], kinds[o->kind].ending) == 0)
            continue;
        if (text && (strcmp(ENDINGS[i], ".csv") == 0 || strcmp(ENDINGS[i], ".txt") == 0)) continue;
        return complain(self, EXIT_USAGE, "%s %s: %s is a %s file; choose a name that ends so", o->option,
                        o->path, kinds[o->kind].name, kinds[o->kind].ending);
    }
    return 0;
}

/* Whether a .safetensors file says in its metadata that ireneo wrote it, as this kind. A file that is no such thing is
 * not ours; that it could not be looked into is an error. */
static ireneo_error is_ours(const char *path, output_kind kind, bool *ours) {
    static const char *const formats[] = {
        [OUTPUT_MEMORY] = "ireneo-memory-",
        [OUTPUT_CERTIFICATE] = "ireneo-certificate-",
        [OUTPUT_MOMENTS] = "ireneo-moments-",
        [OUTPUT_ANSWERS] = "ireneo-answers-",
    };
    char *format = NULL;
    *ours = false;
    if (kind == OUTPUT_MODEL) return IRENEO_OK;
    ireneo_error failed = ireneo_safetensors_metadata(path, "format", &format);
    *ours = format != NULL && strncmp(format, formats[kind], strlen(formats[kind])) == 0;
    ireneo_free(format);
    return failed == IRENEO_ERROR_DATA ? IRENEO_OK : failed;
}

/* Whether the first line is an index, alone or with a name behind a tab. */
static bool is_list(const char *first) {
    size_t digits = strspn(first, "0123456789");
    return digits > 0 && (first[digits] == '\n' || first[digits] == '\t' || first[digits] == '\0');
}

static bool begins_as_kind(const output_file *o, const char *first, size_t count) {
    if (o->kind == OUTPUT_ARRAY) return count >= 6 && memcmp(first, "\x93NUMPY", 6) == 0;
    if (o->kind == OUTPUT_LIST) return is_list(first);
    if (o->kind == OUTPUT_LABELS) return memchr(first, '\0', count) == NULL;
    return strncmp(first, o->heading, strlen(o->heading)) == 0;
}

static ireneo_error is_kind(const output_file *o, bool *kind) {
    if (o->kind <= OUTPUT_ANSWERS) return is_ours(o->path, o->kind, kind);
    char first[256] = "";
    FILE *file = fopen(o->path, "rb");
    if (file == NULL)
        return ireneo_fail(errno == ENOMEM ? IRENEO_ERROR_MEMORY : IRENEO_ERROR_IO, "cannot open %s: %s",
                           o->path, strerror(errno));
    size_t count = fread(first, 1, sizeof first - 1, file);
    fclose(file);
    first[count] = '\0';
    *kind = begins_as_kind(o, first, count);
    return IRENEO_OK;
}

static int check_kind(const command *self, const output_file *o) {
    struct stat there;
    if (stat(o->path, &there) != 0) return check_ending(self, o);
    if (!S_ISREG(there.st_mode)) return 0;
    if (o->kind == OUTPUT_PICTURE) return check_ending(self, o);
    bool kind = true;
    ireneo_error failed = there.st_size > 0 ? is_kind(o, &kind) : IRENEO_OK;
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (!kind)
        return complain(self, EXIT_USAGE,
                        "%s %s: there is a file of this name that is not %s of 'ireneo %s'; remove it or "
                        "choose another name",
                        o->option, o->path, kinds[o->kind].name, self->name);
    return check_ending(self, o);
}

int check_outputs(const command *self, const output_file *outputs, size_t output_count,
                  const char *const *inputs, size_t input_count) {
    for (size_t k = 0; k < output_count; k++) {
        if (outputs[k].path == NULL) continue;
        int outcome = check_writable(self, outputs[k].path);
        if (outcome == 0) outcome = check_apart(self, outputs, k, inputs, input_count);
        if (outcome == 0) outcome = check_kind(self, &outputs[k]);
        if (outcome != 0) return outcome;
    }
    return 0;
}
