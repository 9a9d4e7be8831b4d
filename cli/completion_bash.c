/* Completion for bash: one function with a case for every command. It needs nothing but bash itself. */
#include "completion.h"

#include <stdio.h>
#include <string.h>

static void print_names(const command_table *tables, const char *group) {
    for (const command_table *t = tables; t->self != NULL; t++)
        if (strcmp(t->group, group) == 0) printf("%s ", t->name);
}

/* "-o | --targets) kind=files ;;" for the options of one kind. */
static void print_kind(const option *options, completion_kind kind, const char *word) {
    const char *before = "            ";
    for (const option *o = options; o->name != NULL; o++) {
        if (o->kind == OPTION_FLAG || completion_of(o) != kind) continue;
        printf("%s%s%s", before, option_dashes(o), o->name);
        before = " | ";
    }
    if (before[1] == '|') printf(") kind=%s ;;\n", word);
}

static void print_table(const command_table *t) {
    printf("        '%s')\n            options='", t->self->name);
    for (const option *o = t->options; o->name != NULL; o++) printf("%s%s ", option_dashes(o), o->name);
    printf("--help'\n            case $before in\n");
    for (const option *o = t->options; o->name != NULL; o++) {
        if (o->kind != OPTION_CHOICE) continue;
        printf("            %s%s) kind=words words='", option_dashes(o), o->name);
        print_choices(o->argument);
        printf("' ;;\n");
    }
    print_kind(t->options, COMPLETE_FILES, "files");
    print_kind(t->options, COMPLETE_FOLDERS, "folders");
    print_kind(t->options, COMPLETE_NOTHING, "nothing");
    printf("            esac\n            ;;\n");
}

static void print_groups(const command_table *tables) {
    printf("    case $command in\n");
    for (const command_table *t = tables; t->self != NULL; t++) {
        if (t->options != NULL) continue;
        printf("    %s)\n        if [ \"$COMP_CWORD\" -eq 2 ]; then\n            kind=words words='",
               t->self->name);
        print_names(tables, t->self->name);
        printf("--help'\n        fi\n        command=\"$command ${COMP_WORDS[2]}\"\n        ;;\n");
    }
    printf("    esac\n");
}

static const char beginning[] =
    "# Completion of ireneo for bash, made by 'ireneo --completion bash' from its tables of options.\n"
    "_ireneo() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "    local kind='' words='' options='' IFS=$' \\t\\n'\n"
    "    COMPREPLY=()\n"
    "    if [ \"$word\" = '=' ]; then # --name=value comes in three words\n"
    "        word=''\n"
    "    elif [ \"$before\" = '=' ]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        kind=words words='";

static const char end[] = "        esac\n"
                          "    fi\n"
                          "    if [ -z \"$kind\" ]; then\n"
                          "        if [ \"${word:0:1}\" = - ]; then\n"
                          "            kind=words words=$options\n"
                          "        elif [ \"$command\" = figure ]; then\n"
                          "            kind=words words=\"all $(\"${COMP_WORDS[0]}\" figure --list "
                          "2>/dev/null | sed 's/^ *//; s/ .*//')\"\n"
                          "        fi\n"
                          "    fi\n"
                          "    case $kind in\n"
                          "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
                          "    nothing) compopt +o default +o bashdefault 2>/dev/null ;;\n"
                          "    folders)\n"
                          "        compopt -o filenames 2>/dev/null\n"
                          "        mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
                          "        ;;\n"
                          "    esac # files: what bash does by itself\n"
                          "}\n"
                          "complete -o bashdefault -o default -F _ireneo ireneo\n";

void complete_in_bash(const command_table *tables) {
    fputs(beginning, stdout);
    print_names(tables, "");
    printf("--help --version --completion'\n    fi\n");
    print_groups(tables);
    printf("    if [ -z \"$kind\" ]; then\n        case $command in\n"
           "        --completion) kind=words words='bash zsh fish' ;;\n"
           "        --version) kind=words words='--json --help' ;;\n");
    for (const command_table *t = tables; t->self != NULL; t++)
        if (t->options != NULL) print_table(t);
    fputs(end, stdout);
}
