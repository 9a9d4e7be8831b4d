/* The reader of numbers as text against arbitrary bytes. */
#include "base/table.h"

#include "fuzz.h"
#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_layout layout;
    unsigned char *elements = NULL;
    char *text = malloc(count + 1); /* readers get a NUL behind the text */
    if (text == NULL) return 0;
    memcpy(text, bytes, count);
    text[count] = '\0';
    if (ireneo_table_parse("fuzz.csv", text, count, &layout, &elements) == IRENEO_OK)
        read_all(&layout, elements, layout.bytes);
    free(elements);
    free(text);
    return 0;
}
