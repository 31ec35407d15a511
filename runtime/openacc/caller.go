package openacc

import (
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/arguments"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/hostwrites"
)

// A caller is a host thread that calls the runtime: its control variables, the call in
// progress, and what calls need, at each depth at which they are inside others.
type caller struct {
	// Owner is for whoever made the thread.
	Owner unsafe.Pointer

	rt       *Runtime
	events   *callbacks.Thread
	identity uint64 // no other thread's, also after this one's end

	variables
	call
	sites

	regions []region // open data constructs
	scratch *scratch // those of the level
	plan    *plan
	levels  []*level // the call in progress, and those inside callbacks
	level   int
	entered uint64 // counts constructs

	wantedEvents *uint32 // callbacks.Registry.WantedEvents
	takenEvents  *uint32 // callbacks.Registry.TakenEvents
	versioned    bool    // namer.version was compared during this call
	memory       *memory
}

// variables are a thread's internal control variables (OpenACC 3.3 §2.3).
type variables struct {
	deviceType   device.Type // as the program or environment set it, maybe default
	deviceNumber int
	selected     bool // the program chose the device
	defaultAsync int  // acc-default-async-var
}

// requested is the device type that the program asked for.
func (v *variables) requested() device.Type {
	if v.selected {
		return v.deviceType
	}
	return DeviceDefault
}

// mapAsync turns an async value into that of the queue it is mapped to: noval
// becomes the thread's default queue, default the initial one.
func (v *variables) mapAsync(async int) int {
	switch async {
	case AsyncNoval:
		return v.defaultAsync
	case AsyncDefault:
		return callbacks.DefaultQueue
	}
	return async
}

// A call is the one in progress.
type call struct {
	routine  string // for messages
	context  context
	place    attribution.Place
	function uintptr // outlined function of a compute construct
	lack     *lack   // what its error is about
	passed   passed  // what an error of the device's about an argument is about
}

// passed is memory that a routine was given; address 0: none.
type passed struct{ address, bytes uintptr }

// site is where the program made the call.
func (c *call) site() attribution.CallSite {
	return attribution.CallSite{ReturnAddress: c.place.ReturnAddress, Function: c.function}
}

// deviceName is the current device, for messages.
func (c *call) deviceName() string {
	if c.context.device != nil {
		return "device " + c.context.device.String()
	}
	return "the current device"
}

// scratch is what one construct needs while it is being worked on, kept for the
// next one.
type scratch struct {
	*decoded  // what the construct's variables come to: own, or that of recalled
	own       decoded
	nearest   int // the item that an event was about last; the next one's is near
	late      []lateValue
	recalled  *recalled         // what the construct in progress came to before; nil: it was not looked up
	again     bool              // it is that again
	version   uint64            // of the present table when its variables were found there
	stored    *arguments.Stored // its block, nil before it has one
	contents  []byte            // to be stored there, nil where they are
	suspects  []hostPointer
	reserved  []reservation
	uses      []use // of the items, where nothing else has to change on the device
	small     groups
	varies    bool     // the values of the compute construct in progress change from launch to launch
	beside    *group   // of small, which goes to the device with the argument block
	carried   []string // names of what a transfer carries
	entries   []int    // of the values that an argument block carries
	undo      []undo
	created   []*dataenv.Mapping
	fills     []fill
	uploads   []transfer
	kept      [][]byte      // what the upload in progress reads of our own memory
	parts     []device.Part // of it, what the device fills in
	stores    []transfer
	downloads []transfer
	removed   []*dataenv.Mapping
	pending   []*block
	copyBacks []*copyBack
	staging   []byte
	names     []namedRange // what the call in progress calls its variables
	unnamed   bool         // names are still to be taken from arguments
	arguments goacc.Arguments
	arrivals  []*hostwrites.Chain  // scalars uploaded to an asynchronous queue
	landings  []*hostwrites.Scalar // scalars to write back
}

// decoded is what the variables of a construct come to.
type decoded struct {
	items []goacc.Item
	block arguments.Block
}

// clearScratch starts a construct's work on the scratch space.
func (t *caller) clearScratch() {
	s := t.scratch
	s.decoded = &s.own
	s.fills, s.uploads, s.stores, s.downloads = s.fills[:0], s.uploads[:0], s.stores[:0], s.downloads[:0]
	s.undo, s.created, s.removed = s.undo[:0], s.created[:0], s.removed[:0]
	s.pending, s.copyBacks, s.staging = s.pending[:0], s.copyBacks[:0], s.staging[:0]
	s.names, s.unnamed, s.arrivals, s.landings = s.names[:0], false, s.arrivals[:0], s.landings[:0]
	s.late, s.suspects, s.recalled, s.again, s.varies, s.beside, s.stored = s.late[:0], s.suspects[:0], nil, false, false, nil, nil
	t.entered++
}

// At notes where the program called, for the events of the next call.
func (t *caller) At(place *attribution.Place) {
	t.setAside()
	t.place = *place
}

// enter begins a routine: its name for messages, the parent construct and async
// value of its events.
func (t *caller) enter(routine string, parent construct, async int) {
	t.setAside()
	t.routine = routine
	t.function, t.versioned, t.lack, t.passed = 0, false, nil, passed{}
	t.context = context{parent: parent, async: t.mapAsync(async)}
	if t.rt.environment.forgetful {
		t.sites.forget()
	}
}

// wanted says whether an event other than Error has a callback: one atomic load.
func (t *caller) wanted(event callbacks.Event) bool {
	return atomic.LoadUint32(t.wantedEvents)>>(event&31)&1 != 0 && t.events.Disabled == 0
}

// callbacksMayWrite says whether callbacks of some events, a bit for each, may write the
// program's variables.
func (t *caller) callbacksMayWrite(events uint32) bool {
	return atomic.LoadUint32(t.wantedEvents)&^atomic.LoadUint32(t.takenEvents)&events != 0 && t.events.Disabled == 0
}

// nest begins code of the program that may call the runtime on this thread;
// unnest ends it. Only if it does, the call in progress is set aside.
func (t *caller) nest() {
	t.level++
	if t.level == len(t.levels) {
		t.addLevel()
	}
	t.scratch, t.plan = &t.levels[t.level].scratch, &t.levels[t.level].plan
}

func (t *caller) addLevel() {
	l := new(level)
	l.scratch.decoded = &l.scratch.own
	l.plan.init(t.memory)
	t.levels = append(t.levels, l)
}

func (t *caller) unnest() {
	if l := t.levels[t.level]; l.aside {
		t.call = l.outer
		l.aside, l.outer = false, call{}
	}
	t.level--
	t.scratch, t.plan = &t.levels[t.level].scratch, &t.levels[t.level].plan
}

// setAside begins a call: it keeps the one in progress where this one begins inside
// it, and counts it where that is in a callback.
func (t *caller) setAside() {
	if t.events.Depth > 0 {
		t.events.Calls++
	}
	if t.level > 0 && !t.levels[t.level].aside {
		l := t.levels[t.level]
		l.aside, l.outer = true, t.call
	}
}

// A level is what calls need inside so many others.
type level struct {
	scratch scratch
	plan    plan
	outer   call // in progress around a callback or a kernel, one level up
	aside   bool // there is one
}
