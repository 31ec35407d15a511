package sampling

// #cgo CFLAGS: -Wall -Wextra -Werror -O2
// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "nvml.h"
import "C"

import (
	"errors"
	"unsafe"
)

// library is NVIDIA's management library, which comes with the driver.
const library = "libnvidia-ml.so.1"

// figures are a GPU's figures in the order in which C gives them.
var figures = [C.NVML_FIGURES]figure{
	{"utilization", "%"}, {"memory_utilization", "%"}, {"memory_used", "B"}, {"power", "mW"}, {"temperature", "Cel"},
	{"sm_clock", "MHz"}, {"memory_clock", "MHz"},
}

type figure struct{ name, unit string }

// mostGPUs is how many GPUs of a machine are looked at.
const mostGPUs = 32

// gpus are the GPUs of this machine, asked through a management library.
type gpus struct {
	nvml  *C.struct_accscope_nvml
	names []string
}

// openGPUs opens a management library by its name.
func openGPUs(name string) (*gpus, error) {
	var problem [512]C.char
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	nvml := C.accscope_nvml_open(cname, &problem[0], C.uint(len(problem)))
	if nvml == nil {
		return nil, errors.New(C.GoString(&problem[0]))
	}
	g := &gpus{nvml: nvml}
	for i := range min(int(C.accscope_nvml_count(nvml)), mostGPUs) {
		var text [C.NVML_NAME_BYTES]C.char
		if C.accscope_nvml_name(nvml, C.uint(i), &text[0]) == 0 {
			text[0] = 0
		}
		g.names = append(g.names, C.GoString(&text[0]))
	}
	return g, nil
}

// read calls give for each figure of each GPU that can be had now.
func (g *gpus) read(give func(Counter, int64)) {
	for i, name := range g.names {
		var values C.struct_accscope_nvml_figures
		C.accscope_nvml_read(g.nvml, C.uint(i), &values)
		for f, value := range values.values {
			if value >= 0 {
				give(Counter{GPU: i, GPUName: name, Name: figures[f].name, Unit: figures[f].unit}, int64(value))
			}
		}
	}
}

func (g *gpus) close() { C.accscope_nvml_close(g.nvml) }
