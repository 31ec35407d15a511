package dataenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestLookUpsBySchedule runs C look-ups at every step of a change and changes at
// every step of a look-up, and shows that this finds tables that are wrong.
func TestLookUpsBySchedule(t *testing.T) {
	sources := map[string]string{}
	for _, name := range []string{"present.h", "present.c", "testdata/interleave.c"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources[filepath.Base(name)] = string(text)
	}
	for _, c := range []struct {
		name, file, from, to string
		flags                []string
	}{
		{name: "as it is", flags: []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}},
		{name: "a look-up that does not check what it read", file: "present.h",
			from: "__ATOMIC_RELAXED) == before)", to: "__ATOMIC_RELAXED) >= before)"},
		{name: "a look-up that ignores a change under way", file: "present.h",
			from: "if (before & 1)", to: "if (0)"},
		{name: "a change that is not announced", file: "present.c",
			from: "begin (s);", to: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for name, text := range sources {
				if name == c.file {
					if !strings.Contains(text, c.from) {
						t.Fatalf("%s has no %q", name, c.from)
					}
					text = strings.ReplaceAll(text, c.from, c.to)
				}
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			build := exec.Command(compilers.C(), append([]string{"-std=gnu11", "-Wall", "-Wextra", "-O1", "-g",
				"-o", "interleave", "interleave.c"}, c.flags...)...)
			build.Dir = folder
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", build, err, out)
			}
			out, err := exec.Command(filepath.Join(folder, "interleave")).CombinedOutput()
			if (err == nil) != (c.file == "") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
