package openacc

import (
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/loaded"
)

var amongTheProgram [64]byte

// What must exist costs no system call, and nothing else is believed to.
func TestReadable(t *testing.T) {
	program := loaded.ProgramData()
	variable := uintptr(unsafe.Pointer(&amongTheProgram))
	heap := uintptr(unsafe.Pointer(&make([][64]byte, 1)[0]))
	for _, test := range []struct {
		what       string
		host, size uintptr
		readable   bool
		asked      bool
	}{
		{"a variable of the program", variable, 64, true, false},
		{"the last of them", program.High - 8, 8, true, false},
		{"memory of the heap", heap, 64, true, true},
		{"no address", 16, 64, false, true},
		{"a size that wraps around to the program's variables", variable, ^uintptr(0) - variable + program.Low + 2, true, true},
	} {
		var p prober
		items := []goacc.Item{{Action: goacc.ActionMap, Copyin: true, Host: test.host, Size: test.size}}
		got := p.readable(items, 0)
		if asked := len(p.remote) > 0; got != test.readable || asked != test.asked {
			t.Errorf("%s (%#x, %d bytes): readable %v, asked the system %v; expected %v and %v",
				test.what, test.host, test.size, got, asked, test.readable, test.asked)
		}
	}
}
