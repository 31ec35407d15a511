package capture

import "fmt"

// ItemType says which part of an Item holds.
type ItemType uint8

// What a ring may hold.
const (
	ItemEvent      ItemType = iota + 1 // Item.Event
	ItemActivity                       // Item.Activity
	ItemThread                         // what follows is of Item.Thread, which begins
	ItemThreadEnd                      // Item.Thread has ended
	ItemDropped                        // Item.Dropped: events that found no space
	ItemSwitch                         // Item.Switch: capture was switched on or off
	ItemMapping                        // Item.Mapping: existed before capture was switched on
	ItemDependency                     // Item.Dependency: a queue waits for another one
	ItemDevice                         // Item.Device: what is known of a device
	ItemWarning                        // Item.Warning: what the runtime warns of
	ItemContent                        // Item.Content: hashes of what a transfer moved
	ItemToggle                         // Item.Toggle: the program switched callbacks
)

// Item is one thing that a ring holds. Slices in it are valid until the ring's
// next item is read.
type Item struct {
	Type       ItemType
	Time       int64  // by which it stands among those of other rings, CLOCK_MONOTONIC; 0: with the one before it
	Thread     Thread // of all items
	Event      Event
	Activity   Activity
	Dropped    Dropped
	Switch     Switch
	Mapping    Mapping
	Dependency Dependency
	Device     Device
	Warning    Warning
	Content    Content
	Toggle     Toggle
}

// Thread is a host thread of the recorded process. A thread that raised events
// in a signal handler while another was being written has a second Thread, with
// the same TID and Level 1.
type Thread struct {
	Number uint64 // unique in the process, from 1
	TID    int    // the kernel's thread number; may be used again
	Level  int
	Name   string // as the kernel had it at the first event; "" where not known
}

// Dropped is a run of events that a thread could not record for want of space.
type Dropped struct {
	Count       uint64
	First, Last int64 // CLOCK_MONOTONIC
}

// Switch is a thread's first event after capture was switched.
type Switch struct {
	Time  int64 // CLOCK_MONOTONIC
	Epoch uint32
	On    bool
}

// Toggle says which events the program has the runtime keep from us from now on (OpenACC
// 3.3 §5.4.2).
type Toggle struct {
	Events    uint64 // a bit for each kind, bit 63: errors
	PerThread bool   // on the item's thread alone
}

// Mapping is device data that existed before capture was switched on.
type Mapping struct {
	Time         int64 // CLOCK_MONOTONIC
	Host         uint64
	Device       uint64
	Bytes        uint64
	DeviceType   int32
	DeviceNumber int32
	Name         StringID
	Attached     uint32 // sum of the attachment counters
	Structured   uint64 // reference counters, OpenACC 3.3 §2.6.7
	Dynamic      uint64
}

// Device is what the runtime says of a device.
type Device struct {
	Memory       uint64
	DeviceType   int32
	DeviceNumber int32
	Name, Vendor StringID
	// Multiprocessors are what gangs run on; 0: not known.
	Multiprocessors int32
}

// Warning is what the runtime says of the program, once.
type Warning struct {
	Text       StringID
	SourceFile StringID
	Line       int32
	Exposed    bool // no warning: Text is the host address and bytes of data whose device address was given
	Unused     bool // no warning: Text is the host address and bytes of data that no kernel could use
	Finding    bool // no warning: Text is a callbacks.Finding in JSON
	Counts     bool // no warning: Text is a callbacks.Counts in JSON
}

// Content is the hash of what a transfer moved, as the host had it.
type Content struct {
	Thread   uint64 // Thread.Number of the transfer's start event
	Sequence uint64 // of that event
	Hash     uint64
	// Overwritten is the hash of what was there before a download, if that is Known.
	Overwritten uint64
	Known       bool
}

// CorruptError says where a capture file does not hold what it should. All
// items before Offset have been delivered; reading on continues after the
// damaged chunk.
type CorruptError struct {
	File   string
	Offset int64 // bytes from the file's beginning
	Reason string
}

// Error names the file, the offset and what is wrong there.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s: offset %d: %s; what was before it is kept", e.File, e.Offset, e.Reason)
}
