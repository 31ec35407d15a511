! The processes of a run: with -DWITH_MPI those that mpirun started, otherwise one.
module ranks
  use basin, only: dp
#ifdef WITH_MPI
  use mpi
#endif
  implicit none
contains

  subroutine start_ranks(rank, count)
    integer, intent(out) :: rank, count
#ifdef WITH_MPI
    integer :: error
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, count, error)
#else
    rank = 0
    count = 1
#endif
  end subroutine start_ranks

  subroutine end_ranks()
#ifdef WITH_MPI
    integer :: error
    call MPI_Finalize(error)
#endif
  end subroutine end_ranks

  real(dp) function largest_of_ranks(value) result(largest)
    real(dp), intent(in) :: value
#ifdef WITH_MPI
    integer :: error
    call MPI_Allreduce(value, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
#else
    largest = value
#endif
  end function largest_of_ranks

  real(dp) function sum_of_ranks(value) result(total)
    real(dp), intent(in) :: value
#ifdef WITH_MPI
    integer :: error
    call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
#else
    total = value
#endif
  end function sum_of_ranks

  ! Sends values to one neighbour while as many come from the other; a neighbour
  ! of -1 is none.
  subroutine pass(sent, to, received, from)
    real(dp), intent(in), contiguous :: sent(:, :, :, :)
    real(dp), intent(inout), contiguous :: received(:, :, :, :)
    integer, intent(in) :: to, from
#ifdef WITH_MPI
    integer :: error
    call MPI_Sendrecv(sent, size(sent), MPI_DOUBLE_PRECISION, merge(MPI_PROC_NULL, to, to < 0), 0, &
      received, size(received), MPI_DOUBLE_PRECISION, merge(MPI_PROC_NULL, from, from < 0), 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
#else
    if (to >= 0 .or. from >= 0) received = sent
#endif
  end subroutine pass
end module ranks
