package source

import (
	"fmt"
	"strings"
)

// routines are those that members call, which the stand-in runtime has.
var routines = []string{"acc_copyin", "acc_copyout", "acc_update_self", "acc_update_device"}

// calls gives some variables to routines, in expressions of many forms, which branches may choose.
func (m *member) calls() {
	if m.random.IntN(2) == 0 && !m.branches { // what debug information says little of
		m.line("  struct sp *link[2] = { sp, sp };\n  double **rows = (double **) calloc (5, sizeof *rows);\n  rows[3] = (double *) calloc (n + 300, 8);")
		m.truth[8*599] = "rows[3]"
		m.line("  acc_copyin (rows[3], 8 * (n + 599));\n  acc_update_self (rows[3] + steps, 8 * (n + 599));")
		if i := strings.Index(m.text.String(), "double *d"); i >= 0 {
			_, name, _ := strings.Cut(m.text.String()[i:], "*")
			name, _, _ = strings.Cut(name, ";")
			m.truth[8*598] = "link[1]->" + name
			m.line("  acc_update_device (link[1]->%s, 8 * 598);", name)
		}
	}
	for range 1 + m.random.IntN(3) {
		list := m.some()
		for _, d := range list {
			m.line("  %s", m.call(routines[m.random.IntN(len(routines))], d))
		}
		if m.random.IntN(2) == 0 && !m.branches {
			continue
		}
		conditions, _ := m.alternatives()
		routine := routines[m.random.IntN(len(routines))]
		after := ""
		if m.random.IntN(2) == 0 { // the same behind each, which may be shared
			after = " " + m.call(routines[m.random.IntN(len(routines))], list[0])
		}
		for i, of := range m.chosen(len(conditions)) {
			word := "else if (" + conditions[i] + ")"
			switch i {
			case 0:
				word = "if (" + conditions[i] + ")"
			case len(conditions) - 1:
				word = "else"
			}
			if text := m.call(routine, of[0]); after == "" {
				m.line("  %s\n    %s", word, text)
			} else {
				m.line("  %s { %s%s }", word, text, after)
			}
		}
	}
}

// call is a routine's call with a variable, as C has it.
func (m *member) call(routine string, d datum) string {
	forms := []string{"%s", "(void *) %s", "&%s[0]", "&%[1]s[n]"}
	if !m.branches {
		forms = append(forms, "%s + 3", "&%s[2]", "3 + %s", "%s + step", "%s + (steps > 3 ? n : 2)", "(char *) %s + 8 * step", "&(%s[step])", "(double *) (%s) + n")
	}
	if m.language == "cc" {
		forms = append(forms, "static_cast<void *> (%s)")
	}
	sizes := []string{"8 * %d", "8 * (n + %d)", "(n + %d) * sizeof (double)"}
	return fmt.Sprintf("%s (%s, %s);", routine, fmt.Sprintf(forms[m.random.IntN(len(forms))], d.name), fmt.Sprintf(sizes[m.random.IntN(len(sizes))], d.count))
}

// fortranCalls is calls in Fortran, which pass a copy of arrays that may have gaps.
func (m *member) fortranCalls() {
	call := func(routine string, d datum) string {
		argument := d.name
		switch {
		case d.count == 1:
		case d.sort == "size", m.random.IntN(3) == 0:
			argument = fmt.Sprintf("%s(1:n+%d)", d.name, d.count)
		case m.random.IntN(3) == 0:
			argument = fmt.Sprintf("%s(1), 8*%d", d.name, d.count)
		}
		return fmt.Sprintf("call %s(%s)", routine, argument)
	}
	for range 1 + m.random.IntN(3) {
		list := without(m.some(), "pointer", "assumed")
		for _, d := range list {
			m.line("  %s", call(routines[m.random.IntN(len(routines))], d))
		}
		conditions, _ := m.alternatives()
		routine := routines[m.random.IntN(len(routines))]
		for i, of := range m.chosen(len(conditions)) {
			if of = without(of, "pointer", "assumed"); len(of) == 0 {
				of = []datum{{name: "zero", sort: "array", count: 1}}
			}
			word := "else if (" + conditions[i] + ") then"
			switch i {
			case 0:
				word = "if (" + conditions[i] + ") then"
			case len(conditions) - 1:
				word = "else"
			}
			m.line("  %s\n    %s", word, call(routine, of[0]))
		}
		m.line("  end if")
	}
}
