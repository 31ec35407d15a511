package compilers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Which compilers .ci/setup chooses on machines with these and no others.
func TestChoice(t *testing.T) {
	setup, err := filepath.Abs("../../.ci/setup")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		machine string // NAME=VERSION of each compiler
		given   string // NAME=VALUE in the environment
		want    string
	}{
		{"", "", "gcc g++ gfortran"},
		{"gcc=12.2.0 g++=12.2.0 gfortran=12.2.0", "", "gcc g++ gfortran"},
		{"gcc=14.2.0 gcc-12=12.4.0", "", "gcc g++-14 gfortran-14"},
		{"gcc=12.2.0 g++=12.2.0 gfortran-12=12.2.0", "", "gcc g++ gfortran-12"},
		{"gcc-12=12.2.0 gcc-9=9.5.0", "", "gcc-12 g++-12 gfortran-12"},
		{"gcc-9=9.5.0", "", "gcc g++ gfortran"},
		{"gcc=11.4.0 g++=11.4.0 gcc-12=12.3.0 gcc-13=13.1.0", "", "gcc-13 g++-13 gfortran-13"},
		{"gcc=11.4.0 g++=11.4.0", "", "gcc-12 g++-12 gfortran-12"},
		{"gcc=clang", "", "gcc-12 g++-12 gfortran-12"},
		{"gcc=14.2.0 g++=14.2.0 gfortran=14.2.0", "CC=gcc-15", "gcc-15 g++-15 gfortran-15"},
		{"gcc=14.2.0 g++=14.2.0 gfortran=14.2.0 mine=16.1.0", "CC=mine", "mine g++-16 gfortran-16"},
		{"gcc=14.2.0 g++=14.2.0 gfortran=14.2.0", "FC=gfortran-13", "gcc g++ gfortran-13"},
	} {
		t.Run(c.machine+" "+c.given, func(t *testing.T) {
			machine := t.TempDir()
			for _, tool := range []string{"bash", "dirname", "grep", "sort"} {
				path, err := exec.LookPath(tool)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(path, filepath.Join(machine, tool)); err != nil {
					t.Fatal(err)
				}
			}
			for _, compiler := range strings.Fields(c.machine) {
				name, version, _ := strings.Cut(compiler, "=")
				script := "#!" + filepath.Join(machine, "bash") + "\n[ $1 = -dumpfullversion ] && echo " + version + "\n"
				if version == "clang" {
					script = "#!" + filepath.Join(machine, "bash") + "\nexit 1\n"
				}
				if err := os.WriteFile(filepath.Join(machine, name), []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.Command(filepath.Join(machine, "bash"), setup, "compilers")
			command.Env = []string{"PATH=" + machine}
			if c.given != "" {
				command.Env = append(command.Env, c.given)
			}
			output, err := command.CombinedOutput()
			if got := strings.TrimSpace(string(output)); err != nil || got != c.want {
				t.Errorf("%q (%v), want %q", got, err, c.want)
			}
		})
	}
}
