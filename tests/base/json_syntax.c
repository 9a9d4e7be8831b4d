/* The grammar of JSON: what is right, what is wrong, and that cJSON reads whatever passes. */
#include "base/json_syntax.h"
#include "base/random.h"
#include "base/utf8.h"
#include "scratch.h"

#include <cjson/cJSON.h>

static void test_right(void **state) {
    (void)state;
    const char *texts[] = {
        "{}",
        "{ } \t\r\n",
        "{\"a\":1}",
        "{\"\":[]}",
        "{\"a\" : [ 1 , -0 , 0.5 , 1e5 , -1.25E-3 , 2e+7 , true , false , null , \"x\" , { } ] }",
        "{\"\\u00e9\\n\\\"\\\\\\/\\b\\f\\r\\t\":\"\\ud834\\udd1e\"}",
        "{\"\xc3\xa9\":\"\xf0\x9d\x84\x9e\"}",
        "{\"a\":[[[[[[[0]]]]]]]}",
        "{\"a\":1e400}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_null(ireneo_json_syntax(texts[i]));
        cJSON *json = cJSON_Parse(texts[i]);
        assert_true(cJSON_IsObject(json));
        cJSON_Delete(json);
    }
}

static void test_wrong(void **state) {
    (void)state;
    const char *texts[] = {
        "",
        " {}",
        "[]",
        "1",
        "{",
        "}",
        "{}{}",
        "{} x",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":[1,]}",
        "{\"a\":[,]}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":-}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":0x1}",
        "{\"a\":NaN}",
        "{\"a\":tru}",
        "{\"a\":True}",
        "{'a':1}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\ud834\"}",
        "{\"a\":\"\\ud834\\u0041\"}",
        "{\"a\":\"\\udd1e\"}",
        "{\"a\":\"\\u0000\"}",
        "{\"a\":\"\t\"}",
        "{\"a\":\"b}",
        "{\"a\":\"\\",
        "{\"a\":\"\\u",
        "{\"a\"\v:1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1}",
        "{\"a\":{]}",
        "{\"a\":[[[[[[[[0]]]]]]]]}",
        "{\"a\":1111111111111111111111111111111111111111111111111111111111111111}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (ireneo_json_syntax(texts[i]) == NULL) fail_msg("accepted: %s", texts[i]);
}

/* Texts joined from pieces of JSON at random, most of them wrong, and right ones with one byte changed: cJSON must take
 * all that the grammar takes, or its refusal would be reported as lack of memory. */
static void test_what_passes_is_read(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "{",         "}",       "[",    "]", ",",       ":",  "\"a\"",  "\"b\"", "1", "-0.5",
        "1e9",       "true",    "null", " ", "\"\\n\"", "{}", "\"a\":", "[1,2]", "0", "\"\\ud834\\udd1e\"",
        "{\"a\":1}", ",\"c\":2"};
    enum { PIECES = sizeof pieces / sizeof pieces[0], TEXTS = 400000 };
    ireneo_generator random = {7, 0, 0};
    size_t passed = 0;
    for (size_t t = 0; t < TEXTS; t++) {
        char text[256] = "{\"x\":";
        size_t count = ireneo_draw_below(&random, 7);
        for (size_t k = 0; k < count; k++) strcat(text, pieces[ireneo_draw_below(&random, PIECES)]);
        strcat(text, "}");
        if (t % 4 == 0)
            text[ireneo_draw_below(&random, strlen(text))] ^= (char)(1u << ireneo_draw_below(&random, 7));
        if (ireneo_json_syntax(text) != NULL || !ireneo_is_utf8(text)) continue;
        cJSON *json = cJSON_ParseWithLength(text, strlen(text) + 1);
        if (!cJSON_IsObject(json)) fail_msg("cJSON does not read: %s", text);
        cJSON_Delete(json);
        passed++;
    }
    assert_in_range(passed, TEXTS / 20, TEXTS - TEXTS / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_what_passes_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
