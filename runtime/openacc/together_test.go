package openacc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// reducing is a construct that adds to one small variable what two others say, all of
// them copied in and out, beside an array that is too large to go with them.
func reducing(async int, sum, one, more, array []byte) *Construct {
	c := directive(async, span8(goacc.ToFrom, sum), span8(goacc.ToFrom, one), span8(goacc.ToFrom, more), span8(goacc.ToFrom, array))
	c.Function = devicetest.HostKernels().Add
	return c
}

// TestSmallCopiesGoTogether: one allocation for all that a construct maps, one transfer
// in each direction for what is small.
func TestSmallCopiesGoTogether(t *testing.T) {
	for _, async := range []int{AsyncSync, 4} {
		t.Run(fmt.Sprint(async), func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			defer thread.Close()
			thread.Init(DeviceSim)
			var events recorder
			events.register(p, callbacks.Alloc, callbacks.Create, callbacks.EnqueueUploadStart, callbacks.EnqueueDownloadStart, callbacks.Delete, callbacks.Free)
			sum, one, more, array := words(5), words(1), words(10), hostMemory(1000, 1)
			thread.Parallel(reducing(async, sum, one, more, array))
			thread.WaitAll(CurrentDevice)
			got := events.take()
			const want = "alloc 1256\ncreate 8\ncreate 8\ncreate 8\ncreate 1000\n" +
				"enqueue_upload_start 24\nenqueue_upload_start 1000\n" +
				"enqueue_download_start 24\nenqueue_download_start 1000\n" +
				"delete 8\ndelete 8\ndelete 8\ndelete 1000\nfree 1256"
			if got = strings.ReplaceAll(got, fmt.Sprintf(" async %d", async), ""); got != want {
				t.Errorf("events:\n%s", got)
			}
			if get(sum, 0) != 15 || get(one, 0) != 1 || get(more, 0) != 10 {
				t.Errorf("5 + 10 is %d; the others are %d and %d", get(sum, 0), get(one, 0), get(more, 0))
			}
		})
	}
}

// TestValuesBesideVariables: what a construct copies in of small variables goes with its
// values and their addresses in one transfer, also what a queue has still to bring, but for
// values that were the same the last time.
func TestValuesBesideVariables(t *testing.T) {
	for _, c := range []struct {
		name    string
		async   int
		pending string // what the queue has still to write: a variable, a value, or the launches before
		want    string
	}{
		{"synchronous", AsyncSync, "", "enqueue_upload_start 24"},
		{"with the values of before", AsyncSync, "", "enqueue_upload_start 8"},
		{"asynchronous", 1, "", "enqueue_upload_start 24"},
		{"asynchronous, behind others", 1, "launches", "enqueue_upload_start 24"},
		{"variable that is pending", 1, "variable", "enqueue_upload_start 24"},
		{"value that is pending", 1, "value", "enqueue_upload_start 24"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			defer thread.Close()
			sum, count, more := words(0), words(1), words(10)
			want := int64(0)
			release := func() {}
			var q *Queue
			if c.pending != "" {
				q, release = heldQueue(t, thread)
			}
			// A launch whose values change, elsewhere in memory.
			for _, value := range []int64{1, 2} {
				thread.Parallel(adding(AsyncSync, goacc.ToFrom, words(0), count, words(value)))
			}
			if pending := map[string][]byte{"variable": sum, "value": more}[c.pending]; pending != nil {
				put(pending, 0, 1000)
				thread.Create(pointerTo(pending), 8, AsyncSync)
				thread.Update(directive(AsyncSync, span8(goacc.ForceTo, pending)))
				put(pending, 0, 1)
				thread.ExitData(directive(q.async, span8(goacc.From, pending)))
				want = 1000
			} else {
				for _, value := range []int64{1, 20, 300, 4} {
					put(more, 0, value)
					thread.Parallel(adding(c.async, goacc.ToFrom, sum, count, more))
					want += value
				}
				if c.want == "enqueue_upload_start 8" {
					put(more, 0, 10)
					for range 3 { // so that their block is on the device
						thread.Parallel(adding(c.async, goacc.ToFrom, sum, count, more))
						want += 10
					}
				}
				if put(more, 0, 10); c.pending == "" {
					thread.WaitAll(CurrentDevice)
				}
			}
			if c.pending != "value" {
				want += 10
			}
			var events recorder
			events.register(p, callbacks.EnqueueUploadStart)
			thread.Parallel(adding(c.async, goacc.ToFrom, sum, count, more))
			if got := strings.ReplaceAll(events.take(), " async 1", ""); got != c.want {
				t.Errorf("uploads:\n%s\nwant\n%s", got, c.want)
			}
			release()
			thread.WaitAll(CurrentDevice)
			if got := get(sum, 0); got != want {
				t.Errorf("the sum is %d, want %d", got, want)
			}
		})
	}
}

// TestPendingBetween: a variable that is sent by itself, as a queue has still to bring it,
// is not overwritten by what goes with the values around it.
func TestPendingBetween(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	one, pending, three, count, more := words(1), words(2), words(3), words(1), words(10)
	around := func(async int) {
		c := directive(async, span8(goacc.ToFrom, one), span8(goacc.To, count), span8(goacc.To, more), span8(goacc.ToFrom, pending), span8(goacc.ToFrom, three))
		c.Function = devicetest.HostKernels().Add
		thread.Parallel(c)
	}
	for _, value := range []int64{5, -5} {
		put(more, 0, value)
		around(AsyncSync)
	}
	put(more, 0, 10)
	q, release := heldQueue(t, thread)
	thread.EnterData(directive(AsyncSync, span8(goacc.To, pending)))
	put(pending, 0, -2)
	thread.ExitData(directive(q.async, span8(goacc.From, pending)))
	around(q.async)
	release()
	thread.WaitAll(CurrentDevice)
	if get(one, 0) != 11 || get(pending, 0) != 2 || get(three, 0) != 3 {
		t.Errorf("%d, %d and %d came back, want 11, 2 and 3", get(one, 0), get(pending, 0), get(three, 0))
	}
}

// TestSmallCopiesInQueueOrder: what the queue brings to the host comes to the next
// construct on it, and what the host sets meanwhile, too.
func TestSmallCopiesInQueueOrder(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	q, release := heldQueue(t, thread)
	sum, one, more, array := words(0), words(1), words(10), hostMemory(1000, 1)
	for range 5 {
		thread.Parallel(reducing(q.async, sum, one, more, array))
	}
	put(more, 0, 1)
	for range 5 {
		thread.Parallel(reducing(q.async, sum, one, more, array))
	}
	release()
	thread.WaitAll(CurrentDevice)
	if get(sum, 0) != 55 {
		t.Errorf("the sum is %d, want 55", get(sum, 0))
	}
}

// TestSmallDownloadsInQueueOrder: what an asynchronous directive brings back goes in one
// transfer, comes when the queue has come so far and not before, and what is uploaded behind
// it is what came.
func TestSmallDownloadsInQueueOrder(t *testing.T) {
	for name, c := range map[string]struct {
		kind goacc.Kind
		do   func(*Thread, *Construct)
	}{
		"update":    {goacc.ForceFrom, (*Thread).Update},
		"exit data": {goacc.From, (*Thread).ExitData},
		"construct": {goacc.ToFrom, func(t *Thread, c *Construct) { t.Parallel(c) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			defer thread.Close()
			one, two := words(1, 2, 3, 4, 5), words(6)
			want := [][]byte{bytes.Clone(one), bytes.Clone(two)}
			behind := c.kind != goacc.ToFrom // else the host's bytes go
			if behind {
				thread.EnterData(directive(AsyncSync, span8(goacc.To, one), span8(goacc.To, two)))
				put(one, 0, -1)
				put(two, 0, -1)
			}
			q, release := heldQueue(t, thread)
			var events recorder
			events.register(p, callbacks.EnqueueDownloadStart)
			back := directive(q.async, span8(c.kind, one), span8(c.kind, two))
			back.Function = devicetest.HostKernels().Nothing
			c.do(thread, back)
			if got, want := events.take(), fmt.Sprintf("enqueue_download_start 48 async %d", q.async); got != want {
				t.Errorf("downloads:\n%s\nwant\n%s", got, want)
			}
			thread.EnterData(directive(q.async, span8(goacc.To, two)))
			thread.Update(directive(q.async, span8(goacc.ForceTo, two)))
			if behind && (get(one, 0) != -1 || get(two, 0) != -1) {
				t.Error("something came before the queue's turn")
			}
			release()
			thread.WaitAll(CurrentDevice)
			if !bytes.Equal(one, want[0]) || !bytes.Equal(two, want[1]) {
				t.Errorf("%x and %x came, want %x and %x", one, two, want[0], want[1])
			}
			if got := onDevice(thread, address(two), 8); !bytes.Equal(got, want[1]) {
				t.Errorf("the device has %x in the end, want %x", got, want[1])
			}
		})
	}
}

// TestSpareMemory: launches on one queue whose small variables come and go use the same
// memory, also while the device is far behind, and so the same argument block.
func TestSpareMemory(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	q, release := heldQueue(t, thread)
	array, one, more := hostMemory(1000, 0), words(1), words(10)
	thread.Create(pointerTo(array), 1000, AsyncSync)
	before := thread.current.driver.Properties().FreeMemory
	var events recorder
	events.register(p, callbacks.EnqueueUploadStart, callbacks.Free)
	for range 100 {
		c := directive(q.async, span8(goacc.ForcePresent, array), span8(goacc.Alloc, one), span8(goacc.Alloc, more))
		c.Function = devicetest.HostKernels().Nothing
		thread.Parallel(c)
	}
	if taken := before - thread.current.driver.Properties().FreeMemory; taken > 64<<10 {
		t.Errorf("100 launches took %d bytes of the device", taken)
	}
	if got := strings.Count(events.take(), "free 16"); got != 100 {
		t.Errorf("%d free events, want one for each launch", got)
	}
	release()
	thread.WaitAll(CurrentDevice)
}

// TestStoreOverUpload: a structure that the queue has still to write on the host is
// uploaded in its order, and what is attached in it meanwhile lies over that.
func TestStoreOverUpload(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	structure, other, array := words(3, 77), words(1), hostMemory(1000, 1)
	thread.Create(pointerTo(array), 1000, AsyncSync)
	thread.EnterData(directive(AsyncSync, span8(goacc.To, structure)))
	q, release := heldQueue(t, thread)
	thread.ExitData(directive(q.async, span8(goacc.From, structure)))
	put(structure, 0, int64(address(array)))
	put(structure, 1, 5)
	var events recorder
	events.register(p, callbacks.EnqueueUploadStart)
	thread.EnterData(directive(q.async, span8(goacc.To, other), span8(goacc.To, structure), entry{goacc.Attach, address(structure), 0}))
	got := strings.ReplaceAll(events.take(), fmt.Sprintf(" async %d", q.async), "")
	if want := "enqueue_upload_start 24"; got != want {
		t.Errorf("the other variable and the structure with the pointer in it; got\n%s", got)
	}
	next := words(int64(address(array) + 8))
	thread.EnterData(directive(q.async, span8(goacc.To, next), entry{goacc.Attach, address(next), 0}))
	release()
	thread.WaitAll(CurrentDevice)
	if got, want := onDevice(thread, address(structure), 16), words(deviceWord(thread, array), 77); !bytes.Equal(got, want) {
		t.Errorf("the device has %x, want %x", got, want)
	}
	if got := onDevice(thread, address(other), 8); get(got, 0) != 1 {
		t.Errorf("the device has %d, want 1", get(got, 0))
	}
}

// TestNothingBetweenIsCopied: pointers that are attached in a structure which came to the
// device earlier leave what lies between them as it is there.
func TestNothingBetweenIsCopied(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	array, other := hostMemory(1000, 1), words(1)
	thread.Create(pointerTo(array), 1000, AsyncSync)
	structure := words(int64(address(array)), 7, int64(address(array)))
	thread.DataStart(directive(AsyncSync, span8(goacc.ToFrom, other), span8(goacc.ToFrom, structure)))
	thread.EnterData(directive(AsyncSync, entry{goacc.Attach, address(structure), 0}, entry{goacc.Attach, address(structure) + 16, 0}))
	put(structure, 1, 0)
	thread.ExitData(directive(AsyncSync, entry{goacc.Detach, address(structure), 0}, entry{goacc.Detach, address(structure) + 16, 0}))
	thread.DataEnd()
	if got := get(structure, 1); got != 7 {
		t.Errorf("between two pointers that were attached the device has %d, want the 7 that went there", got)
	}
}

// togetherProgram is a program whose recorder hears of what costs something.
func togetherProgram(t *testing.T) (*Thread, *recorder) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	t.Cleanup(thread.Close)
	thread.Init(DeviceSim)
	events := new(recorder)
	events.register(p, callbacks.Alloc, callbacks.Create, callbacks.EnqueueUploadStart, callbacks.EnqueueDownloadStart, callbacks.Delete, callbacks.Free)
	return thread, events
}

// TestSmallVariablesThatStay: what enter data makes lies together if it is small, goes in
// one transfer, and can go by itself.
func TestSmallVariablesThatStay(t *testing.T) {
	for _, async := range []int{AsyncSync, 4} {
		t.Run(fmt.Sprint(async), func(t *testing.T) {
			thread, events := togetherProgram(t)
			one, two, made, array := words(1), words(2, 3), words(4), hostMemory(1000, 1)
			step := func(what, want string, do func(c *Construct), entries ...entry) {
				do(directive(async, entries...))
				thread.WaitAll(CurrentDevice)
				if got := strings.ReplaceAll(events.take(), fmt.Sprintf(" async %d", async), ""); got != want {
					t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
				}
			}
			step("enter data", "alloc 32\ncreate 8\nalloc 1000\ncreate 1000\ncreate 8\ncreate 16\nenqueue_upload_start 24\nenqueue_upload_start 1000",
				thread.EnterData, span8(goacc.To, one), span8(goacc.To, array), span8(goacc.Alloc, made), span8(goacc.To, two))
			put(one, 0, 0)
			put(two, 0, 0)
			step("one of them goes", "enqueue_download_start 8\ndelete 8", thread.ExitData, span8(goacc.From, one))
			step("the others go", "enqueue_download_start 16\ndelete 16\ndelete 8\nfree 32",
				thread.ExitData, span8(goacc.From, two), span8(goacc.Delete, made))
			// The way to the data, in a structure that is not there, gets no memory.
			inside, data := hostMemory(64, 0), hostMemory(40, 1)
			step("data behind a pointer of C", "alloc 40\ncreate 40\nenqueue_upload_start 40", thread.EnterData,
				entry{goacc.Struct, address(inside) - 8, 1}, entry{goacc.Alloc, address(inside), 8}, span8(goacc.To, data), entry{goacc.Attach, address(inside), 0})
			step("and no more", "delete 40\nfree 40", thread.ExitData, span8(goacc.Delete, data))
			descriptor := []entry{{goacc.Struct, address(inside) - 8, 1}, {goacc.Alloc, address(inside), 64}, span8(goacc.To, data),
				{goacc.Descriptor, address(inside), 64}, {goacc.Attach, address(inside), 0}}
			step("behind a descriptor of Fortran", "alloc 40\ncreate 40\nenqueue_upload_start 40", thread.EnterData, descriptor...)
			step("and no more", "delete 40\nfree 40", thread.ExitData, span8(goacc.Delete, data))
			step("without the structure", "alloc 40\ncreate 40\nenqueue_upload_start 40", thread.EnterData, descriptor[1:]...)
			step("and no more", "delete 40\nfree 40", thread.ExitData, span8(goacc.Delete, data))
			if get(one, 0) != 1 || get(two, 0) != 2 || get(two, 1) != 3 {
				t.Errorf("%d, %d and %d came back, want 1, 2 and 3", get(one, 0), get(two, 0), get(two, 1))
			}
		})
	}
}

// TestNoMemoryForWhatIsNotCreated: the clause no_create of what is absent takes no device
// memory, be it a part of a structure or an array with a descriptor and a pointer.
func TestNoMemoryForWhatIsNotCreated(t *testing.T) {
	thread, events := togetherProgram(t)
	one, structure, array, descriptor := words(1), hostMemory(64, 0), hostMemory(1000, 1), hostMemory(64, 0)
	put(descriptor, 0, int64(address(array)))
	for _, c := range []struct {
		name    string
		entries []entry
	}{
		{"array of Fortran", []entry{{goacc.IfPresent, address(array), 1000}, {goacc.Descriptor, address(descriptor), 64}, {goacc.Pointer, address(descriptor), 0}}},
		{"members", []entry{{goacc.Struct, address(structure), 2}, {goacc.IfPresent, address(structure) + 8, 8}, {goacc.IfPresent, address(structure) + 24, 8}}},
	} {
		free := thread.current.driver.Properties().FreeMemory
		thread.DataStart(directive(AsyncSync, c.entries...))
		if after := thread.current.driver.Properties().FreeMemory; after != free {
			t.Errorf("%s: %d bytes of the device are taken", c.name, free-after)
		}
		thread.DataEnd()
		for _, compute := range []bool{false, true} {
			do := directive(AsyncSync, append(c.entries, span8(goacc.ToFrom, one))...)
			if compute {
				do.Function = devicetest.HostKernels().Nothing
				thread.Parallel(do)
			} else {
				thread.DataStart(do)
				thread.DataEnd()
			}
			if got := events.take(); got != "alloc 8\ncreate 8\nenqueue_upload_start 8\nenqueue_download_start 8\ndelete 8\nfree 8" {
				t.Errorf("%s, compute %t:\n%s\nwant the events of the variable beside it", c.name, compute, got)
			}
		}
	}
}

// TestUpdateOfNeighbours: what an update copies goes in one transfer where it lies side by
// side on the device; nothing that lies between is written there.
func TestUpdateOfNeighbours(t *testing.T) {
	thread, events := togetherProgram(t)
	array := hostMemory(1000, 1)
	thread.Create(pointerTo(array), 1000, AsyncSync)
	one, two, three, object := words(1), words(2), words(3), words(4, int64(address(array)), 5)
	alone := words(6)
	thread.EnterData(directive(AsyncSync, span8(goacc.To, one), span8(goacc.To, two), span8(goacc.To, three), span8(goacc.To, object)))
	thread.EnterData(directive(AsyncSync, entry{goacc.Attach, address(object) + 8, 0}))
	thread.EnterData(directive(AsyncSync, span8(goacc.To, alone)))
	events.take()
	all := [][]byte{one, two, three, object, alone}
	before := []int64{1, 2, 3, 4, 6}
	for _, c := range []struct {
		what string
		of   []int // among all
		up   string
		down string
	}{
		{"all of a directive's", []int{0, 1, 2}, "24", "24"},
		{"the other way round", []int{2, 1, 0}, "24", "24"},
		{"not side by side", []int{0, 2}, "8 8", "16"},
		{"one", []int{1}, "8", "8"},
		{"with an attached pointer in it", []int{2, 3}, "16 8", "24"},
		{"of another directive", []int{1, 4}, "8 8", "8 8"},
	} {
		var up, down []entry
		for _, i := range c.of {
			put(all[i], 0, before[i]+10)
			up, down = append(up, span8(goacc.To, all[i])), append(down, span8(goacc.From, all[i]))
		}
		sizes := func() string {
			var list []string
			for _, line := range strings.Split(events.take(), "\n") {
				list = append(list, line[strings.LastIndexByte(line, ' ')+1:])
			}
			return strings.Join(list, " ")
		}
		thread.Update(directive(AsyncSync, up...))
		if got := sizes(); got != c.up {
			t.Errorf("%s: uploads of %s bytes, want %s", c.what, got, c.up)
		}
		for _, i := range c.of {
			put(all[i], 0, 0)
		}
		thread.Update(directive(AsyncSync, down...))
		if got := sizes(); got != c.down {
			t.Errorf("%s: downloads of %s bytes, want %s", c.what, got, c.down)
		}
		for i, variable := range all { // what was not named is as it was
			now := before[i]
			for _, named := range c.of {
				if named == i {
					now += 10
				}
			}
			if got := get(variable, 0); got != now {
				t.Errorf("%s: variable %d came back as %d, want %d", c.what, i, got, now)
			}
		}
		for _, i := range c.of {
			put(all[i], 0, before[i])
		}
		thread.Update(directive(AsyncSync, span8(goacc.To, one), span8(goacc.To, two), span8(goacc.To, three), span8(goacc.To, object), span8(goacc.To, alone)))
		events.take()
		for i := range all {
			put(all[i], 0, -1)
			thread.Update(directive(AsyncSync, span8(goacc.From, all[i])))
			if got := get(all[i], 0); got != before[i] {
				t.Errorf("%s: the device has %d of variable %d, want %d", c.what, got, i, before[i])
			}
		}
		events.take()
	}
	if get(object, 1) != int64(address(array)) {
		t.Errorf("the host's pointer was copied over")
	}
}

// TestUpdateBehindADownload: what a queue has still to bring to the host is uploaded when it
// is there, in one transfer with what is there already.
func TestUpdateBehindADownload(t *testing.T) {
	for _, async := range []int{1, 2, AsyncSync} {
		p := newProgram(t, nil, nil)
		thread := p.newThread()
		defer thread.Close()
		q, release := heldQueue(t, thread)
		one, two := words(1), words(2)
		thread.EnterData(directive(AsyncSync, span8(goacc.To, one), span8(goacc.To, two)))
		put(two, 0, 7)
		thread.Update(directive(q.async, span8(goacc.From, two))) // brings the 2
		var events recorder
		events.register(p, callbacks.EnqueueUploadStart)
		put(one, 0, 5)
		time.AfterFunc(20*time.Millisecond, release)
		thread.Update(directive(async, span8(goacc.To, one), span8(goacc.To, two)))
		if got, _, _ := strings.Cut(events.take(), " async"); got != "enqueue_upload_start 16" {
			t.Errorf("async %d: uploads:\n%s", async, got)
		}
		thread.WaitAll(CurrentDevice)
		put(one, 0, 0)
		put(two, 0, 0)
		thread.Update(directive(AsyncSync, span8(goacc.From, one), span8(goacc.From, two)))
		if get(one, 0) != 5 || get(two, 0) != 2 {
			t.Errorf("async %d: the device has %d and %d, want 5 and 2", async, get(one, 0), get(two, 0))
		}
	}
}
