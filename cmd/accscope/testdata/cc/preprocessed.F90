! Directives behind conditions and macros of the preprocessor.
#define LANES 32
#define BEGIN_LOOP !$acc parallel loop self vector_length(LANES)
#ifdef NEVER
  !$acc data copy(always: a) nonsense(
#endif
program preprocessed
  implicit none
  integer :: a(4), i
  a = 0
  !$acc data copy(a) &
#ifdef NEVER
  !$acc copyin(unknown)
#else
  !$acc async(1)
#endif
  !$acc update device(a)
#if 0
  !$acc end data
#endif
  !$acc end data
  BEGIN_LOOP
  do i = 1, 4
    a(i) = i * LANES
  end do
#ifdef NEVER
  !$acc parallel self
  block
#else
  !$acc serial self
  block
#endif
    a(1) = a(1) + __LINE__
  end block
  if (a(1) /= 32 + 33 .or. a(4) /= 128) stop 1
end program
