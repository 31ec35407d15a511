package openacc

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/goacc"
)

// TestNoBytes: a data section of no bytes changes neither the present table nor a
// counter, and raises no event, whatever routine it is given to (OpenACC 3.3 §3.2.18
// to §3.2.20).
func TestNoBytes(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	x, absent := hostMemory(16, 1), hostMemory(16, 1)
	thread.DataStart(directive(AsyncSync, entry{goacc.To, address(x), 16}))
	defer thread.DataEnd()
	thread.Create(pointerTo(x), 16, AsyncSync)
	mappings := func() string {
		list, _ := p.Mappings(DeviceSim, 0)
		return fmt.Sprintf("%+v", list)
	}
	before := mappings()
	var events recorder
	events.register(p, callbacks.Error, callbacks.Create, callbacks.Delete, callbacks.Alloc, callbacks.Free, callbacks.EnqueueUploadStart,
		callbacks.EnqueueDownloadStart, callbacks.UpdateStart, callbacks.WaitStart, callbacks.EnterDataStart, callbacks.ExitDataStart)
	for _, async := range []int{AsyncSync, 3, AsyncNoval} {
		for host, device := range map[unsafe.Pointer]unsafe.Pointer{
			nil: nil, pointerTo(absent): nil, pointerTo(x): thread.DevicePtr(pointerTo(x)), pointerTo(x[8:]): thread.DevicePtr(pointerTo(x[8:])),
		} {
			if got := thread.Copyin(host, 0, async); got != device {
				t.Errorf("acc_copyin of no bytes at %p: %p, want %p", host, got, device)
			}
			if got := thread.Create(host, 0, async); got != device {
				t.Errorf("acc_create of no bytes at %p: %p, want %p", host, got, device)
			}
			for _, finalize := range []bool{false, true} {
				thread.Copyout(host, 0, async, finalize)
				thread.Delete(host, 0, async, finalize)
			}
			thread.UpdateDevice(host, 0, async)
			thread.UpdateSelf(host, 0, async)
		}
	}
	if got := events.take(); got != "" {
		t.Errorf("events:\n%s", got)
	}
	if after := mappings(); after != before {
		t.Errorf("mappings before:\n%s\nafter:\n%s", before, after)
	}
}

// TestLifetimes follows one variable of 16 bytes through directives and
// routines, with its reference counters after each and what its two copies hold
// (OpenACC 3.3 §2.6.7, §2.7.2). The device copy is changed by "device=", the
// host's by "host=".
func TestLifetimes(t *testing.T) {
	const absent = -1
	type step struct {
		do                  string
		structured, dynamic int // absent: not in the present table
		host                byte
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"copy outside every lifetime", []step{
			{"data tofrom", 1, 0, 1},
			{"device=5", 1, 0, 1},
			{"end", absent, 0, 5},
		}},
		{"copy inside a longer lifetime does not copy back", []step{
			{"enter to", 0, 1, 1},
			{"data tofrom", 1, 1, 1},
			{"device=5", 1, 1, 1},
			{"end", 0, 1, 1},
			{"exit from", absent, 0, 5},
		}},
		{"finalize inside a region keeps the data", []step{
			{"data tofrom", 1, 0, 1},
			{"enter to", 1, 1, 1},
			{"device=7", 1, 1, 1},
			{"exit force_from", 1, 0, 1},
			{"end", absent, 0, 7},
		}},
		{"copyout that does not reach zero copies nothing", []step{
			{"enter alloc", 0, 1, 1},
			{"enter alloc", 0, 2, 1},
			{"device=9", 0, 2, 1},
			{"exit from", 0, 1, 1},
			{"exit from", absent, 0, 9},
		}},
		{"exit data of absent data does nothing", []step{
			{"exit from", absent, 0, 1},
			{"exit delete", absent, 0, 1},
		}},
		{"exit data without a dynamic reference does nothing", []step{
			{"data to", 1, 0, 1},
			{"exit from", 1, 0, 1},
			{"end", absent, 0, 1},
		}},
		{"delete does not copy", []step{
			{"enter to", 0, 1, 1},
			{"device=3", 0, 1, 1},
			{"exit release", absent, 0, 1},
		}},
		{"finalize drops all dynamic references", []step{
			{"enter to", 0, 1, 1},
			{"enter to", 0, 2, 1},
			{"enter to", 0, 3, 1},
			{"exit delete", absent, 0, 1},
		}},
		{"zero lengths do nothing", []step{
			{"enter zero_len_array_section", absent, 0, 1},
			{"exit zero_len_array_section", absent, 0, 1},
			{"exit delete_zero_len_array_section", absent, 0, 1},
			{"update zero_len_array_section", absent, 0, 1},
		}},
		{"no_create of absent data", []step{
			{"data if_present", absent, 0, 1},
			{"end", absent, 0, 1},
		}},
		{"no_create of present data counts", []step{
			{"enter to", 0, 1, 1},
			{"data if_present", 1, 1, 1},
			{"exit delete", 1, 0, 1},
			{"end", absent, 0, 1},
		}},
		{"forced kinds of present data count like the others", []step{
			{"enter to", 0, 1, 1},
			{"data force_tofrom", 1, 1, 1},
			{"device=4", 1, 1, 1},
			{"end", 0, 1, 1},
			{"update force_from", 0, 1, 4},
			{"exit release", absent, 0, 4},
		}},
		{"update both ways", []step{
			{"enter alloc", 0, 1, 1},
			{"host=6", 0, 1, 6},
			{"update force_to", 0, 1, 6},
			{"host=2", 0, 1, 2},
			{"update force_from", 0, 1, 6},
			{"exit release", absent, 0, 6},
		}},
		{"update of absent data with if_present", []step{
			{"update to", absent, 0, 1},
			{"update from", absent, 0, 1},
		}},
		{"routines count dynamic references", []step{
			{"copyin", 0, 1, 1},
			{"create", 0, 2, 1},
			{"device=8", 0, 2, 1},
			{"copyout", 0, 1, 1},
			{"copyout", absent, 0, 8},
		}},
		{"routines never end a structured lifetime", []step{
			{"data tofrom", 1, 0, 1},
			{"delete", 1, 0, 1},
			{"copyin", 1, 1, 1},
			{"copyout finalize", 1, 0, 1},
			{"device=2", 1, 0, 1},
			{"end", absent, 0, 2},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			defer thread.Close()
			x := hostMemory(16, 1)
			for i, s := range c.steps {
				if line := failure(func() { perform(thread, s.do, x) }); line != "" {
					t.Fatalf("step %d, %s: %s", i, s.do, line)
				}
				list, _ := p.Mappings(DeviceSim, 0)
				structured, dynamic := absent, 0
				for _, m := range list {
					structured, dynamic = int(m.Structured), int(m.Dynamic)
				}
				if structured != s.structured || dynamic != s.dynamic || x[0] != s.host || x[15] != s.host {
					t.Errorf("after step %d, %s: counters %d and %d, host %d..%d; want %d and %d, host %d",
						i, s.do, structured, dynamic, x[0], x[15], s.structured, s.dynamic, s.host)
				}
			}
			if free := p.newThread().Property(0, DeviceSim, PropertyFreeMemory); free != p.newThread().Property(0, DeviceSim, PropertyMemory) {
				t.Errorf("device memory leaked: %d bytes free", free)
			}
		})
	}
}

// perform does one step of a test on x.
func perform(t *Thread, do string, x []byte) {
	verb, what, _ := strings.Cut(do, " ")
	if name, value, ok := strings.Cut(verb, "="); ok {
		fill := hostMemory(len(x), value[0]-'0')
		if name == "host" {
			copy(x, fill)
		} else {
			t.MemcpyToDevice(t.DevicePtr(pointerTo(x)), pointerTo(fill), uintptr(len(x)), AsyncSync)
		}
		return
	}
	n := uintptr(len(x))
	c := directive(AsyncSync, entry{kindNamed(what), address(x), n})
	if strings.Contains(what, "zero_len") {
		c.Arguments.Sizes[0] = 0
	}
	switch verb {
	case "data":
		t.DataStart(c)
	case "end":
		t.DataEnd()
	case "enter":
		t.EnterData(c)
	case "exit":
		t.ExitData(c)
	case "update":
		t.Update(c)
	case "copyin":
		t.Copyin(pointerTo(x), n, AsyncSync)
	case "create":
		t.Create(pointerTo(x), n, AsyncSync)
	case "copyout":
		t.Copyout(pointerTo(x), n, AsyncSync, what == "finalize")
	case "delete":
		t.Delete(pointerTo(x), n, AsyncSync, what == "finalize")
	default:
		panic("no such step: " + do)
	}
}

func kindNamed(name string) goacc.Kind {
	for k := goacc.Kind(0); k < 0xff; k++ {
		if k.String() == name {
			return k
		}
	}
	return goacc.Alloc
}
