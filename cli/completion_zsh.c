/* Completion for zsh: _arguments with the tables' own words. */
#include "completion.h"

#include <stdio.h>
#include <string.h>

/* Inside single quotes, for _arguments and _describe, which cut at colons and end descriptions at ]. */
static void print_text(const char *text) {
    print_escaped(text, "'\\''", "[]:\\");
}

/* 'phases:how many patterns fit' */
static void print_names(const command_table *tables, const char *group) {
    for (const command_table *t = tables; t->self != NULL; t++) {
        if (strcmp(t->group, group) != 0) continue;
        printf("            '%s:", t->name);
        print_text(t->self->summary);
        printf("'\n");
    }
}

/* '--rank=[largest rank of the matrix]:M: ' */
static void print_option(const option *o) {
    static const char *const actions[] = {
        [COMPLETE_NOTHING] = " ", [COMPLETE_FILES] = "_files", [COMPLETE_FOLDERS] = "_files -/"};
    bool flag = o->kind == OPTION_FLAG, is_long = o->name[1] != '\0';
    printf("            '%s%s%s[", option_dashes(o), o->name, !flag && is_long ? "=" : "");
    print_text(o->help);
    putchar(']');
    if (!flag) {
        putchar(':');
        print_text(o->argument);
        putchar(':');
        if (o->kind == OPTION_CHOICE) {
            putchar('(');
            print_choices(o->argument);
            putchar(')');
        } else {
            fputs(actions[completion_of(o)], stdout);
        }
    }
    printf("' \\\n");
}

static void print_table(const command_table *t) {
    printf("    '%s')\n        _arguments \\\n", t->self->name);
    for (const option *o = t->options; o->name != NULL; o++) print_option(o);
    printf("            '--help[these options]' \\\n");
    printf(strcmp(t->self->name, "figure") == 0 ? "            '*:figure:_ireneo_figures' ;;\n"
                                                : "            '*:file:_files' ;;\n");
}

static void print_group(const command_table *tables, const command_table *group) {
    printf("    '%s')\n        names=(\n", group->self->name);
    print_names(tables, group->self->name);
    printf("        )\n        _describe command names ;;\n");
}

/* The words of the command are taken away, so that _arguments sees its own. */
static const char middle[] = "        )\n"
                             "        _describe command names\n"
                             "        _arguments '--help[all commands]' '--version[version and build]' "
                             "'--completion[a script for a shell]:shell:(bash zsh fish)'\n"
                             "        return\n"
                             "    fi\n"
                             "    command=$words[2]\n"
                             "    taken=1\n"
                             "    if (( CURRENT > 3 )) && [[ $command == (";

static void print_group_names(const command_table *tables) {
    const char *before = "";
    for (const command_table *t = tables; t->self != NULL; t++) {
        if (t->options != NULL) continue;
        printf("%s%s", before, t->self->name);
        before = "|";
    }
}

void complete_in_zsh(const command_table *tables) {
    printf("#compdef ireneo\n"
           "# Completion of ireneo for zsh, made by 'ireneo --completion zsh' from its tables of options.\n"
           "_ireneo_figures() {\n"
           "    local -a names\n"
           "    names=(all ${${${(f)\"$(_call_program figures ireneo figure --list "
           "2>/dev/null)\"}##[[:space:]]#}%%%% "
           "*})\n"
           "    compadd -a names\n"
           "}\n"
           "_ireneo() {\n"
           "    setopt localoptions extendedglob\n"
           "    local -a names\n"
           "    local command taken\n"
           "    if (( CURRENT == 2 )); then\n"
           "        names=(\n");
    print_names(tables, "");
    fputs(middle, stdout);
    print_group_names(tables);
    printf(") ]]; then\n        command=\"$command $words[3]\"\n        taken=2\n    fi\n"
           "    shift $taken words\n    (( CURRENT -= taken ))\n    case $command in\n"
           "    --version) _arguments '--json[machine-readable report]' ;;\n"
           "    --completion) compadd bash zsh fish ;;\n");
    for (const command_table *t = tables; t->self != NULL; t++) {
        if (t->options != NULL)
            print_table(t);
        else
            print_group(tables, t);
    }
    printf("    esac\n}\n_ireneo \"$@\"\n");
}
