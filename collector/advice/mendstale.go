package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/structure"
)

// staleOnHost brings what a kernel has changed to the host: by the clause of what maps it, where it
// is not on the device any more, else by an update before the host's use.
func (m *mender) staleOnHost() {
	writer := m.of.Other
	if writer == nil {
		writer = &m.of.Instance
	}
	k := m.kernel(writer)
	switch {
	case k == nil:
	case m.of.Other == nil || m.of.Gone || !m.of.Instance.Host:
		m.brought(k)
	default:
		m.broughtBefore(k)
	}
}

// brought has what maps the variable bring it to the host at its end.
func (m *mender) brought(k *spot) {
	found := m.mapping(k)
	if found == nil {
		m.f.refuse(fmt.Sprintf("no directive of %s is seen that maps %s", k.procedure.Name, m.of.Variable))
		return
	}
	if found.structured {
		for _, c := range []struct{ is, becomes string }{{"copyin", "copy"}, {"create", "copyout"}} {
			if prefix, is := strings.CutSuffix(strings.ToLower(found.clause), c.is); is {
				m.become(found.written, prefix+c.becomes, found.item, found.clause)
				return
			}
		}
		m.f.refuse(fmt.Sprintf("line %d brings %s already", found.line, m.of.Variable))
		return
	}
	structure.All(k.procedure.Body, func(of *structure.Statement) bool {
		if of.ACC != nil && of.ACC.Name == "exit data" {
			d := directiveAt(m.sources, k.text.path, int64(of.First))
			for i := range d.clauses {
				if c := &d.clauses[i]; strings.EqualFold(c.Name, "delete") && d.itemOf(c.Items(), m.of.Variable) >= 0 {
					m.become(d, "copyout", found.item, c.Name)
					return false
				}
			}
		}
		return true
	})
	if len(m.f.Edits) == 0 {
		m.f.refuse(fmt.Sprintf("no exit data directive of %s deletes %s", k.procedure.Name, m.of.Variable))
	}
}

// broughtBefore brings it before the host uses it.
func (m *mender) broughtBefore(k *spot) {
	whole := m.whole(k)
	read := m.spot(m.of.Instance.File, m.of.Instance.Line)
	if whole == "" || read == nil {
		return
	}
	at, behind := read.nextTo(k, false)
	if m.of.Mixed {
		if element := m.element(read); element != "" && read.procedure == k.procedure {
			m.insert(read, len(read.path)-1, false, waits(read.update("self", element), k.last(), false))
		} else {
			m.f.refuse("the host has changed other parts, which bringing all of it would overwrite: bring what the host reads")
		}
		return
	}
	switch {
	case behind && m.widened(k, k.last().Last, read.path[at].Last, whole, "self", "host"):
	case behind:
		m.insert(read, at, false, waits(k.update("self", whole), k.last(), false))
	default:
		m.insert(k, len(k.path)-1, true, waits(k.update("self", whole), k.last(), true))
	}
}

// staleOnDevice sends what the host has changed, before the kernel that reads it.
func (m *mender) staleOnDevice() {
	k := m.kernel(&m.of.Instance)
	if k == nil {
		return
	}
	whole := m.whole(k)
	if whole == "" {
		return
	}
	var change *spot
	if m.of.Other != nil && m.of.Other.Host {
		if change = m.spot(m.of.Other.File, m.of.Other.Line); change == nil {
			return
		}
	}
	if !m.of.Mixed {
		m.sent(k, change, whole)
		return
	}
	if change != nil && change.procedure == k.procedure {
		if element := m.element(change); element != "" {
			m.insert(change, len(change.path)-1, true, waits(change.update("device", element), k.last(), false))
			return
		}
	}
	m.f.refuse("kernels have changed other parts, which sending all of it would overwrite: send what the host changes")
}

// sent sends the whole of the variable between the host's change, nil where that is not known, and
// the kernel.
func (m *mender) sent(k, change *spot, whole string) {
	at, before := change.nextTo(k, true)
	switch {
	case before && m.widened(k, change.path[at].First, k.last().First, whole, "device"):
	case before:
		m.insert(k, at, false, waits(k.update("device", whole), k.last(), at == len(k.path)-1))
	default:
		m.insert(k, len(k.path)-1, false, waits(k.update("device", whole), k.last(), true))
	}
}

// uninitialised gives the device the host's values, where the host's code sets them.
func (m *mender) uninitialised() {
	i := &m.of.Instance
	s := m.spot(i.File, i.Line)
	if s == nil {
		return
	}
	if at := s.compute(); at >= 0 {
		s = &spot{s.text, s.path[at].ACC.Line, s.procedure, s.path[:at+1]}
	}
	found := m.mapping(s)
	if found == nil {
		m.f.refuse(fmt.Sprintf("no directive of %s is seen that maps %s", s.procedure.Name, m.of.Variable))
		return
	}
	var before bool
	var change *spot
	for _, line := range m.hostChanges(s) {
		if line < found.line {
			before = true
		} else if line < s.last().First {
			change = m.spot(s.text.path, int64(line))
		}
	}
	clause := strings.ToLower(found.clause)
	switch {
	case change != nil && s.compute() >= 0:
		m.sent(s, change, found.item)
	case !before:
		m.f.refuse(fmt.Sprintf("nothing in %s is seen to set %s on the host before", s.procedure.Name, m.of.Variable))
	case strings.HasSuffix(clause, "copyout"):
		m.become(found.written, strings.TrimSuffix(clause, "copyout")+"copy", found.item, found.clause)
	case strings.HasSuffix(clause, "create"):
		m.become(found.written, strings.TrimSuffix(clause, "create")+"copyin", found.item, found.clause)
	}
}

// hostChanges are the lines of the spot's procedure at which host code writes the variable.
func (m *mender) hostChanges(s *spot) (lines []int) {
	structure.All(s.procedure.Body, func(of *structure.Statement) bool {
		if of.Kind == structure.Construct && of.ACC.Compute() {
			return false
		}
		if of.Kind == structure.Simple && slices.ContainsFunc(structure.Indexes(of.Tokens, m.of.Variable), func(at int) bool {
			// A declaration with its first value gives no values to the elements of what it points to.
			return structure.Writes(of.Tokens, at) && !slices.Contains(structure.Declared(of.Tokens), m.of.Variable)
		}) {
			lines = append(lines, of.First)
		}
		return true
	})
	return lines
}
