package main

import "fmt"

// Settings are one way the suite's own drivers run its tests: what they
// define for the compiler, which device they select and which of the tests'
// conditions hold.
type Settings struct {
	Name        string
	Device      string            // the suite's name of the device: the value of ACC_DEVICE_TYPE
	Definitions []string          // compiler flags that tell a test its device
	Environment map[string]string // environment of every test
	// Unfolded are the files that GCC must not compute acc_on_device in
	// (-fno-builtin-acc_on_device): see docs/conformance.md.
	Unfolded []string
	// HostCode are the files whose dg-xfail-run-if names openacc_host_selected for
	// what GCC makes of the kernel when it compiles it for the host: the mark holds
	// wherever kernels are the host compiler's.
	HostCode []string
	// NeutralShare is the percentage of the whole suite's neutral tests (see
	// Plan.neutral) that must pass, leaving out those known to fail.
	NeutralShare float64
	// LaterShare is the same for the suites of GCC 13 and later, which have more
	// tests of what only a GPU's code can do.
	LaterShare float64
}

var allSettings = []Settings{
	{
		Name:        "host",
		Device:      "host",
		Definitions: []string{"-DACC_DEVICE_TYPE_host=1", "-DACC_MEM_SHARED=1"},
		Environment: map[string]string{"ACC_DEVICE_TYPE": "host", "ACCSCOPE_HOST_AS": "gomp"},
	},
	{
		// The suite knows discrete memory only under the names of GPUs, so
		// the simulated device answers as one.
		Name:        "sim",
		Device:      "nvidia",
		Definitions: []string{"-DACC_DEVICE_TYPE_nvidia=1", "-DACC_MEM_SHARED=0"},
		Environment: map[string]string{"ACC_DEVICE_TYPE": "nvidia", "ACCSCOPE_SIM_AS": "nvidia", "ACCSCOPE_HOST_AS": "gomp"},
		// Ask in a kernel what it runs on. The host compiler answers for all its
		// code, kernels too, that it is the host; a call asks the runtime. In
		// other tests the answer decides whether a GPU's gangs, workers and lanes
		// are asked for, which code compiled for the host does not have. In Fortran
		// GCC 15 is the first to compute the answer; earlier ones ignore the option.
		Unfolded: []string{"if-1.c", "self-1.c", "if-self-1.c", "acc_prof-valid_bytes-1.c", "if-1.f90", "self-1.f90"},
		// GCC's PR 88852, a reduction of a gang that assigns its variable. It is the
		// suite's only dg-xfail-run-if of that name; where other directives name
		// openacc_host_selected they mean memory that is shared, or the compiler's
		// notes.
		HostCode:     []string{"gang-reduction-var-assignment.c"},
		NeutralShare: 94,
		LaterShare:   92,
	},
}

// commonFlags are passed whatever the settings: device code comes from the
// host compiler, so no offload compiler is asked for.
var commonFlags = []string{"-fopenacc", "-O2", "-g", "-foffload=disable"}

func settingsNamed(name string) (Settings, error) {
	for _, s := range allSettings {
		if s.Name == name {
			return s, nil
		}
	}
	return Settings{}, fmt.Errorf("-settings %q: one of host, sim", name)
}

// flags are the flags that a test's dg conditions are matched against.
func (s Settings) flags() []string {
	return append(append([]string{}, commonFlags...), s.Definitions...)
}

// target says whether an effective target (DejaGnu's word for a property of
// the machine, the compiler or the settings) holds for a test in language l.
// known is false for a name that this runner has never heard of.
func (s Settings) target(name string, l Language) (holds, known bool) {
	switch name {
	case "c":
		return l == C, true
	case "c++", "c++11":
		return l == CXX, true
	case "openacc_host_selected":
		return s.Device == "host", true
	case "openacc_nvidia_accel_selected", "openacc_nvidia_accel_present":
		return s.Device == "nvidia", true
	case "openacc_radeon_accel_selected", "openacc_radeon_accel_present",
		"offload_target_nvptx", "offload_target_amdgcn",
		"openacc_cuda", "openacc_cublas", "openacc_cudart",
		"run_expensive_tests", "ia32", "x32",
		"offloading_enabled", "skip-all-targets", "this-really-should-fail":
		return false, true
	case "lp64", "lto", "alloca", "__OPTIMIZE__", "weak_undefined",
		"pthread", "exceptions", "fopenacc", "int128", "size32plus":
		return true, true
	}
	return false, false
}
