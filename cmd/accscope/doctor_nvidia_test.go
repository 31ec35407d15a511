package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	standin "github.com/accscope/accscope/runtime/cuda/standin/build"
)

// TestDoctorNVIDIA holds what the doctor says of a driver, on the stand-in.
func TestDoctorNVIDIA(t *testing.T) {
	folder := t.TempDir()
	if _, err := standin.Library(folder); err != nil {
		t.Fatal(err)
	}
	cupti, err := standin.CUPTI(folder)
	if err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "libcuda.so.1"), []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		library     string
		environment []string
		says        []string
	}{
		{"two GPUs", folder, []string{"ACCSCOPE_STANDIN_DEVICES=2", "ACCSCOPE_CUPTI=" + cupti},
			[]string{"ok       nvidia 0               stand-in GPU, 1 GiB, CUDA Driver 12.4", "ok       nvidia 1", "ok       CUPTI"}},
		{"no CUPTI", folder, []string{"ACCSCOPE_CUPTI=/nowhere/libcupti.so"},
			[]string{"ok       nvidia 0", "missing  CUPTI", "-> install NVIDIA's cuda-cupti"}},
		{"nothing set", folder, nil,
			[]string{"ok       GOMP_NVPTX_JIT         not set; -O0 where a kernel that is right elsewhere fails", "ok       ACCSCOPE_CUDA_STACK    not set; more than 1024 bytes where a routine calls itself"}},
		{"all set", folder, []string{"GOMP_NVPTX_JIT=-O0", "ACCSCOPE_CUDA_STACK=64k"},
			[]string{"ok       GOMP_NVPTX_JIT         -O0: the driver compiles device code at level 0", "ok       ACCSCOPE_CUDA_STACK    64k: each thread has 65536 bytes of stack"}},
		{"set to nothing", folder, []string{"GOMP_NVPTX_JIT=-O9", "ACCSCOPE_CUDA_STACK=1MiB"},
			[]string{"missing  GOMP_NVPTX_JIT", "-> give -O0 to -O4", "missing  ACCSCOPE_CUDA_STACK", `ACCSCOPE_CUDA_STACK="1MiB" is no stack for each thread`, "-> give bytes from 1024 to 524288"}},
		{"no GPU", folder, []string{"ACCSCOPE_STANDIN_FAIL=cuInit:1:100"},
			[]string{"missing  nvidia", "CUDA_ERROR_NO_DEVICE (100", "CUDA_VISIBLE_DEVICES"}},
		{"too old", folder, []string{"ACCSCOPE_STANDIN_VERSION=9020"},
			[]string{"missing  nvidia", "the driver offers CUDA 9.2, needed is 10.0", "-> install a newer driver"}},
		{"kernel module of another version", folder, []string{"ACCSCOPE_STANDIN_FAIL=cuInit:1:803"},
			[]string{"missing  nvidia", "CUDA error 803", "reboot or reinstall the driver"}},
		{"no driver", broken, nil, []string{"missing  nvidia", "the CUDA driver cannot be used", "-> install NVIDIA's driver"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := execute(t, folder, append(c.environment, "LD_LIBRARY_PATH="+c.library), accscope, "doctor")
			for _, want := range c.says {
				if !strings.Contains(r.stdout+r.stderr, want) {
					t.Errorf("does not say %q:\n%s%s", want, r.stdout, r.stderr)
				}
			}
			if r.status != 0 {
				t.Errorf("status %d", r.status)
			}
		})
	}
}
