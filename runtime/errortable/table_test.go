// Package errortable proves, with programs compiled by gcc and gfortran, that
// every error condition that OpenACC 3.3 lists for a routine of chapter 3 or for
// a directive raises acc_ev_error with its code, the construct it came from and
// a message, and that the default handler then ends the program.
package errortable

// condition is one row: code that runs into one error.
type condition struct {
	name    string
	code    string // C statements; see prelude
	error   string // acc_error_t without its prefix; "" where no error may occur
	parent  string // acc_construct_t without its prefix
	message string // must be part of the message
	faults  string // ACCSCOPE_SIM_FAULT
	memory  string // ACCSCOPE_SIM_MEMORY
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
)

var conditions = []condition{
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
	{name: "acc_shutdown without a device is no error", code: `acc_shutdown (acc_device_sim);`},

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

	// Directives: §2.5, §2.7, §2.14, §2.16
	{name: "present clause, not present", code: `
#pragma acc parallel loop present(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`,
		error: "not_present", parent: "parallel", message: "present"},
	{name: "copy clause, partly present", code: `acc_copyin (a, 400);
#pragma acc parallel loop copy(a[50:100])
  for (int i = 50; i < 150; i++) a[i] = 1.0f;`,
		error: "partly_present", parent: "parallel", message: "mapped"},
	{name: "data construct, partly present", code: `acc_copyin (a, 400);
#pragma acc data copy(a[50:100])
  { big++; }`,
		error: "partly_present", parent: "data", message: "mapped"},
	{name: "enter data, out of memory", code: `float *p = calloc (64, big);
#pragma acc enter data create(p[0:16*big])`, memory: "16MiB",
		error: "out_of_memory", parent: "enter_data", message: "memory"},
	{name: "update, not present", code: `
#pragma acc update self(a[0:100])`,
		error: "not_present", parent: "update", message: "present"},
	{name: "update, partly present", code: `acc_copyin (a, 400);
#pragma acc update self(a[50:100])`,
		error: "partly_present", parent: "update", message: "mapped"},
	{name: "update if_present, not present, is no error", code: `
#pragma acc update self(a[0:100]) if_present`},
	{name: "host_data, not present", code: `
#pragma acc host_data use_device(a)
  { big++; }`,
		error: "not_present", parent: "host_data", message: "present"},
	{name: "host_data if_present, not present, is no error", code: `
#pragma acc host_data use_device(a) if_present
  { big++; }`},
	{name: "async clause with an invalid value", code: `int q = -77;
#pragma acc parallel loop copy(a[0:100]) async(q)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`,
		error: "invalid_async", parent: "parallel", message: "-77"},
	{name: "wait directive with an invalid value", code: `int q = -77;
#pragma acc wait(q)`,
		error: "invalid_async", parent: "wait", message: "-77"},
	{name: "update async with an invalid value", code: `int q = -77; acc_copyin (a, 400);
#pragma acc update self(a[0:100]) async(q)`,
		error: "invalid_async", parent: "update", message: "-77"},
	{name: "a kernel that fails", code: `
#pragma acc parallel loop copy(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`, faults: "kernel=1",
		error: "execution", parent: "parallel", message: "kernel"},
	{name: "an upload that fails", code: `acc_copyin (a, 400);`, faults: "upload=1",
		error: "execution", parent: routine, message: "upload"},
	{name: "a device that fails to start, by a directive", code: `
#pragma acc parallel loop copy(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`, faults: "init",
		error: "device_init", parent: "parallel", message: "sim"},
	{name: "a device that is lost", code: `acc_copyin (a, 400); acc_update_self (a, 400);`, faults: "lost=1",
		error: "device_unavailable", parent: routine, message: "lost"},
}
