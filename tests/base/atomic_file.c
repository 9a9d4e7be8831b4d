/* Atomic files: contents, permissions, and above all what is left when something fails. */
#include "scratch.h"

#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void expect_contents(const char *path, const char *contents) {
    size_t count = 0;
    unsigned char *bytes = scratch_read(path, &count);
    assert_int_equal(count, strlen(contents));
    assert_memory_equal(bytes, contents, count);
    free(bytes);
}

static mode_t mode_of(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static void test_chunks_become_one_file(void **state) {
    const char *path = scratch_path(state, "file");
    ireneo_atomic_file file;
    expect_ok(ireneo_atomic_file_begin(&file, path));
    expect_ok(ireneo_atomic_file_write(&file, "one ", 4));
    expect_ok(ireneo_atomic_file_write(&file, NULL, 0));
    expect_ok(ireneo_atomic_file_write(&file, "two", 3));
    assert_int_equal(access(path, F_OK), -1); /* nothing before the commit */
    expect_ok(ireneo_atomic_file_commit(&file));
    ireneo_atomic_file_abandon(&file); /* harmless */
    expect_contents(path, "one two");
    assert_int_equal(scratch_count(*state), 1);
}

static void test_abandon_leaves_the_old_file(void **state) {
    const char *path = scratch_path(state, "file");
    scratch_write(path, "old", 3);
    ireneo_atomic_file file;
    expect_ok(ireneo_atomic_file_begin(&file, path));
    expect_ok(ireneo_atomic_file_write(&file, "new and longer", 14));
    expect_contents(path, "old");
    ireneo_atomic_file_abandon(&file);
    ireneo_atomic_file_abandon(&file);
    expect_contents(path, "old");
    assert_int_equal(scratch_count(*state), 1);
}

static void test_finish_passes_an_error_on(void **state) {
    const char *path = scratch_path(state, "file");
    ireneo_atomic_file file;
    expect_ok(ireneo_atomic_file_begin(&file, path));
    assert_int_equal(ireneo_atomic_file_finish(&file, IRENEO_ERROR_NUMERIC), IRENEO_ERROR_NUMERIC);
    assert_int_equal(scratch_count(*state), 0);
}

static void test_save_bytes(void **state) {
    const char *path = scratch_path(state, "file");
    expect_ok(ireneo_save_bytes(path, "long contents", 13));
    expect_ok(ireneo_save_bytes(path, "short", 5));
    expect_contents(path, "short");
    expect_ok(ireneo_save_bytes(path, NULL, 0));
    expect_contents(path, "");
    expect_error(ireneo_save_bytes(path, NULL, 3), IRENEO_ERROR_ARGUMENT, "", "");
    expect_error(ireneo_save_bytes("", "x", 1), IRENEO_ERROR_ARGUMENT, "empty", "");
    expect_error(ireneo_save_bytes(NULL, "x", 1), IRENEO_ERROR_ARGUMENT, "empty", "");
}

static void test_bare_name_in_the_current_directory(void **state) {
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(*state), 0);
    ireneo_error error = ireneo_save_bytes("bare", "x", 1);
    assert_int_equal(chdir(before), 0);
    expect_ok(error);
    expect_contents(scratch_path(state, "bare"), "x");
}

static void test_new_file_obeys_umask(void **state) {
    mode_t before = umask(027);
    ireneo_error error = ireneo_save_bytes(scratch_path(state, "a"), "x", 1);
    umask(0);
    ireneo_error other = ireneo_save_bytes(scratch_path(state, "b"), "x", 1);
    umask(before);
    expect_ok(error);
    expect_ok(other);
    assert_int_equal(mode_of(scratch_path(state, "a")), 0640);
    assert_int_equal(mode_of(scratch_path(state, "b")), 0666);
}

static void test_old_permissions_are_kept(void **state) {
    const char *path = scratch_path(state, "file");
    static const mode_t modes[] = {0600, 0664, 0777, 0640};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        scratch_write(path, "old", 3);
        assert_int_equal(chmod(path, modes[i]), 0);
        expect_ok(ireneo_save_bytes(path, "new", 3));
        assert_int_equal(mode_of(path), modes[i]);
    }
}

static void test_links_stay_links(void **state) {
    const char *real = scratch_path(state, "real"), *link = scratch_path(state, "link");
    scratch_write(real, "old", 3);
    assert_int_equal(symlink("real", link), 0);
    expect_ok(ireneo_save_bytes(link, "new", 3));
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    expect_contents(real, "new");
    /* A link that leads nowhere is replaced by a file. */
    const char *dangling = scratch_path(state, "dangling");
    assert_int_equal(symlink("nowhere", dangling), 0);
    expect_ok(ireneo_save_bytes(dangling, "new", 3));
    expect_contents(dangling, "new");
}

static void test_longest_name(void **state) {
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    expect_ok(ireneo_save_bytes(scratch_path(state, name), "x", 1));
    expect_contents(scratch_path(state, name), "x");
    assert_int_equal(scratch_count(*state), 1);
}

static void test_places_that_cannot_be_written(void **state) {
    expect_error(ireneo_save_bytes(scratch_path(state, "no/such/file"), "x", 1), IRENEO_ERROR_IO,
                 "no/such/file", strerror(ENOENT));
    expect_error(ireneo_save_bytes(*state, "x", 1), IRENEO_ERROR_IO, *state, strerror(EISDIR));
    expect_error(ireneo_save_bytes(scratch_path(state, "absent/"), "x", 1), IRENEO_ERROR_IO, "absent",
                 strerror(EISDIR));
    scratch_write(scratch_path(state, "file"), "old", 3);
    expect_error(ireneo_save_bytes(scratch_path(state, "file/inside"), "x", 1), IRENEO_ERROR_IO, "inside",
                 strerror(ENOTDIR));
    assert_int_equal(scratch_count(*state), 1);
}

/* /dev/full fails every write with ENOSPC. It must also still be a device afterwards. */
static void test_devices_are_written_directly(void **state) {
    (void)state;
    struct stat status;
    if (stat("/dev/full", &status) != 0 || !S_ISCHR(status.st_mode)) skip();
    expect_error(ireneo_save_bytes("/dev/full", "x", 1), IRENEO_ERROR_IO, "/dev/full", strerror(ENOSPC));
    expect_ok(ireneo_save_bytes("/dev/null", "x", 1));
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

/* Runs a check in a child, whose limits and user may be changed; the child returns 0 for success, 77 to skip.
 */
static void in_child(int (*check)(void *const *), void **state) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(check(state));
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A disk that fills up in the middle of a write, played by a limit on the size of files. */
static int write_over_the_limit(void *const *state) {
    static char large[1 << 20];
    struct rlimit limit = {4096, 4096};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 77;
    if (ireneo_save_bytes(scratch_path(state, "file"), large, sizeof large) != IRENEO_ERROR_IO) return 1;
    if (strstr(ireneo_last_error(), strerror(EFBIG)) == NULL) return 2;
    size_t shape[] = {sizeof large / 4};
    if (ireneo_save_npy(scratch_path(state, "file"), IRENEO_DTYPE_FLOAT32, 1, shape, large) !=
        IRENEO_ERROR_IO)
        return 3;
    ireneo_tensor tensor = {"W", IRENEO_DTYPE_FLOAT32, 1, {sizeof large / 4}, large};
    return ireneo_save_safetensors(scratch_path(state, "file"), &tensor, 1, NULL, 0) == IRENEO_ERROR_IO ? 0
                                                                                                        : 4;
}

static void test_disk_full_leaves_the_old_file(void **state) {
    scratch_write(scratch_path(state, "file"), "old", 3);
    in_child(write_over_the_limit, state);
    expect_contents(scratch_path(state, "file"), "old");
    assert_int_equal(scratch_count(*state), 1);
}

/* Root may write anywhere, so the child becomes nobody. */
static int become_plain_user(void) {
    if (geteuid() != 0) return 0;
    return setgid(65534) == 0 && setuid(65534) == 0 ? 0 : 77;
}

static int write_to_protected_directory(void *const *state) {
    if (become_plain_user() != 0) return 77;
    if (ireneo_save_bytes(scratch_path(state, "file"), "new", 3) != IRENEO_ERROR_IO) return 1;
    if (strstr(ireneo_last_error(), strerror(EACCES)) == NULL) return 2;
    return ireneo_save_bytes(scratch_path(state, "other"), "new", 3) == IRENEO_ERROR_IO ? 0 : 3;
}

static void test_protected_directory(void **state) {
    scratch_write(scratch_path(state, "file"), "old", 3);
    chmod(scratch_path(state, "file"), 0666);
    chmod(*state, 0555);
    in_child(write_to_protected_directory, state);
    chmod(*state, 0755);
    expect_contents(scratch_path(state, "file"), "old");
    assert_int_equal(scratch_count(*state), 1);
}

static int write_to_protected_file(void *const *state) {
    if (become_plain_user() != 0) return 77;
    if (ireneo_save_bytes(scratch_path(state, "file"), "new", 3) != IRENEO_ERROR_IO) return 1;
    return strstr(ireneo_last_error(), strerror(EACCES)) == NULL ? 2 : 0;
}

static void test_protected_file_in_a_free_directory(void **state) {
    scratch_write(scratch_path(state, "file"), "old", 3);
    chmod(scratch_path(state, "file"), 0444);
    chmod(*state, 0777);
    in_child(write_to_protected_file, state);
    expect_contents(scratch_path(state, "file"), "old");
    assert_int_equal(scratch_count(*state), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(test_chunks_become_one_file),
        scratch_test(test_abandon_leaves_the_old_file),
        scratch_test(test_finish_passes_an_error_on),
        scratch_test(test_save_bytes),
        scratch_test(test_bare_name_in_the_current_directory),
        scratch_test(test_new_file_obeys_umask),
        scratch_test(test_old_permissions_are_kept),
        scratch_test(test_links_stay_links),
        scratch_test(test_longest_name),
        scratch_test(test_places_that_cannot_be_written),
        scratch_test(test_devices_are_written_directly),
        scratch_test(test_disk_full_leaves_the_old_file),
        scratch_test(test_protected_directory),
        scratch_test(test_protected_file_in_a_free_directory),
    };
    return cmocka_run_group_tests_name("atomic_file", tests, NULL, NULL);
}
