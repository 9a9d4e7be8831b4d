/* One walk over the text, by recursive descent: each function steps over what it is named after and returns where it ends,
 * or NULL with the fault written down. The text ends with a NUL, which no rule of the grammar takes. */
#include "base/json_syntax.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    DEEPEST_NESTING = 8, /* headers of tensors have 3, indices of shards 2 */
    LONGEST_NUMBER = 63  /* what cJSON copies; more would end as two numbers */
};

typedef struct walk {
    const char *fault;
    int depth;
} walk;

static const char *stop(walk *w, const char *fault) {
    if (w->fault == NULL) w->fault = fault;
    return NULL;
}

/* Something else stands where `wanted` says what should. */
static const char *stop_at(walk *w, const char *at, const char *wanted) {
    if (*at == '\0') return stop(w, "is not JSON: brackets are not closed");
    return stop(w, (unsigned char)*at < ' ' ? "is not JSON: it holds a control character" : wanted);
}

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\n\r");
}

/* Four hexadecimal digits behind "\u", or -1. */
static long hex_unit(const char *at) {
    long unit = 0;
    for (int k = 0; k < 4; k++) {
        const char *digits = "0123456789abcdefABCDEF";
        const char *digit = at[k] != '\0' ? strchr(digits, at[k]) : NULL;
        if (digit == NULL) return -1;
        unit = 16 * unit + (digit - digits < 16 ? digit - digits : digit - digits - 6);
    }
    return unit;
}

/* Steps over what follows "\u". Half a surrogate pair is no character, and a NUL would cut names short. */
static const char *skip_unicode(walk *w, const char *at) {
    long unit = hex_unit(at);
    if (unit < 0) return stop(w, "is not JSON: \\u wants four hexadecimal digits");
    if (unit == 0) return stop(w, "holds an escaped control character, NUL");
    if (unit < 0xd800 || unit > 0xdfff) return at + 4;
    bool pair = unit < 0xdc00 && at[4] == '\\' && at[5] == 'u';
    long low = pair ? hex_unit(at + 6) : -1;
    return low >= 0xdc00 && low <= 0xdfff ? at + 10 : stop(w, "is not JSON: half a character in a string");
}

static const char *skip_string(walk *w, const char *at) {
    if (*at != '"') return stop_at(w, at, "is not JSON: a name or a value is missing");
    for (at++; *at != '"';) {
        if ((unsigned char)*at < ' ')
            return stop(w, "is not JSON: a string is not closed or holds a control character");
        if (*at++ != '\\') continue;
        if (*at == 'u') {
            at = skip_unicode(w, at + 1);
            if (at == NULL) return NULL;
        } else if (*at != '\0' && strchr("\"\\/bfnrt", *at++) == NULL) {
            return stop(w, "is not JSON: a string holds an unknown escape");
        }
    }
    return at + 1;
}

static const char *skip_digits(walk *w, const char *at) {
    size_t count = strspn(at, "0123456789");
    return count > 0 ? at + count : stop(w, "is not JSON: a number lacks its digits");
}

static const char *skip_number(walk *w, const char *at) {
    const char *begin = at;
    if (*at == '-') at++;
    if (*at == '0')
        at++;
    else
        at = skip_digits(w, at);
    if (at != NULL && *at == '.') at = skip_digits(w, at + 1);
    if (at != NULL && (*at == 'e' || *at == 'E'))
        at = skip_digits(w, at + 1 + (at[1] == '+' || at[1] == '-'));
    return at == NULL || at - begin <= LONGEST_NUMBER ? at : stop(w, "holds a number that is too long");
}

static const char *skip_value(walk *w, const char *at);

/* Steps over "{...}" or "[...]". */
static const char *skip_members(walk *w, const char *at) {
    bool object = *at == '{';
    char close = object ? '}' : ']';
    if (++w->depth > DEEPEST_NESTING) return stop(w, "is nested too deeply");
    at = skip_space(at + 1);
    for (bool first = true; at != NULL && *at != close; first = false) {
        if (!first && *at != ',') return stop_at(w, at, "is not JSON: a comma is missing");
        if (!first) at = skip_space(at + 1);
        if (object) {
            at = skip_string(w, at);
            if (at == NULL) return NULL;
            at = skip_space(at);
            if (*at != ':') return stop_at(w, at, "is not JSON: a name has no colon behind it");
            at = skip_space(at + 1);
        }
        at = skip_value(w, at);
        if (at != NULL) at = skip_space(at);
    }
    w->depth--;
    return at == NULL ? NULL : at + 1;
}

static const char *skip_value(walk *w, const char *at) {
    static const char *const words[] = {"true", "false", "null"};
    if (*at == '{' || *at == '[') return skip_members(w, at);
    if (*at == '-' || (*at >= '0' && *at <= '9')) return skip_number(w, at);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strncmp(at, words[k], strlen(words[k])) == 0) return at + strlen(words[k]);
    return skip_string(w, at);
}

const char *ireneo_json_syntax(const char *text) {
    walk w = {0};
    if (text[0] != '{') return "is not a JSON object";
    const char *end = skip_members(&w, text);
    if (end == NULL) return w.fault;
    return *skip_space(end) == '\0' ? NULL : "is not JSON: something follows the object";
}
