package goacc

import (
	"fmt"
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

// ptxData is what mkoffload puts into the program.
type ptxData struct {
	objects       unsafe.Pointer
	objectCount   uint32
	variables     unsafe.Pointer // array of names
	variableCount uint32
	functions     unsafe.Pointer // array of ptxFunction
	functionCount uint32
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
	data := (*ptxData)(i.Data)
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
