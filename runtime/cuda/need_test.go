package cuda

import (
	"os"
	"reflect"
	"testing"

	"github.com/accscope/accscope/runtime/ptx"
)

// What GCC made of testdata/stack.c.
func TestNeedOfGCC(t *testing.T) {
	text, err := os.ReadFile("testdata/stack.ptx")
	check(t, err)
	m, err := ptx.Parse(string(text))
	check(t, err)
	want := map[string]need{
		"main$_omp_fn$0": {Bytes: 256, Recursive: "deep", Turn: 256},
		"main$_omp_fn$1": {Bytes: 96, Recursive: "even", Through: []string{"odd"}, Turn: 96},
		"main$_omp_fn$2": {Indirect: "main$_omp_fn$2"},
		"main$_omp_fn$3": {Bytes: 4096},
	}
	if got := needsOf([]*ptx.Module{m}); !reflect.DeepEqual(got, want) {
		t.Errorf("stacks %+v, want %+v", got, want)
	}
}

// TestNeeds: texts of which the first has the kernel k.
func TestNeeds(t *testing.T) {
	const head = "\t.version 6.0\n\t.target sm_30\n\t.address_size 64\n"
	const kernel = head + ".entry k (.param.u64 %in)\n{\n"
	for name, c := range map[string]struct {
		texts []string
		want  need
	}{
		"nothing":         {[]string{kernel + "ret;\n}\n"}, need{}},
		"variables":       {[]string{kernel + ".local .align 8 .b8 %f[12];\n.local .align 16 .b8 %g[4];\nret;\n}\n"}, need{Bytes: 20}},
		"the driver's":    {[]string{head + ".extern .func vprintf (.param.u64 %a, .param.u64 %b);\n" + kernel[len(head):] + "call vprintf, (%a, %b);\nret;\n}\n"}, need{}},
		"another text's":  {[]string{kernel + "call f;\nret;\n}\n", head + ".visible .func f\n{\n.local .b8 %f[40];\nret;\n}\n"}, need{Bytes: 40}},
		"not its own":     {[]string{kernel + "call f;\nret;\n}\n", head + ".func f\n{\n.local .b8 %f[40];\nret;\n}\n"}, need{}},
		"the deepest":     {[]string{kernel + "call f;\n call g;\nret;\n}\n.func f\n{\n.local .b8 %f[40];\nret;\n}\n.func g\n{\n.local .b8 %f[8];\ncall f;\nret;\n}\n"}, need{Bytes: 48}},
		"the largest":     {[]string{kernel + "call f;\nret;\n}\n.func f\n{\n.local .b8 %f[8];\ncall f;\ncall g;\nret;\n}\n.func g\n{\n.local .b8 %f[32];\ncall g;\nret;\n}\n"}, need{Bytes: 40, Recursive: "g", Turn: 32}},
		"by their alias":  {[]string{kernel + "call h;\nret;\n}\n.func f\n{\ncall h;\nret;\n}\n.alias h,f;\n"}, need{Recursive: "f"}},
		"of other frames": {[]string{kernel + "call f;\nret;\n}\n.func f\n{\ncall g;\nret;\n}\n.func g\n{\n.local .b8 %f[16];\ncall f;\nret;\n}\n"}, need{Bytes: 16, Recursive: "f", Through: []string{"g"}, Turn: 16}},
	} {
		var modules []*ptx.Module
		for _, text := range c.texts {
			m, err := ptx.Parse(text)
			check(t, err)
			modules = append(modules, m)
		}
		if got := needsOf(modules)["k"]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
