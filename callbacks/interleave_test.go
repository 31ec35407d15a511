package callbacks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestSchedulesOfLoadsAndStores runs the six examples of OpenACC 3.3 §5.5.3 below
// the level of callbacks (testdata/interleave.c), on dispatch as it is and, to
// show that mistakes are found, with mistakes made in it.
func TestSchedulesOfLoadsAndStores(t *testing.T) {
	source, err := os.ReadFile("dispatch.c")
	must(t, err)
	folder, err := filepath.Abs(".")
	must(t, err)
	for _, c := range []struct {
		name     string
		from, to string
	}{
		{"as it is", "", ""},
		{"an entry is used without a look whether its list still holds",
			"if (UNLIKELY (LOAD (i->list->version) != version))\n\tbreak;", ""},
		{"an instance ends with the list it began with",
			"if (UNLIKELY (LOAD (i->list->version) != version))\n    {", "if (0)\n    {"},
		{"a changed list is not checked again",
			"if (LOAD (list->version) == version)\n\treturn any;", "return any;"},
		{"going on with a changed list starts over",
			"after = entry.sequence;\n      invoke (i, &entry);\n    }\n}", "invoke (i, &entry);\n    }\n}"},
		{"a list is current before it is written",
			"  for (i = 0; i < count; i++)\n    {\n      STORE (table->entry",
			"  STORE (list->current, table);\n  for (i = 0; i < count; i++)\n    {\n      STORE (table->entry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			build := t.TempDir()
			if strings.Count(string(source), c.from) != 1 && c.from != "" {
				t.Fatalf("dispatch.c has not one %q", c.from)
			}
			must(t, os.WriteFile(filepath.Join(build, "dispatch.c"), []byte(strings.Replace(string(source), c.from, c.to, 1)), 0o666))
			program := filepath.Join(build, "interleave")
			command := exec.Command(compilers.C(), "-std=gnu11", "-Wall", "-Wextra", "-O1", "-g",
				"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I"+build, "-I"+folder,
				"-I"+filepath.Join(folder, includes), "-o", program, "testdata/interleave.c", "-ldl")
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", command, err, out)
			}
			out, err := exec.Command(program).CombinedOutput()
			if (err == nil) != (c.from == "") {
				t.Errorf("%v: %s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}
