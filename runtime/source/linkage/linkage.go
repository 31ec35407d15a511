// Package linkage makes readable the names by which linkers know functions and
// kernels. It needs no file of the program, so that views of a trace can use it
// too.
package linkage

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Names longer than this stay as they are, before and after: the demangler goes as
// deep as a name is nested, and a short one may stand for a long one.
const (
	longestMangled   = 1 << 14
	longestDemangled = 14 // power of two
)

// Readable is the name that people know a C++ function or kernel by: without the
// mangling, without parameters, and with what the compiler put behind it, so that
// a kernel's number stays: Grid<double>::scale._omp_fn.0. Other names stay as they
// are.
func Readable(linkage string) string {
	if !strings.HasPrefix(linkage, "_Z") || len(linkage) > longestMangled {
		return linkage
	}
	end := strings.Index(linkage, "$_omp_fn$") // as PTX has it, which knows no dot
	if end < 0 {
		end = strings.IndexByte(linkage, '.')
	}
	if end < 0 {
		end = len(linkage)
	}
	name, err := demangle.ToString(linkage[:end], demangle.NoParams, demangle.NoClones, demangle.MaxLength(longestDemangled))
	if err != nil || len(name) >= 1<<longestDemangled {
		return linkage
	}
	return name + linkage[end:]
}
