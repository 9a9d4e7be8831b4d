/* A scratch directory for tests of files, and short ways to fill files and to expect errors. */
#ifndef IRENEO_TESTS_SCRATCH_H
#define IRENEO_TESTS_SCRATCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ireneo.h"

/* Setup and teardown of one test: *state is the path of an empty directory. */
static inline int scratch_setup(void **state) {
    char *directory = strdup("/tmp/ireneo-test-XXXXXX");
    if (mkdtemp(directory) == NULL) return -1;
    *state = directory;
    return 0;
}

static inline void scratch_remove(const char *path) {
    DIR *directory = opendir(path);
    for (struct dirent *item; directory != NULL && (item = readdir(directory)) != NULL;) {
        char *child = NULL;
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        if (asprintf(&child, "%s/%s", path, item->d_name) < 0) break;
        if (item->d_type == DT_DIR)
            scratch_remove(child);
        else
            unlink(child);
        free(child);
    }
    if (directory != NULL) closedir(directory);
    rmdir(path);
}

static inline int scratch_teardown(void **state) {
    scratch_remove(*state);
    free(*state);
    return 0;
}

/* directory/name in one of four buffers used in turn. */
static inline const char *scratch_path(void *const *state, const char *name) {
    static char paths[4][4096];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", (const char *)*state, name);
    return paths[turn];
}

static inline void scratch_write(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* The whole file; release with free. */
static inline unsigned char *scratch_read(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct stat status;
    assert_int_equal(fstat(fileno(file), &status), 0);
    unsigned char *bytes = malloc((size_t)status.st_size + 1);
    *count = fread(bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return bytes;
}

/* Number of entries of a directory, to find temporary files left behind. */
static inline int scratch_count(const char *path) {
    int count = -2;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

/* The code is as expected and the sentence holds both texts (the second may be ""). */
static inline void expect_error_at(ireneo_error got, ireneo_error wanted, const char *text, const char *other,
                                   const char *file, int line) {
    const char *sentence = ireneo_last_error();
    if (got == wanted && strstr(sentence, text) != NULL && strstr(sentence, other) != NULL) return;
    print_error("got %s, wanted %s with '%s' and '%s' in: %s\n", ireneo_error_name(got),
                ireneo_error_name(wanted), text, other, sentence);
    _fail(file, line);
}
#define expect_error(got, wanted, text, other)                                                               \
    expect_error_at((got), (wanted), (text), (other), __FILE__, __LINE__)

static inline void expect_ok_at(ireneo_error got, const char *file, int line) {
    if (got == IRENEO_OK) return;
    print_error("%s: %s\n", ireneo_error_name(got), ireneo_last_error());
    _fail(file, line);
}
#define expect_ok(got) expect_ok_at((got), __FILE__, __LINE__)

#define scratch_test(function) cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_teardown)

/* Runs a line of Python with NumPy in the directory; skips the test when there is none. */
static inline void scratch_python(void *const *state, const char *script) {
    char command[8192];
    if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) skip();
    snprintf(command, sizeof command, "cd '%s' && /usr/bin/python3 -c \"%s\"", (const char *)*state, script);
    assert_int_equal(system(command), 0);
}

#endif
