package openacc

import (
	"runtime"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/arguments"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A Thread is one host thread as the runtime sees it: its internal control
// variables (OpenACC 3.3 §2.3), its open data regions and its synchronous
// queues. It must not be used by two goroutines at a time.
type Thread struct {
	// Owner is for whoever made the thread.
	Owner unsafe.Pointer

	rt       *Runtime
	events   *callbacks.Thread
	identity uint64 // no other thread's, also after this one's end

	variables
	current *Device // that the variables stand for, nil before first use

	regions     []region // open data constructs
	synchronous []ownQueue

	call

	scratch *scratch // those of the level
	plan    *plan
	levels  []*level // the call in progress, and those inside callbacks
	level   int
	entered uint64 // counts constructs

	prober prober

	wantedEvents *uint32      // callbacks.Registry.WantedEvents
	namesInC     [256]nameInC // of variables that events told of
	computes     []*computeEvents
	named        []namedSite   // by site.slot, nil before the first
	constructs   []writtenSite // likewise
	unsteady     unsteady
	recalls      recalls
	joints       map[joint]string
	lists        map[uint64]*carriedList // by a hash of their names
	memory       *memory
	version      uint64 // of the Attributor's answers
	versioned    bool   // version was compared during this call

	initialising int               // initialisation events being raised
	failing      *device.Error     // it ends the program; nil for none
	reporting    bool              // callbacks are told of an error that does not
	pairs        []*callbacks.Pair // not in use

	declared []hostRange // variables of declare directives that were present before
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
}

// site is where the program made the call.
func (c *call) site() attribution.CallSite {
	return attribution.CallSite{ReturnAddress: c.place.ReturnAddress, Function: c.function}
}

// A region is an open data construct: what its end has to undo.
type region struct {
	device     *Device
	generation uint64
	parent     construct
	begin      uintptr // return address of the call that opened it
	undo       []undo
}

// scratch is what one construct needs while it is being worked on, kept for the
// next one.
type scratch struct {
	items     []goacc.Item
	told      int // the item that an event was about last; the next one's is near
	block     arguments.Block
	late      []lateValue
	recalled  *recalled // what the construct in progress came to before; nil: it was not looked up
	again     bool      // it is that again
	version   uint64    // of the present table when its variables were found there
	suspects  []hostPointer
	places    []place
	absent    []int // items that have no mapping
	small     group
	carried   []string  // names of what a transfer carries
	entries   []int     // of the values that an argument block carries
	hosts     []uintptr // the arguments of a kernel that runs on the host
	undo      []undo
	created   []*dataenv.Mapping
	fills     []fill
	uploads   []transfer
	stores    []transfer
	downloads []transfer
	removed   []*dataenv.Mapping
	pending   []*block
	exits     []*leaving
	staging   []byte
	names     []namedRange // what the call in progress calls its variables
	unnamed   bool         // names are still to be taken from arguments
	arguments goacc.Arguments
	arrivals  []*scalarChain // scalars uploaded to an asynchronous queue
	landings  []*scalar      // scalars to write back
}

// NewThread makes the runtime's record of a host thread. Close it when the
// thread ends.
func (rt *Runtime) NewThread() *Thread {
	number := rt.threads.Add(1) - 1
	return rt.AdoptThread(&callbacks.Thread{ThreadID: number}, nil)
}

// AdoptThread is NewThread for a thread whose dispatch state exists already.
// former is a closed Thread that nobody uses any more, whose memory serves again;
// nil for none.
func (rt *Runtime) AdoptThread(events *callbacks.Thread, former *Thread) *Thread {
	made := former
	if made == nil {
		made = new(Thread)
	}
	// The thread may have ended in a callback.
	for _, l := range made.levels {
		l.outer, l.aside = call{}, false
		l.plan.forget()
	}
	*made = Thread{
		rt:           rt,
		events:       events,
		identity:     rt.identities.Add(1),
		variables:    variables{deviceType: rt.environment.deviceType, deviceNumber: rt.environment.number, defaultAsync: callbacks.DefaultQueue},
		regions:      made.regions[:0],
		synchronous:  made.synchronous[:0],
		levels:       made.levels,
		prober:       prober{local: made.prober.local, remote: made.prober.remote},
		wantedEvents: rt.registry.WantedEvents(),
		version:      made.version,
		memory:       made.memory,
		pairs:        made.pairs,
		computes:     made.computes,
	}
	for _, e := range made.computes {
		if e != nil {
			e.busy = false
		}
	}
	if made.memory == nil {
		made.memory = new(memory)
		runtime.AddCleanup(made, (*memory).free, made.memory)
	}
	if len(made.levels) == 0 {
		made.addLevel()
	}
	made.scratch, made.plan = &made.levels[0].scratch, &made.levels[0].plan
	return made
}

// Close gives back what the runtime holds for an ending host thread.
func (t *Thread) Close() {
	for _, own := range t.synchronous {
		d := own.queue.device
		d.mu.Lock()
		if d.isOpen() && d.generation.Load() == own.generation {
			d.idle = append(d.idle, own.queue)
		}
		d.mu.Unlock()
	}
	clear(t.synchronous)
	clear(t.regions)
	t.synchronous, t.regions = t.synchronous[:0], t.regions[:0]
}

// At notes where the program called, for the events of the next call.
func (t *Thread) At(place *attribution.Place) {
	t.setAside()
	t.place = *place
}

// Current is the thread's current device, nil before its first use.
func (t *Thread) Current() *Device { return t.current }

// enter begins a routine: its name for messages, the parent construct and async
// value of its events.
func (t *Thread) enter(routine string, parent construct, async int) {
	t.setAside()
	t.routine = routine
	t.function, t.versioned = 0, false
	t.context = context{parent: parent, async: t.mapAsync(async)}
}

// use gives the current device, initialised. Nil means that an error was raised
// (and the process, outside tests, has ended).
func (t *Thread) use() *Device {
	if d := t.current; d != nil && d.isOpen() {
		t.context.device = d
		return d
	}
	d := t.choose()
	if d == nil {
		return nil
	}
	t.initialise(d, false)
	if !d.isOpen() && d.opener != t {
		return nil
	}
	t.selectDevice(d)
	t.context.device = d
	return d
}

// choose finds the device that the control variables stand for and checks that
// it exists; it does not initialise it.
func (t *Thread) choose() *Device {
	if bad := t.rt.environment.bad; bad != "" {
		t.fail(device.Errorf(device.InvalidArgument, 0, "%s", bad))
		return nil
	}
	kind := t.rt.resolve(t.deviceType)
	count, err := t.rt.count(kind)
	argument := "the current device type"
	if by := t.rt.environment.chosenBy; by != "" && !t.selected {
		argument = by
	}
	if err != nil || count == 0 {
		t.fail(t.typeUnavailable(argument, kind, err))
		return nil
	}
	if t.deviceNumber >= count {
		argument = "the current device number"
		if by := t.rt.environment.numberBy; by != "" && t.deviceNumber == t.rt.environment.number {
			argument = by
		}
		t.fail(t.numberUnavailable(argument, t.deviceNumber, kind, count))
		return nil
	}
	return t.rt.device(kind, t.deviceNumber)
}

func (t *Thread) selectDevice(d *Device) {
	t.current = d
	if t.rt.options.Selected != nil {
		t.rt.options.Selected(t, d)
	}
}

// deviceName is the current device, for messages.
func (c *call) deviceName() string {
	if c.context.device != nil {
		return "device " + c.context.device.String()
	}
	return "the current device"
}

// nest begins code of the program that may call the runtime on this thread;
// unnest ends it. Only if it does, the call in progress is set aside.
func (t *Thread) nest() {
	t.level++
	if t.level == len(t.levels) {
		t.addLevel()
	}
	t.scratch, t.plan = &t.levels[t.level].scratch, &t.levels[t.level].plan
}

func (t *Thread) addLevel() {
	l := new(level)
	l.plan.init(t.memory)
	t.levels = append(t.levels, l)
}

func (t *Thread) unnest() {
	if l := t.levels[t.level]; l.aside {
		t.call = l.outer
		l.aside, l.outer = false, call{}
	}
	t.level--
	t.scratch, t.plan = &t.levels[t.level].scratch, &t.levels[t.level].plan
}

// setAside begins a call: it keeps the one in progress where this one begins inside
// it, and counts it where that is in a callback.
func (t *Thread) setAside() {
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
