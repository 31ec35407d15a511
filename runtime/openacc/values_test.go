package openacc

import (
	"fmt"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// versionedNames calls every variable by its number, as a reference, and by a version that
// a test may change.
type versionedNames struct{ version uint64 }

func (n *versionedNames) NameDirective(_ attribution.Place, _ uintptr, a goacc.Arguments) (names []string, settled bool) {
	for i := range a.Hosts {
		names = append(names, fmt.Sprintf("%cv%d.%d", attribution.Reference, i, n.version))
	}
	return names, true
}

func (n *versionedNames) NameData(attribution.Place, uintptr, uintptr) string            { return "" }
func (n *versionedNames) Implied(attribution.Place, uintptr, string) int32               { return 1 }
func (n *versionedNames) Lists(attribution.Place, uintptr, string) bool                  { return false }
func (n *versionedNames) NameKernel(attribution.Place, uintptr) string                   { return "" }
func (n *versionedNames) Refers() bool                                                   { return true }
func (n *versionedNames) Attribute(attribution.Place, uintptr, *callbacks.Info)          {}
func (n *versionedNames) Version() uint64                                                { return n.version }
func (n *versionedNames) Written(_ attribution.Place, _ uintptr, as construct) construct { return as }
func (n *versionedNames) Inner(attribution.Place, uintptr, goacc.Arguments) []attribution.Inner {
	return nil
}
func (n *versionedNames) DescribeData(attribution.Place, uintptr, uintptr) attribution.Argument {
	return attribution.Argument{}
}
func (n *versionedNames) Locate(uintptr, uintptr) attribution.Location { return attribution.Location{} }
func (n *versionedNames) Describe(attribution.Place, uintptr, goacc.Arguments, int) attribution.Argument {
	return attribution.Argument{}
}

// TestEventsOfValues: the upload of a construct's values is told of as it is, however often
// the same was told before: where the block lies, which variables it carries, and how many
// bytes.
func TestEventsOfValues(t *testing.T) {
	p, names := newProgram(t, nil, nil), &versionedNames{}
	p.options.Namer, p.options.Attributor = names, names
	thread := p.newThread()
	defer thread.Close()
	array, count := words(1, 2), words(2)
	thread.Copyin(pointerTo(array), 16, AsyncSync)
	var told string
	var at device.Address
	note := p.callback(func(info *callbacks.Info, event *callbacks.EventInfo, _ *callbacks.APIInfo) {
		if data := event.Data(); info.EventType == callbacks.EnqueueUploadEnd {
			told, at = fmt.Sprintf("%d %s", data.Bytes, data.VarName), device.Address(data.DevicePtr)
		}
	})
	for _, event := range []callbacks.Event{callbacks.ComputeConstructStart, callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd} {
		if err := p.registry.Register(nil, event, note, callbacks.Reg); err != nil {
			t.Fatal(err)
		}
	}
	value := int64(0)
	launch := func(more []byte, changes bool) {
		if changes {
			value++
		}
		put(more, 0, value)
		size := len(more)
		c := directive(1, span8(goacc.ForcePresent, array), span8(goacc.To, count), span8(goacc.To, more))
		c.Function = devicetest.HostKernels().Nothing
		thread.Parallel(c)
		want, address := fmt.Sprintf("%d %[2]s%[3]cv1.%[4]d%[2]s%[3]cv2.%[4]d", 8+size, carry, attribution.Reference, names.version), thread.scratch.stored.Address
		if !changes {
			want, address = "", 0
		}
		if told != want || at != address {
			t.Errorf("value %d of %d bytes: told of %q at %#x, want %q at %#x", value, size, told, at, want, address)
		}
		told, at = "", 0
	}
	more, wide := words(0), words(0, 0)
	for range 2 * launchesBefore {
		launch(more, true)
	}
	if !thread.scratch.again || thread.scratch.recalled.list == nil {
		t.Fatal("the last launch is not recalled")
	}
	for range launchesBefore {
		launch(wide, true)
	}
	for range 2 {
		launch(more, true)
		launch(wide, true)
	}
	names.version++
	launch(wide, false)
	launch(wide, false)
	launch(wide, true)
	thread.WaitAll(CurrentDevice)
}
