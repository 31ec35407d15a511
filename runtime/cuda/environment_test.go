package cuda

import (
	"strings"
	"testing"
)

// What is told of a variable is what the device takes it for: blanks around a value are none of it,
// and blanks alone are no value.
func TestSettingsValues(t *testing.T) {
	for _, test := range []struct {
		variable, text, value, does, problem string
	}{
		{jitVariable, "", "", "", ""},
		{jitVariable, " \t", "", "", ""},
		{jitVariable, " -O0 ", "-O0", "at level 0", ""},
		{jitVariable, " -O9 ", "-O9", "", `="-O9" names no level`},
		{stackVariable, " ", "", "", ""},
		{stackVariable, " 8 KiB ", "8 KiB", "8192 bytes", ""},
		{stackVariable, " lots ", "lots", "", `="lots" is no stack`},
	} {
		for _, s := range Settings(func(name string) (string, bool) { return test.text, name == test.variable }) {
			if s.Variable != test.variable {
				continue
			}
			problem := ""
			if s.Problem != nil {
				problem = s.Problem.Error()
			}
			if s.Value != test.value || !strings.Contains(s.Does, test.does) || (s.Does == "") != (test.does == "") || !strings.Contains(problem, test.problem) || (problem == "") != (test.problem == "") {
				t.Errorf("%s=%q: %+v", test.variable, test.text, s)
			}
		}
	}
}
