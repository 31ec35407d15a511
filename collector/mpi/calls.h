/* calls.h - the calls of MPI that are told of: number of C's arguments, name, name in
   Fortran, and which argument (from 1; 0: none) is the count, the datatype, the peer or
   root, the tag, the communicator, and the status.

   A count is one, one for each rank (EACH), or an array with one for each (ARRAY), of
   which the calling rank's is meant (OWN), or of which each has a datatype of its own
   (TYPES); SINGLE is one element without an argument that says so.  What follows is:
     IN_PLACE        which argument, where it is MPI_IN_PLACE, makes count and datatype
                     mean nothing, and which are meant then
     SENDS           what a call that also receives sends: count, datatype, peer, tag
     WINDOW          the communicator is a window
     MAKES_WINDOW    where a new window is put
     BY_ADDRESS      C gives the communicator or window by its address
     TAKES           a message is received later, by nobody else; and which argument says
                     whether there is one (0: there is)
     PERSISTS        which argument is a request that is to be started again and again
     FREES           which is one that will not be any more
     STARTS          which arguments are the number of requests (0: one), and these
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
  CALL (12, Sendrecv, sendrecv, 7, 8, 9, 10, 11, 12, ONE, SENDS (2, 3, 4, 5)) \
  CALL (9, Sendrecv_replace, sendrecv_replace, 2, 3, 6, 7, 8, 9, ONE, SENDS (2, 3, 4, 5)) \
  CALL (12, Isendrecv, isendrecv, 7, 8, 9, 10, 11, 0, ONE, SENDS (2, 3, 4, 5)) \
  CALL (9, Isendrecv_replace, isendrecv_replace, 2, 3, 6, 7, 8, 0, ONE, SENDS (2, 3, 4, 5)) \
  CALL (4, Probe, probe, 0, 0, 1, 2, 3, 0, ONE) \
  CALL (5, Iprobe, iprobe, 0, 0, 1, 2, 3, 0, ONE) \
  CALL (5, Mprobe, mprobe, 0, 0, 1, 2, 3, 5, ONE, TAKES (0)) \
  CALL (6, Improbe, improbe, 0, 0, 1, 2, 3, 6, ONE, TAKES (4)) \
  CALL (5, Mrecv, mrecv, 2, 3, 0, 0, 0, 0, ONE) \
  CALL (5, Imrecv, imrecv, 2, 3, 0, 0, 0, 0, ONE) \
  CALL (7, Send_init, send_init, 2, 3, 4, 5, 6, 0, ONE, PERSISTS (7)) \
  CALL (7, Bsend_init, bsend_init, 2, 3, 4, 5, 6, 0, ONE, PERSISTS (7)) \
  CALL (7, Ssend_init, ssend_init, 2, 3, 4, 5, 6, 0, ONE, PERSISTS (7)) \
  CALL (7, Rsend_init, rsend_init, 2, 3, 4, 5, 6, 0, ONE, PERSISTS (7)) \
  CALL (7, Recv_init, recv_init, 2, 3, 4, 5, 6, 0, ONE, PERSISTS (7)) \
  CALL (1, Start, start, 0, 0, 0, 0, 0, 0, ONE, STARTS (0, 1)) \
  CALL (2, Startall, startall, 0, 0, 0, 0, 0, 0, ONE, STARTS (1, 2)) \
  CALL (1, Request_free, request_free, 0, 0, 0, 0, 0, 0, ONE, FREES (1)) \
  CALL (2, Wait, wait, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (3, Waitall, waitall, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (4, Waitany, waitany, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (5, Waitsome, waitsome, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (3, Test, test, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (4, Testall, testall, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (5, Testany, testany, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (5, Testsome, testsome, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (3, Request_get_status, request_get_status, 0, 0, 0, 0, 0, 0, ONE) \
  CALL (1, Barrier, barrier, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (2, Ibarrier, ibarrier, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (5, Bcast, bcast, 2, 3, 4, 0, 5, 0, ONE) \
  CALL (6, Ibcast, ibcast, 2, 3, 4, 0, 5, 0, ONE) \
  CALL (7, Reduce, reduce, 3, 4, 6, 0, 7, 0, ONE) \
  CALL (8, Ireduce, ireduce, 3, 4, 6, 0, 7, 0, ONE) \
  CALL (6, Allreduce, allreduce, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (7, Iallreduce, iallreduce, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (8, Gather, gather, 2, 3, 7, 0, 8, 0, ONE, IN_PLACE (1, 5, 6, ONE)) \
  CALL (9, Igather, igather, 2, 3, 7, 0, 8, 0, ONE, IN_PLACE (1, 5, 6, ONE)) \
  CALL (9, Gatherv, gatherv, 2, 3, 8, 0, 9, 0, ONE, IN_PLACE (1, 5, 7, OWN)) \
  CALL (10, Igatherv, igatherv, 2, 3, 8, 0, 9, 0, ONE, IN_PLACE (1, 5, 7, OWN)) \
  CALL (8, Scatter, scatter, 5, 6, 7, 0, 8, 0, ONE, IN_PLACE (4, 2, 3, ONE)) \
  CALL (9, Iscatter, iscatter, 5, 6, 7, 0, 8, 0, ONE, IN_PLACE (4, 2, 3, ONE)) \
  CALL (9, Scatterv, scatterv, 6, 7, 8, 0, 9, 0, ONE, IN_PLACE (5, 2, 4, OWN)) \
  CALL (10, Iscatterv, iscatterv, 6, 7, 8, 0, 9, 0, ONE, IN_PLACE (5, 2, 4, OWN)) \
  CALL (7, Allgather, allgather, 2, 3, 0, 0, 7, 0, ONE, IN_PLACE (1, 5, 6, ONE)) \
  CALL (8, Iallgather, iallgather, 2, 3, 0, 0, 7, 0, ONE, IN_PLACE (1, 5, 6, ONE)) \
  CALL (8, Allgatherv, allgatherv, 2, 3, 0, 0, 8, 0, ONE, IN_PLACE (1, 5, 7, OWN)) \
  CALL (9, Iallgatherv, iallgatherv, 2, 3, 0, 0, 8, 0, ONE, IN_PLACE (1, 5, 7, OWN)) \
  CALL (7, Alltoall, alltoall, 2, 3, 0, 0, 7, 0, EACH, IN_PLACE (1, 5, 6, EACH)) \
  CALL (8, Ialltoall, ialltoall, 2, 3, 0, 0, 7, 0, EACH, IN_PLACE (1, 5, 6, EACH)) \
  CALL (9, Alltoallv, alltoallv, 2, 4, 0, 0, 9, 0, ARRAY, IN_PLACE (1, 6, 8, ARRAY)) \
  CALL (10, Ialltoallv, ialltoallv, 2, 4, 0, 0, 9, 0, ARRAY, IN_PLACE (1, 6, 8, ARRAY)) \
  CALL (9, Alltoallw, alltoallw, 2, 4, 0, 0, 9, 0, TYPES, IN_PLACE (1, 6, 8, TYPES)) \
  CALL (10, Ialltoallw, ialltoallw, 2, 4, 0, 0, 9, 0, TYPES, IN_PLACE (1, 6, 8, TYPES)) \
  CALL (6, Reduce_scatter, reduce_scatter, 3, 4, 0, 0, 6, 0, ARRAY) \
  CALL (7, Ireduce_scatter, ireduce_scatter, 3, 4, 0, 0, 6, 0, ARRAY) \
  CALL (6, Reduce_scatter_block, reduce_scatter_block, 3, 4, 0, 0, 6, 0, EACH) \
  CALL (7, Ireduce_scatter_block, ireduce_scatter_block, 3, 4, 0, 0, 6, 0, EACH) \
  CALL (6, Scan, scan, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (7, Iscan, iscan, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (6, Exscan, exscan, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (7, Iexscan, iexscan, 3, 4, 0, 0, 6, 0, ONE) \
  CALL (7, Neighbor_allgather, neighbor_allgather, 0, 0, 0, 0, 7, 0, ONE) \
  CALL (8, Neighbor_allgatherv, neighbor_allgatherv, 0, 0, 0, 0, 8, 0, ONE) \
  CALL (7, Neighbor_alltoall, neighbor_alltoall, 0, 0, 0, 0, 7, 0, ONE) \
  CALL (9, Neighbor_alltoallv, neighbor_alltoallv, 0, 0, 0, 0, 9, 0, ONE) \
  CALL (9, Neighbor_alltoallw, neighbor_alltoallw, 0, 0, 0, 0, 9, 0, ONE) \
  CALL (8, Ineighbor_allgather, ineighbor_allgather, 0, 0, 0, 0, 7, 0, ONE) \
  CALL (9, Ineighbor_allgatherv, ineighbor_allgatherv, 0, 0, 0, 0, 8, 0, ONE) \
  CALL (8, Ineighbor_alltoall, ineighbor_alltoall, 0, 0, 0, 0, 7, 0, ONE) \
  CALL (10, Ineighbor_alltoallv, ineighbor_alltoallv, 0, 0, 0, 0, 9, 0, ONE) \
  CALL (10, Ineighbor_alltoallw, ineighbor_alltoallw, 0, 0, 0, 0, 9, 0, ONE) \
  CALL (2, Comm_dup, comm_dup, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (3, Comm_dup_with_info, comm_dup_with_info, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (3, Comm_idup, comm_idup, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (4, Comm_split, comm_split, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (5, Comm_split_type, comm_split_type, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (3, Comm_create, comm_create, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (4, Comm_create_group, comm_create_group, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (1, Comm_free, comm_free, 0, 0, 0, 0, 1, 0, ONE, BY_ADDRESS) \
  CALL (1, Comm_disconnect, comm_disconnect, 0, 0, 0, 0, 1, 0, ONE, BY_ADDRESS) \
  CALL (6, Intercomm_create, intercomm_create, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (3, Intercomm_merge, intercomm_merge, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (6, Cart_create, cart_create, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (3, Cart_sub, cart_sub, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (6, Graph_create, graph_create, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (9, Dist_graph_create, dist_graph_create, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (10, Dist_graph_create_adjacent, dist_graph_create_adjacent, 0, 0, 0, 0, 1, 0, ONE) \
  CALL (6, Win_create, win_create, 0, 0, 0, 0, 5, 0, ONE, MAKES_WINDOW (6)) \
  CALL (6, Win_allocate, win_allocate, 0, 0, 0, 0, 4, 0, ONE, MAKES_WINDOW (6)) \
  CALL (6, Win_allocate_shared, win_allocate_shared, 0, 0, 0, 0, 4, 0, ONE, MAKES_WINDOW (6)) \
  CALL (3, Win_create_dynamic, win_create_dynamic, 0, 0, 0, 0, 2, 0, ONE, MAKES_WINDOW (3)) \
  CALL (1, Win_free, win_free, 0, 0, 0, 0, 1, 0, ONE, WINDOW, BY_ADDRESS) \
  CALL (2, Win_fence, win_fence, 0, 0, 0, 0, 2, 0, ONE, WINDOW) \
  CALL (3, Win_post, win_post, 0, 0, 0, 0, 3, 0, ONE, WINDOW) \
  CALL (3, Win_start, win_start, 0, 0, 0, 0, 3, 0, ONE, WINDOW) \
  CALL (1, Win_complete, win_complete, 0, 0, 0, 0, 1, 0, ONE, WINDOW) \
  CALL (1, Win_wait, win_wait, 0, 0, 0, 0, 1, 0, ONE, WINDOW) \
  CALL (2, Win_test, win_test, 0, 0, 0, 0, 1, 0, ONE, WINDOW) \
  CALL (4, Win_lock, win_lock, 0, 0, 2, 0, 4, 0, ONE, WINDOW) \
  CALL (2, Win_lock_all, win_lock_all, 0, 0, 0, 0, 2, 0, ONE, WINDOW) \
  CALL (2, Win_unlock, win_unlock, 0, 0, 1, 0, 2, 0, ONE, WINDOW) \
  CALL (1, Win_unlock_all, win_unlock_all, 0, 0, 0, 0, 1, 0, ONE, WINDOW) \
  CALL (2, Win_flush, win_flush, 0, 0, 1, 0, 2, 0, ONE, WINDOW) \
  CALL (1, Win_flush_all, win_flush_all, 0, 0, 0, 0, 1, 0, ONE, WINDOW) \
  CALL (2, Win_flush_local, win_flush_local, 0, 0, 1, 0, 2, 0, ONE, WINDOW) \
  CALL (1, Win_flush_local_all, win_flush_local_all, 0, 0, 0, 0, 1, 0, ONE, WINDOW) \
  CALL (1, Win_sync, win_sync, 0, 0, 0, 0, 1, 0, ONE, WINDOW) \
  CALL (8, Put, put, 2, 3, 4, 0, 8, 0, ONE, WINDOW) \
  CALL (8, Get, get, 2, 3, 4, 0, 8, 0, ONE, WINDOW) \
  CALL (9, Accumulate, accumulate, 2, 3, 4, 0, 9, 0, ONE, WINDOW) \
  CALL (12, Get_accumulate, get_accumulate, 5, 6, 7, 0, 12, 0, ONE, WINDOW) \
  CALL (7, Fetch_and_op, fetch_and_op, 0, 3, 4, 0, 7, 0, SINGLE, WINDOW) \
  CALL (7, Compare_and_swap, compare_and_swap, 0, 4, 5, 0, 7, 0, SINGLE, WINDOW) \
  CALL (9, Rput, rput, 2, 3, 4, 0, 8, 0, ONE, WINDOW) \
  CALL (9, Rget, rget, 2, 3, 4, 0, 8, 0, ONE, WINDOW) \
  CALL (10, Raccumulate, raccumulate, 2, 3, 4, 0, 9, 0, ONE, WINDOW) \
  CALL (13, Rget_accumulate, rget_accumulate, 5, 6, 7, 0, 12, 0, ONE, WINDOW)
