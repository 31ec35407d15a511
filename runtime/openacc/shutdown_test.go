package openacc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/goacc"
)

// TestShutdownInInitialisation: a device that a callback shuts down where it has just been
// initialised begins anew for who uses it; where that happens each time, nothing that was to
// run on it is left out without a word.
func TestShutdownInInitialisation(t *testing.T) {
	for times, want := range map[int]string{1: "", 100: "device sim 0 is shut down whenever it has been initialised"} {
		p := newProgram(t, nil, nil)
		thread := p.newThread()
		shut := 0
		shutdown := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
			if shut++; shut <= times {
				thread.Shutdown(DeviceSim)
			}
		})
		if err := p.registry.Register(nil, callbacks.DeviceInitEnd, shutdown, callbacks.Reg); err != nil {
			t.Fatal(err)
		}
		values, count, more := words(1), words(1), words(10)
		line := failure(func() { thread.Parallel(adding(AsyncSync, goacc.ToFrom, values, count, more)) })
		if !strings.Contains(line, want) || (line == "") != (want == "") || want == "" && get(values, 0) != 11 {
			t.Errorf("shut down %d times: printed %q, the kernel gives %d", times, line, get(values, 0))
		}
		shut = times
		thread.Close()
	}
}

// TestWhatShutdownCallbacksLeave: what callbacks of a shutdown's events make on the device
// goes with the rest, however often they do, what they delete is deleted once, and another
// shutdown within does nothing.
func TestWhatShutdownCallbacksLeave(t *testing.T) {
	x, y := hostMemory(16, 1), hostMemory(32, 2)
	copyin := func(t *Thread) { t.Copyin(pointerTo(y), 32, AsyncSync) }
	for _, c := range []struct {
		in   callbacks.Event
		do   func(*Thread)
		want string
	}{
		{callbacks.DeviceShutdownStart, copyin, "delete 16\nfree 16\ndelete 32\nfree 32"},
		{callbacks.DeviceShutdownStart, func(t *Thread) { t.Delete(pointerTo(x), 16, AsyncSync, false) }, "delete 16\nfree 16"},
		{callbacks.DeviceShutdownStart, func(t *Thread) { t.Shutdown(DeviceSim) }, "delete 16\nfree 16"},
		{callbacks.Delete, func(t *Thread) { t.Copyout(pointerTo(x), 16, AsyncSync, false) }, "delete 16\nfree 16"},
		{callbacks.Delete, func(t *Thread) {
			t.Delete(pointerTo(x), 16, AsyncSync, false)
			t.Shutdown(DeviceSim)
		}, "delete 16\nfree 16"},
		{callbacks.Free, copyin, "delete 16\nfree 16\n" + strings.Repeat("delete 32\nfree 32\n", shutdownRounds-1)},
	} {
		t.Run(fmt.Sprintf("%v %s", c.in, c.want), func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			defer thread.Close()
			thread.Copyin(pointerTo(x), 16, AsyncSync)
			var events recorder
			events.register(p, callbacks.DeviceInitStart, callbacks.Delete, callbacks.Free, callbacks.DeviceShutdownEnd)
			inside := false
			act := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
				if !inside {
					inside = true
					c.do(thread)
					inside = false
				}
			})
			if err := p.registry.Register(nil, c.in, act, callbacks.Reg); err != nil {
				t.Fatal(err)
			}
			thread.Shutdown(DeviceSim)
			if got, want := events.take(), strings.TrimSuffix(c.want, "\n")+"\ndevice_shutdown_end"; got != want {
				t.Errorf("events:\n%s\nwant:\n%s", got, want)
			}
			if p.device(DeviceSim, 0).isOpen() {
				t.Error("the device is still open")
			}
		})
	}
}

// TestDeletedDuringShutdown: a mapping whose delete event a shutdown raises while another
// thread has begun to end it is deleted once.
func TestDeletedDuringShutdown(t *testing.T) {
	p := newProgram(t, nil, nil)
	memory := hostMemory(64, 1)
	x, y := pointerTo(memory[:16]), pointerTo(memory[32:48])
	thread, other := p.newThread(), p.newThread()
	defer thread.Close()
	defer other.Close()
	thread.Copyin(x, 16, AsyncSync)
	thread.Copyin(y, 16, AsyncSync)
	removed, overtaken, ended := make(chan bool), make(chan bool), make(chan bool)
	var deleted []uintptr
	note := p.callback(func(info *callbacks.Info, event *callbacks.EventInfo, _ *callbacks.APIInfo) {
		switch host := uintptr(event.Data().HostPtr); {
		case info.EventType == callbacks.EnqueueDownloadStart:
			close(removed)
			<-overtaken
		case host == uintptr(x) && len(deleted) == 0:
			deleted = append(deleted, host)
			go func() {
				other.Copyout(x, 16, AsyncSync, false)
				close(ended)
			}()
			<-removed
		case host == uintptr(y):
			deleted = append(deleted, host)
			close(overtaken)
			<-ended
		default:
			deleted = append(deleted, host)
		}
	})
	for _, event := range []callbacks.Event{callbacks.EnqueueDownloadStart, callbacks.Delete} {
		if err := p.registry.Register(nil, event, note, callbacks.Reg); err != nil {
			t.Fatal(err)
		}
	}
	thread.Shutdown(DeviceSim)
	if want := []uintptr{uintptr(x), uintptr(y)}; !slices.Equal(deleted, want) {
		t.Errorf("deleted %#x, want %#x", deleted, want)
	}
}
