package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Kernels are called by their place where people read, beside the linker's name, which
// is demangled there; what programs read has the linker's names as they are too. Filters
// take any of them.
func TestKernelNames(t *testing.T) {
	const linker, readable = "_ZN9Particles4stepEd._omp_fn.0", "Particles::step._omp_fn.0"
	const shown = "particles.cpp:62 parallel loop in Particles::step"
	program := build(t, "particles")
	folder := t.TempDir()
	invoke(t, folder, "run", "-o", "trace.db", "--no-summary", "--device", "sim", "--", program, "1000").must(t)
	for _, command := range []string{"report trace.db", "report --by kernel trace.db", "report --format markdown trace.db",
		"report --kernel " + linker + " trace.db", "report --kernel " + readable + " trace.db", "report --kernel particles.cpp:62 trace.db",
		"top --picture kernels --size 160x40 trace.db"} {
		text := strings.ReplaceAll(invoke(t, folder, strings.Fields(command)...).must(t).stdout, `\_`, "_")
		title := shown
		if strings.HasPrefix(command, "top") {
			title, _, _ = strings.Cut(shown, " in ") // cut off there
		}
		if !strings.Contains(text, title) || !strings.Contains(text, readable[:len("Particles::step._om")]) || strings.Contains(text, "_ZN") {
			t.Errorf("accscope %s does not show %s and %s, or mangled names:\n%s", command, shown, readable, text)
		}
	}
	for _, by := range [][]string{nil, {"--by", "kernel"}} {
		text := invoke(t, folder, append([]string{"report", "--format", "csv", "--kernel", "Particles::step", "trace.db"}, by...)...).must(t).stdout
		at := strings.Index(text, "kernel,demangled,")
		if at < 0 {
			t.Fatalf("no table of kernels in\n%s", text)
		}
		rows, _ := csv.NewReader(strings.NewReader(text[at : at+strings.Index(text[at:]+"\n\n", "\n\n")])).ReadAll()
		if len(rows) != 2 || rows[1][0] != linker || rows[1][1] != readable {
			t.Errorf("kernels %q, want %s and %s alone", rows, linker, readable)
		}
	}
	for _, test := range []struct {
		format, title string
		field         string // where the linker's name stays, "": nowhere
	}{
		{"chrome", `"name":"` + shown + `"`, `"kernel":"` + linker + `"`},
		{"speedscope", shown, ""},
		{"html", shown, ""},
		{"csv", "," + readable, "," + linker + ","},
	} {
		invoke(t, folder, "export", "--to", test.format, "-o", "out", "--force", "--kernel", "Particles::step", "trace.db").must(t)
		data, err := os.ReadFile(filepath.Join(folder, "out"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		others := test.format != "html" && strings.Contains(text, "Particles::energy._omp_fn") // its plots show all
		if !strings.Contains(text, test.title) || others {
			t.Errorf("%s does not have %s, or other kernels", test.format, test.title)
		}
		if test.field == "" && strings.Contains(text, "_ZN") || !strings.Contains(text, test.field) {
			t.Errorf("%s: the linker's name is not where it should be", test.format)
		}
	}
	stored := strings.Fields(invoke(t, folder, "query", "--format", "csv", "trace.db", "SELECT DISTINCT kernel FROM kernels").must(t).stdout)
	if !slices.Contains(stored, linker) {
		t.Errorf("the trace has the kernels %q, not %s", stored, linker)
	}
	demangled := invoke(t, folder, "query", "--format", "csv", "trace.db", "SELECT demangled(kernel) FROM kernels WHERE kernel = '"+linker+"' GROUP BY kernel").must(t).stdout
	if demangled != "demangled(kernel)\n"+readable+"\n" {
		t.Errorf("demangled(kernel) is %q, not %s", demangled, readable)
	}
}
