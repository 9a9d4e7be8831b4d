/* Takes the place of src/base/npz.c in wheels: libzip would bring OpenSSL along, for encryption that no array has. The
 * binding, which sees the mark below, reads these archives with NumPy, which it needs anyway. */
#include "base/npz.h"

#include <string.h>

IRENEO_API extern const int ireneo_npz_absent;
const int ireneo_npz_absent = 1;

bool ireneo_npz_recognise(const unsigned char *bytes, size_t count) {
    return count >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

static ireneo_error refuse(const ireneo_source *source) {
    return ireneo_fail(IRENEO_ERROR_DATA,
                       "%s: this build of the library reads no .npz files; in Python: "
                       "numpy.save('new.npy', numpy.load('%s')['name'])",
                       source->file.path, source->file.path);
}

ireneo_error ireneo_npz_open(const char *name, ireneo_source *source) {
    (void)name;
    return refuse(source);
}

ireneo_error ireneo_npz_read(ireneo_source *source, void *buffer, size_t bytes) {
    (void)buffer, (void)bytes;
    return refuse(source);
}

ireneo_error ireneo_npz_finish(ireneo_source *source) {
    return refuse(source);
}

void ireneo_npz_close(ireneo_source *source) {
    (void)source;
}
