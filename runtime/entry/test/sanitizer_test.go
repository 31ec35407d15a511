package test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// sanitized builds the thin library and its stand-in with a sanitizer, and programs
// that are linked with them.
func sanitized(t *testing.T, sanitizer string, programs ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	sources, err := filepath.Glob("../*.c")
	if err != nil {
		t.Fatal(err)
	}
	flags := append([]string{compilers.C(), "-fsanitize=" + sanitizer, "-fno-sanitize-recover=all", "-ftls-model=initial-exec"}, cFlags...)
	with := func(arguments ...string) []string { return append(append([]string{}, flags...), arguments...) }
	commands := [][]string{
		append(with("-shared", "-o", folder+"/libopenacc.so", "../../../callbacks/dispatch.c"), sources...),
		with("-shared", "-Wno-unused-parameter", "-o", folder+"/libopenacc-engine.so", "testdata/standin_engine.c",
			"testdata/standin_activity.c", "testdata/standin_defaults.c", "../../../callbacks/dispatch.c"),
	}
	for _, program := range programs {
		commands = append(commands, []string{compilers.C(), "-fsanitize=" + sanitizer, "-O1", "-g", "-fopenacc", "-foffload=disable", "-I../../../runtime/include",
			"-o", folder + "/" + program, "testdata/" + program + ".c", "-L" + folder, "-Wl,-rpath," + folder, "-lopenacc", "-pthread"})
	}
	for _, command := range commands {
		if err := tool(command...); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// The thin library is clean under the sanitizers as programs use it: from one thread
// in all ways that there are to end, and from threads that all make the first call;
// on a device with shared memory, on one without, and where there is no room for the
// Go part.
func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds everything twice")
	}
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		t.Run(strings.ReplaceAll(sanitizer, ",", "-"), func(t *testing.T) {
			folder := sanitized(t, sanitizer, "constructs", "nested", "exits", "forks", "crowd")
			for _, c := range []struct{ command, says string }{
				{"constructs", ""}, {"nested", ""}, {"exits main", ""}, {"exits callback", ""}, {"forks after exit", ""}, {"forks before call", ""},
				{"crowd", "sum 1600"},
			} {
				for _, environment := range []string{"STANDIN_SHARED=1", "STANDIN_PLACES=", "alone"} {
					if environment == "alone" && c.command != "constructs" && c.command != "crowd" {
						continue // the others tell what the stand-in is handed
					}
					limits := "true"
					if environment == "alone" {
						limits, environment = "ulimit -n 8", "ACC_DEVICE_TYPE=host"
					}
					o := run(t, []string{environment, "ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=halt_on_error=1"},
						"sh", "-c", limits+"; exec "+folder+"/"+c.command)
					if strings.Contains(o.errors, "Sanitizer") || strings.Contains(o.errors, "runtime error:") || o.code > 3 || o.code < 0 {
						t.Errorf("%s, %s, %s: status %d\n%s", c.command, environment, limits, o.code, o.errors)
					}
					if c.says != "" && environment != "STANDIN_PLACES=" && !strings.Contains(o.errors, c.says) {
						t.Errorf("%s, %s, %s: status %d, says %q", c.command, environment, limits, o.code, o.errors)
					}
				}
			}
		})
	}
}
