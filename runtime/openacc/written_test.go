package openacc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// TestWhatMapKindsTell: without the directive's text a construct is kernels, and the
// data of a variable explicit, where the map kinds of nothing else are such.
func TestWhatMapKindsTell(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	large, small, structure := words(1, 2, 3, 4, 5), words(1), words(0, 7, 8)
	put(structure, 0, int64(address(large)))
	for i, c := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"scalar of kernels", []entry{{goacc.ForceToFrom, address(small), 8}}, "kernels, 8 implicit"},
		{"copyout", []entry{{goacc.From, address(small), 8}}, "parallel, 8 explicit"},
		{"create", []entry{{goacc.Alloc, address(small), 8}}, "parallel, 8 explicit"},
		{"copyin of an array", []entry{{goacc.To, address(large), 40}}, "parallel, 40 explicit"},
		{"copy, or an array without a clause", []entry{{goacc.ToFrom, address(large), 40}}, "parallel, 40 implicit"},
		{"member of a structure", []entry{{goacc.Struct, address(structure), 1}, {goacc.ToFrom, address(structure) + 8, 16}}, "parallel, 16 explicit"},
		{"member that is a pointer to a section", []entry{{goacc.ToFrom, address(large), 40}, {goacc.Struct, address(structure), 1},
			{goacc.Alloc, address(structure), 8}, {goacc.Attach, address(structure), 0}}, "parallel, 40 implicit, 8 implicit"},
	} {
		var got []string
		note := p.callback(func(i *callbacks.Info, e *callbacks.EventInfo, _ *callbacks.APIInfo) {
			if i.EventType == callbacks.ComputeConstructStart {
				got = append(got, strings.TrimPrefix(e.ParentConstruct.String(), "acc_construct_"))
				return
			}
			text := "explicit"
			if e.Implicit != 0 {
				text = "implicit"
			}
			got = append(got, fmt.Sprint(e.Data().Bytes, " ", text))
		})
		for _, event := range []callbacks.Event{callbacks.ComputeConstructStart, callbacks.Create} {
			if err := p.registry.Register(nil, event, note, callbacks.Reg); err != nil {
				t.Fatal(err)
			}
		}
		construct := directive(AsyncSync, c.entries...)
		construct.Function = devicetest.HostKernels().Nothing
		thread.At(&attribution.Place{ReturnAddress: uintptr(i) + 1})
		thread.Parallel(construct)
		for _, event := range []callbacks.Event{callbacks.ComputeConstructStart, callbacks.Create} {
			p.registry.Unregister(nil, event, note, callbacks.Reg)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}
