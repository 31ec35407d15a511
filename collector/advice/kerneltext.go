package advice

import (
	"strings"

	"github.com/accscope/accscope/collector/report"
)

// kernelText is a construct with a kernel, and the function around it.
type kernelText struct {
	file, function           string
	functionLine, begin, end int32
}

// inKernels says what the constructs of all kernels do with the subject of a finding, as far as
// their text is at hand: that one of them writes to what has this name; that some use it, and all
// are known. A use counts where the finding's own function has the construct, or nothing in the
// construct's declares the name; a write anywhere, as an argument may be the same data. A
// component goes by its last name, which is that of pointers to it.
func (seen *shown) inKernels(sources *report.Sources, g *group) access {
	name := g.subject
	if parts := separator.Split(name, -1); len(parts) > 1 {
		name = parts[len(parts)-1]
	}
	found, whole := access{}, true
	for k := range seen.kernels {
		a, known := k.access(sources, g, name)
		found.uses, found.writes = found.uses || a.uses, found.writes || a.writes
		whole = whole && known
	}
	found.uses = found.uses && whole
	return found
}

// access is what a construct does with what has a name; not known where its text is not at hand.
func (k kernelText) access(sources *report.Sources, g *group, name string) (a access, known bool) {
	lines := sources.Lines(k.file)
	if k.begin < 1 || k.end < k.begin || int(k.end) > len(lines) {
		return access{}, false
	}
	fortran := isFortran(lines[k.begin-1])
	if fortran {
		name = strings.ToLower(name)
	}
	a = accesses(lines[k.begin-1:k.end], map[string]bool{name: true}, fortran)[name]
	if own := k.file == g.file && k.function == g.function; !own && k.functionLine >= 1 && k.functionLine <= k.begin {
		a.uses = a.uses && !declares(lines[k.functionLine-1:k.begin], name, fortran)
	}
	return a, true
}

// writtenUnderCopyin says whether the directive of a group names a variable in copyin, and a
// kernel of its construct writes to what has this name; of a directive that begins none, a kernel
// of its function.
func (seen *shown) writtenUnderCopyin(sources *report.Sources, g *group, variable string) bool {
	d := directiveAt(sources, g.file, g.line)
	if _, found := d.clone().take(variable, "copyin", "pcopyin", "present_or_copyin"); !found {
		return false
	}
	construct := d.inside()
	for k := range seen.kernels {
		if k.file != g.file || k.function != g.function || construct != nil && (int(k.begin) < construct.First || int(k.end) > construct.Last) {
			continue
		}
		if a, known := k.access(sources, g, variable); known && a.writes {
			return true
		}
	}
	return false
}
