/* Certificates as objects: lists of pairs (fact, competitor) with weights. */
#ifndef IRENEO_LINEAR_CERTIFICATE_CERTIFICATE_H
#define IRENEO_LINEAR_CERTIFICATE_CERTIFICATE_H

#include "base/error.h"

/* Room for `count` pairs, with nothing in it yet. Release with ireneo_certificate_free. */
ireneo_error ireneo_certificate_allocate(size_t count, ireneo_certificate **certificate);

#endif
