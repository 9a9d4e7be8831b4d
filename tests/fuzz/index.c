/* The reader of an index of shards against arbitrary bytes: a shard that it names lies beside the index. */
#include "base/safetensors_index.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void try_name(const uint8_t *bytes, size_t count, const char *name) {
    static const char folder[] = "models/";
    char *shard = NULL;
    ireneo_error error = ireneo_safetensors_shard("models/fuzz.index.json", bytes, count, name, &shard);
    if ((error == IRENEO_OK) != (shard != NULL)) abort();
    if (shard != NULL) {
        const char *file = shard + sizeof folder - 1;
        if (strncmp(shard, folder, sizeof folder - 1) != 0 || file[0] == '\0' || strchr(file, '/') != NULL ||
            strcmp(file, "..") == 0)
            abort();
    }
    free(shard);
}

static void list_names(const uint8_t *bytes, size_t count) {
    char **names = NULL;
    size_t many = 0;
    if ((ireneo_index_names(fuzz_file(0, bytes, count), &names, &many) == IRENEO_OK) != (names != NULL))
        abort();
    for (size_t k = 0; k < many; k++)
        if (strlen(names[k]) > count) abort();
    free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    list_names(bytes, count);
    try_name(bytes, count, NULL);
    try_name(bytes, count, "W");
    return 0;
}
