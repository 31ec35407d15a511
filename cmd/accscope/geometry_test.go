package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	standin "github.com/accscope/accscope/runtime/cuda/standin/build"
)

// geometryProgram has a construct that asks for all dimensions, one that asks for gangs, and
// one that asks for none. What a clause says by a constant is not asked for: the compiler
// fixes it in the device code.
const geometryProgram = `static float a[1000];
int main (int argc, char **argv)
{
  int gangs = 8 * argc, workers = 2 * argc, lanes = 64 * argc;
  (void) argv;
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a) num_gangs(gangs) num_workers(workers) vector_length(lanes)
  for (int i = 0; i < 1000; i++)
    a[i] += 1;
#pragma acc parallel loop present(a) num_gangs(2 * gangs)
  for (int i = 0; i < 1000; i++)
    a[i] += 1;
#pragma acc parallel loop present(a)
  for (int i = 0; i < 1000; i++)
    a[i] += 1;
#pragma acc exit data delete(a)
  return 0;
}
`

// Of each dimension of a launch on a GPU the trace, and what shows it, has how large it was
// and who gave it: the compiler, by what the image says, a clause, the environment, or the
// runtime, as it was left open.
func TestGeometryFromProgramToTrace(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "geometry.c"), []byte(geometryProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-o", "geometry", "geometry.c").must(t)
	registrar, err := standin.Registrar(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := standin.Library(folder); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		image, environment string
		kernels            [3]string // gangs, workers, vector, and who gave each
		reported           string    // of the last
	}{
		{"0:0:0", "", [3]string{"8,2,64,clause,clause,clause", "16,32,32,clause,chosen,chosen", "4224,4,32,chosen,chosen,chosen"}, "4224 x 4 x 32 chosen"},
		{"0:0:0", "128:2", [3]string{"8,2,64,clause,clause,clause", "16,2,32,clause,environment,chosen", "128,2,32,environment,environment,chosen"}, "128 x 2 x 32 environment x environment x chosen"},
		{"0:1:32", "128:2", [3]string{"8,1,32,clause,compiler,compiler", "16,1,32,clause,compiler,compiler", "128,1,32,environment,compiler,compiler"}, "128 x 1 x 32 environment x compiler x compiler"},
	} {
		t.Run(c.image+" "+c.environment, func(t *testing.T) {
			session := t.TempDir()
			execute(t, folder, []string{"ACC_DEVICE_TYPE=nvidia", "ACC_PROFLIB=" + filepath.Join(project, "lib/libaccprof.so"), "ACCSCOPE_SESSION=" + session,
				"LD_PRELOAD=" + registrar + " " + filepath.Join(project, "lib/libopenacc.so"), "LD_LIBRARY_PATH=" + folder, "CUDA_CACHE_DISABLE=1",
				"ACCSCOPE_ACTIVITY=runtime", "ACCSCOPE_STANDIN_DIMENSIONS=" + c.image, "GOMP_OPENACC_DIM=" + c.environment}, "./geometry").must(t)
			captures, err := filepath.Glob(filepath.Join(session, "*"))
			if err != nil || len(captures) == 0 {
				t.Fatalf("no capture: %v", err)
			}
			invoke(t, folder, append([]string{"import", "--force", "-o", "trace.db"}, captures...)...).must(t)
			want := strings.Join(c.kernels[:], "\n")
			if got := answered(t, folder, "SELECT gangs, workers, vector, gangs_by, workers_by, vector_by FROM kernels ORDER BY line"); got != want {
				t.Errorf("the trace has\n%s\nwant\n%s", got, want)
			}
			if out := invoke(t, folder, "report", "trace.db").must(t).stdout; !strings.Contains(strings.Join(strings.Fields(out), " "), c.reported) {
				t.Errorf("the report lacks %q:\n%s", c.reported, out)
			}
			by := strings.Join(strings.Split(c.kernels[2], ",")[3:], ",")
			if out := invoke(t, folder, "export", "--to", "csv", "-o", "-", "trace.db").must(t).stdout; !strings.Contains(out, by) {
				t.Errorf("the csv export lacks %q:\n%s", by, out)
			}
		})
	}
}
