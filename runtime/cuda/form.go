package cuda

/*
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"fmt"
	"maps"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/ptx"
)

// A form says what is changed in a program's device code before the driver compiles it.
type form struct {
	stamps     bool // kernels take their own times
	reductions bool // loops of compare-and-swap become single instructions
}

// facts are what was read of an image's texts, as they are kept with what became of them.
type facts struct {
	Kernels    map[string]nvidia.Facts `json:"kernels"`              // those of OpenACC that can be read
	Stacks     map[string]need         `json:"stacks,omitempty"`     // of kernels that need some
	Stamped    []string                `json:"stamped,omitempty"`    // kernels that take their times
	Reductions int                     `json:"reductions,omitempty"` // loops that became instructions
}

// rewriteVariable is 0 for programs whose device code is to stay as GCC wrote it.
const rewriteVariable = "ACCSCOPE_CUDA_REWRITE"

func rewrites(lookup func(string) (string, bool)) bool {
	off, _ := lookup(rewriteVariable)
	return strings.TrimSpace(off) != "0"
}

// key is what a form makes of a text, for the cache: other words make other code.
func (as form) key() string {
	key := fmt.Sprint("form 4 ", as.reductions)
	if as.stamps {
		key += stampParameter + stampStart + stampEnd
	}
	return key
}

// of gives an image's texts as the form has them. A text that cannot be read stays as it
// is; so do all kernels' beginnings and ends where one is not as GCC writes it.
func (as form) of(texts []string) (changed []string, about facts) {
	about.Kernels = map[string]nvidia.Facts{}
	modules := make([]*ptx.Module, len(texts))
	all := make([][]nvidia.Edit, len(texts))
	stamped := as.stamps
	var read []*ptx.Module
	for i, text := range texts {
		m, err := ptx.Parse(text)
		if err != nil {
			stamped = stamped && !strings.Contains(text, ".entry")
			continue
		}
		modules[i] = m
		read = append(read, m)
		maps.Copy(about.Kernels, nvidia.FactsOf(m))
		if as.reductions {
			all[i] = nvidia.Reductions(m)
			for _, e := range all[i] {
				if e.Span != m.TargetAt {
					about.Reductions++
				}
			}
		}
	}
	about.Stacks = needsOf(read)
	for i := 0; i < len(modules) && stamped; i++ {
		if modules[i] == nil {
			continue
		}
		edits, kernels, ok := stamps(modules[i])
		if !ok {
			// The edits of other texts are dropped, too: a kernel has its times or no one has.
			return form{reductions: as.reductions}.of(texts)
		}
		all[i] = append(all[i], edits...)
		about.Stamped = append(about.Stamped, kernels...)
	}
	changed = make([]string, len(texts))
	for i, text := range texts {
		changed[i] = nvidia.Edited(text, all[i])
	}
	return changed, about
}

// objectsOf is an image with other texts, for the driver, until it is freed.
func objectsOf(code goacc.PTX, texts []string) (objects unsafe.Pointer, free func()) {
	var made []unsafe.Pointer
	array := (*C.struct_accscope_cuda_object)(C.calloc(C.size_t(max(1, code.Count)), C.sizeof_struct_accscope_cuda_object))
	for i, object := range unsafe.Slice((*C.struct_accscope_cuda_object)(code.Objects), code.Count) {
		if object.code != nil && object.size > 0 {
			text := C.CString(texts[i])
			made = append(made, unsafe.Pointer(text))
			object.code, object.size = text, C.size_t(len(texts[i])+1)
		}
		unsafe.Slice(array, code.Count)[i] = object
	}
	return unsafe.Pointer(array), func() {
		for _, text := range made {
			C.free(text)
		}
		C.free(unsafe.Pointer(array))
	}
}
