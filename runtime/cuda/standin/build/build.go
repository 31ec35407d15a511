// Package build compiles the stand-in for the CUDA driver and writes images
// that it understands, for tests on machines without a GPU.
package build

/*
#include <stdlib.h>
#include <string.h>
*/
import "C"

import (
	"fmt"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/goacc"
)

// Library compiles the stand-in into folder and returns its path. Its name is
// the driver's, so LD_LIBRARY_PATH can name the folder.
func Library(folder string) (string, error) { return compile(folder, "libcuda.so.1", "*.c") }

// CUPTI compiles the stand-in for CUPTI's library.
func CUPTI(folder string) (string, error) { return compile(folder, "libcupti.so", "cupti/*.c") }

func compile(folder, name, pattern string) (string, error) {
	sources, err := filepath.Glob(compilers.Source("runtime/cuda/standin/" + pattern))
	if err != nil {
		return "", err
	}
	library := filepath.Join(folder, name)
	return library, compilers.Build(library, append([]string{"-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden",
		"-fPIC", "-shared", "-pthread", "-Wl,-z,defs", "-Wl,-soname," + name}, sources...)...)
}

// A Function is a kernel of an image: a function of this process that takes the
// address of its slots.
type Function struct {
	Name       string
	Host       uintptr // what Device.Kernel is asked for, and what runs
	Threads    int     // most threads per block; 0: 1,024
	Dimensions [3]uint16
}

// A Variable is a global of an image.
type Variable struct {
	Name  string
	Host  uintptr
	Size  uintptr // on the host
	Bytes uintptr // on the device; 0: as on the host
	Link  bool
}

// Image makes an image as a constructor would register it, of functions of this process.
// line is added to its text.
func Image(functions []Function, variables []Variable, line string) goacc.Image {
	var text strings.Builder
	for _, f := range functions {
		threads := f.Threads
		if threads == 0 {
			threads = 1024
		}
		fmt.Fprintf(&text, "// function %s %#x %d\n.entry %s (.param.u64 %%in_ar0)\n{\n\tret;\n}\n", f.Name, f.Host, threads, f.Name)
	}
	for _, v := range variables {
		bytes := v.Bytes
		if bytes == 0 {
			bytes = v.Size
		}
		fmt.Fprintf(&text, "// variable %s %d\n", v.Name, bytes)
	}
	text.WriteString(line)
	return ImageOf(text.String(), functions, variables)
}

// ImageOf makes an image of a text that has the functions and variables. Its memory is
// never freed.
func ImageOf(text string, functions []Function, variables []Variable) goacc.Image {
	image := goacc.Image{Version: 1<<16 | 1, Type: 5}
	words := []uintptr{0, 1, 0, uintptr(len(variables)), 0, uintptr(len(functions))}
	names, descriptors := allocate(len(variables)), allocate(2*len(functions))
	for i, f := range functions {
		image.Functions = append(image.Functions, f.Host)
		descriptors[2*i] = uintptr(unsafe.Pointer(C.CString(f.Name)))
		descriptors[2*i+1] = uintptr(f.Dimensions[0]) | uintptr(f.Dimensions[1])<<16 | uintptr(f.Dimensions[2])<<32
	}
	for i, v := range variables {
		image.Variables = append(image.Variables, goacc.Variable{Host: v.Host, Size: v.Size, Link: v.Link})
		names[i] = uintptr(unsafe.Pointer(C.CString(v.Name)))
	}
	object := allocate(2)
	object[0], object[1] = uintptr(unsafe.Pointer(C.CString(text))), uintptr(len(text)+1)
	words[0], words[2], words[4] = start(object), start(names), start(descriptors)
	data := allocate(len(words))
	copy(data, words)
	image.Data = unsafe.Pointer(unsafe.SliceData(data))
	image.Table = image.Data
	return image
}

func allocate(words int) []uintptr {
	bytes := C.size_t(max(words, 1) * 8)
	memory := C.malloc(bytes)
	C.memset(memory, 0, bytes)
	return unsafe.Slice((*uintptr)(memory), max(words, 1))
}

func start(words []uintptr) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(words))) }

// Registrar compiles into folder the library that gives a program linked without
// device code an image for the stand-in: to be preloaded beside the runtime.
func Registrar(folder string) (string, error) {
	library := filepath.Join(folder, "libregister.so")
	return library, compilers.Build(library, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
		compilers.Source("runtime/cuda/standin/preload/register.c"), "-ldl")
}
