package source

import (
	"fmt"
	"strings"
)

// alternatives gives conditions that are true by turns, and a directive without data for
// each of what they choose among.
func (m *member) alternatives() (conditions []string, directive string) {
	of := 2 + m.random.IntN(2)
	turn, modulo := m.random.IntN(2), "(step + %d) %% %d == %d"
	if m.language == "f90" {
		modulo = "mod(step + %d, %d) == %d"
	}
	for i := range of {
		conditions = append(conditions, fmt.Sprintf(modulo, turn, of, i))
	}
	all := []string{"enter data copyin", "enter data create", "exit data copyout", "exit data delete", "update self", "update device"}
	return conditions, all[m.random.IntN(len(all))]
}

// chosen gives the variables that each of some branches is about.
func (m *member) chosen(branches int) (of [][]datum) {
	each := 1 + m.random.IntN(2)
	for range branches {
		list := m.some()
		of = append(of, list[:min(each, len(list))])
	}
	return of
}

// choose has branches that differ in what a directive is about.
func (m *member) choose() {
	conditions, directive := m.alternatives()
	name, clause := directive[:strings.LastIndex(directive, " ")], directive[strings.LastIndex(directive, " ")+1:]
	written := m.random.IntN(2) == 0 // as a switch
	if written {
		m.line("  switch ((step + 1) %% %d) {", len(conditions))
	}
	for i, list := range m.chosen(len(conditions)) {
		switch {
		case written:
			m.line("  case %d:;", i)
		case i == len(conditions)-1:
			m.line("  else {")
		case i > 0:
			m.line("  else if (%s) {", conditions[i])
		default:
			m.line("  if (%s) {", conditions[i])
		}
		m.line("#pragma acc %s%s", name, m.clauses(list, clause))
		if written {
			m.line("  break;")
		} else {
			m.line("  }")
		}
	}
	if written {
		m.line("  }")
	}
}
