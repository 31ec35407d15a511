package errortable

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// fortranProgram holds every Fortran condition's code as one numbered case. The
// callback is that of the C program.
const fortranProgram = `
module conditions
  use openacc
  use, intrinsic :: iso_c_binding
  implicit none
  real :: a(200), b(200), matrix(10, 20)
  real, allocatable :: large(:)
  type point
    integer :: n
    real, allocatable :: x(:)
  end type point
  type (point) :: p
  integer :: q = -77, negative = -4, i
  logical :: answer
  interface
    subroutine watch_errors () bind (c)
    end subroutine watch_errors
  end interface
contains
  subroutine optional_present (x)
    real, optional :: x(:)
    !$acc data present(x)
    if (present (x)) x(1) = 1.0
    !$acc end data
  end subroutine optional_present

  subroutine optional_copy (x, y)
    real, optional :: x(:)
    real, optional :: y
    !$acc parallel copy(x, y)
    if (present (x)) x(1) = 1.0
    if (present (y)) y = 1.0
    !$acc end parallel
    !$acc update self(x, y) if_present
  end subroutine optional_copy

  subroutine assumed_shape (x)
    real :: x(:)
    !$acc parallel loop present(x)
    do i = 1, size (x)
      x(i) = 1.0
    end do
  end subroutine assumed_shape
end module conditions

program main
  use conditions
  implicit none
  integer :: number
  character (len=16) :: argument
  call get_command_argument (1, argument)
  read (argument, *) number
  call watch_errors ()
  select case (number)
%s
  case default
    stop 2
  end select
  print '(a)', 'no error'
end program main
`

const fortranHandler = `
#include <openacc.h>
#include <acc_callback.h>
#include <stdio.h>
#include <stdlib.h>
%s
void
watch_errors (void)
{
  if (!getenv ("UNWATCHED"))
    acc_callback_register (acc_ev_error, on_error, acc_reg);
}
`

// fortranConditions are what gfortran's programs run into: the same routines by
// their Fortran names and arguments, and what only Fortran has.
var fortranConditions = []condition{
	// 3.2.2 to 3.2.8
	{name: "acc_set_device_type of a type without device", code: `call acc_set_device_type (acc_device_radeon)`,
		error: "device_type_unavailable", parent: routine, message: "acc_set_device_type"},
	{name: "acc_set_device_num out of range", code: `call acc_set_device_num (99, acc_device_sim)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_set_device_num of a type without device", code: `call acc_set_device_num (0, acc_device_radeon)`,
		error: "device_type_unavailable", parent: routine, message: "acc_set_device_num"},
	{name: "acc_init of a type without device", code: `call acc_init (acc_device_radeon)`,
		error: "device_type_unavailable", parent: routine, message: "acc_init"},
	{name: "acc_init of a device that fails", code: `call acc_init (acc_device_sim)`, faults: "init",
		error: "device_init", parent: routine, message: "sim"},
	{name: "acc_init_device out of range", code: `call acc_init_device (99, acc_device_sim)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_shutdown of a type without device", code: `call acc_shutdown (acc_device_radeon)`,
		error: "device_type_unavailable", parent: routine, message: "acc_shutdown"},
	{name: "acc_shutdown_device out of range", code: `call acc_shutdown_device (99, acc_device_sim)`,
		error: "device_unavailable", parent: routine, message: "99"},

	// 3.2.9 to 3.2.14
	{name: "acc_async_test of an invalid value", code: `answer = acc_async_test (q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_async_test_device out of range", code: `answer = acc_async_test_device (1, 99)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_async_test_all_device out of range", code: `answer = acc_async_test_all_device (99)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait of an invalid value", code: `call acc_wait (q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_device out of range", code: `call acc_wait_device (1, 99)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait_all_device out of range", code: `call acc_wait_all_device (99)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait_async, invalid queue waited for", code: `call acc_wait_async (q, 1)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_async, invalid queue that waits", code: `call acc_wait_async (1, q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_device_async out of range", code: `call acc_wait_device_async (1, 2, 99)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait_all_async of an invalid value", code: `call acc_wait_all_async (q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_any with a negative count", code: `i = acc_wait_any (negative, [1, 2])`,
		error: "invalid_argument", parent: routine, message: "-4"},
	{name: "acc_wait_any with an invalid value", code: `i = acc_wait_any (2, [1, q])`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_any_device out of range", code: `i = acc_wait_any_device (2, [1, 2], 99)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_set_default_async of an invalid value", code: `call acc_set_default_async (q)`,
		error: "invalid_async", parent: routine, message: "-77"},

	// 3.2.18 to 3.2.20
	{name: "acc_copyin of a section that is not contiguous", code: `call acc_copyin (a(1:100:2))`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_copyin of rows of a matrix", code: `call acc_copyin (matrix(2:3, :))`,
		error: "invalid_data_section", parent: routine, message: "dimension 2"},
	{name: "acc_copyin of columns of a matrix is no error", code: `call acc_copyin (matrix(:, 2:3))`},
	{name: "acc_copyin of one row's part is no error", code: `call acc_copyin (matrix(2:5, 3))`},
	{name: "acc_copyin of a section that runs backwards", code: `call acc_copyin (a(100:1:-1))`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_copyin of a negative length", code: `call acc_copyin (a, negative)`,
		error: "invalid_data_section", parent: routine, message: "-4"},
	{name: "acc_copyin of a negative length of eight bytes", code: `call acc_copyin (a, -4_8)`,
		error: "invalid_data_section", parent: routine, message: "-4"},
	{name: "acc_copyin partly present", code: `call acc_copyin (a(1:100))
    call acc_copyin (a(51:150))`,
		error: "partly_present", parent: routine, message: "acc_copyin"},
	{name: "acc_copyin beyond the memory", code: `allocate (large(10000000))
    call acc_copyin (large)`, memory: "16MiB",
		error: "out_of_memory", parent: routine, message: "acc_copyin"},
	{name: "acc_copyin_async of an invalid value", code: `call acc_copyin_async (a, q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_copyin_async of a section that is not contiguous", code: `call acc_copyin_async (a(1:100:2), 1)`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_create of a section that is not contiguous", code: `call acc_create (a(1:100:3))`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_create partly present", code: `call acc_create (a, 400)
    call acc_create (a(51), 400)`,
		error: "partly_present", parent: routine, message: "acc_create"},
	{name: "acc_create_async of an invalid value", code: `call acc_create_async (a, 400, q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_copyout not present", code: `call acc_copyout (a)`,
		error: "not_present", parent: routine, message: "acc_copyout", goesOn: true},
	{name: "acc_copyout partly present", code: `call acc_copyin (a(1:100))
    call acc_copyout (a(51:150))`,
		error: "partly_present", parent: routine, message: "acc_copyout"},
	{name: "acc_copyout of a section that is not contiguous", code: `call acc_copyin (a)
    call acc_copyout (a(1:200:2))`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_copyout_async of an invalid value", code: `call acc_copyin (a)
    call acc_copyout_async (a, q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_copyout_finalize not present", code: `call acc_copyout_finalize (a)`,
		error: "not_present", parent: routine, message: "acc_copyout_finalize", goesOn: true},
	{name: "acc_delete not present", code: `call acc_delete (a)`,
		error: "not_present", parent: routine, message: "acc_delete", goesOn: true},
	{name: "zero-size arrays leave every counter as it is", code: `allocate (large(0))
    call acc_create (a)
    call acc_copyin (a(1:0))
    call acc_copyin (large)
    call acc_create (large)
    call acc_create_async (a(1:0), 1)
    call acc_delete (a(1:0))
    call acc_delete_finalize (a(1:0))
    call acc_copyout (large)
    call acc_copyout_finalize_async (large, 1)
    if (.not. acc_is_present (a)) stop 3
    call acc_delete (a)
    if (acc_is_present (a, 4)) stop 4`},
	{name: "acc_delete of a negative length", code: `call acc_delete (a, negative)`,
		error: "invalid_data_section", parent: routine, message: "-4"},
	{name: "acc_delete_finalize of a section that is not contiguous", code: `call acc_copyin (matrix)
    call acc_delete_finalize (matrix(1:5, :))`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_delete_async of an invalid value", code: `call acc_copyin (a)
    call acc_delete_async (a, q)`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_update_device not present", code: `call acc_update_device (a)`,
		error: "not_present", parent: routine, message: "acc_update_device"},
	{name: "acc_update_device of a section that is not contiguous", code: `call acc_copyin (a)
    call acc_update_device (a(1:200:2))`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_update_self partly present", code: `call acc_copyin (a(1:100))
    call acc_update_self (a(51:150))`,
		error: "partly_present", parent: routine, message: "acc_update_self"},
	{name: "acc_update_self_async of an invalid value", code: `call acc_copyin (a)
    call acc_update_self_async (a, q)`,
		error: "invalid_async", parent: routine, message: "-77"},

	// 3.2.21, 3.2.22, 3.2.25 to 3.2.30
	{name: "acc_map_data of a null device pointer", code: `call acc_map_data (a, c_null_ptr, 400_c_size_t)`,
		error: "invalid_null_pointer", parent: routine, message: "acc_map_data"},
	{name: "acc_map_data of present data", code: `call acc_copyin (a)
    call acc_map_data (a, acc_malloc (400_c_size_t), 400_c_size_t)`,
		error: "present", parent: routine, message: "acc_map_data"},
	{name: "acc_is_present of a negative length", code: `answer = acc_is_present (a, negative)`,
		error: "invalid_argument", parent: routine, message: "-4"},
	{name: "acc_is_present of a section that is not contiguous", code: `answer = acc_is_present (matrix(2:3, :))`,
		error: "invalid_data_section", parent: routine, message: "contiguous"},
	{name: "acc_memcpy_to_device, null destination", code: `call acc_memcpy_to_device (c_null_ptr, a, 400_c_size_t)`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_to_device"},
	{name: "acc_memcpy_from_device, null source", code: `call acc_memcpy_from_device (a, c_null_ptr, 400_c_size_t)`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_from_device"},
	{name: "acc_memcpy_device, null source", code: `call acc_memcpy_device (acc_malloc (400_c_size_t), c_null_ptr, 400_c_size_t)`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_device"},
	{name: "acc_memcpy_d2d, device out of range", code: `call acc_copyin (a)
    call acc_copyin (b)
    call acc_memcpy_d2d (a, b, 400, 99, 0)`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_memcpy_d2d, not present", code: `call acc_memcpy_d2d (a, b, 400, 0, 0)`,
		error: "not_present", parent: routine, message: "acc_memcpy_d2d"},

	// Directives
	{name: "present clause, not present", code: `!$acc parallel loop present(a)
    do i = 1, 200
      a(i) = 1.0
    end do`,
		error: "not_present", parent: "parallel", message: "is not on device sim 0"},
	{name: "present clause of an assumed-shape argument, not present", code: `call assumed_shape (b(1:100))`,
		error: "not_present", parent: "parallel", message: "is not on device sim 0"},
	{name: "present clause of an allocatable, not present", code: `allocate (large(100))
    !$acc data present(large)
    i = 1
    !$acc end data`,
		error: "not_present", parent: "data", message: "is not on device sim 0"},
	{name: "present clause of an optional argument, not present", code: `call optional_present (a)`,
		error: "not_present", parent: "data", message: "is not on device sim 0"},
	{name: "an absent optional argument is no error", code: `call optional_present ()
    call optional_copy ()`},
	{name: "a given optional argument is no error", code: `call optional_copy (a, b(1))`},
	{name: "copy clause, partly present", code: `call acc_copyin (a(1:100))
    !$acc parallel loop copy(a(51:150))
    do i = 51, 150
      a(i) = 1.0
    end do`,
		error: "partly_present", parent: "parallel", message: "is on device sim 0: "},
	{name: "enter data of an allocatable, out of memory", code: `allocate (large(10000000))
    !$acc enter data create(large)`, memory: "16MiB",
		error: "out_of_memory", parent: "enter_data", message: "memory"},
	{name: "an allocatable that is not allocated is no error", code: `!$acc enter data copyin(large)
    !$acc exit data copyout(large)`},
	{name: "update, not present", code: `!$acc update self(a)`,
		error: "not_present", parent: "update", message: "is not on device sim 0"},
	{name: "update of an allocatable component, not present", code: `allocate (p%x(100))
    !$acc enter data copyin(p)
    !$acc update self(p%x)`,
		error: "not_present", parent: "update", message: "is not on device sim 0"},
	{name: "update if_present, not present, is no error", code: `!$acc update self(a) if_present`},
	{name: "host_data, not present", code: `!$acc host_data use_device(a)
    i = 1
    !$acc end host_data`,
		error: "not_present", parent: "host_data", message: "is not on device sim 0"},
	{name: "exit data, not present, is no error", code: `!$acc exit data copyout(a)
    !$acc exit data delete(b) finalize`},
	{name: "async clause with an invalid value", code: `!$acc parallel loop copy(a) async(q)
    do i = 1, 200
      a(i) = 1.0
    end do`,
		error: "invalid_async", parent: "parallel", message: "-77"},
	{name: "wait directive with an invalid value", code: `!$acc wait(q)`,
		error: "invalid_async", parent: "wait", message: "-77"},
	{name: "update async with an invalid value", code: `call acc_copyin (a)
    !$acc update self(a) async(q)`,
		error: "invalid_async", parent: "update", message: "-77"},
	{name: "a kernel that fails", code: `!$acc parallel loop copy(a)
    do i = 1, 200
      a(i) = 1.0
    end do`, faults: "kernel=1",
		error: "execution", parent: "parallel", message: "kernel"},
	{name: "a device that fails to start, by a directive", code: `!$acc enter data copyin(a)`, faults: "init",
		error: "device_init", parent: "enter_data", message: "sim"},
	{name: "a device that is lost", code: `!$acc enter data copyin(a)
    !$acc update self(a)`, faults: "lost=1",
		error: "device_unavailable", parent: "update", message: "lost"},
}

func TestFortranConditions(t *testing.T) {
	folder := t.TempDir()
	source, handler, object := filepath.Join(folder, "conditions.f90"), filepath.Join(folder, "handler.c"), filepath.Join(folder, "handler.o")
	for file, text := range map[string]string{
		source:  programInFortran(),
		handler: fmt.Sprintf(fortranHandler, onError),
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if output, err := exec.Command(compilers.C(), "-I", "../include", "-c", "-o", object, handler).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	module := []string{"../include/openacc_kinds.f90", "../include/openacc_data.f90", "../include/openacc_attach.f90", "../include/openacc.f90"}
	binary := compile(t, compilers.Fortran(), append(append([]string{"-O0", "-J", folder}, module...), source, object)...)
	run(t, binary, fortranConditions)
}

// programInFortran is the program with the cases of fortranConditions.
func programInFortran() string {
	var cases strings.Builder
	for number, c := range fortranConditions {
		fmt.Fprintf(&cases, "  case (%d)\n    %s\n", number, c.code)
	}
	return fmt.Sprintf(fortranProgram, cases.String())
}
