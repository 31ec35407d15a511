// Package errortable proves, with programs compiled by gcc and gfortran, that
// every error condition that OpenACC 3.3 lists for a routine of chapter 3 or for
// a directive raises acc_ev_error with its code, the construct it came from and
// a message, and that the default handler then ends the program. For the one
// condition of which §3.2.19 says too that no action is taken, data that is not
// present at acc_copyout and acc_delete, the program goes on, and without a word
// where nobody asked for error events.
package errortable

// condition is one row: code that runs into one error.
type condition struct {
	name    string
	code    string // statements; see prelude and fortranProgram
	error   string // acc_error_t without its prefix; "" where no error may occur
	parent  string // acc_construct_t without its prefix
	message string // must be part of the message
	goesOn  bool   // it is reported, and no action is taken
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
	{name: "acc_init_device of a negative number", code: `acc_init_device (-1, acc_device_sim);`,
		error: "device_unavailable", parent: routine, message: "dev_num is -1:"},
	{name: "acc_shutdown_device of a negative number", code: `acc_shutdown_device (-1, acc_device_sim);`,
		error: "device_unavailable", parent: routine, message: "dev_num is -1:"},
	{name: "ACC_DEVICE_TYPE of a type without device", code: `acc_init (acc_device_default);`, setting: "ACC_DEVICE_TYPE=Radeon",
		error: "device_type_unavailable", parent: routine, message: "ACC_DEVICE_TYPE: no device of type radeon is available"},
	{name: "ACC_DEVICE_TYPE of an old type without device", code: `acc_copyin (a, 400);`, setting: "ACC_DEVICE_TYPE=xeonphi",
		error: "device_type_unavailable", parent: routine, message: "ACC_DEVICE_TYPE: no device of type xeonphi is available"},
	{name: "ACC_DEVICE_TYPE of what is no device type", code: `acc_copyin (a, 400);`, setting: "ACC_DEVICE_TYPE=current",
		error: "invalid_argument", parent: routine, message: "names no device type"},
	{name: "acc_get_property of a device that is none is no error", code: `
    acc_device_t type = acc_get_device_type ();
    if (acc_get_property (-1, type, acc_property_memory) != 0 || acc_get_property (99, type, acc_property_memory) != 0
        || acc_get_property_string (-1, type, acc_property_name) != NULL || acc_get_property_string (0, acc_device_radeon, acc_property_name) != NULL
        || acc_get_property (-1, acc_device_current, acc_property_memory) == 0
        || acc_get_property_string (-1, acc_device_current, acc_property_name) == NULL) abort ();`},
	{name: "acc_set_device_num negative is no error", code: `acc_set_device_num (-1, acc_device_sim);`},

	// 3.2.9 to 3.2.14
	{name: "acc_async_test of an invalid value", code: `acc_async_test (-77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_async_test_device out of range", code: `acc_async_test_device (1, 99);`,
		error: "device_unavailable", parent: routine, message: "99"},
	{name: "acc_async_test_device of a negative number", code: `acc_async_test_device (1, -1);`,
		error: "device_unavailable", parent: routine, message: "dev_num is -1:"},
	{name: "acc_wait_device of the least number", code: `acc_wait_device (1, -2147483647 - 1);`,
		error: "device_unavailable", parent: routine, message: "dev_num is -2147483648:"},
	{name: "acc_wait_any of a null pointer", code: `acc_wait_any (1, NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "wait_arg is a null pointer"},
	{name: "acc_wait_any of a null pointer and nothing is no error", code: `if (acc_wait_any (0, NULL) != -1) abort ();`},
	{name: "acc_wait_any_device of a null pointer", code: `acc_wait_any_device (2, NULL, 0);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_wait_any_device: wait_arg is a null pointer"},
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
		error: "invalid_async", parent: routine, message: "acc_wait: wait_arg is -77"},

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
		error: "not_present", parent: routine, message: "acc_copyout", goesOn: true},
	{name: "acc_copyout partly present", code: `acc_copyin (a, ` + size + `); acc_copyout (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_copyout"},
	{name: "acc_copyout_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_copyout_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_copyout_finalize not present", code: `acc_copyout_finalize (a, ` + size + `);`,
		error: "not_present", parent: routine, message: "acc_copyout_finalize", goesOn: true},
	{name: "acc_delete of a null pointer", code: `acc_delete (null, ` + size + `);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_delete"},
	{name: "acc_delete not present", code: `absent (a);`,
		error: "not_present", parent: routine, message: "acc_delete", goesOn: true},
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
		error: "not_present", parent: routine, message: "acc_copyout_async", goesOn: true},
	{name: "acc_copyout_async partly present", code: `acc_copyin (a, ` + size + `); acc_copyout_async (a + 50, ` + size + `, 1);`,
		error: "partly_present", parent: routine, message: "acc_copyout_async"},
	{name: "acc_copyout_finalize partly present", code: `acc_copyin (a, ` + size + `); acc_copyout_finalize (a + 50, ` + size + `);`,
		error: "partly_present", parent: routine, message: "acc_copyout_finalize"},
	{name: "acc_copyout_finalize_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_copyout_finalize_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_delete_async of an invalid value", code: `acc_copyin (a, ` + size + `); acc_delete_async (a, ` + size + `, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_delete_async not present", code: `acc_delete_async (a, ` + size + `, 1);`,
		error: "not_present", parent: routine, message: "acc_delete_async", goesOn: true},
	{name: "acc_delete_finalize not present", code: `acc_delete_finalize (a, ` + size + `);`,
		error: "not_present", parent: routine, message: "acc_delete_finalize", goesOn: true},
	{name: "acc_copyout_finalize_async not present", code: `acc_copyout_finalize_async (a, ` + size + `, 1);`,
		error: "not_present", parent: routine, message: "acc_copyout_finalize_async", goesOn: true},
	{name: "acc_delete_finalize_async not present", code: `acc_delete_finalize_async (a, ` + size + `, 1);`,
		error: "not_present", parent: routine, message: "acc_delete_finalize_async", goesOn: true},
	{name: "acc_copyout of data of a data region alone is no error", code: `
#pragma acc data copyin(a[0:100])
  { acc_copyout (a, ` + size + `); if (!acc_is_present (a, ` + size + `)) abort (); }`},
	{name: "acc_copyout not present on a device with shared memory is no error", code: `acc_copyout (a, ` + size + `);`,
		setting: "ACC_DEVICE_TYPE=host"},
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
	{name: "acc_copyin of a negative length", code: `int n = -4; acc_copyin (a, n * sizeof a[0]);`,
		error: "invalid_data_section", parent: routine, message: "has a length of -16 bytes"},
	{name: "acc_delete_async of a negative length on the host", code: `int n = -4; acc_delete_async (a, n * sizeof a[0], 1);`, setting: "ACC_DEVICE_TYPE=host",
		error: "invalid_data_section", parent: routine, message: "has a length of -16 bytes"},
	{name: "acc_update_self of a negative length", code: `int n = -4; acc_copyin (a, 400); acc_update_self (a, n * sizeof a[0]);`,
		error: "invalid_data_section", parent: routine, message: "has a length of -16 bytes"},
	{name: "acc_is_present of a negative length is no error", code: `int n = -4; acc_copyin (a, 400); if (acc_is_present (a, n * sizeof a[0])) abort ();`},
	{name: "no bytes leave every counter as it is", code: `
#pragma acc data create(a[0:100])
    {
      if (acc_create (a, 0) != acc_deviceptr (a) || acc_copyin (a + 4, 0) != acc_deviceptr (a + 4)) abort ();
      acc_create_async (a, 0, 1); acc_copyin_async (a, 0, 1);
      acc_delete (a, 0); acc_delete_finalize (a, 0); acc_delete_async (a, 0, 1); acc_delete_finalize_async (a, 0, 1);
      acc_copyout (a, 0); acc_copyout_finalize (a, 0); acc_copyout_async (a, 0, 1); acc_copyout_finalize_async (a, 0, 1);
      if (!acc_is_present (a, 400)) abort ();
    }
    if (acc_is_present (a, 4) || acc_create (a, 0) != NULL || acc_copyin (a, 0) != NULL || acc_is_present (a, 1)) abort ();
    acc_create (a, 400); acc_delete (a, 0); acc_delete_finalize (a, 0);
    if (!acc_is_present (a, 400)) abort ();
    acc_create (a, 0); acc_delete (a, 400);
    if (acc_is_present (a, 4)) abort ();`},
	{name: "acc_present_or_create, the older name, of no bytes", code: `acc_present_or_create (a, 0);`,
		error: "invalid_argument", parent: routine, message: "acc_present_or_create: bytes is zero"},
	{name: "acc_pcopyin and acc_pcreate, the older names, of no bytes are no error", code: `if (acc_pcopyin (a, 0) != NULL || acc_pcreate (a, 0) != NULL) abort ();`},
	{name: "no bytes in shared memory", code: `if (acc_create (a, 0) != a || acc_copyin (a, 0) != a || acc_create (NULL, 0) != NULL) abort ();
    acc_delete (a, 0); acc_copyout_finalize_async (a, 0, 1);`, setting: "ACC_DEVICE_TYPE=host"},
	{name: "zero bytes are no error", code: `acc_copyin (null, 0); acc_create (null, 0); acc_copyout (a, 0); acc_delete (a, 0);
    acc_update_self (a, 0); acc_update_device (a, 0); acc_memcpy_to_device (NULL, NULL, 0);`},

	// 3.2.21, 3.2.22
	{name: "acc_map_data of a null host pointer", code: `acc_map_data (null, acc_malloc (400), 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_map_data"},
	{name: "acc_map_data of a null device pointer", code: `acc_map_data (a, NULL, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_map_data"},
	{name: "acc_map_data of a null pointer in shared memory", code: `acc_map_data (a, NULL, 400);`, setting: "ACC_DEVICE_TYPE=host",
		error: "invalid_null_pointer", parent: routine, message: "data_dev is a null pointer"},
	{name: "acc_map_data of two null pointers in shared memory", code: `acc_map_data (NULL, NULL, 400);`, setting: "ACC_DEVICE_TYPE=host",
		error: "invalid_null_pointer", parent: routine, message: "data_arg is a null pointer"},
	{name: "acc_map_data of other data in shared memory", code: `acc_map_data (a, b, 400);`, setting: "ACC_DEVICE_TYPE=host",
		error: "invalid_argument", parent: routine, message: "shared-memory"},
	{name: "acc_map_data of a negative length", code: `int n = -4; acc_map_data (a, acc_malloc (400), n * sizeof a[0]);`,
		error: "invalid_data_section", parent: routine, message: "has a length of -16 bytes"},
	{name: "acc_map_data of zero bytes", code: `acc_map_data (a, acc_malloc (400), 0);`,
		error: "invalid_argument", parent: routine, message: "acc_map_data"},
	{name: "acc_map_data of present data", code: `acc_copyin (a, 400); acc_map_data (a + 50, acc_malloc (400), 400);`,
		error: "present", parent: routine, message: "acc_map_data"},
	{name: "acc_unmap_data of a null pointer", code: `acc_unmap_data (NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_unmap_data"},
	{name: "acc_unmap_data of an address inside of what is mapped", code: `acc_map_data (a, acc_malloc (400), 400); acc_unmap_data (a + 1);`,
		error: "invalid_argument", parent: routine, message: "is inside of mapped block"},
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
	{name: "acc_memcpy_to_device of a negative length", code: `int n = -4; acc_memcpy_to_device (acc_malloc (400), a, n * sizeof a[0]);`,
		error: "invalid_argument", parent: routine, message: "bytes is -16;"},
	{name: "acc_memcpy_device of a negative length in shared memory", code: `int n = -4; acc_memcpy_device (a, b, n * sizeof a[0]);`, setting: "ACC_DEVICE_TYPE=host",
		error: "invalid_argument", parent: routine, message: "bytes is -16;"},
	{name: "acc_memcpy_from_device, null destination", code: `acc_memcpy_from_device (NULL, acc_malloc (400), 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_from_device"},
	{name: "acc_memcpy_from_device, null source", code: `acc_memcpy_from_device (a, NULL, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_from_device"},
	{name: "acc_memcpy_device, null source", code: `acc_memcpy_device (acc_malloc (400), NULL, 400);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_memcpy_device"},
	{name: "acc_memcpy_device_async of an invalid value", code: `acc_memcpy_device_async (acc_malloc (400), acc_malloc (400), 400, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_attach of a null pointer", code: `acc_attach (NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_attach: ptr_addr is a null pointer; pass the address of a pointer"},
	{name: "acc_attach_async of an invalid value", code: `acc_copyin (&null, sizeof null); acc_attach_async ((void **) &null, -77);`,
		error: "invalid_async", parent: routine, message: "-77"},
	{name: "acc_detach of a null pointer", code: `acc_detach (NULL);`,
		error: "invalid_null_pointer", parent: routine, message: "acc_detach: ptr_addr is a null pointer; pass the address of a pointer"},
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
	{name: "acc_memcpy_d2d of a negative length", code: `int n = -4; acc_copyin (a, 400); acc_copyin (b, 400); acc_memcpy_d2d (a, b, n * sizeof a[0], 0, 0);`,
		error: "invalid_argument", parent: routine, message: "bytes is -16;"},

	// Appendix A.2; the sim device that answers as nvidia has streams, but adopts none
	{name: "acc_get_cuda_stream of an invalid value", code: `acc_get_cuda_stream (-77);`,
		error: "invalid_async", parent: routine, message: "acc_get_cuda_stream: async_arg is -77"},
	{name: "acc_set_cuda_stream of an invalid value", code: `acc_set_cuda_stream (-77, a);`,
		error: "invalid_async", parent: routine, message: "acc_set_cuda_stream: async_arg is -77"},
	{name: "acc_set_cuda_stream of a null pointer", code: `acc_set_cuda_stream (1, NULL);`, setting: "ACCSCOPE_SIM_AS=nvidia",
		error: "invalid_null_pointer", parent: routine, message: "stream is a null pointer"},
	{name: "acc_get_opencl_queue of an invalid value", code: `acc_get_opencl_queue (-77);`,
		error: "invalid_async", parent: routine, message: "acc_get_opencl_queue: async_arg is -77"},
	{name: "acc_set_opencl_queue of an invalid value", code: `acc_set_opencl_queue (-77, a);`,
		error: "invalid_async", parent: routine, message: "acc_set_opencl_queue: async_arg is -77"},
	{name: "acc_get_cuda_stream of a queue not used yet is no error", code: `if (acc_get_cuda_stream (1) != NULL || acc_get_cuda_stream (acc_async_noval) != NULL) abort ();`},
}
