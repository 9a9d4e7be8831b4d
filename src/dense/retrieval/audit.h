/* Inside the audit: the sample, and the lambda at which given patterns stay put. */
#ifndef IRENEO_DENSE_RETRIEVAL_AUDIT_H
#define IRENEO_DENSE_RETRIEVAL_AUDIT_H

#include "dense/retrieval/retrieval.h"

/* Puts a lambda in the place of the 0 in filled settings: that of the theory, or more when these patterns need it. */
ireneo_error ireneo_recall_choose_lambda(const ireneo_prepared *memory, size_t count,
                                         ireneo_dense_recall_settings *settings, int threads);

#endif
