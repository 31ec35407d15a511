package cuda

import (
	"fmt"
	"os"
	"testing"

	"github.com/accscope/accscope/runtime/cuda/standin/build"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/leftover"
)

// standin is the path of the stand-in driver, cupti that of the stand-in for
// CUPTI, which measures where a test names it.
var standin, cupti string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "cuda")
	if err == nil {
		standin, err = build.Library(folder)
	}
	if err == nil {
		cupti, err = build.CUPTI(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cuptiCost = 0 // where a test names CUPTI, it measures from the beginning
	code := leftover.Main(m)
	if err := os.RemoveAll(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// with makes a backend on the stand-in driver, with variables in its
// environment.
func with(t testing.TB, variables map[string]string) device.Backend {
	t.Helper()
	if _, kept := variables["XDG_CACHE_HOME"]; !kept {
		t.Setenv("CUDA_CACHE_DISABLE", "1") // what a test makes fail must be done
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
	return New(Options{Library: standin})
}

// loaded is a backend whose devices have an image with the contract's kernels,
// which came while somebody observed or not.
type loaded struct {
	device.Backend
	observed bool
}

func (b loaded) Open(number int, observe func(device.Activity, bool)) (device.Device, error) {
	d, err := b.Backend.Open(number, observe)
	if err != nil {
		return nil, err
	}
	d.Observe(b.observed)
	_, err = d.(device.ImageDevice).LoadImage(kernelImage())
	d.Observe(false)
	return d, err
}

func (b loaded) Accepts(image goacc.Image) error {
	return b.Backend.(device.ImageBackend).Accepts(image)
}

func (b loaded) FreeMemory(number int) (uint64, error) {
	return b.Backend.(device.FreeMemoryTeller).FreeMemory(number)
}

func kernelImage() goacc.Image {
	k := devicetest.HostKernels()
	return build.Image([]build.Function{
		{Name: "nothing", Host: k.Nothing, Dimensions: [3]uint16{0, 1, 32}},
		{Name: "add", Host: k.Add},
		{Name: "gate", Host: k.Gate},
	}, nil, "")
}

func kernels() devicetest.Kernels {
	k := devicetest.HostKernels()
	k.Thread = 0 // kernels run on the driver's threads
	return k
}

func TestContract(t *testing.T) {
	for name, c := range map[string]struct {
		variables map[string]string
		observed  bool
	}{
		"one device":       {nil, false},
		"two devices":      {map[string]string{"ACCSCOPE_STANDIN_DEVICES": "2"}, true},
		"no peers":         {map[string]string{"ACCSCOPE_STANDIN_DEVICES": "2", "ACCSCOPE_STANDIN_NO_PEERS": "1"}, true},
		"two with CUPTI":   {map[string]string{"ACCSCOPE_STANDIN_DEVICES": "2", "ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti}, true},
		"little memory":    {map[string]string{"ACCSCOPE_STANDIN_MEMORY": fmt.Sprint(256 << 20)}, true},
		"CUPTI":            {map[string]string{"ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti}, false},
		"stamps and CUPTI": {map[string]string{"ACCSCOPE_CUPTI": cupti}, true},
		"CUPTI, observed":  {map[string]string{"ACCSCOPE_CUPTI": cupti, "ACCSCOPE_ACTIVITY": "cupti"}, true},
		"no CUPTI":         {map[string]string{"ACCSCOPE_ACTIVITY": "runtime"}, false},
		"stamps, no CUPTI": {map[string]string{"ACCSCOPE_ACTIVITY": "runtime"}, true},
		"another tool":     {map[string]string{"ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti, "ACCSCOPE_STANDIN_CUPTI_FAIL": "cuptiSubscribe"}, false},
		"another CUPTI":    {map[string]string{"ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti, "ACCSCOPE_STANDIN_CUPTI_FAIL": "cuptiActivityEnable"}, true},
	} {
		t.Run(name, func(t *testing.T) { devicetest.Run(t, loaded{with(t, c.variables), c.observed}, kernels()) })
	}
}

func BenchmarkStandin(b *testing.B) { devicetest.Bench(b, loaded{Backend: with(b, nil)}, kernels()) }
