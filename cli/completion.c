/* ireneo --completion, and what the scripts of the three shells share. */
#include "completion.h"

#include "report.h"

#include <stdio.h>
#include <string.h>

completion_kind completion_of(const option *o) {
    static const char *const files[] = {"FILE", "MEMORY", "OUT"};
    if (o->kind == OPTION_CHOICE) return COMPLETE_WORDS;
    if (o->kind != OPTION_TEXT) return COMPLETE_NOTHING;
    if (strcmp(o->argument, "DIR") == 0) return COMPLETE_FOLDERS;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strstr(o->argument, files[i]) != NULL) return COMPLETE_FILES;
    return COMPLETE_NOTHING;
}

void print_choices(const char *words) {
    for (; *words != '\0'; words++) putchar(*words == '|' ? ' ' : *words);
}

void print_escaped(const char *text, const char *stand_in, const char *special) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs(stand_in, stdout);
            continue;
        }
        if (strchr(special, *text) != NULL) putchar('\\');
        putchar(*text);
    }
}

static const struct {
    const char *name;
    void (*print)(const command_table *tables);
} shells[] = {{"bash", complete_in_bash}, {"zsh", complete_in_zsh}, {"fish", complete_in_fish}};
enum { SHELLS = sizeof shells / sizeof *shells };

int print_completion(int argc, char **argv) {
    static const command self = {
        "--completion", "a script that completes commands and options in your shell", NULL, "bash|zsh|fish",
        "bash: ireneo --completion bash > ~/.local/share/bash-completion/completions/ireneo\n"
        "zsh:  ireneo --completion zsh > _ireneo, in a folder of $fpath\n"
        "fish: ireneo --completion fish > ~/.config/fish/completions/ireneo.fish"};
    option options[] = {OPTIONS_END};
    const char *shell = NULL;
    int outcome = parse_options(&self, argc, argv, options, &shell, 1, 1, NULL);
    if (outcome == PARSE_FINISHED) return finish_output(&self, EXIT_DONE);
    if (outcome != 0) return outcome;
    size_t chosen = 0;
    while (chosen < SHELLS && strcmp(shell, shells[chosen].name) != 0) chosen++;
    if (chosen == SHELLS)
        return complain(&self, EXIT_USAGE, "there is completion for bash, zsh and fish, not for '%s'", shell);
    command_table *tables = read_tables();
    if (tables == NULL) return complain(&self, EXIT_MACHINE, "not enough memory for the tables of options");
    shells[chosen].print(tables);
    free_tables(tables);
    return finish_output(&self, EXIT_DONE);
}
