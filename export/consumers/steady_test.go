package consumers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// steady is a program that runs under accscope run --otlp until it is told to
// end.
type steady struct {
	tool, path     string // accscope, and the trace
	stop, progress string // files by which the program is told, and tells
	run            *exec.Cmd
	said           strings.Builder
	ended          bool
}

// startSteady builds accscope and the program, and starts it; its spans go to
// an endpoint.
func startSteady(t *testing.T, endpoint, protocol string) *steady {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "steady")
	s := &steady{tool: filepath.Join(folder, "accscope"), path: filepath.Join(folder, "trace.db"),
		stop: filepath.Join(folder, "stop"), progress: filepath.Join(folder, "progress")}
	if err := compilers.Accscope(s.tool); err != nil {
		t.Fatal(err)
	}
	if err := compilers.Build(program, "-fopenacc", "-foffload=disable", "-O2", "-g", "testdata/steady.c"); err != nil {
		t.Fatal(err)
	}
	s.run = exec.Command(s.tool, "run", "--otlp", "--otlp-timeout", "10m", "--endpoint", endpoint, "--protocol", protocol, "--no-summary", "--device", "sim",
		"-o", s.path, "--", program, s.stop, s.progress)
	s.run.Env = append(os.Environ(), "OTEL_BSP_SCHEDULE_DELAY=20", "OTEL_METRICS_EXPORTER=none", "OTEL_EXPORTER_OTLP_TIMEOUT=600000", "ACCSCOPE_LIBRARY_PATH="+filepath.Join(root, "lib"))
	s.run.Stderr = &s.said
	if err := s.run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !s.ended {
			os.WriteFile(s.stop, nil, 0o600) //nolint:errcheck // the program is told to end
			s.run.Wait()                     //nolint:errcheck // the test has failed already
		}
	})
	return s
}

// goesOn waits until the program has got further.
func (s *steady) goesOn(t *testing.T) {
	t.Helper()
	before := size(s.progress)
	until(t, "the program has gone on", func() bool { return size(s.progress) > before+20 })
}

// end ends the run and gives what accscope said.
func (s *steady) end(t *testing.T) string {
	t.Helper()
	if err := os.WriteFile(s.stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.ended = true
	if err := s.run.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, s.said.String())
	}
	return s.said.String()
}

// size is a file's length, 0 if it is not there.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
