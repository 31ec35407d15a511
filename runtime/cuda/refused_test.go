package cuda

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/callbacks/callbackstest"
	"github.com/accscope/accscope/runtime/cuda/standin/build"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/host"
	"github.com/accscope/accscope/runtime/openacc"
)

// TestImageRefusedLater: a library opened while the device is in use may have
// code that the driver refuses. Whoever uses that code or its variables is told
// why, nobody else is, until the library is closed.
func TestImageRefusedLater(t *testing.T) {
	registry := callbacks.NewRegistry(callbackstest.NewDispatch(t))
	var errors bytes.Buffer
	runtime, err := openacc.New(openacc.Options{
		Backends:  []device.Backend{with(t, nil), host.New()},
		Callbacks: registry,
		Environment: func(name string) (string, bool) {
			value, ok := map[string]string{"ACC_DEVICE_TYPE": "cuda"}[name]
			return value, ok
		},
		Errors: &errors,
		Exit:   func(int) { panic("ended") },
	})
	check(t, err)
	fail := func(f func()) {
		defer func() { _ = recover() }() // Exit's
		errors.Reset()
		f()
	}
	runtime.RegisterImage(kernelImage())
	thread := runtime.NewThread(&callbacks.Thread{}, nil)
	defer thread.Close()
	defer thread.EndProgram()
	kernels := devicetest.HostKernels()
	values := make([]int64, 4)
	start := unsafe.Pointer(unsafe.SliceData(values))
	launch := func(function uintptr) func() {
		return func() { thread.Parallel(&openacc.Construct{Function: function, Async: openacc.AsyncSync}) }
	}
	update := func() { thread.UpdateDevice(start, 32, openacc.AsyncSync) }
	if fail(launch(kernels.Nothing)); errors.Len() > 0 {
		t.Fatal(errors.String())
	}

	const missing = 0x1000 // in no image
	refused := build.Image([]build.Function{{Name: "refused", Host: kernels.Nothing + 1}},
		[]build.Variable{{Name: "values", Host: uintptr(start), Size: 32}}, "invalid ptxas: line 5: unknown instruction\n")
	for _, step := range []struct {
		name            string
		do              func(goacc.Image)
		kernel, declare string
	}{
		{"before", func(goacc.Image) {}, "there is no code", "are not on device"},
		{"after", runtime.RegisterImage, "ptxas: line 5: unknown instruction", "ptxas: line 5: unknown instruction"},
		{"closed", runtime.UnregisterImage, "there is no code", "are not on device"},
	} {
		step.do(refused)
		for name, c := range map[string]struct {
			use  func()
			want string
		}{
			"its kernel":       {launch(kernels.Nothing + 1), step.kernel},
			"its variable":     {update, step.declare},
			"a missing kernel": {launch(missing), "there is no code"},
			"another's kernel": {launch(kernels.Nothing), ""},
		} {
			fail(c.use)
			if got := errors.String(); got == "" != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%s %s: %q, want %q", name, step.name, got, c.want)
			}
		}
	}
}
