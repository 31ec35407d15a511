package docs

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestBuildSources: make compiles the command again when any file that Go embeds into it has
// changed.
func TestBuildSources(t *testing.T) {
	goes := func(name string, args ...string) string {
		command := exec.Command(name, args...)
		command.Dir = ".."
		command.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
		command.Stderr = os.Stderr
		out, err := command.Output()
		// make -p ends with 1 where there is something to make.
		if exit, ok := err.(*exec.ExitError); err != nil && !(ok && name == "make" && exit.ExitCode() == 1) {
			t.Fatalf("%s: %v", name, err)
		}
		return string(out)
	}
	var sources []string
	for line := range strings.Lines(goes("make", "-pq", "SETUP=no", "bin/accscope")) {
		if list, ok := strings.CutPrefix(line, "bin/accscope: "); ok && !strings.HasPrefix(list, ".SHELLSTATUS") {
			sources = strings.Fields(list)
		}
	}
	embedded := strings.Fields(goes("go", "list", "-deps", "-f",
		`{{if and .Module .Module.Main}}{{$d := .Dir}}{{range .EmbedFiles}}{{$d}}/{{.}} {{end}}{{end}}`, "./cmd/accscope"))
	root := strings.TrimSpace(goes("go", "list", "-m", "-f", "{{.Dir}}"))
	if len(embedded) == 0 {
		t.Fatal("no embedded files")
	}
	for _, path := range embedded {
		if path = strings.TrimPrefix(path, root+"/"); !slices.Contains(sources, path) {
			t.Errorf("bin/accscope is not made again when %s has changed", path)
		}
	}
}

// TestEnvironment: tests that are run without make call the compilers that make has found, in the
// wrapper, too.
func TestEnvironment(t *testing.T) {
	command := exec.Command("make", "-s", "SETUP=no", "CC=the-c", "CXX=the-cxx", "FC=the-fortran", "environment")
	command.Dir = ".."
	command.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	out, err := command.CombinedOutput()
	for _, want := range []string{`ACCSCOPE_CC="the-c"`, `ACCSCOPE_CXX="the-cxx"`, `ACCSCOPE_FC="the-fortran"`} {
		if err != nil || !strings.Contains(string(out), " "+want+" ") {
			t.Errorf("%v: no %s in %s", err, want, out)
		}
	}
}
