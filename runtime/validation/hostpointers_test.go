package validation

import (
	"fmt"
	"os"
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
	said := regexp.MustCompile(`accscope: warning: (\S+) .*?(?: pointer | for )(\w+(?: declared at file scope)?)`)
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
