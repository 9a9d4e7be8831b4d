/* Completion for fish: one `complete` a command and an option. */
#include "completion.h"

#include <stdio.h>
#include <string.h>

static void print_quoted(const char *text) {
    putchar('\'');
    print_escaped(text, "\\'", "\\");
    putchar('\'');
}

static void print_description(const char *text) {
    fputs(" -d ", stdout);
    print_quoted(text);
    putchar('\n');
}

/* Fish offers files by itself; -x asks for none, and for a value. */
static void print_option(const command_table *t, const option *o) {
    printf("complete -c ireneo -n '__ireneo_at %s' -%c %s", t->self->name, o->name[1] == '\0' ? 's' : 'l',
           o->name);
    if (o->kind != OPTION_FLAG) {
        switch (completion_of(o)) {
        case COMPLETE_FILES:
            fputs(" -rF", stdout);
            break;
        case COMPLETE_FOLDERS:
            fputs(" -xa '(__fish_complete_directories)'", stdout);
            break;
        case COMPLETE_WORDS:
            fputs(" -xa '", stdout);
            print_choices(o->argument);
            putchar('\'');
            break;
        case COMPLETE_NOTHING:
            fputs(" -x", stdout);
        }
    }
    print_description(o->help);
}

static void print_name(const command_table *t) {
    printf("complete -c ireneo -n '__ireneo_only %s' -fa %s", t->group, t->name);
    print_description(t->self->summary);
}

void complete_in_fish(const command_table *tables) {
    printf("# Completion of ireneo for fish, made by 'ireneo --completion fish' from its tables of options.\n"
           "function __ireneo_at -d 'the command line begins with these words'\n"
           "    set -l words (commandline -opc)\n"
           "    set -e words[1]\n"
           "    test (count $words) -ge (count $argv); or return 1\n"
           "    for i in (seq (count $argv))\n"
           "        test $words[$i] = $argv[$i]; or return 1\n"
           "    end\n"
           "end\n"
           "function __ireneo_only -d 'the command line is these words so far'\n"
           "    test (count (commandline -opc)) -eq (math (count $argv) + 1); and __ireneo_at $argv\n"
           "end\n"
           "complete -c ireneo -n __ireneo_only -f -l help -d 'all commands'\n"
           "complete -c ireneo -n __ireneo_only -f -l version -d 'version and build'\n"
           "complete -c ireneo -n __ireneo_only -f -l completion -d 'a script for a shell'\n"
           "complete -c ireneo -n '__ireneo_at --completion' -fa 'bash zsh fish'\n"
           "complete -c ireneo -n '__ireneo_at --version' -f -l json -d 'machine-readable report'\n"
           "complete -c ireneo -n '__ireneo_at figure' -fa 'all (ireneo figure --list 2>/dev/null | string "
           "match -r "
           "\"[a-z0-9_]+\")'\n");
    for (const command_table *t = tables; t->self != NULL; t++) {
        print_name(t);
        for (const option *o = t->options; o != NULL && o->name != NULL; o++) print_option(t, o);
        if (t->options != NULL)
            printf("complete -c ireneo -n '__ireneo_at %s' -l help -d 'these options'\n", t->self->name);
    }
}
