package test

import "testing"

// Our module: integers by reference, the three forms of a data routine, C names.
func TestFortran(t *testing.T) {
	folder := library(t)
	program := compile(t, "routines.f90", "routines", "-fopenacc", "-I"+folder, "-L"+folder, "-Wl,-rpath,"+folder, "-lopenacc")
	run(t, []string{preload(t), "GFORTRAN_UNBUFFERED_ALL=1"}, program).want(t, lines(
		"start", "lookup",
		"get_num_devices 2", "devices 42",
		"copyin 40 bytes async -2",
		"copyin 12 bytes async -2",
		"copyin 16 bytes async -2",
		"copyin 48 bytes async -1",
		"copyin 24 bytes async -2",
		"copyin 4 bytes async -2",
		"async_test 4 on -9223372036854775808", "T",
		"async_test 4 on 1", "T",
		"wait_any 2 [5] on -9223372036854775808", "2",
		"get_property_string 0 2 0x10001", "[a name  ]",
		"malloc", "init_device", "memcpy_to_device",
		"attach, first of it 1.5, async -2", "attach, first of it 2.5, async 7",
		"error 16 in acc_copyin: data_arg is not contiguous in dimension 2; pass a contiguous section",
		"program_end",
	), 1)
}

// Programs compiled against GCC's module.
func TestGCCModule(t *testing.T) {
	program := compile(t, "gcc_module.f90", "gcc_module", "-fopenacc")
	run(t, []string{preload(t), "GFORTRAN_UNBUFFERED_ALL=1"}, program).want(t, lines(
		"start", "lookup",
		"get_num_devices 2", "devices 42",
		"copyin 40 bytes async -2",
		"copyin 12 bytes async -2",
		"copyin 24 bytes async -2",
		"copyin 8 bytes async 3",
		"program_end",
	), 0)
}
