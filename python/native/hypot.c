/* hypot of any glibc: since 2.35 it has a second version, which sets no errno, and one call would tie a wheel to that
 * glibc. The linker sends every call here (--wrap=hypot). */
double old_hypot(double x, double y);
__asm__(".symver old_hypot, hypot@GLIBC_2.2.5");

double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) {
    return old_hypot(x, y);
}
