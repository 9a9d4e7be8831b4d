/* Text that others can read: UTF-8, as JSON wants it. */
#ifndef IRENEO_BASE_UTF8_H
#define IRENEO_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at this NUL-terminated text, or 0 when there is none. */
size_t ireneo_utf8_character(const char *text);

/* Whether the text up to its NUL is UTF-8. */
bool ireneo_is_utf8(const char *text);

/* Whether a character of so many bytes is a control character: U+0000 to U+001F, U+007F to U+009F. */
bool ireneo_utf8_is_control(const char *character, size_t length);

/* What files say ends on terminals, where control characters could do harm: they, and what is not UTF-8, become '?'. */
void ireneo_make_printable(char *text);

#endif
