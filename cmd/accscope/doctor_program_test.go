package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestDoctorProgram holds what the doctor says of a program's debug information
// against programs of every sort.
func TestDoctorProgram(t *testing.T) {
	const source = "int variable; int main (void) {\n#pragma acc parallel copy(variable)\n  variable++;\n  return variable; }\n"
	const shared = "cp program program2; dwz -m common.debug program program2"
	for _, c := range []struct {
		name  string
		flags string
		after string // shell commands, in the program's folder
		says  []string
	}{
		{"debug information", "-g", "", []string{"ok       debug information", "ok       first look-up"}},
		{"lines alone", "-g1", "", []string{"ok       debug information", "missing  names of variables", "lines alone (-g1)", "-> compile with -g"}},
		{"split", "-g -gsplit-dwarf", "", []string{"ok       debug information"}},
		{"compressed", "-g -gz", "", []string{"ok       debug information", "the sections are compressed"}},
		{"without index", "-g", "objcopy -R .debug_aranges program", []string{"there is no .debug_aranges"}},
		{"without -g", "", "", []string{"missing  debug information", "functions' names", "compile with -g"}},
		{"stripped", "-s", "", []string{"stripped: events have module and offset only", "package -dbgsym", "/root/.build-id/"}},
		{"separate file", "-g", "objcopy --only-keep-debug program program.debug; objcopy -g --add-gnu-debuglink=program.debug program",
			[]string{"ok       debug information", "program.debug"}},
		{"separate file missing", "-g", "objcopy --only-keep-debug program program.debug; objcopy -g --add-gnu-debuglink=program.debug program; rm program.debug",
			[]string{"missing  separate debug file", "program.debug was not found", "or beside the program"}},
		{"separate file in a folder that is named", "-g", "mkdir root; objcopy --only-keep-debug program root/program.debug; objcopy -g --add-gnu-debuglink=root/program.debug program",
			[]string{"ok       debug information", "root/program.debug"}},
		{"separate file, shared later", "-g", "objcopy --only-keep-debug program program.debug; objcopy -g --add-gnu-debuglink=program.debug program; cp program.debug copy.debug; dwz -m common.debug program.debug copy.debug",
			[]string{"ok       debug information", "program.debug", "ok       shared debug file"}},
		{"separate file of another build", "-g", "objcopy --only-keep-debug program program.debug; objcopy -g --add-gnu-debuglink=program.debug program; $CC -g -O2 program.c -o other; objcopy --only-keep-debug other program.debug",
			[]string{"program.debug is not of this build", "objcopy --only-keep-debug"}},
		{"shared file", "-g", shared, []string{"ok       debug information", "ok       shared debug file", "common.debug"}},
		{"shared file missing", "-g", shared + "; rm common.debug", []string{"missing  shared debug file", "common.debug was not found", "install the debug package"}},
		{"shared file of another build", "-g", shared + "; cp program common.debug", []string{"missing  shared debug file", "common.debug is not the one"}},
		{"of a package", "-g", "id=$(readelf -n program | sed -n 's/.*Build ID: //p'); mkdir -p root/.build-id/${id%${id#??}}; objcopy --only-keep-debug program root/.build-id/${id%${id#??}}/${id#??}.debug; strip program",
			[]string{"ok       debug information", "root/.build-id/"}},
		{"OpenACC", "-g -fopenacc -foffload=disable", "", []string{"ok       accscope run", "GCC's runtime interface"}},
		{"no OpenACC", "-g", "", []string{"missing  accscope run", "no OpenACC in the program itself", "-fopenacc"}},
		{"static", "-g -static", "", []string{"missing  accscope run", "statically linked", "-> link it dynamically"}},
		{"static, position-independent", "-g -static-pie", "", []string{"missing  accscope run", "statically linked"}},
		{"library", "-g -shared -fPIC", "", []string{"ok       debug information"}},
		{"not executable", "-g", "chmod -x program", []string{"missing  accscope run", "permission denied"}},
		{"no program", "", "echo nothing > program", []string{"missing  program", "give an ELF program"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("dwz"); err != nil && strings.Contains(c.after, "dwz") {
				t.Skip("no dwz, which makes shared debug information: apt-get install dwz")
			}
			folder := t.TempDir()
			t.Setenv("ACCSCOPE_DEBUG_PATH", filepath.Join(folder, "root"))
			if err := os.WriteFile(filepath.Join(folder, "program.c"), []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("sh", "-ec", "$CC -Wl,--build-id "+c.flags+" program.c -o program; "+c.after)
			build.Dir, build.Env = folder, append(os.Environ(), "CC="+compilers.C())
			if output, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			var said strings.Builder
			// Trouble with the program is no trouble of the machine's, but printing
			// it as an error is what the command does.
			groups := []findingGroup{programFindings(filepath.Join(folder, "program"))}
			err := errors.Join(printFindings(&said, groups), verdict(groups))
			if (err != nil) != (c.name == "no program") {
				t.Errorf("error %v", err)
			}
			if c.name == "library" && strings.Contains(said.String(), "accscope run") {
				t.Errorf("says of a library how it is run:\n%s", said.String())
			}
			for _, want := range c.says {
				if !strings.Contains(said.String(), want) {
					t.Errorf("does not say %q:\n%s", want, said.String())
				}
			}
		})
	}
}
