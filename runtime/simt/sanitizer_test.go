package simt

import (
	"os/exec"
	"testing"
)

// TestSanitizers runs this package's other tests where AddressSanitizer watches its C.
func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the package's C again")
	}
	test := exec.Command("go", "test", "-asan", "-count=1", "-short", "-skip", "Sanitizers", ".")
	if output, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
