package callbacks

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// eventLists is the number of lists in a published registry: events 0 (always
// empty) to 25, then acc_ev_error.
const eventLists = 27

// Registry holds which callbacks are registered for which events, and publishes
// the enabled ones for dispatch. Its methods may be called from any thread, also
// from inside callbacks.
type Registry struct {
	published publication

	mu       sync.Mutex
	disabled bool // the toggle of (acc_ev_none, NULL)
	sequence uint64
	tool     uintptr // that of Others; 0: none
	events   [eventLists]eventList
}

// eventList is one event's callbacks in order of registration.
type eventList struct {
	disabled bool // the toggle of (event, NULL)
	entries  []entry
}

// entry is one callback registered for one event.
type entry struct {
	callback   Callback
	sequence   uint64 // rises with every new registration
	tool       uintptr
	references int
	enabled    bool
}

func (l *eventList) find(c Callback) int {
	return slices.IndexFunc(l.entries, func(e entry) bool { return e.callback == c })
}

// NewRegistry makes a registry with nothing registered, which publishes to a struct
// acc_dispatch, fresh from acc_dispatch_new, that other code may dispatch from. There
// must be one Registry only for each.
func NewRegistry(dispatch unsafe.Pointer) *Registry {
	return &Registry{published: publicationOn(dispatch)}
}

// Register is acc_callback_register (OpenACC 3.3 §5.4). With Reg it registers a
// callback for an event, or counts one reference more. With Toggle it enables a
// registered callback, all callbacks of an event (no callback), or all callbacks
// (None and no callback). With TogglePerThread, None and no callback it enables
// callbacks on the calling thread. Any other combination is ignored.
//
// thread is the calling host thread. It may be nil where that is not dispatching:
// a change made from inside a callback takes effect in the event instance being
// dispatched (§5.5.1) for certain only when thread is given.
//
// The error is that there was no memory; then nothing has changed.
func (r *Registry) Register(thread *Thread, event Event, c Callback, mode RegisterMode) error {
	switch mode {
	case Reg:
		if !event.Valid() || c.IsNull() {
			return nil
		}
		return r.add(thread, event, c)
	case Toggle:
		r.setToggle(thread, event, c, true)
	case TogglePerThread:
		if event == None && c.IsNull() && thread != nil {
			thread.Disabled = 0
		}
	}
	return nil
}

// Unregister is acc_callback_unregister (OpenACC 3.3 §5.4): the reverse of
// Register. With Reg it takes one reference, and with the last one the callback,
// from the event; the toggles disable.
func (r *Registry) Unregister(thread *Thread, event Event, c Callback, mode RegisterMode) {
	switch mode {
	case Reg:
		if event.Valid() && !c.IsNull() {
			r.remove(thread, event, c)
		}
	case Toggle:
		r.setToggle(thread, event, c, false)
	case TogglePerThread:
		if event == None && c.IsNull() && thread != nil {
			thread.Disabled = 1
		}
	}
}

// Wanted reports whether any callback for event is registered and enabled: one
// atomic load.
func (r *Registry) Wanted(event Event) bool { return r.published.wanted(event) }

// WantedEvents is where Wanted looks: to be loaded atomically, with a bit for each
// event but Error.
func (r *Registry) WantedEvents() *uint32 { return r.published.wantedEvents() }

// TakenEvents has a bit for each event whose only callback is that of the tool which takes
// events together (accscope_events.h), to be loaded atomically: it records, and leaves the
// program's variables alone.
func (r *Registry) TakenEvents() *uint32 { return r.published.takenEvents() }

// Others is where to see whether other tools than that of the callback c are listening:
// to be loaded atomically, with a bit for each event that has an enabled callback of
// another one. It is for one tool, which must not change.
func (r *Registry) Others(c Callback) *uint32 {
	tool := c.tool()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tool = tool
	for number := range r.events {
		r.noteOthers(number, r.enabled(number))
	}
	return r.published.others()
}

func (r *Registry) noteOthers(number int, enabled []entry) {
	bit := uint32(1) << number
	if slices.ContainsFunc(enabled, func(e entry) bool { return e.tool != r.tool }) {
		atomic.OrUint32(r.published.others(), bit)
	} else {
		atomic.AndUint32(r.published.others(), ^bit)
	}
}

func (r *Registry) add(thread *Thread, event Event, c Callback) error {
	// Outside the lock: the dynamic loader has a lock of its own, which a
	// library being loaded holds while its constructor registers callbacks.
	tool := c.tool()

	r.mu.Lock()
	defer r.mu.Unlock()
	list := &r.events[listNumber(event)]
	if i := list.find(c); i >= 0 {
		list.entries[i].references++
		return nil
	}
	if err := r.published.reserve(listNumber(event), len(list.entries)+1); err != nil {
		return err
	}
	r.sequence++
	list.entries = append(list.entries, entry{
		callback: c, sequence: r.sequence, tool: tool, references: 1, enabled: true,
	})
	r.publish(thread, listNumber(event))
	return nil
}

func (r *Registry) remove(thread *Thread, event Event, c Callback) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := &r.events[listNumber(event)]
	i := list.find(c)
	if i < 0 {
		return
	}
	if list.entries[i].references--; list.entries[i].references > 0 {
		return
	}
	list.entries = slices.Delete(list.entries, i, i+1)
	r.publish(thread, listNumber(event))
}

// setToggle is acc_toggle (OpenACC 3.3 §5.4.2).
func (r *Registry) setToggle(thread *Thread, event Event, c Callback, enabled bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case event == None && c.IsNull():
		if r.disabled == !enabled {
			return
		}
		r.disabled = !enabled
		for number := 1; number < eventLists; number++ {
			r.publish(thread, number)
		}
	case !event.Valid():
	case c.IsNull():
		list := &r.events[listNumber(event)]
		if list.disabled != !enabled {
			list.disabled = !enabled
			r.publish(thread, listNumber(event))
		}
	default:
		list := &r.events[listNumber(event)]
		if i := list.find(c); i >= 0 && list.entries[i].enabled != enabled {
			list.entries[i].enabled = enabled
			r.publish(thread, listNumber(event))
		}
	}
}

// enabled gives the enabled callbacks of one list.
func (r *Registry) enabled(number int) (enabled []entry) {
	list := &r.events[number]
	if !r.disabled && !list.disabled {
		for _, e := range list.entries {
			if e.enabled {
				enabled = append(enabled, e)
			}
		}
	}
	return enabled
}

// publish makes the enabled callbacks of one list what dispatch sees.
func (r *Registry) publish(thread *Thread, number int) {
	enabled := r.enabled(number)
	r.noteOthers(number, enabled) // before the callback can be called
	r.published.publish(number, enabled)
	if thread != nil {
		thread.Changes++
	}
}

// listNumber is the number of an event's list; the event must be valid.
func listNumber(event Event) int {
	if event == Error {
		return eventLists - 1
	}
	return int(event)
}
