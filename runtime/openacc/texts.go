package openacc

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
)

// A text is what events of a site say of variables: one name, or several as one, which is
// made once for all calls that say it.
type text struct {
	before string   // stands before each name
	names  []string // it is made of, nil for one name
	whole  string
	inC    callbacks.CString // of one name
}

// mostTexts is how many a site keeps.
const mostTexts = 256

// composed is names as one text, each with before in front of it.
func (t *namer) composed(before string, names ...string) string {
	hash := uint64(len(before))
	for _, name := range names {
		hash = (hash ^ uint64(uintptr(unsafe.Pointer(unsafe.StringData(name))))) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	known := t.here().texts.of(hash, mostTexts)
	if known.before != before || !slices.Equal(known.names, names) {
		*known = text{before: before, names: slices.Clone(names), whole: before + strings.Join(names, before)}
	}
	return known.whole
}

// nameInC is cString for the name of a variable.
func (t *namer) nameInC(name string) callbacks.CString {
	data := unsafe.StringData(name)
	known := t.here().texts.of(uint64(uintptr(unsafe.Pointer(data))), mostTexts)
	if unsafe.StringData(known.whole) != data || len(known.whole) != len(name) || known.names != nil {
		*known = text{whole: name, inC: callbacks.Intern(name)}
	}
	return known.inC
}

// joined is the name of data for which there are two, the first of which counts; ""
// is none. Of references both go along: the first may turn out to be of no name.
func (t *namer) joined(name, other string) string {
	if attribution.IsReference(other) && !t.rt.options.Namer.Refers() {
		return name // nobody would know what it refers to
	}
	if name == "" || other == "" || name == other || !attribution.IsReference(name) || !attribution.IsReference(other) {
		return cmp.Or(name, other)
	}
	return t.composed("", name, other)
}
