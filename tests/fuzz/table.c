/* The reader of numbers as text against arbitrary bytes. */
#include "base/table.h"

#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

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

#ifdef IRENEO_FUZZ_STANDALONE
#include "walk.h"

int main(int argc, char **argv) {
    static const fuzz_seed seeds[] = {
        FUZZ_SEED("a,b,c\n1,2.5,-3e4\n4,5,6\n"),
        FUZZ_SEED("\xef\xbb\xbf"
                  "1;2\r\n3;16777217\r\n"),
        FUZZ_SEED("# heading\n 1  2\t3 \n\n4 5 6"),
        FUZZ_SEED("1\t\t2\n9223372036854775807\t1e-320\t1e999\n"),
    };
    return fuzz_walk(argc, argv, seeds, sizeof seeds / sizeof seeds[0]);
}
#endif
