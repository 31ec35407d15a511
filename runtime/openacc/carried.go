package openacc

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
)

// carry stands before each of the variables that one transfer carries (accscope_names.h).
const carry = "\x02"

// listsNames says whether somebody wants to know what a transfer of several variables
// carries, of whom only a tool that resolves references can be told.
func (t *namer) listsNames(start, end callbacks.Event) bool {
	return t.naming() && (t.wanted(start) || t.wanted(end)) && t.rt.options.Namer.Refers()
}

// listed is the list of the names in the scratch space.
func (t *namer) listed() string {
	names := t.scratch.carried
	if !slices.ContainsFunc(names, attribution.IsReference) {
		return ""
	}
	return t.composed(carry, names...)
}

// addCarried notes that the transfer in progress carries [host, host+size), which m maps,
// if anything does.
func (t *namer) addCarried(host, size uintptr, m *dataenv.Mapping) {
	name := t.nameOf(host, size, m)
	if !attribution.IsReference(name) {
		name = "" // it was found before somebody asked for references
	}
	t.scratch.carried = append(t.scratch.carried, name)
}

// nameOfGroup names the variable that a group carries, of which whole tells; of several
// it is their list, "" if nobody can be told.
func (t *namer) nameOfGroup(g *group, whole *transfer, start, end callbacks.Event) string {
	if whole.mapping != nil {
		return t.nameOf(whole.host, whole.size, whole.mapping)
	}
	if !t.listsNames(start, end) {
		return ""
	}
	t.scratch.carried = t.scratch.carried[:0]
	t.addGroup(g)
	return t.listed()
}

func (t *namer) addGroup(g *group) {
	g.outermost(func(u *transfer, _ uintptr) { t.addCarried(u.host, u.size, u.mapping) })
}

// listBeside is the list of the variables of a group and of the values of the launch.
func (t *namer) listBeside(g *group) string {
	if !t.listsNames(callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd) {
		return ""
	}
	s := t.scratch
	s.carried = s.carried[:0]
	t.addGroup(g)
	t.addValues()
	return t.listed()
}

// addValues notes that the transfer in progress carries the values of the launch.
func (t *namer) addValues() {
	s := t.scratch
	for i := range s.items {
		if item := &s.items[i]; carried(item) {
			t.addCarried(item.Host, item.Size, nil)
		}
	}
}

// A carriedValues is the list of the values that the argument block of a site carried,
// by their entries.
type carriedValues struct {
	entries []int
	list    string
}

// listOfValues is the list of the values that travel in the argument block. A site's
// values are the same from launch to launch, nearly always.
func (t *namer) listOfValues() string {
	if !t.listsNames(callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd) {
		return ""
	}
	s := t.scratch
	here := t.answered()
	if s.again && here.carried != nil && here.carried == s.recalled.list {
		return here.carried.list
	}
	s.entries = s.entries[:0]
	for i := range s.items {
		if item := &s.items[i]; carried(item) {
			s.entries = append(s.entries, item.Entry)
		}
	}
	if here.carried != nil && slices.Equal(here.carried.entries, s.entries) {
		if s.again {
			s.recalled.list = here.carried
		}
		return here.carried.list
	}
	s.carried = s.carried[:0]
	t.addValues()
	list := t.listed()
	if here.named {
		here.carried = &carriedValues{slices.Clone(s.entries), list}
	}
	return list
}
