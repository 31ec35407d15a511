package launch

import (
	"bufio"
	"debug/elf"
	"io"
	"os"
	"path"
	"strings"
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
