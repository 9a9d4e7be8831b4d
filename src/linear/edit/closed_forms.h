/* The usual closed forms, for comparison. */
#ifndef IRENEO_LINEAR_EDIT_CLOSED_FORMS_H
#define IRENEO_LINEAR_EDIT_CLOSED_FORMS_H

#include "linear/edit/edit.h"

/* Ridge regression, or ridge regression in the null space of ordinary keys; writes the matrix. */
ireneo_error ireneo_edit_closed_form(edit_work *e);

#endif
