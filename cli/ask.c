/* ireneo ask: what a memory answers to a word. */
#include "base/utf8.h"
#include "commands.h"
#include "prompt.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 4, MOST_TOP = 500, MOST_SUGGESTIONS = 5 };

typedef struct conversation {
    const command *self;
    size_t top, threads;
    bool json, unknown; /* unknown: some word was */
    ireneo_memory *memory;
    ireneo_memory_extras extras;
    vocabulary words;
    int64_t indices[MOST_TOP];
    float scores[MOST_TOP];
} conversation;

static const char *answer_label(const conversation *c, size_t k) {
    return c->extras.value_labels != NULL ? c->extras.value_labels[c->indices[k]] : NULL;
}

static size_t answer_count(const conversation *c) {
    size_t count = 0;
    while (count < c->top && c->indices[count] >= 0) count++;
    return count;
}

static int print_line(ireneo_json *json) {
    int outcome = json->broken || puts(json->text) < 0 ? EXIT_MACHINE : 0;
    ireneo_json_free(json);
    return outcome;
}

static int print_json_answer(const conversation *c, const char *word, size_t row) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "word", word);
    ireneo_json_bool(&json, "known", true);
    ireneo_json_size(&json, "key", row);
    ireneo_json_begin_array(&json, "answers");
    for (size_t k = 0; k < answer_count(c); k++) {
        ireneo_json_begin_object(&json, NULL);
        ireneo_json_size(&json, "index", (uint64_t)c->indices[k]);
        ireneo_json_text(&json, "label", answer_label(c, k));
        ireneo_json_number(&json, "score", (double)c->scores[k]);
        ireneo_json_end_object(&json);
    }
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    return print_line(&json);
}

static void print_answer(const conversation *c, const char *word) {
    print_words(word);
    fputs(" ->", stdout);
    for (size_t k = 0; k < answer_count(c); k++) {
        const char *label = answer_label(c, k);
        if (label != NULL)
            fputs(k > 0 ? ", " : " ", stdout), print_words(label), printf(" (%.4g)", (double)c->scores[k]);
        else
            printf("%s %lld (%.4g)", k > 0 ? "," : "", (long long)c->indices[k], (double)c->scores[k]);
    }
    putchar('\n');
}

static int answer(conversation *c, const char *word, size_t row) {
    ireneo_error failed = ireneo_recall(
        c->memory, c->extras.keys + row * c->memory->dim_in, 1, c->extras.values, c->extras.candidates,
        c->top, &(ireneo_run_settings){.threads = (int)c->threads}, c->indices, c->scores);
    if (failed != IRENEO_OK) return report_error(c->self, failed);
    if (c->json) return print_json_answer(c, word, row);
    print_answer(c, word);
    return 0;
}

static int print_json_unknown(const conversation *c, const char *word, const size_t *rows, size_t count) {
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "word", word);
    ireneo_json_bool(&json, "known", false);
    ireneo_json_begin_array(&json, "near");
    for (size_t k = 0; k < count; k++) ireneo_json_text(&json, NULL, c->words.labels[rows[k]]);
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    return print_line(&json);
}

static int suggest(conversation *c, const char *word) {
    size_t rows[MOST_SUGGESTIONS], count = near_words(&c->words, word, rows, MOST_SUGGESTIONS);
    c->unknown = true;
    if (c->json) return print_json_unknown(c, word, rows, count);
    print_words(word);
    fputs(" is unknown", stdout);
    for (size_t k = 0; k < count; k++)
        fputs(k == 0 ? "; near it: " : ", ", stdout), print_words(c->words.labels[rows[k]]);
    putchar('\n');
    return 0;
}

/* Words come from anywhere; what is no text is not printed again. */
static int ask(conversation *c, const char *word) {
    if (!ireneo_is_utf8(word)) {
        c->unknown = true;
        if (c->json) return print_json_unknown(c, NULL, NULL, 0);
        puts("what was asked is not UTF-8");
        return 0;
    }
    size_t first = 0, count = find_rows(&c->words, word, &first);
    if (count == 0) return suggest(c, word);
    int outcome = 0;
    for (size_t k = 0; k < count && outcome == 0; k++) outcome = answer(c, word, c->words.order[first + k]);
    return outcome;
}

/* ---- The prompt ---- */

static const char *const COMMANDS[] = {":help", ":quit", ":top ", NULL};

static void print_prompt_help(void) {
    puts("a name        asks for it; TAB completes it, the arrows bring back earlier lines\n"
         ":top K        K answers a name from now on\n"
         ":quit         ends, as does Ctrl-D; Ctrl-C gives up the line");
}

static void set_top(conversation *c, const char *text) {
    double number = 0;
    if (parse_real(text, &number) && number >= 1 && number <= MOST_TOP && number == (double)(size_t)number)
        c->top = (size_t)number;
    else
        printf(":top takes a whole number from 1 to %d\n", MOST_TOP);
}

/* false: the conversation ends. */
static bool obey(conversation *c, char *line) {
    char *rest = line + strcspn(line, " \t");
    if (*rest != '\0') *rest++ = '\0';
    rest += strspn(rest, " \t");
    if (strcmp(line, ":quit") == 0 || strcmp(line, ":q") == 0) return false;
    if (strcmp(line, ":top") == 0)
        set_top(c, rest);
    else if (strcmp(line, ":help") == 0)
        print_prompt_help();
    else
        printf("there is no %s; :help lists what there is\n", line);
    return true;
}

static int converse(conversation *c) {
    prompt *p = open_prompt(&c->words, COMMANDS);
    if (p == NULL) return complain(c->self, EXIT_MACHINE, "not enough memory for the prompt");
    bool person = prompt_is_terminal(p);
    if (person) printf("%zu names; TAB completes, :help explains, :quit ends\n", c->words.count);
    int outcome = 0;
    char *line;
    while (outcome == 0 && (line = next_line(p)) != NULL) {
        size_t first;
        bool name = line[0] != ':' || find_rows(&c->words, line, &first) > 0;
        if (*line == '\0') continue;
        if (name)
            outcome = ask(c, line);
        else if (!obey(c, line))
            break;
        fflush(stdout); /* a program at the other end of a pipe waits for it */
    }
    if (person && line == NULL) putchar('\n');
    if (person) c->unknown = false; /* a slip of the hand is no answer "no" */
    close_prompt(p);
    return outcome;
}

/* ---- The command ---- */

static int load(conversation *c, const char *path) {
    ireneo_error failed = ireneo_memory_load(path, &c->memory);
    if (failed == IRENEO_OK) failed = ireneo_memory_load_extras(path, c->memory, &c->extras);
    if (failed != IRENEO_OK) return report_error(c->self, failed);
    if (c->extras.key_labels == NULL || c->extras.values == NULL)
        return complain(
            c->self, EXIT_USAGE,
            "%s holds no names to ask for; store it with --key-labels FILE and --value-labels FILE", path);
    if (sort_vocabulary(c->extras.key_labels, c->extras.facts, &c->words)) return 0;
    return complain(c->self, EXIT_MACHINE, "not enough memory for the names");
}

static int ask_all(conversation *c, const char *const *words, size_t count) {
    int outcome = load(c, words[0]);
    if (outcome == 0 && count == 1) outcome = converse(c);
    for (size_t k = 1; k < count && outcome == 0; k++) outcome = ask(c, words[k]);
    return outcome != 0 ? outcome : finish_output(c->self, c->unknown ? EXIT_NO : EXIT_DONE);
}

static int run(const command *self, int argc, char **argv) {
    conversation c = {.self = self, .top = DEFAULT_TOP};
    size_t count = 0;
    option options[] = {
        COUNT("top", &c.top, "K", "answers a word (default 4)", 1, MOST_TOP),
        THREADS(&c.threads),
        FLAG("json", &c.json, "one object a line"),
        OPTIONS_END,
    };
    const char **words = calloc((size_t)argc + 1, sizeof *words);
    if (words == NULL) return complain(self, EXIT_MACHINE, "not enough memory for the words");
    int outcome = parse_options(self, argc, argv, options, words, 1, (size_t)argc, &count);
    if (outcome == 0)
        outcome = ask_all(&c, words, count);
    else if (outcome == PARSE_FINISHED)
        outcome = EXIT_DONE;
    ireneo_memory_free(c.memory);
    ireneo_memory_extras_free(&c.extras);
    free_vocabulary(&c.words);
    free(words);
    return outcome;
}

const command command_ask = {
    "ask", "what a memory answers to a word", run, "MEMORY [WORD...]",
    "MEMORY was stored with --key-labels and --value-labels. Without words it is a prompt: names complete\n"
    "with TAB, :top K sets the number of answers, :help explains, :quit or Ctrl-D ends. When standard input "
    "is\n"
    "not a terminal, every line of it is a word. Exit code 1: a word is unknown; near ones are named."};
