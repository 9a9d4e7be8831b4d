/* Labels and pairs from arbitrary bytes, cut at the first byte 1, through the command itself. Its output folder cannot
 * be made, so that it ends after reading. */
#include "commands.h"
#include "fuzz.h"
#include "ireneo.h"

#include <fcntl.h>
#include <string.h>

static const char *embeddings(void) {
    static const float rows[6] = {1, 2, 3, 4, 5, 6};
    static const size_t shape[2] = {3, 2};
    static char path[64];
    if (path[0] != '\0') return path;
    snprintf(path, sizeof path, "/tmp/ireneo-fuzz-%d.npy", (int)getpid());
    if (ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, shape, rows) != IRENEO_OK) abort();
    int copy = open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);
    snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    const uint8_t *cut = memchr(bytes, 1, count);
    size_t first = cut != NULL ? (size_t)(cut - bytes) : count, rest = cut != NULL ? count - first - 1 : 0;
    const char *labels = fuzz_file(0, bytes, first), *pairs = fuzz_file(1, bytes + (count - rest), rest);
    const char *words[] = {embeddings(), labels, pairs, "-o", "/dev/null/folder"};
    int code = command_pairs.run(&command_pairs, 5, (char **)words);
    if (code < 2 || code > 4) abort();
    return 0;
}
