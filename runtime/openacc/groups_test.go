package openacc

import (
	"bytes"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/goacc"
)

// transfersOf does a directive and gives the sizes of its transfers, in bytes.
func transfersOf(events *recorder, do func(*Construct), entries ...entry) string {
	events.take()
	do(directive(AsyncSync, entries...))
	var sizes []string
	for _, line := range strings.Split(events.take(), "\n") {
		if of, bytes, _ := strings.Cut(line, " "); strings.HasPrefix(of, "enqueue") {
			sizes = append(sizes, bytes)
		}
	}
	return strings.Join(sizes, " ")
}

// onDevice is what the device has of host memory that is present.
func onDevice(thread *Thread, host uintptr, size int) []byte {
	into := hostMemory(size, 0)
	thread.MemcpyFromDevice(pointerTo(into), thread.DevicePtr(at(host)), uintptr(size), AsyncSync)
	return into
}

func deviceWord(thread *Thread, b []byte) int64 {
	return int64(uintptr(thread.DevicePtr(pointerTo(b))))
}

// TestComponents: descriptors of a derived type's components go in one transfer with the
// pointers in them, whether the directive makes the memory of the type or finds it.
func TestComponents(t *testing.T) {
	for _, whole := range []bool{false, true} {
		thread, events := togetherProgram(t)
		one, two := hostMemory(1000, 1), hostMemory(1000, 2)
		object := hostMemory(24+64+88+300, 7) // scalars, two descriptors, an array
		descriptors := [2]uintptr{address(object) + 24, address(object) + 24 + 64}
		put(object, 3, int64(address(one)))
		put(object, 3+8, int64(address(two)))
		before := bytes.Clone(object)
		entries := []entry{{goacc.Struct, address(object), 2}, {goacc.Alloc, descriptors[0], 64}, {goacc.Alloc, descriptors[1], 88},
			span8(goacc.ToFrom, one), {goacc.Descriptor, descriptors[0], 64}, {goacc.Attach, descriptors[0], 0},
			span8(goacc.ToFrom, two), {goacc.Descriptor, descriptors[1], 88}, {goacc.Attach, descriptors[1], 0}}
		if whole {
			thread.EnterData(directive(AsyncSync, span8(goacc.To, object)))
		}
		if got := transfersOf(events, thread.DataStart, entries...); got != "152 1000 1000" {
			t.Errorf("whole type %t: transfers of %s bytes", whole, got)
		}
		put(before, 3, deviceWord(thread, one))
		put(before, 3+8, deviceWord(thread, two))
		if got := onDevice(thread, descriptors[0], 64+88); !bytes.Equal(got, before[24:][:64+88]) {
			t.Errorf("whole type %t: the device's descriptors are %x, want %x", whole, got, before[24:][:64+88])
		}
		want := "1000 1000"
		if whole { // with the pointers of the host again
			want = "152 1000 1000"
		}
		if got := transfersOf(events, func(*Construct) { thread.DataEnd() }); got != want {
			t.Errorf("whole type %t: transfers of %s bytes in the end, want %s", whole, got, want)
		}
		if !whole {
			continue
		}
		put(before, 3, int64(address(one)))
		put(before, 3+8, int64(address(two)))
		if got := onDevice(thread, address(object), len(object)); !bytes.Equal(got, before) {
			t.Errorf("the device's object is %x in the end, want %x", got, before)
		}
	}
}

// TestDetachedComponents: what exit data detaches has the host's value again, in one transfer
// for descriptors side by side; what lies between is the device's.
func TestDetachedComponents(t *testing.T) {
	thread, events := togetherProgram(t)
	object := hostMemory(64+88+8+64, 7)
	var enter, exit []entry
	for i, component := range []struct{ at, bytes uintptr }{{0, 64}, {64, 88}, {160, 64}} {
		data := hostMemory(1000, byte(i))
		host := address(object) + component.at
		put(object, int(component.at/8), int64(address(data)))
		enter = append(enter, span8(goacc.To, data), entry{goacc.Descriptor, host, component.bytes}, entry{goacc.Attach, host, 0})
		exit = append(exit, span8(goacc.Release, data), entry{goacc.Descriptor, host, component.bytes}, entry{goacc.Detach, host, 0})
	}
	thread.EnterData(directive(AsyncSync, span8(goacc.To, object)))
	thread.EnterData(directive(AsyncSync, enter...))
	between := words(99)
	thread.MemcpyToDevice(thread.DevicePtr(pointerTo(object[152:])), pointerTo(between), 8, AsyncSync)
	if got := transfersOf(events, thread.ExitData, exit...); got != "152 64" {
		t.Errorf("transfers of %s bytes, want 152 and 64", got)
	}
	put(object, 19, 99)
	if got := onDevice(thread, address(object), len(object)); !bytes.Equal(got, object) {
		t.Errorf("the device's type is\n%x, want\n%x", got, object)
	}
}

// TestPointersInAStructure: a structure goes with the pointers that the directive attaches
// in it, however large the one, up to where a copy of it on the host would cost more.
func TestPointersInAStructure(t *testing.T) {
	for _, c := range []struct {
		words int
		want  string
	}{{3, "24 1000 1000"}, {100, "800 1000 1000"}, {10000, "1000 1000 80000 8 8"}} {
		thread, events := togetherProgram(t)
		one, two := hostMemory(1000, 1), hostMemory(1000, 2)
		object := hostMemory(8*c.words, 7)
		put(object, 0, int64(address(one)))
		put(object, 2, int64(address(two)))
		before := bytes.Clone(object)
		got := transfersOf(events, thread.EnterData, span8(goacc.To, one), entry{goacc.Attach, address(object), 0},
			span8(goacc.To, two), entry{goacc.Attach, address(object) + 16, 0}, span8(goacc.To, object))
		if got != c.want {
			t.Errorf("%d words: transfers of %s bytes, want %s", c.words, got, c.want)
		}
		put(before, 0, deviceWord(thread, one))
		put(before, 2, deviceWord(thread, two))
		if !bytes.Equal(onDevice(thread, address(object), len(object)), before) {
			t.Errorf("%d words: the device's object is not the host's with the pointers to the device's data", c.words)
		}
	}
}

// TestNeighboursOfAnySize: what is between variables that were made together, but for what
// is nobody's, is not written; and of pointers side by side one transfer is made.
func TestNeighboursOfAnySize(t *testing.T) {
	thread, events := togetherProgram(t)
	one, two, three, four := hostMemory(3, 1), hostMemory(4, 2), hostMemory(8, 3), hostMemory(5, 4)
	all := [][]byte{one, two, three, four}
	var made []entry
	for _, b := range all {
		made = append(made, span8(goacc.To, b))
	}
	thread.EnterData(directive(AsyncSync, made...))
	for _, b := range all {
		b[0] = 9
	}
	for _, c := range []struct {
		of   []int
		want string
	}{{[]int{0, 1}, "7"}, {[]int{0, 2}, "3 8"}, {[]int{0, 1, 2, 3}, "20"}} {
		var entries []entry
		for _, i := range c.of {
			entries = append(entries, span8(goacc.ForceTo, all[i]))
		}
		if got := transfersOf(events, thread.Update, entries...); got != c.want {
			t.Errorf("update of %v: transfers of %s bytes, want %s", c.of, got, c.want)
		}
		if now := onDevice(thread, address(four), 5); (now[0] == 9) != (len(c.of) == 4) {
			t.Errorf("update of %v: the last variable has %d", c.of, now[0])
		}
	}
	array := hostMemory(1000, 1)
	object := words(int64(address(array)), int64(address(array)), 7, int64(address(array)))
	thread.EnterData(directive(AsyncSync, span8(goacc.To, array), span8(goacc.To, object)))
	cell := func(kind goacc.Kind, i uintptr) entry { return entry{kind, address(object) + 8*i, 0} }
	if got := transfersOf(events, thread.EnterData, cell(goacc.Attach, 0), cell(goacc.Attach, 1), cell(goacc.Attach, 3)); got != "16 8" {
		t.Errorf("three pointers, two of them side by side: transfers of %s bytes", got)
	}
	if got := transfersOf(events, thread.ExitData, cell(goacc.Detach, 3), cell(goacc.Detach, 1), cell(goacc.Detach, 0)); got != "16 8" {
		t.Errorf("detached: transfers of %s bytes", got)
	}
	if !bytes.Equal(onDevice(thread, address(object), len(object)), object) {
		t.Error("the device's pointers are not the host's in the end")
	}
}
