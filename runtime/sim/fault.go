package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FaultKind says what goes wrong.
type FaultKind string

// The faults that can be injected.
const (
	// FaultInit makes opening the device fail.
	FaultInit FaultKind = "init"
	// FaultMemory leaves the device no more than N bytes of memory.
	FaultMemory FaultKind = "memory"
	// FaultUpload makes the Nth transfer to the device fail, counted from 1.
	FaultUpload FaultKind = "upload"
	// FaultDownload makes the Nth transfer from the device fail.
	FaultDownload FaultKind = "download"
	// FaultKernel makes the Nth kernel fail, or every kernel called Kernel.
	FaultKernel FaultKind = "kernel"
	// FaultLost makes the device unusable after N operations (transfers,
	// fills and kernels).
	FaultLost FaultKind = "lost"
)

// Fault is one fault to inject. The operation it hits does not take place.
type Fault struct {
	Kind   FaultKind
	N      uint64
	Kernel string // FaultKernel only: by name rather than number
	Device int    // the device it hits, -1 for each of them
}

const faultForm = `a list, separated by commas, of "init", "memory=SIZE", "upload=N", "download=N", "kernel=N", "kernel=NAME" and "lost=N", each with "@DEVICE" after it to hit one device only; N counts from 1 (lost: operations that succeed)`

// ParseFaults reads the value of ACCSCOPE_SIM_FAULT: faultForm.
func ParseFaults(s string) ([]Fault, error) {
	var faults []Fault
	for _, item := range strings.Split(s, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		f, ok := parseFault(item)
		if !ok {
			return nil, fmt.Errorf("fault %q is not one; allowed is %s", item, faultForm)
		}
		faults = append(faults, f)
	}
	return faults, nil
}

func parseFault(item string) (Fault, bool) {
	f := Fault{Device: -1}
	if at := strings.LastIndexByte(item, '@'); at >= 0 {
		number, ok := parseCount(item[at+1:], 0, mostDevices-1)
		if !ok {
			return f, false
		}
		item, f.Device = item[:at], number
	}
	name, value, given := strings.Cut(item, "=")
	f.Kind, value = FaultKind(strings.ToLower(strings.TrimSpace(name))), strings.TrimSpace(value)
	switch f.Kind {
	case FaultInit:
		return f, !given
	case FaultMemory:
		n, ok := parseBytes(value)
		f.N = n
		return f, given && ok && n > 0
	case FaultUpload, FaultDownload, FaultKernel, FaultLost:
		n, err := strconv.ParseUint(value, 10, 56)
		switch {
		case err == nil && n > 0:
			f.N = n
			return f, true
		case f.Kind == FaultKernel && value != "" && (value[0] < '0' || value[0] > '9') && value[0] != '-':
			f.Kernel = value
			return f, true
		}
	}
	return f, false
}

// String is the fault as ParseFaults reads it.
func (f Fault) String() string {
	s := string(f.Kind)
	switch {
	case f.Kernel != "":
		s += "=" + f.Kernel
	case f.Kind == FaultMemory:
		s += "=" + formatBytes(f.N)
	case f.Kind != FaultInit:
		s += "=" + strconv.FormatUint(f.N, 10)
	}
	if f.Device >= 0 {
		s += "@" + strconv.Itoa(f.Device)
	}
	return s
}

// failing says whether a kernel of a device is to fail by its name in its code, "" for none,
// or its host function's.
func (o *Options) failing(number int, name string, host func() string) bool {
	return slices.ContainsFunc(o.Faults, func(f Fault) bool {
		return f.Kernel != "" && (f.Device < 0 || f.Device == number) && (f.Kernel == name || f.Kernel == host())
	})
}

// fault finds the fault of a kind that is set for a device; zero if none is.
func (o *Options) fault(kind FaultKind, number int) Fault {
	for _, f := range o.Faults {
		if f.Kind == kind && f.Kernel == "" && (f.Device < 0 || f.Device == number) {
			return f
		}
	}
	return Fault{}
}
