/* Numbers as text that files and other programs read: with a point, whatever the locale of the host program says. */
#ifndef IRENEO_BASE_NUMBER_TEXT_H
#define IRENEO_BASE_NUMBER_TEXT_H

/* So many significant digits ("%.*g"); buffer holds 32 bytes. */
const char *ireneo_written_double(double value, int digits, char *buffer);

/* The shortest text that reads back as the same finite double; buffer holds 32 bytes. */
const char *ireneo_shortest_double(double value, char *buffer);

#endif
