package test

import (
	"debug/elf"
	"slices"
	"strings"
	"testing"
)

// The names that a replacement of GCC's library has to define, or the program's
// state would be split, and those of OpenACC 3.3 beyond them.
var names = map[string]string{
	"emitted by GCC 12": `GOACC_parallel_keyed GOACC_data_start GOACC_data_end GOACC_enter_data GOACC_exit_data
		GOACC_update GOACC_wait GOACC_declare GOMP_offload_register_ver GOMP_offload_unregister_ver`,
	"emitted by older GCCs": `GOACC_enter_exit_data GOACC_parallel GOACC_get_num_threads GOACC_get_thread_num
		GOMP_offload_register GOMP_offload_unregister`,
	"C, in GCC's library": `acc_get_num_devices acc_set_device_type acc_get_device_type acc_set_device_num acc_get_device_num
		acc_init acc_shutdown acc_on_device acc_async_test acc_async_test_all acc_wait acc_wait_async acc_wait_all
		acc_wait_all_async acc_malloc acc_free acc_copyin acc_present_or_copyin acc_create acc_present_or_create acc_copyout
		acc_delete acc_update_device acc_update_self acc_map_data acc_unmap_data acc_deviceptr acc_hostptr acc_is_present
		acc_memcpy_to_device acc_memcpy_from_device acc_get_current_cuda_device acc_get_current_cuda_context
		acc_get_cuda_stream acc_set_cuda_stream acc_async_wait acc_async_wait_all acc_pcopyin acc_pcreate acc_copyin_async
		acc_create_async acc_copyout_async acc_copyout_finalize_async acc_delete_async acc_delete_finalize_async
		acc_update_device_async acc_update_self_async acc_copyout_finalize acc_delete_finalize acc_memcpy_to_device_async
		acc_memcpy_from_device_async acc_prof_register acc_prof_unregister acc_prof_lookup acc_register_library acc_attach
		acc_attach_async acc_detach acc_detach_async acc_detach_finalize acc_detach_finalize_async acc_get_property
		acc_get_property_string`,
	"OpenACC 3.3 beyond": `acc_init_device acc_shutdown_device acc_async_test_device acc_async_test_all_device
		acc_wait_device acc_wait_all_device acc_wait_device_async acc_wait_all_device_async acc_wait_any acc_wait_any_device
		acc_get_default_async acc_set_default_async acc_memcpy_device acc_memcpy_device_async acc_memcpy_d2d
		acc_memcpy_d2d_async acc_callback_register acc_callback_unregister acc_get_current_opencl_device
		acc_get_current_opencl_context acc_get_opencl_queue acc_set_opencl_queue`,
	"PGI Accelerator 1.3":    `acc_set_device acc_get_device`,
	"asked by leak checkers": `__lsan_default_suppressions __lsan_default_options`,
	"Fortran": `acc_get_num_devices_h_ acc_set_device_type_h_ acc_get_device_type_h_ acc_set_device_num_h_
		acc_get_device_num_h_ acc_async_test_h_ acc_async_test_all_h_ acc_wait_h_ acc_wait_async_h_ acc_wait_all_h_
		acc_wait_all_async_h_ acc_init_h_ acc_shutdown_h_ acc_on_device_h_ acc_get_property_h_ acc_get_property_string_h_`,
	"Fortran, 3.3 beyond": `acc_init_device_h_ acc_shutdown_device_h_ acc_async_test_device_h_
		acc_async_test_all_device_h_ acc_wait_device_h_ acc_wait_all_device_h_ acc_wait_device_async_h_
		acc_wait_all_device_async_h_ acc_wait_any_h_ acc_wait_any_device_h_ acc_get_default_async_h_
		acc_set_default_async_h_ acc_memcpy_d2d_h_ acc_memcpy_d2d_async_h_`,
}

// Each with the suffixes _32_h_, _64_h_ and _array_h_.
const dataNames = `acc_copyin acc_present_or_copyin acc_create acc_present_or_create acc_copyout acc_delete
	acc_update_device acc_update_self acc_is_present acc_copyin_async acc_create_async acc_copyout_async acc_delete_async
	acc_update_device_async acc_update_self_async acc_copyout_finalize acc_delete_finalize acc_copyout_finalize_async
	acc_delete_finalize_async`

// Each with the suffix _array_h_.
const attachNames = `acc_attach acc_attach_async acc_detach acc_detach_async acc_detach_finalize
	acc_detach_finalize_async`

func TestExportedNames(t *testing.T) {
	if n := len(strings.Fields(names["C, in GCC's library"])); n != 63 {
		t.Errorf("%d C names, GCC's library has 63", n)
	}
	want := map[string]bool{}
	for _, list := range names {
		for _, name := range strings.Fields(list) {
			want[name] = true
		}
	}
	for _, name := range strings.Fields(dataNames) {
		for _, suffix := range []string{"_32_h_", "_64_h_", "_array_h_"} {
			want[name+suffix] = true
		}
	}
	for _, name := range strings.Fields(attachNames) {
		want[name+"_array_h_"] = true
	}
	file, err := elf.Open(library(t) + "/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, symbol := range symbols {
		if symbol.Section == elf.SHN_UNDEF || elf.ST_BIND(symbol.Info) == elf.STB_LOCAL {
			continue
		}
		if !want[symbol.Name] {
			t.Errorf("%s is exported, but no name of the interface", symbol.Name)
		}
		delete(want, symbol.Name)
		if symbol.Version != "" {
			t.Errorf("%s has version %s: GCC-compiled programs ask for another", symbol.Name, symbol.Version)
		}
	}
	missing := []string{}
	for name := range want {
		missing = append(missing, name)
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("missing: %s", strings.Join(missing, " "))
	}
}
