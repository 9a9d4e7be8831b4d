/* Writes the manual: ireneo(1) and a page for every command, from the program's own option tables and the prose of
 * docs/manual. A build tool: pages PROSE-FOLDER PAGES-FOLDER. Prose about an option or a command that there is not is an
 * error, so that the manual and the program cannot part. */
#include "ireneo.h"
#include "manual/prose.h"
#include "manual/troff.h"
#include "tables.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, PATH = 4096 };

typedef struct manual {
    const char *prose_folder, *page_folder;
    char date[NAME];
    prose group; /* of the group that was last: its commands share it */
    char group_path[PATH];
    bool failed;
} manual;

/* ---- names ---- */

/* "dense phases" as "dense-phases" */
static void file_name(const char *command_name, char *name) {
    snprintf(name, NAME, "%s", command_name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == ' ') *c = '-';
}

static void fail(manual *m, const char *what, const char *path) {
    fprintf(stderr, "pages: %s %s\n", what, path);
    m->failed = true;
}

static FILE *open_page(manual *m, const char *name) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s.1", m->page_folder, name);
    FILE *page = fopen(path, "w");
    if (page == NULL) fail(m, "cannot write", path);
    return page;
}

static void close_page(manual *m, FILE *page, const char *name) {
    bool good = !ferror(page);
    if (fclose(page) != 0 || !good) fail(m, "cannot write", name);
}

static void open_prose(manual *m, prose *p, const char *name, char *path) {
    snprintf(path, PATH, "%s/%s.man", m->prose_folder, name);
    if (!prose_read(p, path)) m->failed = true;
}

static void close_prose(manual *m, prose *p, const char *path) {
    if (!prose_all_used(p, path)) m->failed = true;
    prose_free(p);
}

/* ---- parts of a page ---- */

static void write_title(const manual *m, FILE *page, const char *name) {
    fputs(".TH ", page);
    for (const char *c = name; *c != '\0'; c++)
        fprintf(page, *c == '-' ? "\\-" : "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    fprintf(page, " 1 \"%s\" \"ireneo %s\" \"User commands\"\n", m->date, ireneo_version());
}

/* A reference to another page: \fBireneo-store\fP(1). */
static void write_reference(FILE *page, const char *command_name, const char *end) {
    char name[NAME];
    file_name(command_name, name);
    fputs(".BR ireneo", page);
    if (*name != '\0') fputs("\\-", page);
    troff_words(page, name);
    fprintf(page, " (1)%s\n", end);
}

static void write_option(FILE *page, const option *o, prose *own, prose *group) {
    char part[NAME + 16];
    snprintf(part, sizeof part, "option %s%s", option_dashes(o), o->name);
    const char *text = prose_text(own, part);
    if (text == NULL && group != NULL) text = prose_text(group, part);
    fprintf(page, ".TP\n.B%s ", o->kind == OPTION_FLAG ? "" : "I");
    troff_words(page, option_dashes(o));
    troff_words(page, o->name);
    if (o->kind != OPTION_FLAG) {
        fputs(" \" ", page);
        troff_words(page, o->argument);
        fputc('"', page);
    }
    fputc('\n', page);
    if (text != NULL)
        fputs(text, page);
    else
        troff_sentence(page, o->help);
}

static void write_head(const manual *m, FILE *page, const command *self, const char *name, prose *p) {
    char page_name[NAME + 8];
    snprintf(page_name, sizeof page_name, "ireneo-%s", name);
    write_title(m, page, page_name);
    fputs(".SH NAME\n", page);
    troff_words(page, page_name);
    fputs(" \\- ", page);
    troff_words(page, self->summary);
    fprintf(page, "\n.SH SYNOPSIS\n.B ireneo %s\n", self->name);
    const char *synopsis = prose_text(p, "synopsis");
    if (synopsis != NULL)
        fputs(synopsis, page);
    else if (self->usage[0] != '\0')
        fprintf(page, ".I \"%s\"\n", self->usage);
    fputs(".RI [ OPTIONS ]\n.SH DESCRIPTION\n", page);
    const char *description = prose_text(p, "description");
    if (description != NULL)
        fputs(description, page);
    else
        troff_sentence(page, self->summary);
    if (self->details[0] == '\0') return;
    fputs(".PP\n", page);
    troff_lines(page, self->details);
}

static void write_part(FILE *page, prose *p, const char *part, const char *title) {
    const char *text = prose_text(p, part);
    if (text != NULL) fprintf(page, ".SH %s\n%s", title, text);
}

static void write_tail(FILE *page, const char *group, prose *p) {
    write_part(page, p, "examples", "EXAMPLES");
    fputs(".SH SEE ALSO\n", page);
    if (group[0] != '\0') write_reference(page, group, ",");
    write_reference(page, "", ",");
    fputs("which tells about files, exit codes and the environment.\n", page);
}

/* ---- pages ---- */

/* .TP entries of the commands of a group, "": of those in none. */
static void write_list(FILE *page, const command_table *tables, const char *group) {
    fputs(".SH COMMANDS\n", page);
    for (const command_table *t = tables; t->self != NULL; t++) {
        if (strcmp(t->group, group) != 0) continue;
        fputs(".TP\n", page);
        write_reference(page, t->self->name, "");
        troff_sentence(page, t->self->summary);
    }
}

static void write_options(manual *m, FILE *page, const command_table *table, prose *p) {
    fputs(".SH OPTIONS\n", page);
    for (const option *o = table->options; o->name != NULL; o++)
        write_option(page, o, p, table->group[0] != '\0' ? &m->group : NULL);
    fputs(".TP\n.B \\-\\-help\nPrints these options in short.\n", page);
}

static void write_command(manual *m, const command_table *tables, const command_table *table) {
    char name[NAME], page_name[NAME + 8], path[PATH];
    prose p;
    file_name(table->self->name, name);
    snprintf(page_name, sizeof page_name, "ireneo-%s", name);
    FILE *page = open_page(m, page_name);
    if (page == NULL) return;
    open_prose(m, &p, name, path);
    write_head(m, page, table->self, name, &p);
    if (table->options != NULL)
        write_options(m, page, table, &p);
    else
        write_list(page, tables, table->self->name);
    write_part(page, &p, "notes", "NOTES");
    write_tail(page, table->group, &p);
    close_page(m, page, page_name);
    if (table->group[0] == '\0') close_prose(m, &m->group, m->group_path);
    if (table->options != NULL) {
        close_prose(m, &p, path);
    } else { /* its commands follow, and may use it */
        m->group = p;
        snprintf(m->group_path, sizeof m->group_path, "%s", path);
    }
}

/* ireneo(1): its prose is the page but for the title and the list of commands. */
static void write_overview(manual *m, prose *p, const command_table *tables) {
    FILE *page = open_page(m, "ireneo");
    if (page == NULL) return;
    const char *before = prose_text(p, "page"), *after = prose_text(p, "after the commands");
    write_title(m, page, "ireneo");
    if (before != NULL) fputs(before, page);
    write_list(page, tables, "");
    if (after != NULL) fputs(after, page);
    close_page(m, page, "ireneo");
}

static bool belongs(const command_table *tables, const char *file, size_t length) {
    char name[NAME];
    bool found = length == strlen("ireneo") && strncmp(file, "ireneo", length) == 0;
    for (const command_table *t = tables; t->self != NULL && !found; t++) {
        file_name(t->self->name, name);
        found = strlen(name) == length && strncmp(file, name, length) == 0;
    }
    return found;
}

/* Every prose file belongs to a command. */
static void find_strangers(manual *m, const command_table *tables) {
    DIR *folder = opendir(m->prose_folder);
    if (folder == NULL) {
        fail(m, "cannot read", m->prose_folder);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending != NULL && strcmp(ending, ".man") == 0 &&
            !belongs(tables, entry->d_name, (size_t)(ending - entry->d_name)))
            fail(m, "no command belongs to", entry->d_name);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: pages PROSE-FOLDER PAGES-FOLDER\n");
        return EXIT_USAGE;
    }
    manual m = {.prose_folder = argv[1], .page_folder = argv[2]};
    char path[PATH];
    prose p;
    command_table *tables = read_tables();
    if (tables == NULL) return EXIT_MACHINE;
    open_prose(&m, &p, "ireneo", path);
    const char *date = prose_text(&p, "date");
    if (date != NULL) snprintf(m.date, sizeof m.date, "%.*s", (int)strcspn(date, "\n"), date);
    for (const command_table *t = tables; t->self != NULL; t++) write_command(&m, tables, t);
    close_prose(&m, &m.group, m.group_path);
    write_overview(&m, &p, tables);
    close_prose(&m, &p, path);
    find_strangers(&m, tables);
    free_tables(tables);
    return m.failed ? EXIT_NO : EXIT_DONE;
}
