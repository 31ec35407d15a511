package launch

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/session"
)

// Capture is what the profiler library is told through its environment
// variables; empty fields leave its defaults.
type Capture struct {
	Session   string // folder that receives the captures
	Paused    bool   // start armed but off
	Last      string // flight recorder: keep only this much ("30s", "512MiB")
	Limit     string // ceiling of the capture's size
	Events    string // record-time filters, comma-separated event names
	MinBytes  string
	Queue     string
	CallStack string   // caller, full or off
	Activity  string   // what devices did: auto, runtime or off
	Hash      string   // on: of what transfers move
	Span      string   // TRACEPARENT: the run's span
	MPI       []string // what stands before MPI's calls (Libraries.ChooseMPI)
	Hasty     bool     // a program whose capture is full does not wait for the collector
}

// Environment returns the environment in which a program is captured: environ
// with what loads our libraries, each placed so that what the user had set
// keeps working.
func Environment(environ []string, libraries Libraries, choice Choice, device string, capture Capture) []string {
	values := newVariables(environ)
	// Both ways in at once: a runtime that reads ACC_PROFLIB loads the library
	// by it; the library records each event once however it was registered.
	values.prepend("ACC_PROFLIB", libraries.Profiler, ";")
	if values.index("NVTX_INJECTION64_PATH") < 0 { // else another tool takes the calls of NVTX
		values.set("NVTX_INJECTION64_PATH", libraries.Profiler)
	}
	for _, library := range capture.MPI {
		values.prepend("LD_PRELOAD", onlyGlibc(library), ":")
	}
	values.runtime(libraries, choice, device)
	if len(capture.MPI) > 0 {
		values.preloads()
	}
	values.set(session.FolderVariable, capture.Session)
	if capture.Hasty {
		values.set("ACCSCOPE_CAPTURE_WAIT", "off")
	}
	if capture.Paused {
		values.set("ACCSCOPE_CAPTURE", "off")
	}
	for _, pair := range [][2]string{
		{"ACCSCOPE_LAST", capture.Last}, {"ACCSCOPE_CAPTURE_LIMIT", capture.Limit},
		{"ACCSCOPE_EVENTS", capture.Events}, {"ACCSCOPE_MIN_BYTES", capture.MinBytes},
		{"ACCSCOPE_QUEUE", capture.Queue}, {"ACCSCOPE_CALLSTACK", capture.CallStack},
		{"ACCSCOPE_ACTIVITY", capture.Activity}, {"ACCSCOPE_HASH", capture.Hash}, {"TRACEPARENT", capture.Span},
	} {
		if pair[1] != "" {
			values.set(pair[0], pair[1])
		}
	}
	return values.list
}

// PlainEnvironment is the environment in which a program has the runtime and the device that
// were chosen, and is not captured.
func PlainEnvironment(environ []string, libraries Libraries, choice Choice, device string) []string {
	values := newVariables(environ)
	values.runtime(libraries, choice, device)
	return values.list
}

// SeeHost is an environment in which the accesses of programs that were compiled with
// -fsanitize=thread are seen: their libtsan is ours.
func SeeHost(environ []string, libraries Libraries) []string {
	values := newVariables(environ)
	if libraries.Access != "" {
		values.prepend("LD_LIBRARY_PATH", libraries.Access, ":")
	}
	return values.list
}

// runtime loads our runtime where it was chosen, and chooses its device.
func (v *variables) runtime(libraries Libraries, choice Choice, device string) {
	if choice.Runtime == Accscope {
		v.prepend("LD_PRELOAD", onlyGlibc(libraries.Runtime), ":")
		v.set("ACCSCOPE_RUNTIME", "auto")
		v.preloads()
	}
	switch {
	case strings.EqualFold(device, "sim"):
		// By PGI's name for the variable, which GCC's runtime does not read: it would end a
		// statically linked program, or one started by a setuid one, for a type it has not got.
		v.unset("ACC_DEVICE_TYPE")
		v.set("ACC_DEVICE", device)
	case device != "":
		v.set("ACC_DEVICE_TYPE", deviceType(device))
	}
}

// preloads is told that something is loaded before the program: one built with
// -fsanitize=address, the first or one that it starts, ends at once where anything is loaded
// before its libasan. What is loaded here takes none of the names that libasan has to come
// first with.
func (v *variables) preloads() { v.prepend("ASAN_OPTIONS", "verify_asan_link_order=0", ":") }

// variables is an environment that keeps its order.
type variables struct{ list []string }

func newVariables(environ []string) *variables {
	return &variables{list: append([]string(nil), environ...)}
}

func (v *variables) index(name string) int {
	for i, entry := range v.list {
		if strings.HasPrefix(entry, name+"=") {
			return i
		}
	}
	return -1
}

func (v *variables) set(name, value string) {
	if i := v.index(name); i >= 0 {
		v.list[i] = name + "=" + value
		return
	}
	v.list = append(v.list, name+"="+value)
}

func (v *variables) unset(name string) {
	if i := v.index(name); i >= 0 {
		v.list = slices.Delete(v.list, i, i+1)
	}
}

func (v *variables) prepend(name, value, separator string) {
	i := v.index(name)
	if i < 0 {
		v.set(name, value)
		return
	}
	old := strings.TrimPrefix(v.list[i], name+"=")
	for _, element := range strings.Split(old, separator) {
		if element == value {
			return
		}
	}
	if old != "" {
		value += separator + old
	}
	v.list[i] = name + "=" + value
}
