/* each, random, zipf:S. */
#include "target_rule.h"

#include <string.h>

static bool read_rule(const char *text, ireneo_targets *rule, double *zipf) {
    *rule = IRENEO_TARGETS_EACH;
    *zipf = 0.0;
    if (text == NULL || strcmp(text, "each") == 0) return true;
    *rule = IRENEO_TARGETS_ZIPF;
    if (strcmp(text, "random") == 0) return true;
    return strncmp(text, "zipf:", 5) == 0 && parse_real(text + 5, zipf) && *zipf >= 0.0 && *zipf <= 10.0;
}

int parse_target_rule(const command *self, const char *text, bool decoupled, size_t candidates,
                      ireneo_targets *rule, double *zipf) {
    if (!read_rule(text, rule, zipf))
        return complain(self, EXIT_USAGE,
                        "--targets is each, random or zipf:S with an exponent S from 0 to 10, not '%s'",
                        text);
    if (*rule == IRENEO_TARGETS_EACH) return 0;
    if (decoupled)
        return complain(
            self, EXIT_USAGE,
            "--targets %s is for candidates that facts share; with a set of its own every fact has a "
            "value that no other asks for",
            text);
    if (candidates == 0)
        return complain(self, EXIT_USAGE,
                        "--targets %s needs the number of values to draw from, --candidates P", text);
    return 0;
}
