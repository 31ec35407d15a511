package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A summary of a run on the simulated device says that the program carries GPU code which
// can be run, and only then.
func TestGPUCodeIsSaid(t *testing.T) {
	const said = "Its GPU code was not run; --device sim --code gpu executes it"
	for _, c := range []struct {
		text, device string
		want         bool
	}{{".version 6.0\n.target sm_30\n", "sim", true}, {".version 6.0\n.target sm_30\n", "host", false}, {"amdgcn", "sim", false}} {
		// An image's registration is referred to, as GCC's start code does.
		folder := record(t, "extern void GOMP_offload_register_ver ();\nconst void *volatile refers = GOMP_offload_register_ver;\nconst char ptx[] = "+
			strconv.Quote(c.text)+";\n"+twoKernels)
		run := execute(t, folder, nil, accscope, "run", "-o", "gpu.db", "--device", c.device, "--", "./program").must(t)
		if strings.Contains(run.stderr, said) != c.want {
			t.Errorf("%q on %s: want %q said: %v, in\n%s", c.text, c.device, said, c.want, run.stderr)
		}
	}
}

// The simulated device is called one wherever a trace is shown, also where it answers to a
// GPU's type.
func TestSimulatedIsSaid(t *testing.T) {
	folder := record(t, twoKernels)
	run := execute(t, folder, []string{"ACCSCOPE_SIM_AS=nvidia", "ACCSCOPE_SIM_NAME=NVIDIA H100"}, accscope,
		"run", "-o", "gpu.db", "--device", "nvidia", "--", "./program").must(t)
	const device, times = "nvidia 0, simulated", "imulated device: times are not your GPU's"
	said := func(what, text, want string) {
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", what, want, text)
		}
	}
	said("summary", run.stderr, "  S"+times)
	said("summary", run.stderr, "("+device+")")
	report := invoke(t, folder, "report", "gpu.db").must(t).stdout
	said("report", report, "s"+times)
	said("memory in the report", report, device)
	said("info", invoke(t, folder, "info", "gpu.db").must(t).stdout, "NVIDIA H100, simulated")
	said("compare", invoke(t, folder, "compare", "gpu.db", "gpu.db").must(t).stdout, "s"+times)
	said("terminal", invoke(t, folder, "top", "--picture", "overview", "gpu.db").must(t).stdout, device)
	for _, format := range []string{"chrome", "speedscope"} {
		invoke(t, folder, "export", "--to", format, "-o", format, "gpu.db").must(t)
		text, err := os.ReadFile(filepath.Join(folder, format))
		if err != nil {
			t.Fatal(err)
		}
		said(format, string(text), device)
	}
}
