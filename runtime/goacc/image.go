package goacc

import (
	"fmt"
	"unsafe"
)

// A Variable of an image's table: a global named in a declare directive.
type Variable struct {
	Host uintptr
	Size uintptr
	Link bool // declare link: mapped like any other variable when named
}

// An Image is one linked executable or shared object with code for a device,
// as its constructor registers it.
type Image struct {
	Version   uint32
	Type      int32          // acc_device_t of the code's device
	Table     unsafe.Pointer // identifies the image's host side
	Data      unsafe.Pointer // identifies the image's device side
	Functions []uintptr      // host addresses of the outlined functions
	Variables []Variable
}

// nvidia is acc_device_nvidia, the Type of images that PTX reads.
const nvidia = 5

// What an image's version says in its upper half: which tables there are.
const (
	withRequires = 2 // GCC 13: OpenMP's requirements, before the rest of the device side
	withIndirect = 3 // GCC 14 to 16: also OpenMP's indirect functions, behind it and behind the host's tables
)

// linkBit marks a declare link variable in the size field of the table.
const linkBit = uintptr(1) << 63

// ReadImage reads the tables that GOMP_offload_register_ver is given: four
// pointers, begin and end of the function table and of the variable table, which
// those of OpenMP's indirect functions may follow.
func ReadImage(version uint32, table unsafe.Pointer, deviceType int32, data unsafe.Pointer) (Image, error) {
	image := Image{Version: version, Type: deviceType, Table: table, Data: data}
	if library, device := version>>16, version&0xffff; library > withIndirect || device > 1 {
		return image, fmt.Errorf("offload image of version %d.%d: this library reads versions up to %d.1; "+
			"link the program with "+testedCompilers, library, device, withIndirect)
	}
	if table == nil {
		return image, fmt.Errorf("offload image without a table; link the program with " + testedCompilers)
	}
	bounds := (*[4]unsafe.Pointer)(table)
	functions, err := words(bounds[0], bounds[1], "function")
	if err != nil {
		return image, err
	}
	image.Functions = append(image.Functions, functions...)
	variables, err := words(bounds[2], bounds[3], "variable")
	if err != nil {
		return image, err
	}
	image.Variables = Variables(variables)
	return image, nil
}

// OpenMP says whether the image is known to hold OpenMP's target regions: GCC links
// those and OpenACC's constructs into images of their own only. They may need what
// OpenMP's runtime alone provides, as reverse offload and indirect functions. GCC 12
// marks no image.
func (i Image) OpenMP() bool {
	if i.Type != nvidia || i.Data == nil || i.library() < withRequires {
		return false
	}
	requires := *(*uintptr)(i.Data)
	return requires != 0 || i.library() >= withIndirect && i.ptx().indirectCount != 0
}

func (i Image) library() uint32 { return i.Version >> 16 }

// Variables reads a variable table: pairs of address and size, the size's
// highest bit marking a declare link variable.
func Variables(words []uintptr) []Variable {
	var list []Variable
	for i := 0; i+1 < len(words); i += 2 {
		size := words[i+1]
		list = append(list, Variable{Host: words[i], Size: size &^ linkBit, Link: size&linkBit != 0})
	}
	return list
}

func words(begin, end unsafe.Pointer, what string) ([]uintptr, error) {
	bytes := uintptr(end) - uintptr(begin)
	if uintptr(end) < uintptr(begin) || bytes%pointerBytes != 0 {
		return nil, fmt.Errorf("offload image: %s table from %p to %p is damaged; rebuild the program", what, begin, end)
	}
	return unsafe.Slice((*uintptr)(begin), bytes/pointerBytes), nil
}
