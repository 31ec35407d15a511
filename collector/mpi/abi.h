/* abi.h - what calls.c asks of the MPI that it was compiled for.  Handles are as the
   calling language passes them: C's in a word, Fortran's as the address of an INTEGER.  */
#ifndef ACCSCOPE_MPI_ABI_H
#define ACCSCOPE_MPI_ABI_H

#include <stdint.h>

enum language
{
  LANGUAGE_C,
  LANGUAGE_C_ADDRESS,	/* as C, but handles are given by their address */
  LANGUAGE_FORTRAN,
  LANGUAGE_DESCRIPTORS	/* as Fortran, but buffers are given by C descriptors (Fortran 2018) */
};

#define ANY_SOURCE (-1)
#define NO_PEER (-2)

/* What is known of a communicator or window.  */
struct abi_group
{
  int32_t number;	/* the same in all of its processes; 0: MPI_COMM_WORLD */
  int size;		/* of the group that peers are of; 0: nothing is known */
  int rank;		/* the process's own, in its group */
  int inter;		/* whether it is an intercommunicator */
  const int *world;	/* the peers' ranks in MPI_COMM_WORLD; valid as long as the handle */
};

/* Whether calls are for this library to tell: not where the process has loaded another
   MPI that there is a library for, and that library.  */
int abi_concerned (void);

/* Whether the process runs on this MPI, and is between initialization and end.  */
int abi_active (void);

struct abi_group abi_communicator (intptr_t communicator, enum language language);
struct abi_group abi_window (intptr_t window, enum language language);

/* Whether a buffer is MPI_IN_PLACE.  */
int abi_in_place (intptr_t buffer, enum language language);

/* The rank in MPI_COMM_WORLD of a rank of the group; ANY_SOURCE, NO_PEER.  */
int64_t abi_peer (const struct abi_group *group, int rank);

/* Bytes of an element.  */
int64_t abi_size (intptr_t type, enum language language);

/* The same of the type at an index of an array.  */
int64_t abi_size_at (intptr_t types, int index, enum language language);

/* The request at an index of an array, in one form for all languages.  */
intptr_t abi_request_at (intptr_t requests, int index, enum language language);

/* The rank and the bytes of a message that the status of a call that succeeded tells of;
   0: it tells nothing.  */
int abi_received (intptr_t status, enum language language, int *rank, int64_t *bytes);

#endif
