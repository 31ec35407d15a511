package cuda

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestDroppedAnswers: C code that leaves what a function of the driver, or one of ours that
// calls it, answers does not compile, with a cast to void neither, by the flags of this
// package.
func TestDroppedAnswers(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	check(t, err)
	_, behind, found := strings.Cut(string(source), "\n// #cgo CFLAGS: ")
	line, _, _ := strings.Cut(behind, "\n")
	if !found || strings.Contains(behind, "#cgo CFLAGS:") {
		t.Fatal("doc.go has other than one line of flags")
	}
	flags := strings.Fields(strings.ReplaceAll(line, "${SRCDIR}", "."))
	for body, compiles := range map[string]bool{
		"d->cuda->cuStreamSynchronize (d->clock);":                                 false,
		"(void) d->cuda->cuStreamSynchronize (d->clock);":                          false,
		"accscope_cuda_stream (d, 0, &d->clock);":                                  false,
		"accscope_cuda_close (d);":                                                 false,
		"struct accscope_cuda_driver c = *d->cuda; c.cuInit (0);":                  false,
		"GIVE_BACK (d, cuStreamDestroy, d->clock);":                                true,
		"accscope_cuda_untimed (CALL (d, cuStreamQuery, d->clock));":               true,
		"if (d->cuda->cuStreamQuery (d->clock) == CUDA_SUCCESS) d->next_lane = 0;": true,
	} {
		command := exec.Command(compilers.C(), slices.Concat([]string{"-x", "c"}, flags, []string{"-S", "-o", os.DevNull, "-"})...)
		command.Stdin = strings.NewReader("#include \"cuda.h\"\nvoid f (struct accscope_cuda_device *d) { " + body + " }\n")
		if output, err := command.CombinedOutput(); (err == nil) != compiles || strings.Contains(string(output), "unused-result") == compiles {
			t.Errorf("%s: %v\n%s", body, err, output)
		}
	}
}
