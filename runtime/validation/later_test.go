package validation

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

var since = regexp.MustCompile(`From GCC (\d+) on`)

// TestLaterCompilers runs what OpenACC has that GCC accepts only from some version on,
// said in the first line of each program; routines in Fortran as the compiler's own
// module and include file have them, and as ours do.
func TestLaterCompilers(t *testing.T) {
	version, err := compilers.Major()
	if err != nil {
		t.Fatal(err)
	}
	major, err := strconv.Atoi(version)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := filepath.Abs("../../include")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("testdata/later/*")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no programs (%v)", err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		said := since.FindSubmatch(text)
		if said == nil {
			t.Fatalf("%s does not say from which GCC on", source)
		}
		first, err := strconv.Atoi(string(said[1]))
		if err != nil {
			t.Fatal(err)
		}
		compiler, interfaces := compilers.C(), map[string][]string{"header": {"-I", ours}, "GCC's header": nil}
		if filepath.Ext(source) == ".F90" {
			compiler = compilers.Fortran()
			interfaces = map[string][]string{
				"GCC's module": nil, "module": {"-I", ours},
				"GCC's include file": nil, "include file": {"-I", ours},
			}
		}
		for name, flags := range interfaces {
			t.Run(filepath.Base(source)+" "+name, func(t *testing.T) {
				if major < first {
					t.Skipf("GCC accepts it from %d on, this is %d", first, major)
				}
				binary := filepath.Join(t.TempDir(), "program")
				arguments := append([]string{"-fopenacc", "-foffload=disable", "-O2", "-o", binary}, flags...)
				if strings.HasSuffix(name, "include file") {
					arguments = append(arguments, "-DINCLUDED")
				}
				arguments = append(arguments, source)
				if flags != nil { // what ours have beyond GCC's, our library has
					arguments = append(arguments, library(t))
				}
				if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", compiler, err, output)
				}
				for _, device := range []string{"host", "sim"} {
					if output, err := run(binary, []string{library(t)}, "ACC_DEVICE_TYPE="+device); err != nil || output != "right\n" {
						t.Errorf("on %s: %v\n%s", device, err, output)
					}
				}
			})
		}
	}
}
