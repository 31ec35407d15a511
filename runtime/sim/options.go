package sim

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/sim/card"
)

// The acc_device_t values that the backend answers to.
const (
	TypeSim    device.Type = 100
	TypeNVIDIA device.Type = 5
)

const (
	mostDevices = 64
	mostQueues  = 4096
	leastMemory = 4096
	mostMemory  = 1 << 45
	mostThreads = 4096
	leastStack  = 1 << 10
	mostStack   = 8 << 20
)

// Options are the knobs of the backend. Start from DefaultOptions.
type Options struct {
	Devices       int           // how many; 0 for none
	Memory        uint64        // bytes of each
	H2DBandwidth  uint64        // model: bytes a second to the device
	D2HBandwidth  uint64        // model: bytes a second from the device
	H2DLatency    time.Duration // model: added to each transfer to the device
	D2HLatency    time.Duration // model: added to each transfer from the device
	LaunchLatency time.Duration // model: added to each kernel
	Queues        int           // hardware queues, shared by activity queues
	Name          string        // acc_property_name
	Poison        bool          // fill fresh and freed memory with a pattern
	Model         bool          // operations take the modelled time
	Card          *card.Card    // GPU code, with Model: those of this GPU; nil: those that the bandwidths and latencies say
	Faults        []Fault       // faults to inject
	As            device.Type   // TypeSim or TypeNVIDIA
	Strict        bool          // refuse kernels that are given pointers into host memory
	Code          Code          // which code of the program kernels run
	Threads       int           // of the host that run the gangs of a kernel's GPU code; 0: one for each processor
	Seed          uint64        // not 0: gangs and warps run on one thread, in an order of it
	KernelTimeout time.Duration // of a kernel's GPU code; 0: none
	Stack         uint64        // bytes of each lane of a kernel's GPU code
	Heap          uint64        // bytes that malloc of GPU code can give
	Check         bool          // GPU code: the accesses to memory are checked
	CompareHost   bool          // GPU code that is checked: what kernels leave is compared with what their host code does
	Tolerance     float64       // of floating-point numbers then, a part of the larger one; negative: as rounding and the order of sums have it
	Counters      bool          // GPU code: what it does is counted, by kernel and source line

	// KernelName gives the name of the outlined function at a host address; nil
	// if nobody knows. Faults by kernel name need it.
	KernelName func(hostFunction uintptr) string

	// Call is the C function that runs kernels, an accscope_sim_call (queue.h); nil
	// if they are called as they are.
	Call unsafe.Pointer

	unreadable error // why the description of a card could not be read

	// Crashed is told of kernels that raised a signal whose handler calls
	// accscope_sim_crashed; nil if none does.
	Crashed func(Crash)
}

// Code is the code of the program that kernels run.
type Code string

const (
	CodeHost Code = "host" // the functions that are compiled for the host
	CodeGPU  Code = "gpu"  // what is compiled for NVIDIA GPUs (runtime/simt)
)

// DefaultOptions are what holds where nothing else is said.
func DefaultOptions() Options {
	return Options{
		Devices: 1, Memory: 16 << 30,
		H2DBandwidth: 25e9, D2HBandwidth: 25e9,
		H2DLatency: 5 * time.Microsecond, D2HLatency: 5 * time.Microsecond, LaunchLatency: 5 * time.Microsecond,
		Queues: 32, Name: "accscope sim", Poison: true, As: TypeSim, Code: CodeHost, Stack: 64 << 10, Heap: 8 << 20, Tolerance: -1,
	}
}

// knob is one row of the table of environment variables: the only place where
// they are written down. The package comment and docs/sim.md repeat it.
type knob struct {
	variable, field string // of the environment; of Options
	form            string // what values are allowed
	standard        string // the default, as one would write it
	meaning         string
	set             func(o *Options, value string) bool
}

var knobs = []knob{
	{"ACCSCOPE_SIM_DEVICES", "Devices", "a number from 0 to 64", "1", "how many devices there are",
		func(o *Options, v string) (ok bool) { o.Devices, ok = parseCount(v, 0, mostDevices); return }},
	{"ACCSCOPE_SIM_MEMORY", "Memory", "a size from 4KiB to 32TiB, such as 512MiB", "16GiB", "memory of each device; reserved, not committed",
		func(o *Options, v string) (ok bool) {
			o.Memory, ok = parseBytes(v)
			return ok && o.Memory >= leastMemory && o.Memory <= mostMemory
		}},
	{"ACCSCOPE_SIM_H2D_BANDWIDTH", "H2DBandwidth", "a rate such as 25GB/s", "25GB/s", "model: bandwidth of transfers to the device",
		func(o *Options, v string) (ok bool) { o.H2DBandwidth, ok = parseBandwidth(v); return }},
	{"ACCSCOPE_SIM_D2H_BANDWIDTH", "D2HBandwidth", "a rate such as 25GB/s", "25GB/s", "model: bandwidth of transfers from the device",
		func(o *Options, v string) (ok bool) { o.D2HBandwidth, ok = parseBandwidth(v); return }},
	{"ACCSCOPE_SIM_H2D_LATENCY", "H2DLatency", "a time such as 5us or 1ms", "5us", "model: added to each transfer to the device",
		func(o *Options, v string) (ok bool) { o.H2DLatency, ok = parseTime(v); return }},
	{"ACCSCOPE_SIM_D2H_LATENCY", "D2HLatency", "a time such as 5us or 1ms", "5us", "model: added to each transfer from the device",
		func(o *Options, v string) (ok bool) { o.D2HLatency, ok = parseTime(v); return }},
	{"ACCSCOPE_SIM_LAUNCH_LATENCY", "LaunchLatency", "a time such as 5us or 1ms", "5us", "model: added to each kernel",
		func(o *Options, v string) (ok bool) { o.LaunchLatency, ok = parseTime(v); return }},
	{"ACCSCOPE_SIM_QUEUES", "Queues", "a number from 1 to 4096", "32", "hardware queues of each device, shared by its activity queues",
		func(o *Options, v string) (ok bool) { o.Queues, ok = parseCount(v, 1, mostQueues); return }},
	{"ACCSCOPE_SIM_NAME", "Name", "any text", "accscope sim", "name of the devices (acc_property_name)",
		func(o *Options, v string) bool { o.Name = v; return true }},
	{"ACCSCOPE_SIM_POISON", "Poison", "on or off", "on", "fill fresh and freed memory with patterns that are no numbers",
		func(o *Options, v string) (ok bool) { o.Poison, ok = parseSwitch(v); return }},
	{"ACCSCOPE_SIM_MODEL", "Model", "on, off, h100, h200 or a file that describes a GPU", "off", "operations take the time that the bandwidths and latencies say; GPU code: that they would on that GPU",
		(*Options).chooseModel},
	{"ACCSCOPE_SIM_FAULT", "Faults", faultForm, "none", "faults to inject",
		func(o *Options, v string) bool {
			faults, err := ParseFaults(v)
			o.Faults = faults
			return err == nil
		}},
	{"ACCSCOPE_SIM_AS", "As", "sim or nvidia", "sim", "the device type that the devices answer to",
		func(o *Options, v string) bool {
			switch strings.ToLower(v) {
			case "sim":
				o.As = TypeSim
			case "nvidia":
				o.As = TypeNVIDIA
			default:
				return false
			}
			return true
		}},
	{"ACCSCOPE_SIM_STRICT", "Strict", "on or off", "off", "a kernel that is given a pointer of the host's, and whose code follows it whichever way it goes, is an error, not a warning",
		func(o *Options, v string) (ok bool) { o.Strict, ok = parseSwitch(v); return }},
	{"ACCSCOPE_SIM_CODE", "Code", "host or gpu", "host", "kernels run the program's host code, or its code for NVIDIA GPUs; the devices then answer to nvidia",
		func(o *Options, v string) bool {
			o.Code = Code(strings.ToLower(v))
			if o.Code == CodeGPU {
				o.As = TypeNVIDIA
			}
			return o.Code == CodeHost || o.Code == CodeGPU
		}},
	{"ACCSCOPE_SIM_THREADS", "Threads", "a number from 0 to 4096", "0", "GPU code: threads of the host that run the gangs of a kernel; 0 is one for each processor",
		func(o *Options, v string) (ok bool) { o.Threads, ok = parseCount(v, 0, mostThreads); return }},
	{"ACCSCOPE_SIM_SEED", "Seed", "a number from 0 to 2^64-1", "0", "GPU code: other than 0, gangs and warps run on one thread in an order that follows from the number",
		func(o *Options, v string) bool {
			var err error
			o.Seed, err = strconv.ParseUint(v, 10, 64)
			return err == nil
		}},
	{"ACCSCOPE_SIM_KERNEL_TIMEOUT", "KernelTimeout", "a time such as 30s", "0s", "GPU code: a kernel that takes longer fails; 0s is none",
		func(o *Options, v string) (ok bool) { o.KernelTimeout, ok = parseTime(v); return }},
	{"ACCSCOPE_SIM_STACK", "Stack", "a size from 1KiB to 8MiB", "64KiB", "GPU code: the stack of each lane",
		func(o *Options, v string) (ok bool) {
			o.Stack, ok = parseBytes(v)
			return ok && o.Stack >= leastStack && o.Stack <= mostStack
		}},
	{"ACCSCOPE_SIM_HEAP", "Heap", "a size from 4KiB to 32TiB", "8MiB", "GPU code: memory that its malloc can give",
		func(o *Options, v string) (ok bool) {
			o.Heap, ok = parseBytes(v)
			return ok && o.Heap >= leastMemory && o.Heap <= mostMemory
		}},
	{"ACCSCOPE_SIM_CHECK", "Check", "on or off", "off", "GPU code: the accesses of kernels and transfers to memory are checked, as accscope check has it",
		func(o *Options, v string) (ok bool) { o.Check, ok = parseSwitch(v); return }},
	{"ACCSCOPE_SIM_COMPARE_HOST", "CompareHost", "on, off or a number of 0 or more", "off", "GPU code that is checked: what each kernel leaves is compared with what its host code does; floating-point numbers may differ by that part of the larger one, on: as rounding and the order of sums have it",
		(*Options).chooseCompared},
	{"ACCSCOPE_SIM_COUNTERS", "Counters", "on or off", "off", "GPU code: what kernels do is counted, by kernel and source line, as accscope run --counters has it",
		func(o *Options, v string) (ok bool) { o.Counters, ok = parseSwitch(v); return }},
}

// OptionsFromEnvironment are the default options changed by the ACCSCOPE_SIM_
// variables. White space around a value does not count, and an empty one is as
// good as none. The error names the variable, the value and what is allowed.
func OptionsFromEnvironment() (Options, error) {
	o := DefaultOptions()
	for _, k := range knobs {
		value := strings.TrimSpace(os.Getenv(k.variable))
		if value != "" && !k.set(&o, value) {
			why := ""
			if o.unreadable != nil {
				why = ": " + o.unreadable.Error()
			}
			return DefaultOptions(), fmt.Errorf("%s is %q: allowed is %s%s", k.variable, value, k.form, why)
		}
	}
	return o, nil
}

// chooseCompared reads ACCSCOPE_SIM_COMPARE_HOST.
func (o *Options) chooseCompared(v string) (ok bool) {
	if o.CompareHost, ok = parseSwitch(v); ok && v != "0" && v != "1" { // which are numbers here
		return true
	}
	tolerance, err := strconv.ParseFloat(v, 64)
	o.CompareHost, o.Tolerance = true, tolerance
	return err == nil && tolerance >= 0 && tolerance <= math.MaxFloat64
}

// check says what New would not accept.
func (o *Options) check() error {
	for _, c := range []struct {
		ok   bool
		what string
	}{
		{o.Devices >= 0 && o.Devices <= mostDevices, fmt.Sprintf("Devices is %d: allowed is 0 to %d", o.Devices, mostDevices)},
		{o.Memory >= leastMemory && o.Memory <= mostMemory, fmt.Sprintf("Memory is %d: allowed is %d to %d bytes", o.Memory, leastMemory, uint64(mostMemory))},
		{o.H2DBandwidth > 0 && o.D2HBandwidth > 0, "a bandwidth is 0: allowed is 1 byte a second and more"},
		{o.H2DLatency >= 0 && o.D2HLatency >= 0 && o.LaunchLatency >= 0, "a latency is negative: allowed is 0 and more"},
		{o.Queues >= 1 && o.Queues <= mostQueues, fmt.Sprintf("Queues is %d: allowed is 1 to %d", o.Queues, mostQueues)},
		{o.Threads >= 0 && o.Threads <= mostThreads, fmt.Sprintf("Threads is %d: allowed is 0 to %d", o.Threads, mostThreads)},
		{o.KernelTimeout >= 0, fmt.Sprintf("KernelTimeout is %v: allowed is 0 and more", o.KernelTimeout)},
		{o.Stack >= leastStack && o.Stack <= mostStack, fmt.Sprintf("Stack is %d: allowed is %d to %d bytes", o.Stack, leastStack, mostStack)},
		{o.Heap >= leastMemory && o.Heap <= mostMemory, fmt.Sprintf("Heap is %d: allowed is %d to %d bytes", o.Heap, leastMemory, uint64(mostMemory))},
		{!o.Check || o.Code == CodeGPU, "ACCSCOPE_SIM_CHECK is on, and kernels run host code: set ACCSCOPE_SIM_CODE to gpu"},
		{!o.CompareHost || o.Check, "ACCSCOPE_SIM_COMPARE_HOST is on, and nothing is checked: set ACCSCOPE_SIM_CHECK to on"},
		{!o.Counters || o.Code == CodeGPU, "ACCSCOPE_SIM_COUNTERS is on, and kernels run host code: set ACCSCOPE_SIM_CODE to gpu"},
		{o.Card == nil || o.Code == CodeGPU, "ACCSCOPE_SIM_MODEL names a GPU, and kernels run host code, whose time there nobody knows: set ACCSCOPE_SIM_CODE to gpu"},
		{o.Code == CodeHost || o.Code == CodeGPU, fmt.Sprintf("Code is %q: allowed is %s and %s", o.Code, CodeHost, CodeGPU)},
		{o.As == TypeSim || o.As == TypeNVIDIA, fmt.Sprintf("As is %d: allowed is %d and %d", o.As, TypeSim, TypeNVIDIA)},
	} {
		if !c.ok {
			return fmt.Errorf("sim: %s", c.what)
		}
	}
	for _, f := range o.Faults {
		if f.Kernel != "" && o.KernelName == nil {
			return fmt.Errorf("sim: the fault %v goes by a kernel's name, and KernelName is not set", f)
		}
	}
	return nil
}
