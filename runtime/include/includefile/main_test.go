package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

func TestConvert(t *testing.T) {
	const module = `! a module
module m
  use, intrinsic :: iso_fortran_env, only: int32
  use other
  implicit none
  private :: int32
  integer, parameter :: kind = int32

  interface g
     subroutine s (x, &
          a_long_name_of_an_argument, another_long_name_of_an_argument)
       import
       use, intrinsic :: iso_c_binding, only: c_ptr
       !GCC$ attributes no_arg_check :: x
       type (*) :: x(*)
     end subroutine s
  end interface g
end module m
`
	const want = `      integer, parameter :: kind = 4
      interface g
      subroutine s (x, a_long_name_of_an_argument,                      &
     &another_long_name_of_an_argument)
      import
      use, intrinsic :: iso_c_binding, only: c_ptr
!GCC$ attributes no_arg_check :: x
      type (*) :: x(*)
      end subroutine s
      end interface g
`
	var text strings.Builder
	out := bufio.NewWriter(&text)
	if err := convert(out, module); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); got != want {
		t.Errorf("converted:\n%s\nwant:\n%s", got, want)
	}
	if err := convert(out, "interface g\n"); err == nil {
		t.Error("an interface without end was accepted")
	}
}

// TestPrograms compiles and runs programs with the built include files, modules and
// headers of older versions, on the built runtime.
func TestPrograms(t *testing.T) {
	include, err := filepath.Abs("../../../include")
	if err != nil {
		t.Fatal(err)
	}
	libraries := filepath.Join(filepath.Dir(include), "lib")
	if _, err := os.Stat(filepath.Join(include, "openacc_lib.h")); err != nil {
		t.Fatalf("%v: run make first", err)
	}
	for source, compiler := range map[string]string{
		"fixed.f": compilers.Fortran(), "free.f90": compilers.Fortran(), "accel.f": compilers.Fortran(), "accel_module.f90": compilers.Fortran(), "accel.c": compilers.C(), "nohost.c": compilers.C(),
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			binary := filepath.Join(t.TempDir(), "program")
			output, err := exec.Command(compiler, "-fopenacc", "-foffload=disable", "-Wall", "-Werror", "-Wno-unused", "-O2", "-I", include, "-o", binary,
				filepath.Join("testdata", source), "-L"+libraries, "-lopenacc", "-Wl,-rpath,"+libraries).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", compiler, err, output)
			}
			for _, device := range []string{"host", "sim"} {
				command := exec.Command(binary)
				command.Env = append(os.Environ(), "ACC_DEVICE_TYPE="+device)
				if output, err := command.CombinedOutput(); err != nil || string(output) != "all is so\n" {
					t.Errorf("on %s: %v\n%s", device, err, output)
				}
			}
		})
	}
}
