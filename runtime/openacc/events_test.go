package openacc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

func short(events ...callbacks.Event) string {
	var names []string
	for _, e := range events {
		names = append(names, strings.TrimPrefix(e.String(), "acc_ev_"))
	}
	return strings.Join(names, " ")
}

// TestEventsOfManyPlaces launches from more places than keep their events composed,
// on changing queues, and from callbacks: each event says its own construct's.
func TestEventsOfManyPlaces(t *testing.T) {
	p := newProgram(t, nil, nil)
	p.options.Attributor = lineOfAddress{}
	thread := p.newThread()
	defer thread.Close()
	values := words(1, 2)
	thread.Create(pointerTo(values), 16, AsyncSync)
	launch := func(place, queue int) {
		c := directive(queue, span8(goacc.ForcePresent, values))
		c.Function = devicetest.HostKernels().Nothing
		thread.At(&attribution.Place{ReturnAddress: uintptr(place)})
		thread.Parallel(c)
	}
	var seen []string
	nested := false
	note := p.callback(func(i *callbacks.Info, _ *callbacks.EventInfo, _ *callbacks.APIInfo) {
		seen = append(seen, fmt.Sprintf("%s:%d:%d", short(i.EventType), i.LineNo, i.AsyncQueue))
		if !nested && i.EventType == callbacks.EnterDataEnd {
			nested = true
			launch(int(i.LineNo)+1000, 2)
			launch(int(i.LineNo), 3) // the very place
			nested = false
		}
	})
	for _, e := range callbacks.Events() {
		if err := p.registry.Register(nil, e, note, callbacks.Reg); err != nil {
			t.Fatal(err)
		}
	}
	construct := func(place, queue int, inside string) string {
		of := func(events ...callbacks.Event) string {
			var texts []string
			for _, e := range events {
				texts = append(texts, fmt.Sprintf("%s:%d:%d", short(e), place, queue))
			}
			return strings.Join(texts, " ")
		}
		return of(callbacks.ComputeConstructStart, callbacks.EnterDataStart, callbacks.EnterDataEnd) + " " + inside +
			of(callbacks.EnqueueLaunchStart, callbacks.EnqueueLaunchEnd, callbacks.ExitDataStart, callbacks.ExitDataEnd, callbacks.ComputeConstructEnd)
	}
	for round := range 3 {
		for place := 1; place <= 2*siteSets*siteWays+1; place++ {
			queue := 4 + (place+round)%3
			seen = nil
			launch(place, queue)
			want := construct(place, queue, construct(place+1000, 2, "")+" "+construct(place, 3, "")+" ")
			if got := strings.Join(seen, " "); got != want {
				t.Fatalf("round %d, place %d:\n%s\nwant\n%s", round, place, got, want)
			}
		}
	}
	thread.WaitAll(CurrentDevice)
	// None was made for a construct inside another one whose site had its own at the end.
	made := len(thread.spares)
	for i := range thread.table {
		for _, known := range thread.table[i] {
			made += len(known.events.entries)
		}
	}
	if most := 2 * siteSets * siteWays; made > most {
		t.Errorf("%d constructs' events were composed, want at most %d", made, most)
	}
}

// TestEventsOfQueuesInTurn launches from one place on several queues in turn, as
// pipelines do: what the events say is composed once for each queue.
func TestEventsOfQueuesInTurn(t *testing.T) {
	p := newProgram(t, nil, nil)
	var attributed counting
	p.options.Attributor = &attributed
	thread := p.newThread()
	defer thread.Close()
	values := words(1, 2)
	thread.Create(pointerTo(values), 16, AsyncSync)
	var queues []int64
	note := p.callback(func(i *callbacks.Info, _ *callbacks.EventInfo, _ *callbacks.APIInfo) {
		queues = append(queues, i.AsyncQueue)
	})
	if err := p.registry.Register(nil, callbacks.EnqueueLaunchStart, note, callbacks.Reg); err != nil {
		t.Fatal(err)
	}
	before := 0
	for round := range 3 {
		queues = nil
		for queue := range 4 {
			c := directive(queue, span8(goacc.ForcePresent, values))
			c.Function = devicetest.HostKernels().Nothing
			thread.At(&attribution.Place{ReturnAddress: 77})
			thread.Parallel(c)
		}
		if !slices.Equal(queues, []int64{0, 1, 2, 3}) {
			t.Errorf("round %d: launches on queues %v", round, queues)
		}
		if round == 0 {
			before = int(attributed)
		} else if int(attributed) != before {
			t.Errorf("round %d composed %d events again", round, int(attributed)-before)
		}
	}
	if before == 0 {
		t.Error("nothing was attributed")
	}
	thread.WaitAll(CurrentDevice)
}

// counting counts the events that it is to attribute.
type counting int

func (c *counting) Attribute(attribution.Place, uintptr, *callbacks.Info) { *c++ }

func (*counting) Written(_ attribution.Place, _ uintptr, as construct) construct { return as }

func (*counting) Version() uint64 { return 0 }

// lineOfAddress attributes an event to the line that the return address is.
type lineOfAddress struct{}

func (lineOfAddress) Attribute(place attribution.Place, _ uintptr, info *callbacks.Info) {
	info.LineNo = int32(place.ReturnAddress)
}

func (lineOfAddress) Written(_ attribution.Place, _ uintptr, as construct) construct { return as }

func (lineOfAddress) Version() uint64 { return 0 }

// TestEventsOfADeleteThatWaits: a routine that ends with a wait, and has no event of
// its own behind it, has raised the wait's end when it returns.
func TestEventsOfADeleteThatWaits(t *testing.T) {
	p := newProgram(t, nil, nil)
	other, thread := p.newThread(), p.newThread()
	defer other.Close()
	defer thread.Close()
	values := words(1, 2)
	for range 2 { // so that the data stays
		other.Copyin(pointerTo(values), 16, 1)
	}
	var raised []callbacks.Event
	note := p.callback(func(i *callbacks.Info, _ *callbacks.EventInfo, _ *callbacks.APIInfo) {
		raised = append(raised, i.EventType)
	})
	for _, e := range callbacks.Events() {
		if err := p.registry.Register(nil, e, note, callbacks.Reg); err != nil {
			t.Fatal(err)
		}
	}
	thread.Delete(pointerTo(values), 16, AsyncSync, false)
	if got := short(raised...); got != "wait_start wait_end" {
		t.Errorf("by the routine's return: %s", got)
	}
	other.WaitAll(CurrentDevice)
}
