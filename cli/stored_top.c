/* Reads it from the metadata, which other programs may have written. */
#include "stored_top.h"

int find_stored_top(const command *self, const char *path, size_t *top) {
    char *text = NULL;
    double number = 1.0;
    ireneo_error failed = ireneo_safetensors_metadata(path, "top", &text);
    if (failed != IRENEO_OK) return report_error(self, failed);
    bool known = text != NULL && parse_real(text, &number) && number >= 1.0 && number <= 256.0;
    *top = known ? (size_t)number : 1;
    ireneo_free(text);
    return 0;
}
