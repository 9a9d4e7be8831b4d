/* The prompt, by libedit: the usual keys, arrows for history, TAB for completion. */
#include "prompt.h"
#include "report.h"

#include <ctype.h>
#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REMEMBERED = 1000, MOST_SHOWN = 40 };

struct prompt {
    const vocabulary *words;
    const char *const *commands;
    EditLine *editor; /* NULL: not a terminal */
    History *history;
    char *line; /* of getline */
    size_t room;
};

static char *prompt_text(EditLine *editor) {
    static char text[] = "ireneo> ";
    (void)editor;
    return text;
}

/* ---- TAB ---- */

/* The i-th thing that the typed text can become: labels first, then commands. */
typedef struct choices {
    const vocabulary *words;
    size_t first, labels;
    const char *commands[16];
    size_t count;
} choices;

static const char *choice(const choices *c, size_t i) {
    return i < c->labels ? c->words->labels[c->words->order[c->first + i]] : c->commands[i - c->labels];
}

static void find_choices(const prompt *p, const char *text, size_t length, choices *c) {
    *c = (choices){.words = p->words};
    c->labels = words_with_prefix(p->words, text, length, &c->first);
    c->count = c->labels;
    for (size_t k = 0; length > 0 && p->commands[k] != NULL; k++)
        if (strncmp(p->commands[k], text, length) == 0) c->commands[c->count++ - c->labels] = p->commands[k];
}

/* Bytes that all choices have in common; never a part of a character. */
static size_t common_length(const choices *c) {
    const char *one = choice(c, 0);
    size_t common = strlen(one);
    for (size_t i = 1; i < c->count; i++) {
        const char *other = choice(c, i);
        size_t k = 0;
        while (k < common && one[k] == other[k]) k++;
        common = k;
    }
    while (common > 0 && ((unsigned char)one[common] & 0xc0) == 0x80) common--;
    return common;
}

static void show_choices(const choices *c) {
    putchar('\n');
    for (size_t i = 0; i < c->count && i < MOST_SHOWN; i++) print_words(choice(c, i)), fputs("  ", stdout);
    if (c->count > MOST_SHOWN) printf("and %zu more", c->count - MOST_SHOWN);
    putchar('\n');
    fflush(stdout);
}

/* Completes what is left of the cursor as far as it is clear; shows the choices when nothing more is. */
static unsigned char complete(EditLine *editor, int key) {
    prompt *p = NULL;
    (void)key;
    if (el_get(editor, EL_CLIENTDATA, &p) != 0 || p == NULL) return CC_ERROR;
    const LineInfo *line = el_line(editor);
    const char *begin = line->buffer;
    while (begin < line->cursor && isspace((unsigned char)*begin)) begin++;
    size_t length = (size_t)(line->cursor - begin);
    choices c;
    find_choices(p, begin, length, &c);
    if (c.count == 0) return CC_ERROR;
    size_t common = common_length(&c);
    if (common > length) {
        char *rest = strndup(choice(&c, 0) + length, common - length);
        int failed = rest == NULL ? -1 : el_insertstr(editor, rest);
        free(rest);
        return failed != 0 ? CC_ERROR : CC_REFRESH;
    }
    if (c.count == 1) return CC_NORM;
    show_choices(&c);
    return CC_REDISPLAY;
}

/* ---- Ctrl-C and Ctrl-Z: ordinary keys here, so that no signal comes between ---- */

static unsigned char stop(EditLine *editor, int key) {
    (void)editor, (void)key;
    raise(SIGTSTP);
    return CC_REDISPLAY;
}

static unsigned char give_up(EditLine *editor, int key) {
    (void)key;
    const LineInfo *line = el_line(editor);
    el_cursor(editor, (int)(line->lastchar - line->cursor));
    line = el_line(editor);
    if (line->lastchar > line->buffer) el_deletestr(editor, (int)(line->cursor - line->buffer));
    fputs("^C\n", stdout);
    fflush(stdout);
    el_insertstr(editor, "\n"); /* an empty line: nothing at all would be the end */
    return CC_NEWLINE;
}

static bool start_editor(prompt *p) {
    HistEvent event;
    setlocale(LC_CTYPE, ""); /* names need not be ASCII */
    signal(SIGINT, SIG_IGN); /* between two lines Ctrl-C has nothing to give up, and is no reason to end */
    p->editor = el_init("ireneo", stdin, stdout, stderr);
    p->history = history_init();
    if (p->editor == NULL || p->history == NULL) return false;
    history(p->history, &event, H_SETSIZE, REMEMBERED);
    history(p->history, &event, H_SETUNIQUE, 1);
    el_set(p->editor, EL_CLIENTDATA, p);
    el_set(p->editor, EL_PROMPT, prompt_text);
    el_set(p->editor, EL_EDITOR, "emacs");
    el_set(p->editor, EL_HIST, history, p->history);
    el_set(p->editor, EL_ADDFN, "complete-name", "completes a name", complete);
    el_set(p->editor, EL_ADDFN, "give-up-line", "begins a new line", give_up);
    el_set(p->editor, EL_BIND, "^I", "complete-name", NULL);
    el_set(p->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(p->editor, EL_SIGNAL,
           1); /* the terminal is put in order before a signal ends or stops the program */
    el_set(p->editor, EL_SETTY, "-d", "-isig", NULL);
    el_set(p->editor, EL_ADDFN, "stop-program", "back to the shell", stop);
    el_set(p->editor, EL_BIND, "^C", "give-up-line", NULL);
    el_set(p->editor, EL_BIND, "^Z", "stop-program", NULL);
    return true;
}

prompt *open_prompt(const vocabulary *words, const char *const *commands) {
    prompt *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->words = words, p->commands = commands;
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !start_editor(p)) {
        close_prompt(p);
        return NULL;
    }
    return p;
}

void close_prompt(prompt *p) {
    if (p == NULL) return;
    if (p->editor != NULL) el_end(p->editor);
    if (p->history != NULL) history_end(p->history);
    free(p->line);
    free(p);
}

bool prompt_is_terminal(const prompt *p) {
    return p->editor != NULL;
}

static char *trimmed(char *text, size_t length) {
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    text[length] = '\0';
    while (isspace((unsigned char)*text)) text++;
    return text;
}

static bool edit_line(prompt *p) {
    int count = 0;
    const char *typed = el_gets(p->editor, &count);
    free(p->line);
    p->line = typed == NULL || count <= 0 ? NULL : strndup(typed, (size_t)count);
    return p->line != NULL;
}

char *next_line(prompt *p) {
    bool more = p->editor != NULL ? edit_line(p) : getline(&p->line, &p->room, stdin) > 0;
    if (!more) return NULL;
    char *line = trimmed(p->line, strlen(p->line));
    HistEvent event;
    if (p->history != NULL && *line != '\0') history(p->history, &event, H_ENTER, line);
    return line;
}
