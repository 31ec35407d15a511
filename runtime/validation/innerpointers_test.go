package validation

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestInnerPointers: of each pointer of the host's inside of a kernel's data that the kernel
// is seen to follow the runtime warns once, on the device that hides it, by its name. Of one
// that is only copied it may warn as of such that a kernel may follow.
func TestInnerPointers(t *testing.T) {
	said := regexp.MustCompile(`accscope: warning: (\S+) .* the host's pointer (\S+), .* (there|it follows it): `)
	for _, source := range []string{"innerpointers.cc", "innerpointers.f90"} {
		text, err := os.ReadFile("testdata/" + source)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i, line := range strings.Split(string(text), "\n") {
			if _, names, found := strings.Cut(line, " warns: "); found {
				for _, name := range strings.Fields(names) {
					want = append(want, fmt.Sprintf("%s:%d: %s", source, i+1, name))
				}
			}
		}
		for _, optimisation := range []string{"-O0", "-O1", "-O2", "-O3"} {
			t.Run(source+optimisation, func(t *testing.T) {
				binary := build(t, source, optimisation)
				for _, d := range devices[:2] {
					output, err := run(binary, []string{library(t)}, d.environment...)
					if err != nil {
						t.Fatalf("%v\n%s", err, output)
					}
					var got, expected []string
					for _, m := range said.FindAllStringSubmatch(output, -1) {
						if m[3] == "there" || strings.Contains(strings.Join(want, "\n"), m[1]+" "+m[2]) {
							got = append(got, m[1]+" "+m[2])
						}
					}
					if d.name != "host" {
						expected = slices.Clone(want)
					}
					slices.Sort(got)
					slices.Sort(expected)
					if !slices.Equal(got, expected) {
						t.Errorf("on %s got\n%s\nwant\n%s\nof\n%s", d.name, strings.Join(got, "\n"), strings.Join(expected, "\n"), output)
					}
				}
			})
		}
	}
}

// TestStrictInnerPointers: a strict device does not launch a kernel that is seen to follow
// one, and launches others.
func TestStrictInnerPointers(t *testing.T) {
	binary := build(t, "innerpointers.cc", "-O2")
	for kernel, ends := range map[string]bool{"copied": true, "fine": false} {
		output, err := execute(exec.Command(binary, kernel), []string{library(t)}, "ACC_DEVICE_TYPE=sim", "ACCSCOPE_SIM_STRICT=1")
		if ends != (err != nil) || ends == strings.Contains(output, "went on") || ends != strings.Contains(output, "the host's pointer f.values, to memory that is not on sim 0") {
			t.Errorf("%s: %v, %q; want it to end: %v", kernel, err, output, ends)
		}
	}
}

// TestReservedNames: of a pointer that no directive can name the warning says what to do instead.
func TestReservedNames(t *testing.T) {
	output, err := run(build(t, "captured.cc", "-O2"), []string{library(t)}, "ACC_DEVICE_TYPE=sim")
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for pointer, variable := range map[string]string{"v._M_impl._M_start": "v", "f.__a": "f"} {
		want := regexp.MustCompile(regexp.QuoteMeta("the host's pointer "+pointer+", ") + ".*: no clause can name it; .* in place of " + variable + ", ")
		if !want.MatchString(output) {
			t.Errorf("of %s nothing like %q is said:\n%s", pointer, want, output)
		}
	}
}
