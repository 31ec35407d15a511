/* abi.h - what calls.c asks of the MPI that it was compiled for.  Handles are as the
   calling language passes them: C's in a word, Fortran's as the address of an INTEGER.  */
#ifndef ACCSCOPE_MPI_ABI_H
#define ACCSCOPE_MPI_ABI_H

#include <stdint.h>

enum language { LANGUAGE_C, LANGUAGE_FORTRAN };

#define ANY_SOURCE (-1)
#define NO_PEER (-2)

/* Whether the process runs on this MPI, and is between initialization and end.  */
int abi_active (void);

/* The communicator's number, the same in all of its processes (0: MPI_COMM_WORLD), and
   its size.  */
int32_t abi_communicator (intptr_t communicator, enum language language, int *size);

/* The rank in MPI_COMM_WORLD of a rank of the communicator; ANY_SOURCE, NO_PEER.  */
int64_t abi_peer (intptr_t communicator, int rank, enum language language);

/* Bytes of an element.  */
int64_t abi_size (intptr_t type, enum language language);

/* The rank and the bytes of a message that C's status tells of; 0: it tells nothing.  */
int abi_received (intptr_t status, intptr_t type, int *rank, int64_t *bytes);

#endif
