/* UTF-8 as in RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
#include "base/utf8.h"

#include <string.h>

size_t ireneo_utf8_character(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80) return 1;
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    bool overlong = (bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xf0 && bytes[1] < 0x90);
    bool surrogate = bytes[0] == 0xed && bytes[1] >= 0xa0;
    bool beyond = bytes[0] == 0xf4 && bytes[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

bool ireneo_is_utf8(const char *text) {
    while (*text != '\0') {
        size_t length = ireneo_utf8_character(text);
        if (length == 0) return false;
        text += length;
    }
    return true;
}

bool ireneo_utf8_is_control(const char *character, size_t length) {
    unsigned char first = (unsigned char)character[0];
    if (length == 1) return first < 0x20 || first == 0x7f;
    return length == 2 && first == 0xc2 && (unsigned char)character[1] < 0xa0;
}

void ireneo_make_printable(char *text) {
    for (char *out = text; *text != '\0';) {
        size_t length = ireneo_utf8_character(text), step = length == 0 ? 1 : length;
        if (length == 0 || ireneo_utf8_is_control(text, length)) {
            *out++ = '?';
        } else {
            memmove(out, text, length);
            out += length;
        }
        text += step;
        if (*text == '\0') *out = '\0';
    }
}
