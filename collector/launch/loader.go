package launch

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

// The file of the C library, as it is loaded here.
static const char *
c_library (void)
{
  Dl_info info;
  return dladdr ((void *) abort, &info) != 0 ? info.dli_fname : NULL;
}

// Whether the loader knows PATH for a file that is loaded already.
static int
is_loaded (const char *path)
{
  void *handle = dlopen (path, RTLD_LAZY | RTLD_NOLOAD);
  return handle != NULL && dlclose (handle) == 0;
}
*/
import "C"

import (
	"bufio"
	"debug/elf"
	"io"
	"os"
	"path"
	"strings"
	"unsafe"
)

// A C library is known by its dynamic loader, which a program names: ld-linux-x86-64.so.2
// wherever glibc is, ld-musl-x86_64.so.1 of musl.

// interpreter is the dynamic loader that an object names, "" if it names none.
func interpreter(object *elf.File) string {
	for _, segment := range object.Progs {
		if segment.Type == elf.PT_INTERP {
			name, err := io.ReadAll(io.LimitReader(segment.Open(), 4096))
			if err != nil {
				return ""
			}
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
}

// loaderOf is the dynamic loader that a program's file names, "" if that cannot be told.
func loaderOf(file string) string {
	object, err := elf.Open(file)
	if err != nil {
		return ""
	}
	defer object.Close()
	return interpreter(object)
}

// interpreterOf is the program that a script names in its first line, "" if it names none.
func interpreterOf(script io.Reader) string {
	line, err := bufio.NewReader(io.LimitReader(script, 4096)).ReadString('\n')
	named, is := strings.CutPrefix(line, "#!")
	if fields := strings.Fields(named); err == nil && is && len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// foreign says whether a dynamic loader is another one than ours. What names none, and
// where ours cannot be told, is none.
func foreign(loader string) bool {
	self, err := os.Executable()
	if err != nil || loader == "" {
		return false
	}
	own := loaderOf(self)
	return own != "" && path.Base(own) != path.Base(loader)
}

// onlyGlibc names a file, by its absolute path, for LD_PRELOAD, which whatever a program starts
// inherits: the way leads through the folder that glibc's loader has for $LIB ("lib64",
// "lib/x86_64-linux-gnu") and back. Another C library's knows no such token (ld.so(8)) and
// leaves a preload alone that is not there; where it could open one of ours the program would
// end. Where our own loader does not come through, the path stays as it is.
func onlyGlibc(file string) string {
	const through = "/$LIB/../../../../../../../.." // what goes up at the root stays there
	library := C.c_library()
	if library == nil {
		return file
	}
	tried := C.CString(through + C.GoString(library))
	defer C.free(unsafe.Pointer(tried))
	if C.is_loaded(tried) == 0 {
		return file
	}
	return through + file
}
