/* Output and exit codes. The progress line and the interrupt flag are in interrupts.c. */
#include "report.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether the program behind a pipe has closed it, as `head` does when it has seen enough. */
static bool reader_left(void) {
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int finish_output(const command *self, int exit_code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
    if (errno == EPIPE || reader_left()) return EXIT_MACHINE; /* nothing to complain of */
    return complain(self, EXIT_MACHINE, "cannot write the result: %s",
                    errno != 0 ? strerror(errno) : "an earlier line was refused");
}

int print_json(const command *self, ireneo_json *json, int exit_code) {
    if (json->broken) return complain(self, EXIT_MACHINE, "not enough memory for the JSON report");
    puts(json->text);
    ireneo_json_free(json);
    return finish_output(self, exit_code);
}

int exit_code_of_error(ireneo_error error) {
    switch (error) {
    case IRENEO_OK:
        return EXIT_DONE;
    case IRENEO_ERROR_ARGUMENT:
        return EXIT_USAGE;
    case IRENEO_ERROR_DATA:
        return EXIT_DATA;
    case IRENEO_ERROR_CANCELLED:
        return EXIT_INTERRUPTED;
    case IRENEO_ERROR_MEMORY:
    case IRENEO_ERROR_IO:
    case IRENEO_ERROR_NUMERIC:
        break;
    }
    return EXIT_MACHINE;
}

int report_error(const command *self, ireneo_error error) {
    finish_progress();
    if (error == IRENEO_OK) return EXIT_DONE;
    return complain(self, exit_code_of_error(error), "%s",
                    error == IRENEO_ERROR_CANCELLED ? "interrupted" : ireneo_last_error());
}

void print_words(const char *text) {
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = ireneo_utf8_character(text);
        if (length == 0 || ireneo_utf8_is_control(text, length))
            putchar('?');
        else
            fwrite(text, 1, length, stdout);
    }
}

const char *grouped(double value, char *buffer) {
    char digits[32];
    if (!(fabs(value) < 1e15)) {
        snprintf(buffer, 40, "%.3e", value);
        return buffer;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", value), out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0) buffer[out++] = ' ';
        buffer[out++] = digits[i];
    }
    buffer[out] = '\0';
    return buffer;
}
