/* The one function of Fortran's run-time library that the LAPACK routines in use call: they put option letters together.
 * With it here, wheels do without libgfortran and libquadmath. Fortran's A // B: cut or filled with blanks to the length
 * of the result. Lengths come as size_t since GCC 8. */
#include <stddef.h>
#include <string.h>

void _gfortran_concat_string(size_t length, char *result, size_t first_length, const char *first,
                             size_t second_length, const char *second);

static size_t append(char *result, size_t length, size_t at, const char *text, size_t count) {
    if (count > length - at) count = length - at;
    if (count > 0) memcpy(result + at, text, count);
    return at + count;
}

void _gfortran_concat_string(size_t length, char *result, size_t first_length, const char *first,
                             size_t second_length, const char *second) {
    size_t at = append(result, length, 0, first, first_length);
    at = append(result, length, at, second, second_length);
    memset(result + at, ' ', length - at);
}
