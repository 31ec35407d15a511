package goacc

import (
	"fmt"
	"strings"
	"unsafe"
)

// PTX is the device side of an image for NVIDIA GPUs.
type PTX struct {
	// Objects is an array of Count pairs: the address of a PTX text, and its
	// size with the terminating zero.
	Objects unsafe.Pointer
	Count   int
	// Functions and Variables are in the order of the image's own.
	Functions []PTXFunction
	Variables []string
}

// A PTXFunction is an outlined function on the device.
type PTXFunction struct {
	Name       string
	Dimensions [3]uint16 // gangs, workers, vector that the compiler fixed; 0: left open
}

// ptxData is what mkoffload puts into the program; before it stands a word with
// OpenMP's requirements in images that are withRequires.
type ptxData struct {
	objects       unsafe.Pointer
	objectCount   uint32
	variables     unsafe.Pointer // array of names
	variableCount uint32
	functions     unsafe.Pointer // array of ptxFunction
	functionCount uint32
	indirectCount uint32 // in images that are withIndirect; else padding
}

// ptx is the device side of an image that has one.
func (i Image) ptx() *ptxData {
	data := i.Data
	if i.library() >= withRequires {
		data = unsafe.Add(data, pointerBytes)
	}
	return (*ptxData)(data)
}

type ptxFunction struct {
	name       unsafe.Pointer
	dimensions [3]uint16
}

// PTX reads the device side of an image whose Type is acc_device_nvidia.
func (i Image) PTX() (PTX, error) {
	if i.Data == nil {
		return PTX{}, fmt.Errorf("offload image without device data; link the program again with -foffload=nvptx-none")
	}
	data := i.ptx()
	code := PTX{Objects: data.objects, Count: int(data.objectCount)}
	if int(data.functionCount) != len(i.Functions) || int(data.variableCount) != len(i.Variables) {
		return PTX{}, fmt.Errorf("offload image: %d functions and %d variables on the host, %d and %d on the device; link the program again with one compiler",
			len(i.Functions), len(i.Variables), data.functionCount, data.variableCount)
	}
	for _, f := range unsafe.Slice((*ptxFunction)(data.functions), data.functionCount) {
		code.Functions = append(code.Functions, PTXFunction{Name: text(f.name), Dimensions: f.dimensions})
	}
	for _, name := range unsafe.Slice((*unsafe.Pointer)(data.variables), data.variableCount) {
		code.Variables = append(code.Variables, text(name))
	}
	return code, nil
}

// Texts are the objects' texts, in the program's own memory.
func (p PTX) Texts() []string {
	texts := make([]string, p.Count)
	for i, o := range unsafe.Slice((*ptxObject)(p.Objects), p.Count) {
		if o.code != nil && o.size > 0 {
			texts[i] = unsafe.String((*byte)(o.code), o.size-1)
		}
	}
	return texts
}

type ptxObject struct {
	code unsafe.Pointer
	size uintptr
}

// Needs says what the code asks for: the PTX language's version and the compute
// capability, both times ten (6.3 is 63, sm_80 is 80); 0 where it does not say.
func (p PTX) Needs() (version, capability int) {
	for _, o := range unsafe.Slice((*ptxObject)(p.Objects), p.Count) {
		if o.code == nil {
			continue
		}
		// Both directives come before any code (PTX ISA, "Module Directives").
		head := unsafe.String((*byte)(o.code), min(o.size, 1<<16))
		seen := 0
		for line := range strings.Lines(head) {
			line = strings.TrimSpace(line)
			if rest, ok := strings.CutPrefix(line, ".version"); ok {
				major, minor, _ := strings.Cut(strings.TrimSpace(rest), ".")
				version = max(version, 10*number(major)+number(minor))
				seen |= 1
			} else if rest, ok := strings.CutPrefix(line, ".target"); ok {
				_, rest, _ = strings.Cut(rest, "sm_")
				capability = max(capability, number(rest))
				seen |= 2
			}
			if seen == 3 {
				break
			}
		}
	}
	return version, capability
}

// number reads the digits that a text begins with.
func number(text string) int {
	n := 0
	for i := 0; i < len(text) && text[i] >= '0' && text[i] <= '9' && n < 1000; i++ {
		n = 10*n + int(text[i]-'0')
	}
	return n
}

// text copies a C string.
func text(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
