package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the doctor says of compilers, on machines with these and no others: NAME=VERSION of
// each, or NAME=>NAME for a link, or NAME=VERSION:TRANSLATOR for one that says where the
// program is that translates.
func TestDoctorCompilers(t *testing.T) {
	for _, c := range []struct {
		machine string
		want    []string
	}{
		{"", []string{"missing C gcc not found -> install gcc, version 12 or later", "missing C++ g++ not found -> install g++, version 12 or later",
			"missing Fortran gfortran not found -> install gfortran, version 12 or later"}},
		{"gcc-14=14.2.0 gcc=>gcc-14 g++=14.2.0 gfortran-14=14.2.0", []string{"ok C gcc 14.2.0", "ok C++ g++ 14.2.0", "ok Fortran gfortran-14 14.2.0"}},
		{"gcc=11.4.0 gcc-12=12.3.0 gcc-13=13.1.0", []string{"ok C gcc 11.4.0 (too old: from 12 on), gcc-12 12.3.0 (tested: 12.2.0), gcc-13 13.1.0 (tested: 13.2.0, 13.3.0)"}},
		{"gcc=14.2.0:cc1 gcc-14=14.2.0:cc1 gcc-14.2=14.2.0:cc1", []string{"ok C gcc 14.2.0"}},
		{"gcc=14.2.0:cc1 gcc-14=14.2.0:other/cc1", []string{"ok C gcc 14.2.0, gcc-14 14.2.0"}},
		{"gcc=10.2.1", []string{"missing C gcc 10.2.1 (too old: from 12 on) -> install gcc, version 12 or later"}},
		{"gcc=17.1.0", []string{"ok C gcc 17.1.0 (untested: tested are 12, 13, 14, 15, 16)"}},
		{"gcc=clang", []string{"missing C gcc not found -> install gcc, version 12 or later"}},
	} {
		t.Run(c.machine, func(t *testing.T) {
			machine := t.TempDir()
			t.Setenv("PATH", machine)
			for _, compiler := range strings.Fields(c.machine) {
				name, version, _ := strings.Cut(compiler, "=")
				file := filepath.Join(machine, name)
				if target, linked := strings.CutPrefix(version, ">"); linked {
					if err := os.Symlink(target, file); err != nil {
						t.Fatal(err)
					}
					continue
				}
				version, translator, _ := strings.Cut(version, ":")
				script := "#!/bin/sh\ncase $1 in\n-dumpfullversion) echo " + version + " ;;\n-print-prog-name=cc1) echo "
				if translator != "" {
					path := filepath.Join(machine, "lib", translator)
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, nil, 0o755); err != nil {
						t.Fatal(err)
					}
					script += path
				} else {
					script += "cc1" // not found: GCC says the name itself
				}
				script += " ;;\nesac\n"
				if version == "clang" {
					script = "#!/bin/sh\necho \"unknown argument $1\" >&2; exit 1\n"
				}
				if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			var said []string
			for _, f := range compilerFindings() {
				if f.works {
					said = append(said, fmt.Sprintf("ok %s %s", f.subject, f.found))
				} else {
					said = append(said, fmt.Sprintf("missing %s %s -> %s", f.subject, f.found, f.remedy))
				}
			}
			for i, want := range c.want {
				if said[i] != want {
					t.Errorf("%q, want %q", said[i], want)
				}
			}
		})
	}
}

// A folder that PATH names several times, also by a link, has its compilers started once.
func TestDoctorStartsCompilersOnce(t *testing.T) {
	machine := t.TempDir()
	bin, link, started := filepath.Join(machine, "bin"), filepath.Join(machine, "link"), filepath.Join(machine, "started")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("bin", link); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$1\" >>" + started + "\ncase $1 in\n-dumpfullversion) echo 14.2.0 ;;\n*) echo cc1 ;;\nesac\n"
	if err := os.WriteFile(filepath.Join(bin, "gcc"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", strings.Join([]string{bin, link, filepath.Join(machine, "none"), bin + "/"}, string(filepath.ListSeparator)))
	if found := gnuCompilers("gcc", "cc1"); len(found) != 1 || found[0] != (gnuCompiler{"gcc", "14.2.0", 14}) {
		t.Errorf("%+v", found)
	}
	text, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	if want := "-dumpfullversion\n-print-prog-name=cc1\n"; string(text) != want {
		t.Errorf("started for\n%swant\n%s", text, want)
	}
}
