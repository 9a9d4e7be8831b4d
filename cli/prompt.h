/* Lines from a person, with editing, history and completion, or from a pipe, as they are. */
#ifndef IRENEO_CLI_PROMPT_H
#define IRENEO_CLI_PROMPT_H

#include "vocabulary.h"

typedef struct prompt prompt;

/* `words` and the NULL-ended `commands` complete a line; all must outlive the prompt. NULL: not enough RAM. */
prompt *open_prompt(const vocabulary *words, const char *const *commands);
void close_prompt(prompt *p);

/* Whether a person sits there: standard input and output are a terminal. */
bool prompt_is_terminal(const prompt *p);

/* The next line without blanks around it, valid until the next call; NULL at the end (Ctrl-D). Ctrl-C gives up the
 * line that is being typed. */
char *next_line(prompt *p);

#endif
