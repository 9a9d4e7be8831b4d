/* What the machine has left, from what Linux says about itself. */
#include "base/ram.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* First number in a one-line file, or SIZE_MAX. */
static size_t read_number(const char *path) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return SIZE_MAX;
    unsigned long long number = 0;
    size_t result = fscanf(file, "%llu", &number) == 1 ? (size_t)number : SIZE_MAX;
    fclose(file);
    return result;
}

static size_t meminfo_available(void) {
    FILE *file = fopen("/proc/meminfo", "re");
    if (file == NULL) return SIZE_MAX;
    char line[256];
    unsigned long long kibibytes = 0;
    size_t available = SIZE_MAX;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kibibytes) == 1) available = (size_t)kibibytes * 1024;
    fclose(file);
    return available;
}

/* What a limit of the address space (ulimit -v) leaves; SIZE_MAX without one. */
static size_t address_space_left(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    size_t pages = read_number("/proc/self/statm"), page = (size_t)sysconf(_SC_PAGESIZE);
    if (pages == SIZE_MAX) return SIZE_MAX;
    return limit.rlim_cur > pages * page ? (size_t)limit.rlim_cur - pages * page : 0;
}

size_t ireneo_ram_available(void) {
    size_t available = meminfo_available(), space = address_space_left();
    if (space < available) available = space;
    size_t limit = read_number("/sys/fs/cgroup/memory.max");
    size_t used = read_number("/sys/fs/cgroup/memory.current");
    if (limit != SIZE_MAX && used != SIZE_MAX) {
        size_t left = limit > used ? limit - used : 0;
        if (left < available) available = left;
    }
    return available;
}

size_t ireneo_ram_peak(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (size_t)usage.ru_maxrss * 1024;
}

ireneo_error ireneo_ram_require(double bytes, const char *what) {
    if (bytes < 64e6) return IRENEO_OK; /* asking takes longer than small work */
    size_t available = ireneo_ram_available();
    if (available != SIZE_MAX && bytes > (double)available)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory: %s needs about %.2f GB, %.2f GB are free",
                           what, bytes / 1e9, (double)available / 1e9);
    return IRENEO_OK;
}
