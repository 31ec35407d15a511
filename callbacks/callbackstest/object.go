package callbackstest

// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Object is a loaded shared object.
type Object struct {
	path   string
	handle unsafe.Pointer
}

// Open loads the shared object at path, for good.
func Open(path string) (*Object, error) {
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	handle := C.dlopen(cpath, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("%s: %s", path, C.GoString(C.dlerror()))
	}
	return &Object{path: path, handle: handle}, nil
}

// Symbol is the address of a function or variable of the object.
func (o *Object) Symbol(name string) (unsafe.Pointer, error) {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	address := C.dlsym(o.handle, cname)
	if address == nil {
		return nil, fmt.Errorf("%s: %s", o.path, C.GoString(C.dlerror()))
	}
	return address, nil
}
