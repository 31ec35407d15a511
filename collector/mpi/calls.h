/* calls.h - the calls of MPI that are told of: number of C's arguments, name, name in
   Fortran, and which argument (from 1; 0: none) is the count, the datatype, the peer or
   root, the tag, the communicator, and the status.

   A count is one, one for each rank (EACH), or an array with one for each (ARRAY), of
   which the calling rank's is meant (OWN).  IN_PLACE says which argument, where it is
   MPI_IN_PLACE, makes count and datatype mean nothing, and which are meant then.
   Fortran has one argument more, except for those of LANGUAGES, which are in calls.c.  */
#define CALLS(CALL) \
  CALL (6, Send, send, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (6, Bsend, bsend, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (6, Ssend, ssend, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (6, Rsend, rsend, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (7, Isend, isend, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (7, Ibsend, ibsend, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (7, Issend, issend, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (7, Irsend, irsend, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (7, Recv, recv, 2, 3, 4, 5, 6, 7, ONE) \
  CALL (7, Irecv, irecv, 2, 3, 4, 5, 6, 0, ONE) \
  CALL (4, Probe, probe, 0, 0, 1, 2, 3, 0, ONE) \
  CALL (12, Sendrecv, sendrecv, 7, 8, 9, 10, 11, 12, ONE) \
  CALL (9, Sendrecv_replace, sendrecv_replace, 2, 3, 6, 7, 8, 9, ONE) \
  CALL (2, Wait, wait, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (3, Waitall, waitall, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (4, Waitany, waitany, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (5, Waitsome, waitsome, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (1, Barrier, barrier, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (2, Ibarrier, ibarrier, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (5, Bcast, bcast, 2, 3, 4, 0, 5, 0, ONE) \
  CALL (6, Ibcast, ibcast, 2, 3, 4, 0, 5, 0, ONE) \
  CALL (7, Reduce, reduce, 3, 4, 6, 0, 7, 0, ONE) \
  CALL (6, Allreduce, allreduce, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (7, Iallreduce, iallreduce, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (8, Gather, gather, 2, 3, 7, 0, 8, 0, ONE, IN_PLACE (1, 5, 6, ONE)) \
  CALL (9, Gatherv, gatherv, 2, 3, 8, 0, 9, 0, ONE, IN_PLACE (1, 5, 7, OWN)) \
  CALL (8, Scatter, scatter, 5, 6, 7, 0, 8, 0, ONE, IN_PLACE (4, 2, 3, ONE)) \
  CALL (9, Scatterv, scatterv, 6, 7, 8, 0, 9, 0, ONE, IN_PLACE (5, 2, 4, OWN)) \
  CALL (7, Allgather, allgather, 2, 3, 0, 0, 7, 0, ONE, IN_PLACE (1, 5, 6, ONE)) \
  CALL (8, Allgatherv, allgatherv, 2, 3, 0, 0, 8, 0, ONE, IN_PLACE (1, 5, 7, OWN)) \
  CALL (7, Alltoall, alltoall, 2, 3, 0, 0, 7, 0, EACH, IN_PLACE (1, 5, 6, EACH)) \
  CALL (9, Alltoallv, alltoallv, 2, 4, 0, 0, 9, 0, ARRAY, IN_PLACE (1, 6, 8, ARRAY)) \
  CALL (6, Reduce_scatter, reduce_scatter, 3, 4, 0, 0, 6, 0, ARRAY) \
  CALL (6, Reduce_scatter_block, reduce_scatter_block, 3, 4, 0, 0, 6, 0, EACH) \
  CALL (6, Scan, scan, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (6, Exscan, exscan, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (2, Comm_dup, comm_dup, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (4, Comm_split, comm_split, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (3, Comm_create, comm_create, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (6, Cart_create, cart_create, 0, 0, 0, 0, 1, 0, ONE)
