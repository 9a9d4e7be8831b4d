/* The thread's last error sentence, and the names of the public enums that every room shares. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_sentence[1024];

ireneo_error ireneo_fail(ireneo_error code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_sentence, sizeof last_sentence, format, arguments);
    va_end(arguments);
    return code;
}

ireneo_error ireneo_check_reserved(const uint64_t reserved[4], const char *what) {
    for (int k = 0; k < 4; k++)
        if (reserved[k] != 0)
            return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                               "the reserved fields of %s must be zero; zero-initialise the struct", what);
    return IRENEO_OK;
}

const char *ireneo_last_error(void) {
    return last_sentence;
}

const char *ireneo_error_name(ireneo_error error) {
    switch (error) {
    case IRENEO_OK:
        return "ok";
    case IRENEO_ERROR_ARGUMENT:
        return "argument";
    case IRENEO_ERROR_DATA:
        return "data";
    case IRENEO_ERROR_MEMORY:
        return "memory";
    case IRENEO_ERROR_IO:
        return "io";
    case IRENEO_ERROR_NUMERIC:
        return "numeric";
    case IRENEO_ERROR_CANCELLED:
        return "cancelled";
    }
    return "unknown";
}

const char *ireneo_version(void) {
    return IRENEO_VERSION;
}
