// Package errortable proves, with programs compiled by gcc and gfortran, that
// every error condition that OpenACC 3.3 lists for a routine of chapter 3 or for
// a directive raises acc_ev_error with its code, the construct it came from and
// a message, and that the default handler then ends the program.
package errortable

// condition is one row: code that runs into one error.
type condition struct {
	name    string
	code    string // statements; see prelude and fortranProgram
	error   string // acc_error_t without its prefix; "" where no error may occur
	parent  string // acc_construct_t without its prefix
	message string // must be part of the message
	faults  string // ACCSCOPE_SIM_FAULT
	memory  string // ACCSCOPE_SIM_MEMORY
	setting string // of another variable of the environment, NAME=VALUE
}

// prelude holds what the conditions' code may use.
const prelude = `
static float a[200], b[200];
static float *null;
static int big = 1000000;
static void absent (void *p) { acc_delete (p, 4); }
`

const (
	routine = "runtime_api"
	size    = "100 * sizeof (float)"
	onHost  = "ACC_DEVICE_TYPE=host" // the device that shares the program's memory
)

// routineConditions are those of chapter 3, through its C interface.
var routineConditions = []condition{
	// 3.2.2 to 3.2.8
	{name: "acc_set_device_type of a type without device", code: `acc_set_device_type (acc_device_radeon);`,
		error: "device_type_unavailable", parent: routine, message: "acc_set_device_type"},
	{name: "acc_set_device_type of an unknown type", code: `acc_set_device_type ((acc_device_t) 77);`,
		error: "device_type_unavailable", parent: routine, message: "acc_set_device_type"},
	{name: "acc_set_device_num of a type without device", code: `acc_set_device_num (0, acc_device_radeon);`,
		error: "device_type_unavailable", parent: routine, message: "acc_set_device_num"},
	{name: "acc_set_device_num out of range", code: `acc_set_device_num (99, acc_device_sim);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_init of a type without device", code: `acc_init (acc_device_radeon);`,
		error: "device_type_unavailable", parent: routine, message: "acc_init"},
	{name: "acc_init_device out of range", code: `acc_init_device (99, acc_device_sim);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_init_device of a type without device", code: `acc_init_device (0, acc_device_radeon);`,
		error: "device_type_unavailable", parent: routine, message: "acc_init_device"},
	{name: "acc_init of a device that fails", code: `acc_init (acc_device_sim);`, faults: "init",
		error: "device_init", parent: routine, message: "sim"},
	{name: "acc_shutdown of a type without device", code: `acc_shutdown (acc_device_radeon);`,
		error: "device_type_unavailable", parent: routine, message: "acc_shutdown"},
	{name: "acc_shutdown_device out of range", code: `acc_shutdown_device (99, acc_device_sim);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_init twice is no error", code: `acc_init (acc_device_sim); acc_init (acc_device_sim);`},
	{name: "acc_shutdown of a device that is lost", code: `acc_copyin (a, 400);
#pragma acc parallel loop present(a[0:100]) async(1)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;
    acc_shutdown (acc_device_sim);`, faults: "lost=1",
		error: "device_shutdown", parent: routine, message: "lost"},
	{name: "acc_shutdown without a device is no error", code: `acc_shutdown (acc_device_sim);`},
	{name: "acc_shutdown_device of a type without device", code: `acc_shutdown_device (0, acc_device_radeon);`,
		error: "device_type_unavailable", parent: routine, message: "acc_shutdown_device"},
	{name: "acc_init_device of a device that fails", code: `acc_init_device (0, acc_device_sim);`, faults: "init",
		error: "device_init", parent: routine, message: "sim"},
	{name: "acc_set_device_num negative is no error", code: `acc_set_device_num (-1, acc_device_sim);`},

	// 3.2.9 to 3.2.14
	{name: "acc_async_test of an invalid value", code: `acc_async_test (-77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_async_test_device out of range", code: `acc_async_test_device (1, 99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_async_test_all_device out of range", code: `acc_async_test_all_device (99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait of an invalid value", code: `acc_wait (-77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_device out of range", code: `acc_wait_device (1, 99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait_all_device out of range", code: `acc_wait_all_device (99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait_async, invalid queue waited for", code: `acc_wait_async (-77, 1);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_async, invalid queue that waits", code: `acc_wait_async (1, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_all_async of an invalid value", code: `acc_wait_all_async (-77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_device_async out of range", code: `acc_wait_device_async (1, 2, 99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait_any with a negative count", code: `int list[1] = { 1 }; acc_wait_any (-1, list);`,
		error: "invalid_argument", parent: routine, message: "-1"},
	{name: "acc_wait_any with an invalid value", code: `int list[2] = { 1, -77 }; acc_wait_any (2, list);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_any_device out of range", code: `int list[1] = { 1 }; acc_wait_any_device (1, list, 99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_set_default_async of an invalid value", code: `acc_set_default_async (-77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_async_test_device of an invalid value", code: `acc_async_test_device (-77, 0);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_device of an invalid value", code: `acc_wait_device (-77, 0);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_device_async, invalid queue waited for", code: `acc_wait_device_async (-77, 1, 0);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_device_async, invalid queue that waits", code: `acc_wait_device_async (1, -77, 0);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_all_device_async of an invalid value", code: `acc_wait_all_device_async (-77, 0);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_wait_all_device_async out of range", code: `acc_wait_all_device_async (1, 99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_wait_any_device with a negative count", code: `int list[1] = { 1 }; acc_wait_any_device (-1, list, 0);`,
		error: "invalid_argument", parent: routine, message: "-1"},
	{name: "acc_wait_any_device with an invalid value", code: `int list[2] = { 1, -77 }; acc_wait_any_device (2, list, 0);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_async_wait, the older name, of an invalid value", code: `acc_async_wait (-77);`,
		error: "invalid_async", parent: routine, message: "-77"},

	// 3.2.16 to 3.2.20
	{name: "acc_malloc beyond the memory returns a null pointer", code: `if (acc_malloc ((size_t) 1 << 30)) abort ();`, memory: "16MiB"},
	{name: "acc_copyin of a null pointer", code: `acc_copyin (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_copyin"},
	{name: "acc_copyin partly present", code: `acc_copyin (a, ` + size + `); acc_copyin (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_copyin"},
	{name: "acc_copyin beyond the memory", code: `float *p = calloc (1, 64 << 20); acc_copyin (p, 64 << 20);`, memory: "16MiB",
		error: "out_of_memory", parent: routine, message: "acc_copyin"},
	{name: "acc_copyin_async of an invalid value", code: `acc_copyin_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_create of a null pointer", code: `acc_create (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_create"},
	{name: "acc_create partly present", code: `acc_create (a, ` + size + `); acc_create (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_create"},
	{name: "acc_create_async of an invalid value", code: `acc_create_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_copyout of a null pointer", code: `acc_copyout (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_copyout"},
	{name: "acc_copyout not present", code: `acc_copyout (a, ` + size + `);`,
		error: "not_present", parent: routine, message: "acc_copyout"},
	{name: "acc_copyout partly present", code: `acc_copyin (a, ` + size + `); acc_copyout (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_copyout"},
	{name: "acc_copyout_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_copyout_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_copyout_finalize not present", code: `acc_copyout_finalize (a, ` + size + `);`,
		error: "not_present", parent: routine, message: "acc_copyout_finalize"},
	{name: "acc_delete of a null pointer", code: `acc_delete (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_delete"},
	{name: "acc_delete not present", code: `absent (a);`,
		error: "not_present", parent: routine, message: "acc_delete"},
	{name: "acc_delete partly present", code: `acc_copyin (a, ` + size + `); acc_delete (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_delete"},
	{name: "acc_delete_finalize_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_delete_finalize_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_update_device of a null pointer", code: `acc_update_device (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_update_device"},
	{name: "acc_update_device not present", code: `acc_update_device (a, ` + size + `);`,
		error: "not_present", parent: routine, message: "acc_update_device"},
	{name: "acc_update_device partly present", code: `acc_copyin (a, ` + size + `); acc_update_device (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_update_device"},
	{name: "acc_update_device_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_update_device_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_update_self of a null pointer", code: `acc_update_self (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_update_self"},
	{name: "acc_update_self not present", code: `acc_update_self (a, ` + size + `);`,
		error: "not_present", parent: routine, message: "acc_update_self"},
	{name: "acc_update_self partly present", code: `acc_copyin (a, ` + size + `); acc_update_self (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_update_self"},
	{name: "acc_free of what acc_malloc did not give", code: `acc_free ((char *) acc_malloc (400) + 64);`,
		error: "invalid_argument", parent: routine, message: "not allocated by acc_malloc"},
	{name: "acc_free of memory that is mapped", code: `void *d = acc_malloc (400); acc_map_data (a, d, 400); acc_free (d);`,
		error: "invalid_argument", parent: routine, message: "still mapped"},
	{name: "acc_free of a null pointer is no error", code: `acc_free (NULL);`},
	{name: "acc_copyin_async of a null pointer", code: `acc_copyin_async (null, ` + size + `, 1);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_copyin_async"},
	{name: "acc_copyin_async partly present", code: `acc_copyin (a, ` + size + `); acc_copyin_async (a + 50, ` + size + `, 1);`,
		error: "partly_present", parent: routine, message: "acc_copyin_async"},
	{name: "acc_copyin_async beyond the memory", code: `float *p = calloc (1, 64 << 20); acc_copyin_async (p, 64 << 20, 1);`, memory: "16MiB",
		error: "out_of_memory", parent: routine, message: "acc_copyin_async"},
	{name: "acc_create beyond the memory", code: `float *p = calloc (1, 64 << 20); acc_create (p, 64 << 20);`, memory: "16MiB",
		error: "out_of_memory", parent: routine, message: "acc_create"},
	{name: "acc_create_async beyond the memory", code: `float *p = calloc (1, 64 << 20); acc_create_async (p, 64 << 20, 1);`, memory: "16MiB",
		error: "out_of_memory", parent: routine, message: "acc_create_async"},
	{name: "acc_create_async partly present", code: `acc_create (a, ` + size + `); acc_create_async (a + 50, ` + size + `, 1);`,
		error: "partly_present", parent: routine, message: "acc_create_async"},
	{name: "acc_pcreate, the older name, partly present", code: `acc_create (a, ` + size + `); acc_pcreate (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "mapped"},
	{name: "acc_copyout_async not present", code: `acc_copyout_async (a, ` + size + `, 1);`,
		error: "not_present", parent: routine, message: "acc_copyout_async"},
	{name: "acc_copyout_async partly present", code: `acc_copyin (a, ` + size + `); acc_copyout_async (a + 50, ` + size + `, 1);`,
		error: "partly_present", parent: routine, message: "acc_copyout_async"},
	{name: "acc_copyout_finalize partly present", code: `acc_copyin (a, ` + size + `); acc_copyout_finalize (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_copyout_finalize"},
	{name: "acc_copyout_finalize_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_copyout_finalize_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_delete_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_delete_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_delete_async not present", code: `acc_delete_async (a, ` + size + `, 1);`,
		error: "not_present", parent: routine, message: "acc_delete_async"},
	{name: "acc_delete_finalize not present", code: `acc_delete_finalize (a, ` + size + `);`,
		error: "not_present", parent: routine, message: "acc_delete_finalize"},
	{name: "acc_delete_finalize partly present", code: `acc_copyin (a, ` + size + `); acc_delete_finalize (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_delete_finalize"},
	{name: "acc_update_device_async not present", code: `acc_update_device_async (a, ` + size + `, 1);`,
		error: "not_present", parent: routine, message: "acc_update_device_async"},
	{name: "acc_update_self_async not present", code: `acc_update_self_async (a, ` + size + `, 1);`,
		error: "not_present", parent: routine, message: "acc_update_self_async"},
	{name: "acc_update_self_async partly present", code: `acc_copyin (a, ` + size + `); acc_update_self_async (a + 50, ` + size + `, 1);`,
		error: "partly_present", parent: routine, message: "acc_update_self_async"},
	{name: "acc_update_self_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_update_self_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "zero bytes are no error", code: `acc_copyin (null, 0); acc_create (null, 0); acc_copyout (a, 0); acc_delete (a, 0);
    acc_update_self (a, 0); acc_update_device (a, 0); acc_memcpy_to_device (NULL, NULL, 0);`},
	{name: "acc_copyin of zero bytes at an address", code: `acc_copyin (a, 0);`,
		error: "invalid_argument", parent: routine, message: "bytes is zero"},
	{name: "acc_create_async of zero bytes at an address", code: `acc_create_async (a, 0, 1);`,
		error: "invalid_argument", parent: routine, message: "bytes is zero"},
	{name: "zero bytes in shared memory are no error", setting: onHost, code: `
    if (acc_copyin (a, 0) != a || acc_create (a, 0) != a || acc_present_or_copyin (a, 0) != a || acc_present_or_create (a, 0) != a)
      abort ();
    acc_copyin_async (a, 0, 1); acc_create_async (a, 0, 1); acc_copyout (a, 0); acc_copyout_finalize (a, 0);
    acc_delete (a, 0); acc_delete_finalize (a, 0); acc_update_self (a, 0); acc_update_device (a, 0);
    acc_copyout_async (a, 0, 1); acc_delete_async (a, 0, 1); acc_update_self_async (a, 0, 1); acc_update_device_async (a, 0, 1);
    acc_memcpy_to_device (a, b, 0); acc_memcpy_from_device (a, b, 0); acc_memcpy_device (a, b, 0); acc_memcpy_d2d (a, b, 0, 0, 0);
    acc_map_data (a, a, 0); acc_unmap_data (a);
    if (!acc_is_present (a, 0) || acc_deviceptr (a) != a || acc_hostptr (a) != a)
      abort ();`},
	{name: "null pointers for zero bytes in shared memory are no error", setting: onHost, code: `
    if (acc_copyin (null, 0) || acc_create (null, 0) || acc_deviceptr (null) || acc_hostptr (null))
      abort ();
    acc_copyout (null, 0); acc_delete (null, 0); acc_update_self (null, 0); acc_update_device (null, 0);
    acc_memcpy_to_device (NULL, NULL, 0); acc_memcpy_d2d (NULL, NULL, 0, 0, 0);`},
	{name: "acc_copyin of a null pointer in shared memory", setting: onHost, code: `acc_copyin (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_copyin"},
	{name: "acc_create_async of an invalid value in shared memory", setting: onHost, code: `acc_create_async (a, 0, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},

	// 3.2.21, 3.2.22
	{name: "acc_map_data of a null host pointer", code: `acc_map_data (null, acc_malloc (400), 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_map_data"},
	{name: "acc_map_data of a null device pointer", code: `acc_map_data (a, NULL, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_map_data"},
	{name: "acc_map_data of zero bytes", code: `acc_map_data (a, acc_malloc (400), 0);`,
		error: "invalid_argument", parent: routine, message: "acc_map_data"},
	{name: "acc_map_data of present data", code: `acc_copyin (a, 400); acc_map_data (a + 50, acc_malloc (400), 400);`,
		error: "present", parent: routine, message: "acc_map_data"},
	{name: "acc_unmap_data of a null pointer", code: `acc_unmap_data (NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_unmap_data"},
	{name: "acc_unmap_data in a data construct of the same data", code: `acc_map_data (a, acc_malloc (400), 400);
#pragma acc data present(a[0:100])
    acc_unmap_data (a);`,
		error: "present", parent: routine, message: "acc_unmap_data"},

	// 3.2.26 to 3.2.30
	{name: "acc_memcpy_to_device, null destination", code: `acc_memcpy_to_device (NULL, a, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_to_device"},
	{name: "acc_memcpy_to_device, null source", code: `acc_memcpy_to_device (acc_malloc (400), NULL, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_to_device"},
	{name: "acc_memcpy_to_device_async of an invalid value", code: `acc_memcpy_to_device_async (acc_malloc (400), a, 400, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_memcpy_from_device, null destination", code: `acc_memcpy_from_device (NULL, acc_malloc (400), 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_from_device"},
	{name: "acc_memcpy_from_device, null source", code: `acc_memcpy_from_device (a, NULL, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_from_device"},
	{name: "acc_memcpy_device, null source", code: `acc_memcpy_device (acc_malloc (400), NULL, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_device"},
	{name: "acc_memcpy_device_async of an invalid value", code: `acc_memcpy_device_async (acc_malloc (400), acc_malloc (400), 400, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_attach of a null pointer", code: `acc_attach (NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_attach"},
	{name: "acc_attach_async of an invalid value", code: `acc_copyin (&null, sizeof null); acc_attach_async ((void **) &null, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_detach of a null pointer", code: `acc_detach (NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_detach"},
	{name: "acc_memcpy_d2d, device out of range", code: `acc_memcpy_d2d (a, b, 400, 99, 0);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_memcpy_d2d, null pointer", code: `acc_memcpy_d2d (NULL, b, 400, 0, 0);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_d2d"},
	{name: "acc_memcpy_d2d, not present", code: `acc_memcpy_d2d (a, b, 400, 0, 0);`,
		error: "not_present", parent: routine, message: "acc_memcpy_d2d"},
	{name: "acc_memcpy_d2d, partly present", code: `acc_copyin (a, 400); acc_copyin (b, 400); acc_memcpy_d2d (a + 50, b, 400, 0, 0);`,
		error: "partly_present", parent: routine, message: "acc_memcpy_d2d"},
	{name: "acc_memcpy_d2d_async of an invalid value", code: `acc_copyin (a, 400); acc_copyin (b, 400); acc_memcpy_d2d_async (a, b, 400, 0, 0, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_memcpy_to_device from device memory", code: `void *d = acc_malloc (400); acc_memcpy_to_device (d, d, 400);`,
		error: "invalid_argument", parent: routine, message: "data_host_src"},
	{name: "acc_memcpy_from_device to device memory", code: `void *d = acc_copyin (a, 400); acc_memcpy_from_device (d, acc_malloc (400), 400);`,
		error: "invalid_argument", parent: routine, message: "data_host_dest"},
	{name: "acc_memcpy_from_device_async of an invalid value", code: `acc_memcpy_from_device_async (a, acc_malloc (400), 400, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_memcpy_device, null destination", code: `acc_memcpy_device (NULL, acc_malloc (400), 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_device"},
	{name: "acc_detach_async of an invalid value", code: `acc_copyin (&null, sizeof null); acc_detach_async ((void **) &null, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_detach_finalize of a null pointer", code: `acc_detach_finalize (NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_detach_finalize"},
	{name: "acc_detach_finalize_async of an invalid value", code: `acc_copyin (&null, sizeof null); acc_detach_finalize_async ((void **) &null, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_attach of a pointer that is not present is no error", code: `float *p = a; acc_attach ((void **) &p);`},
	{name: "acc_detach without acc_attach is no error", code: `float *p = a; acc_copyin (&p, sizeof p); acc_detach ((void **) &p);`},
	{name: "acc_memcpy_d2d, source device out of range", code: `acc_memcpy_d2d (a, b, 400, 0, 99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_memcpy_d2d, null source", code: `acc_memcpy_d2d (a, NULL, 400, 0, 0);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_d2d"},
	{name: "acc_memcpy_d2d, source not present", code: `acc_copyin (a, 400); acc_memcpy_d2d (a, b, 400, 0, 0);`,
		error: "not_present", parent: routine, message: "acc_memcpy_d2d"},
}
