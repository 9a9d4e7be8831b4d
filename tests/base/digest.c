/* BLAKE2b against its published value, texts that read alike, blocks and threads. */
#include "base/digest.h"
#include "scratch.h"

static void digest_of(const char *text, unsigned char *result) {
    ireneo_digest d;
    ireneo_digest_begin(&d);
    ireneo_digest_bytes(&d, text, strlen(text));
    ireneo_digest_end(&d, result);
}

/* b2sum -l 256 of "abc" */
static void test_known_value(void **state) {
    (void)state;
    unsigned char result[IRENEO_DIGEST_BYTES], back[IRENEO_DIGEST_BYTES];
    char text[IRENEO_DIGEST_TEXT];
    digest_of("abc", result);
    ireneo_digest_write(result, text);
    assert_string_equal(text, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    assert_true(ireneo_digest_read(text, back));
    assert_memory_equal(result, back, sizeof back);
    text[5] = 'g';
    assert_false(ireneo_digest_read(text, back));
    assert_false(ireneo_digest_read("abcd", back));
    assert_false(ireneo_digest_read(NULL, back));
}

static void digest_two(const char *a, const char *b, unsigned char *result) {
    ireneo_digest d;
    ireneo_digest_begin(&d);
    ireneo_digest_string(&d, a);
    ireneo_digest_string(&d, b);
    ireneo_digest_end(&d, result);
}

static void test_texts_keep_apart(void **state) {
    (void)state;
    unsigned char one[IRENEO_DIGEST_BYTES], two[IRENEO_DIGEST_BYTES];
    digest_two("ab", "c", one);
    digest_two("a", "bc", two);
    assert_memory_not_equal(one, two, sizeof one);
}

/* A megabyte and a bit: any one flipped bit changes the digest, the number of threads does not. */
static void test_blocks(void **state) {
    (void)state;
    enum { SIZE = (1 << 20) + 77 };
    unsigned char *bytes = calloc(SIZE, 1), first[IRENEO_DIGEST_BYTES], other[IRENEO_DIGEST_BYTES];
    const size_t places[] = {0, 1 << 17, (1 << 17) - 1, SIZE / 2, SIZE - 1};
    for (size_t k = 0; k < 8; k++) {
        ireneo_digest d;
        if (k >= 3) bytes[places[k - 3]] ^= 1;
        ireneo_digest_begin(&d);
        ireneo_digest_block(&d, bytes, SIZE, k < 3 ? (int)k + 1 : 2);
        ireneo_digest_end(&d, k == 0 ? first : other);
        if (k >= 3) bytes[places[k - 3]] ^= 1;
        if (k == 0) continue;
        if (k < 3)
            assert_memory_equal(first, other, sizeof first);
        else
            assert_memory_not_equal(first, other, sizeof first);
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_value),
                                       cmocka_unit_test(test_texts_keep_apart),
                                       cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
