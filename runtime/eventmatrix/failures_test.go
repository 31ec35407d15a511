package eventmatrix

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestFailures has the programs' operations fail, one in each run, whether the device
// tells at once or when it is asked next: each failure ends the program with one line and one
// acc_ev_error, and whatever has begun ends. ACCSCOPE_LONG tries each operation, else it is
// every eleventh.
func TestFailures(t *testing.T) {
	folder := t.TempDir()
	recorder, driver := buildRecorder(t, folder), standInDriver(t, folder)
	simulated := []string{"ACC_DEVICE_TYPE=sim"}
	step := 11
	if os.Getenv("ACCSCOPE_LONG") != "" {
		step = 1
	}
	for _, p := range programs {
		binary := compile(t, folder, recorder, p)
		for _, f := range []struct {
			fault       string // with the operation's number in it
			environment []string
			launches    bool // of kernels, which programs of routines have none of
		}{
			{"ACCSCOPE_SIM_FAULT=upload=%d", simulated, false},
			{"ACCSCOPE_SIM_FAULT=download=%d", simulated, false},
			{"ACCSCOPE_SIM_FAULT=kernel=%d", simulated, true},
			{"ACCSCOPE_SIM_FAULT=lost=%d", simulated, false},
			{"ACCSCOPE_STANDIN_FAIL=cuMemcpyHtoDAsync_v2:%d:719", driver, false},
			{"ACCSCOPE_STANDIN_FAIL=cuMemcpyDtoHAsync_v2:%d:719", driver, false},
			{"ACCSCOPE_STANDIN_FAIL=cuLaunchKernel:%d:719", driver, true},
			{"ACCSCOPE_STANDIN_FAIL=cuStreamSynchronize:%d:719", driver, false},
			{"ACCSCOPE_STANDIN_FAIL=cuStreamCreate:%d:719", driver, false},
			{"ACCSCOPE_STANDIN_FAIL=cuMemAlloc_v2:%d:719", driver, false},
		} {
			if f.environment == nil || f.launches && p.routines {
				continue
			}
			t.Run(p.source+" "+f.fault, func(t *testing.T) {
				whole, output, err := observe(t, recorder, binary, f.environment...)
				checkFailure(t, p, whole, output, err)
				for n := 1; n < 400; n += step {
					rows, output, err := observe(t, recorder, binary, append(f.environment, fmt.Sprintf(f.fault, n))...)
					if slices.Equal(rows, whole) {
						if n == 1 {
							t.Error("nothing fails")
						}
						break // there are no more
					}
					if t.Run(fmt.Sprint(n), func(t *testing.T) { checkFailure(t, p, rows, output, err) }); t.Failed() {
						break
					}
				}
			})
		}
	}
}

// TestIllegalAddress has the driver tell of an illegal address in one of its calls, whichever
// that is: the program's one line is the whole message.
func TestIllegalAddress(t *testing.T) {
	folder := t.TempDir()
	recorder, driver := buildRecorder(t, folder), standInDriver(t, folder)
	if driver == nil {
		t.Skip(compilers.CXX() + " knows no device to offload to")
	}
	p := program{source: "queues.c", build: []string{compilers.C(), "-I", "../include"}}
	binary := compile(t, folder, recorder, p)
	step := 7
	if os.Getenv("ACCSCOPE_LONG") != "" {
		step = 1
	}
	for _, call := range []string{"cuStreamQuery", "cuEventQuery", "cuEventRecord", "cuStreamWaitEvent", "cuLaunchHostFunc",
		"cuStreamSynchronize", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2", "cuLaunchKernel"} {
		t.Run(call, func(t *testing.T) {
			for n := 1; n < 400; n += step {
				rows, output, err := observe(t, recorder, binary, append(driver, fmt.Sprintf("ACCSCOPE_STANDIN_FAIL=%s:%d:700", call, n))...)
				if err == nil {
					if n == 1 {
						t.Error("nothing fails")
					}
					break // there are no more
				}
				checkFailure(t, p, rows, output, err)
				if !strings.Contains(output, "CUDA_ERROR_ILLEGAL_ADDRESS (700") || !strings.Contains(output, "a kernel used memory that is not on the device") {
					t.Errorf("call %d: the message is not whole:\n%s", n, output)
				}
			}
		})
	}
}

// checkFailure holds the end of a program, and its events, against what a failure is to have.
func checkFailure(t *testing.T, p program, rows []row, output string, err error) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.Count(output, "accscope: ") != 1 || strings.Contains(output, "internal error") {
		t.Errorf("%v, with the lines\n%s", err, output)
	}
	checkSpans(t, p, rows)
	failures := 0
	for _, r := range rows {
		if r.event == callbacks.Error {
			failures++
		}
	}
	if failures != 1 {
		t.Errorf("%d errors, of %d events", failures, len(rows))
	}
}
