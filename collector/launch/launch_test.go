package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// compile builds a C program and returns its path.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "program.c")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "program")
	output, err := exec.Command(compilers.C(), append([]string{"-o", program, file}, flags...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

const openaccSource = `int main (void) { int x = 1;
#pragma acc parallel copy(x)
  x = 2;
  return x - 2; }`

func TestInspectTellsProgramsApart(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntrue\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		want       Kind
	}{
		{"OpenACC by GCC", compile(t, openaccSource, "-fopenacc", "-foffload=disable"), GCC},
		{"no OpenACC", compile(t, "int main (void) { return 0; }"), Plain},
		{"static", compile(t, "int main (void) { return 0; }", "-static"), Static},
		{"script", script, Script},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			program, err := Inspect(test.path)
			if err != nil {
				t.Fatal(err)
			}
			if program.Kind != test.want || program.DeviceImage {
				t.Errorf("Inspect: kind %d, image %v; want kind %d and no image", program.Kind, program.DeviceImage, test.want)
			}
		})
	}
}

func TestInspectNamesWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	damaged := filepath.Join(folder, "damaged")
	if err := os.WriteFile(damaged, []byte("\x7fELF\x02\x01\x01 cut"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"no-such-program-anywhere":       "not found in PATH",
		filepath.Join(folder, "missing"): "no such file",
		damaged:                          "damaged ELF file",
	} {
		if _, err := Inspect(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Inspect(%s): %v; want an error with %q", name, err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	gcc := Program{Path: "p", Kind: GCC, Library: "libgomp.so.1"}
	other := Program{Path: "p", Kind: Other, Library: "libaccapi.so"}
	tests := []struct {
		name    string
		program Program
		wanted  Runtime
		device  string
		want    Runtime
		failure string
	}{
		{"GCC's interface runs on ours", gcc, Auto, "", Accscope, ""},
		{"native on request", gcc, Native, "", Native, ""},
		{"another vendor's stays native", other, Auto, "", Native, ""},
		{"another vendor's cannot be replaced", other, Accscope, "", Auto, "does not replace"},
		{"sim needs our runtime", gcc, Native, "sim", Auto, "--device sim"},
		{"nothing can be loaded into a static program", Program{Path: "p", Kind: Static}, Auto, "", Auto, "statically linked"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			choice, err := Choose(test.program, test.wanted, test.device)
			if test.failure != "" {
				if err == nil || !strings.Contains(err.Error(), test.failure) {
					t.Fatalf("error %v; want one with %q", err, test.failure)
				}
				return
			}
			if err != nil || choice.Runtime != test.want || choice.Reason == "" {
				t.Errorf("Choose: %+v, %v; want runtime %d with a reason", choice, err, test.want)
			}
		})
	}
}

func TestCheckDevice(t *testing.T) {
	for _, test := range []struct {
		kind   Kind
		device string
		known  bool
	}{
		{GCC, "", true}, {GCC, "sim", true}, {GCC, "NVIDIA", true}, {GCC, "cuda", true}, {Script, "not_host", true},
		{GCC, "foo", false}, {Script, "gpu", false}, {GCC, "none", false},
		{Other, "tesla", true}, // NVIDIA's runtime knows it
	} {
		if err := CheckDevice(Program{Kind: test.kind}, test.device); (err == nil) != test.known {
			t.Errorf("kind %d, --device %s: %v", test.kind, test.device, err)
		}
	}
}

func TestEnvironmentKeepsWhatTheUserSet(t *testing.T) {
	libraries := Libraries{Profiler: "/l/libaccprof.so", Runtime: "/l/libopenacc.so"}
	got := Environment([]string{"HOME=/h", "LD_PRELOAD=/x.so", "ACC_PROFLIB=/tool.so", "ASAN_OPTIONS=halt_on_error=0", "ACC_DEVICE_TYPE=host"}, libraries,
		Choice{Runtime: Accscope}, "sim", Capture{Session: "/s", Paused: true})
	want := []string{
		"HOME=/h", "LD_PRELOAD=/$LIB/../../../../../../../../l/libopenacc.so:/x.so", "ACC_PROFLIB=/l/libaccprof.so;/tool.so",
		"ASAN_OPTIONS=verify_asan_link_order=0:halt_on_error=0", "NVTX_INJECTION64_PATH=/l/libaccprof.so", "ACCSCOPE_RUNTIME=auto", "ACC_DEVICE=sim", "ACCSCOPE_SESSION=/s", "ACCSCOPE_CAPTURE=off",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// Run inside a run: nothing is loaded twice.
	if again := Environment(got, libraries, Choice{Runtime: Accscope}, "sim", Capture{Session: "/s", Paused: true}); !reflect.DeepEqual(again, got) {
		t.Errorf("a second time %q", again)
	}
	// A tool that takes the calls of NVTX goes on to.
	nsight := "NVTX_INJECTION64_PATH=/nsight.so"
	if got := Environment([]string{nsight}, libraries, Choice{}, "", Capture{}); !slices.Contains(got, nsight) {
		t.Errorf("with %s: %q", nsight, got)
	}
}

func TestProcessEndsAsTheProgramDid(t *testing.T) {
	tests := []struct {
		script string
		want   End
	}{
		{"exit 0", End{}},
		{"exit 7", End{Code: 7}},
		{"kill -TERM $$", End{Signal: syscall.SIGTERM}},
		{"kill -SEGV $$", End{Signal: syscall.SIGSEGV}},
	}
	for _, test := range tests {
		t.Run(test.script, func(t *testing.T) {
			program, err := Inspect("sh")
			if err != nil {
				t.Fatal(err)
			}
			process, err := Start(program, []string{"sh", "-c", test.script}, os.Environ(), nil, nil, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer process.Close()
			got, err := process.Wait()
			if err != nil || got != test.want {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestForwardedSignalReachesTheProgram(t *testing.T) {
	program, err := Inspect("sh")
	if err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process, err := Start(program, []string{"sh", "-c", `trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done`}, os.Environ(), nil, writer, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	writer.Close()
	if _, err := reader.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if end, err := process.Wait(); err != nil || end.Code != 9 {
		t.Errorf("got %v, %v; want exit status 9", end, err)
	}
}
