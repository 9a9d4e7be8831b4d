/* The reader of config.json against arbitrary bytes: what it takes is a transformer of sane numbers, and its texts end. */
#include "attention/models/config.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_transformer_config config;
    ireneo_error error = ireneo_config_parse("fuzz/config.json", bytes, count, &config);
    const ireneo_transformer *t = &config.transformer;
    if (memchr(config.unknown, 0, sizeof config.unknown) == NULL ||
        memchr(config.note, 0, sizeof config.note) == NULL)
        abort();
    if (error != IRENEO_OK) {
        if (error != IRENEO_ERROR_DATA || t->layers != 0) abort();
        return 0;
    }
    if (t->layers < 1 || t->width < 1 || t->heads < 1 || t->mlp_width < 1 || t->context < 2.0) abort();
    if (t->head_width == 0 && t->width % t->heads != 0) abort();
    if (t->key_heads > 0 && t->heads % t->key_heads != 0) abort();
    if (!(t->beta >= 0.0) || !isfinite(t->beta) || !isfinite(t->value_variance) ||
        !isfinite(t->mlp_out_variance))
        abort();
    if (!(t->q_0 > 0.0) || !(config.std > 0.0) || config.model_type[0] == '\0') abort();
    return 0;
}
