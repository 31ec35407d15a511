package errortable

// directiveConditions are those of the directives, through gcc. Its code calls
// one entry point for parallel, kernels and serial constructs: the runtime can't
// tell them apart.
var directiveConditions = []condition{
	// Directives: §2.5, §2.7, §2.14, §2.16
	{name: "present clause, not present", code: `
#pragma acc parallel loop present(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`,
		error: "not_present", parent: "parallel", message: "is not on device sim 0"},
	{name: "copy clause, partly present", code: `acc_copyin (a, 400);
#pragma acc parallel loop copy(a[50:100])
  for (int i = 50; i < 150; i++) a[i] = 1.0f;`,
		error: "partly_present", parent: "parallel", message: "is on device sim 0: "},
	{name: "data construct, partly present", code: `acc_copyin (a, 400);
#pragma acc data copy(a[50:100])
  { big++; }`,
		error: "partly_present", parent: "data", message: "is on device sim 0: "},
	{name: "enter data, out of memory", code: `float *p = calloc (64, big);
#pragma acc enter data create(p[0:16*big])`, memory: "16MiB",
		error: "out_of_memory", parent: "enter_data", message: "memory"},
	{name: "copy clause of a negative length", code: `int n = -4;
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 1.0f;`,
		error: "invalid_data_section", parent: "parallel", message: "has a length of -16 bytes"},
	{name: "present clause of a negative length", code: `int n = -4; acc_copyin (a, 400);
#pragma acc data present(a[0:n])
  { big++; }`,
		error: "invalid_data_section", parent: "data", message: "has a length of -16 bytes"},
	{name: "enter data of a negative length", code: `int n = -4;
#pragma acc enter data copyin(a[0:n])`,
		error: "invalid_data_section", parent: "enter_data", message: "has a length of -16 bytes"},
	{name: "exit data of a negative length", code: `int n = -4; acc_copyin (a, 400);
#pragma acc exit data copyout(a[0:n])`,
		error: "invalid_data_section", parent: "exit_data", message: "has a length of -16 bytes"},
	{name: "update of a negative length", code: `int n = -4; acc_copyin (a, 400);
#pragma acc update self(a[0:n])`,
		error: "invalid_data_section", parent: "update", message: "has a length of -16 bytes"},
	{name: "a section of no length is no error", code: `int n = 0; float *p = a;
#pragma acc data copy(p[0:n])
  { big++; }`},
	{name: "update, not present", code: `
#pragma acc update self(a[0:100])`,
		error: "not_present", parent: "update", message: "is not on device sim 0"},
	{name: "update, partly present", code: `acc_copyin (a, 400);
#pragma acc update self(a[50:100])`,
		error: "partly_present", parent: "update", message: "is on device sim 0: "},
	{name: "update if_present, not present, is no error", code: `
#pragma acc update self(a[0:100]) if_present`},
	{name: "host_data, not present", code: `
#pragma acc host_data use_device(a)
  { big++; }`,
		error: "not_present", parent: "host_data", message: "is not on device sim 0"},
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
	{name: "present clause of a kernels construct, not present", code: `
#pragma acc kernels present(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`,
		error: "not_present", parent: "kernels", message: "is not on device sim 0"},
	{name: "present clause of a serial construct, not present", code: `
#pragma acc serial present(a[0:100])
  a[0] = 1.0f;`,
		error: "not_present", parent: "serial", message: "is not on device sim 0"},
	{name: "present clause, partly present", code: `acc_copyin (a, 400);
#pragma acc parallel loop present(a[50:100])
  for (int i = 50; i < 150; i++) a[i] = 1.0f;`,
		error: "partly_present", parent: "parallel", message: "is on device sim 0: "},
	{name: "present clause of a data construct, not present", code: `
#pragma acc data present(a[0:100])
  { big++; }`,
		error: "not_present", parent: "data", message: "is not on device sim 0"},
	{name: "present clause of a data construct, partly present", code: `acc_copyin (a, 400);
#pragma acc data present(a[50:100])
  { big++; }`,
		error: "partly_present", parent: "data", message: "is on device sim 0: "},
	{name: "no_create clause, not present, is no error", code: `
#pragma acc data no_create(a[0:100])
  { big++; }`},
	{name: "enter data, partly present", code: `acc_copyin (a, 400);
#pragma acc enter data copyin(a[50:100])`,
		error: "partly_present", parent: "enter_data", message: "is on device sim 0: "},
	{name: "exit data copyout, partly present", code: `acc_copyin (a, 400);
#pragma acc exit data copyout(a[50:100])`,
		error: "partly_present", parent: "exit_data", message: "not mapped as one"},
	{name: "exit data delete, partly present", code: `acc_copyin (a, 400);
#pragma acc exit data delete(a[50:100])`,
		error: "partly_present", parent: "exit_data", message: "not mapped as one"},
	{name: "exit data, not present, is no error", code: `
#pragma acc exit data copyout(a[0:100])
#pragma acc exit data delete(b[0:100]) finalize`},
	{name: "exit data detach without attach is no error", code: `float *p = a; acc_copyin (&p, sizeof p);
#pragma acc exit data detach(p)`},
	{name: "copy clause, out of memory", code: `float *p = calloc (64, big);
#pragma acc parallel loop copy(p[0:16*big])
  for (int i = 0; i < 100; i++) p[i] = 1.0f;`, memory: "16MiB",
		error: "out_of_memory", parent: "parallel", message: "memory"},
	{name: "data construct, out of memory", code: `float *p = calloc (64, big);
#pragma acc data copyin(p[0:16*big])
  { big++; }`, memory: "16MiB",
		error: "out_of_memory", parent: "data", message: "memory"},
	{name: "enter data async with an invalid value", code: `int q = -77;
#pragma acc enter data copyin(a[0:100]) async(q)`,
		error: "invalid_async", parent: "enter_data", message: "-77"},
	{name: "exit data async with an invalid value", code: `int q = -77; acc_copyin (a, 400);
#pragma acc exit data delete(a[0:100]) async(q)`,
		error: "invalid_async", parent: "exit_data", message: "-77"},
	{name: "kernels async with an invalid value", code: `int q = -77;
#pragma acc kernels copy(a[0:100]) async(q)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`,
		error: "invalid_async", parent: "kernels", message: "-77"},
	{name: "serial async with an invalid value", code: `int q = -77;
#pragma acc serial copy(a[0:100]) async(q)
  a[0] = 1.0f;`,
		error: "invalid_async", parent: "serial", message: "-77"},
	{name: "wait clause of a parallel construct with an invalid value", code: `int q = -77;
#pragma acc parallel loop copy(a[0:100]) wait(q)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`,
		error: "invalid_async", parent: "parallel", message: "-77"},
	{name: "wait clause of enter data with an invalid value", code: `int q = -77;
#pragma acc enter data copyin(a[0:100]) wait(q)`,
		error: "invalid_async", parent: "enter_data", message: "-77"},
	{name: "wait clause of exit data with an invalid value", code: `int q = -77; acc_copyin (a, 400);
#pragma acc exit data delete(a[0:100]) wait(1, q)`,
		error: "invalid_async", parent: "exit_data", message: "-77"},
	{name: "wait clause of update with an invalid value", code: `int q = -77; acc_copyin (a, 400);
#pragma acc update self(a[0:100]) wait(q)`,
		error: "invalid_async", parent: "update", message: "-77"},
	{name: "wait directive, async clause with an invalid value", code: `int q = -77;
#pragma acc wait(1) async(q)`,
		error: "invalid_async", parent: "wait", message: "-77"},
	{name: "a kernel on a queue that fails, found by the wait directive", code: `acc_copyin (a, 400);
#pragma acc parallel loop present(a[0:100]) async(1)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;
#pragma acc wait(1)`, faults: "kernel=1",
		error: "execution", parent: "wait", message: "kernel"},
	{name: "a copy back that fails", code: `
#pragma acc parallel loop copy(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`, faults: "download=1",
		error: "execution", parent: "parallel", message: "download"},
	{name: "an update that fails", code: `acc_copyin (a, 400);
#pragma acc update device(a[0:100])`, faults: "upload=2",
		error: "execution", parent: "update", message: "upload"},
	{name: "a construct on a device that is lost", code: `acc_copyin (a, 400);
#pragma acc parallel loop present(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`, faults: "lost=1",
		error: "device_unavailable", parent: "parallel", message: "lost"},
	{name: "a construct where the current type has no device", code: `
#pragma acc parallel loop copy(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`, setting: "ACCSCOPE_SIM_DEVICES=0",
		error: "device_type_unavailable", parent: "parallel", message: "sim"},
	{name: "a construct where the current number has no device", code: `
#pragma acc parallel loop copy(a[0:100])
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`, setting: "ACC_DEVICE_NUM=7",
		error: "device_unavailable", parent: "parallel", message: "7"},
	{name: "a pointer of the host's in a kernel of a strict device", code: `float *p = a; acc_copyin (a, 400);
#pragma acc parallel
  p[0] = 1.0f;`, setting: "ACCSCOPE_SIM_STRICT=1",
		error: "execution", parent: "parallel", message: "is given the host's pointer p"},
	{name: "if(0) asks for no data", code: `
#pragma acc update self(a[0:100]) if(0)
#pragma acc parallel loop present(a[0:100]) if(0)
  for (int i = 0; i < 100; i++) a[i] = 1.0f;`},
}
