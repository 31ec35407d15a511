! Waves, a current and a tracer in a closed basin, simulated by a dozen and a half
! kernels a step on a device. README.md beside it says what there is to learn.
program shallow_water
  use, intrinsic :: iso_fortran_env, only: error_unit
  use openacc
  use basin
  use ranks
  use boundary, only: fill_ghosts
  use sweeps, only: sweep
  use forcing, only: force
  use totals
  implicit none

  ! How much rounding may change sums over the basin in a run, and how far the
  ! device's arithmetic may be from the host's, relative.
  real(dp), parameter :: most_change = 1d-11, most_difference = 1d-10

  type(run_options) :: options
  type(constants) :: physics
  type(flow_state) :: computed
  type(basin_totals) :: before, after
  real(dp) :: start, initialization, running, mass_change, tracer_change, difference
  integer(int64) :: launched
  integer :: rank, processes, step, summed
  logical :: right

  call start_ranks(rank, processes)
  if (.not. parsed(processes, options)) then
    if (rank == 0) write (error_unit, '(a)') &
      'usage: shallow-water [--nx CELLS] [--ny CELLS] [--members BASINS] [--steps STEPS]', &
      '       [--report STEPS] [--check STEPS]', &
      'At least 4 cells each way (4 rows a process), a basin and a step; 0 steps: no report, no check.'
    call end_ranks()
    stop 2, quiet=.true.
  end if

  start = seconds()
  call acc_init(acc_get_device_type())
  call lay_out(options, rank, processes)
  call put_on_device()
  initialization = seconds() - start

  start = seconds()
  call start_totals(physics, grid, flow)
  before = finish_totals()
  summed = 0 ! the step whose totals are under way, 0: none
  do step = 1, options%steps
    call advance(step)
    if (summed > 0) then
      call show(summed, finish_totals())
      summed = 0
    end if
    if (options%report > 0 .and. step < options%steps) then
      if (mod(step, options%report) == 0) then
        call start_totals(physics, grid, flow)
        summed = step
      end if
    end if
  end do
  call start_totals(physics, grid, flow)
  after = finish_totals()
  !$acc wait
  running = seconds() - start
  launched = launches
  call take_from_device(computed)

  mass_change = abs(after%mass - before%mass) / abs(before%mass)
  tracer_change = abs(after%tracer - before%tracer) / abs(before%tracer)
  difference = 0d0
  if (options%check > 0) difference = device_against_host()
  ! Written so that what is not a number is wrong.
  right = mass_change <= most_change .and. tracer_change <= most_change .and. difference <= most_difference &
    .and. after%energy > 0d0 .and. after%energy <= 2d0 * before%energy
  if (rank == 0) then
    print '(a, i0, a, i0, a, i0, a, i0, a, i0)', 'cells ', options%nx, ' x ', options%ny, ', basins ', options%members, &
      ', steps ', options%steps, ', processes ', processes
    print '(a, f12.6, a)', 'initialization             ', initialization, ' s'
    print '(a, f12.6, a)', 'first launch to last wait  ', running, ' s'
    print '(a, i12, a, i0, a)', 'launches                   ', launched, ', and ', launches - launched, ' to compare'
    print '(7a)', 'mass and tracer changed by ', scientific(mass_change, 1), ' and ', scientific(tracer_change, 1), &
      ', at most ', scientific(most_change, 0)
    print '(3a, i0, 2a)', 'device and host differ by  ', scientific(difference, 1), ' after ', options%check, &
      ' steps, at most ', scientific(most_difference, 0)
    print '(8a)', 'check  mass ', scientific(after%mass, 9), '  tracer ', scientific(after%tracer, 9), &
      '  energy ', scientific(after%energy, 9), '  ', merge('right', 'WRONG', right)
  end if
  call end_ranks()
  if (.not. right) stop 1, quiet=.true.

contains

  real(dp) function seconds()
    integer(int64) :: count, rate
    call system_clock(count, rate)
    seconds = real(count, dp) / real(rate, dp)
  end function seconds

  ! Reads "--name value" pairs; false if there is a wrong one.
  logical function parsed(processes, options)
    integer, intent(in) :: processes
    type(run_options), intent(inout) :: options
    character(len=16) :: name, text
    integer :: i, value, status, length
    parsed = .false.
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, name)
      call get_command_argument(i + 1, text, length)
      if (length == 0 .or. length > 9 .or. verify(trim(text), '0123456789') > 0) return
      read (text, *, iostat=status) value
      if (status /= 0) return
      select case (name)
      case ('--nx');      options%nx = value
      case ('--ny');      options%ny = value
      case ('--members'); options%members = value
      case ('--steps');   options%steps = value
      case ('--report');  options%report = value
      case ('--check');   options%check = value
      case default;       return
      end select
    end do
    parsed = options%nx >= 2 * ghosts .and. options%ny >= 2 * ghosts * processes &
      .and. options%members >= 1 .and. options%steps >= 1 &
      .and. real(options%members, dp) * (options%nx + 2 * ghosts) * (options%ny + 2 * ghosts) < 2d9
  end function parsed

  ! The sweeps change their order from step to step, which makes them second order
  ! in time too.
  subroutine advance(step)
    integer, intent(in) :: step
    real(dp) :: dt
    logical :: x_first
    dt = physics%courant / largest_speed(physics, grid, flow)
    x_first = mod(step, 2) == 1
    call fill_ghosts(x_first, grid, flow, halo)
    call sweep(x_first, dt, physics, grid, flow, work)
    call fill_ghosts(.not. x_first, grid, flow, halo)
    call sweep(.not. x_first, dt, physics, grid, flow, work)
    call force(dt, physics, grid, flow)
  end subroutine advance

  ! The first steps on the device and on the host, and by how much they differ at
  ! most: of depth, momentum and tracer, each relative to its largest value.
  real(dp) function device_against_host() result(difference)
    type(flow_state) :: expected
    integer(acc_device_kind) :: device
    device = acc_get_device_type()
    call first_steps(computed)
    ! The same constructs run on the host once that is the current device.
    call acc_set_device_type(acc_device_host)
    call first_steps(expected)
    call acc_set_device_type(device)
    difference = max( &
      apart(computed%depth, expected%depth), apart(computed%momentum_x, expected%momentum_x), &
      apart(computed%momentum_y, expected%momentum_y), apart(computed%tracer, expected%tracer))
  end function device_against_host

  subroutine first_steps(computed)
    type(flow_state), intent(out) :: computed
    integer :: step
    call put_on_device()
    do step = 1, options%check
      call advance(step)
    end do
    !$acc wait
    call take_from_device(computed)
  end subroutine first_steps

  real(dp) function apart(computed, expected)
    real(dp), intent(in), dimension(1 - ghosts:, 1 - ghosts:, :) :: computed, expected
    real(dp) :: largest
    associate (a => computed(1:grid%nx, 1:grid%ny, :), b => expected(1:grid%nx, 1:grid%ny, :))
      largest = largest_of_ranks(maxval(abs(b)))
      apart = largest_of_ranks(maxval(abs(a - b))) / largest
    end associate
  end function apart

  subroutine show(step, sums)
    integer, intent(in) :: step
    type(basin_totals), intent(in) :: sums
    if (rank == 0) print '(a, i7, 6a)', 'step ', step, '  mass ', scientific(sums%mass, 9), &
      '  tracer ', scientific(sums%tracer, 9), '  energy ', scientific(sums%energy, 9)
  end subroutine show

  ! A number as C's %e has it.
  function scientific(value, digits) result(text)
    real(dp), intent(in) :: value
    integer, intent(in) :: digits
    character(len=:), allocatable :: text
    character(len=32) :: wide, layout
    integer :: place
    write (layout, '(a, i0, a)') '(es32.', digits, 'e2)'
    write (wide, layout) value
    text = trim(adjustl(wide))
    place = index(text, 'E')
    text = text(:place - 1) // 'e' // text(place + 1:)
    place = index(text, '.e')
    if (place > 0) text = text(:place - 1) // text(place + 1:)
  end function scientific
end program shallow_water
