package validation

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestHostPointers: of each directive of the program that says so the runtime warns
// once, on the device that hides it, and of nothing else.
func TestHostPointers(t *testing.T) {
	const source, global = "hostpointers.cc", "declared at file scope"
	text, err := os.ReadFile("testdata/" + source)
	if err != nil {
		t.Fatal(err)
	}
	var want, defined []string
	if !compilers.Offloads() {
		t.Log("not tried: updates of data declared at file scope, of which a compiler without a device to offload to writes no table")
		defined = append(defined, "-DNO_TABLES")
	}
	for i, line := range strings.Split(string(text), "\n") {
		if _, name, found := strings.Cut(line, "// warns: "); found && (defined == nil || !strings.HasSuffix(name, global)) {
			want = append(want, fmt.Sprintf("%s:%d: %s", source, i+1, name))
		}
	}
	said := regexp.MustCompile(`accscope: warning: (\S+) .*?(?: pointer | address of | for )(\w+(?: declared at file scope)?)`)
	binary := build(t, source, "-O2", defined...)
	for _, d := range devices[:2] {
		t.Run(d.name, func(t *testing.T) {
			output, err := run(binary, []string{library(t)}, d.environment...)
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			var got []string
			for _, m := range said.FindAllStringSubmatch(output, -1) {
				got = append(got, m[1]+" "+m[2])
			}
			expected := slices.Clone(want)
			if d.name == "host" {
				expected = nil
			}
			slices.Sort(got)
			slices.Sort(expected)
			if !slices.Equal(got, expected) || strings.Count(output, "warning") != len(got) {
				t.Errorf("got\n%s\nwant\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(expected, "\n"), output)
			}
		})
	}
}

// TestStrictHostPointers: a strict device does not launch a kernel that follows a pointer of
// the host's whichever way it goes, and launches those that may not; the warnings say which is
// which, by the kernel's name as people read it, and their examples are right for the pointer.
func TestStrictHostPointers(t *testing.T) {
	const seen, somewhere, unseen = "a GPU would fail there: ", "a GPU would fail if it comes there: ", "a GPU would fail if it follows it: "
	const unmapped, name = "pointer p, to memory that is not on sim 0; ", "name the data in a clause of the construct"
	for _, optimisation := range []string{"-O0", "-O2"} {
		binary := build(t, "strict.cc", optimisation)
		for _, c := range []struct {
			name, said string
			ends       bool
		}{
			{"followed", "kernel follow._omp_fn.0 is given the host's pointer p, into 800 bytes that are present on sim 0; " + somewhere + name + ", for example present(p[0:n])", false},
			{"unmapped", unmapped + somewhere + name + ", for example copy(p[0:n])", false},
			{"certain", unmapped + seen + name + ", for example copy(p[0:n])", true},
			{"guarded", unmapped + somewhere + name + ", for example copy(p[0:n])", false},
			{"elsewhere", unmapped + unseen, false},
			{"string", "pointer s, to memory that is not on sim 0; " + somewhere + name + "\n", false},
			{"constant", unmapped + seen + name + ", for example copyin(p[0:n])", true},
			{"twice", "pointer pp, to memory that is not on sim 0; " + seen + name, true},
			{"said", unmapped + seen + name + ", for example copy(p[0:n])", true},
			{"present", "pointer p, into 800 bytes that are present on sim 0; " + seen + name + ", for example present(p[0:n])", true},
			{"compared", "pointer p, into 800 bytes that are present on sim 0; " + unseen, false},
			{"behind", "pointer p, since the section p[5:10] that was entered at strict.cc:73 does not begin where p does; " + seen + name + ", for example present(p[5:10])", true},
			{"spare", "address of p, which a no_create clause names and which is not on sim 0; " + unseen + name + ", for example copy(p[0:100])", false},
			{"unneeded", "went on", false},
			{"member", "kernel Field::grow._omp_fn.0 is given the host's address of this[0:1], which is not on sim 0; " + somewhere + "put it there before, for example by enter data copyin(this[0:1])", false},
			{"object", "went on", false},
			{"empty", "address of p, since the section p[5:10] of the data construct at strict.cc:", false},
		} {
			t.Run(c.name+optimisation, func(t *testing.T) {
				for _, strict := range []string{"0", "1"} {
					output, err := execute(exec.Command(binary, c.name), []string{library(t)}, "ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_STRICT="+strict)
					ends := c.ends && strict == "1"
					if ends != (err != nil) || !strings.Contains(output, c.said) || c.said == "went on" && strings.Contains(output, "warning") || ends == strings.Contains(output, "went on") {
						t.Errorf("ACCSCOPE_SIM_STRICT=%s: %v, %q; want it to end: %v, and %q", strict, err, output, ends, c.said)
					}
				}
			})
		}
	}
}
