/* Names of the tensors of a model, in one file or in several. */
#include "base/foreign.h"
#include "base/ram.h"
#include "base/safetensors.h"
#include "base/safetensors_index.h"

#include <string.h>

ireneo_error ireneo_names_pack(const char *const *names, size_t count, char ***packed) {
    size_t bytes = (count + 1) * sizeof(char *);
    for (size_t i = 0; i < count; i++) bytes += strlen(names[i]) + 1;
    char *block = malloc(bytes);
    if (block == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the names of tensors");
    *packed = (char **)(void *)block;
    char *text = block + (count + 1) * sizeof(char *);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]) + 1;
        memcpy(text, names[i], length);
        (*packed)[i] = text;
        text += length;
    }
    (*packed)[count] = NULL;
    return IRENEO_OK;
}

ireneo_error ireneo_tensor_names(const char *path, char ***names, size_t *count) {
    IRENEO_REQUIRE(names != NULL && count != NULL, "names of tensors need a place for them and their number");
    *names = NULL;
    *count = 0;
    IRENEO_REQUIRE(path != NULL, "no file to read was given");
    return ireneo_ends_with(path, ".json") ? ireneo_index_names(path, names, count)
                                           : ireneo_safetensors_names(path, names, count);
}
