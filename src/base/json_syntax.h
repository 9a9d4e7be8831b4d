/* Whether a text is JSON, by the grammar of RFC 8259 and nothing beyond it. cJSON takes any control character for a
 * space, ignores what follows the object, recurses 1000 deep and does not say whether text or memory was at fault. */
#ifndef IRENEO_BASE_JSON_SYNTAX_H
#define IRENEO_BASE_JSON_SYNTAX_H

/* NULL when the NUL-terminated text is one JSON object, with spaces allowed behind it but not before; else a clause that
 * says what is wrong. What passes, cJSON reads whenever it finds memory. */
const char *ireneo_json_syntax(const char *text);

#endif
