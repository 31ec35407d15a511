/* persistent.h - requests that MPI_Start starts again and again, and what they do.  */
#ifndef ACCSCOPE_MPI_PERSISTENT_H
#define ACCSCOPE_MPI_PERSISTENT_H

#include "accscope_annotation.h"
#include <stdint.h>

/* Remembers peer, bytes, tag and communicator of a request's message.  */
void persistent_keep (intptr_t request, const struct accscope_annotation *message, int receives);

void persistent_forget (intptr_t request);

/* Whether the request is known; fills in what was kept.  */
int persistent_find (intptr_t request, struct accscope_annotation *message, int *receives);

#endif
