package goacc

import (
	"math"
	"slices"
	"unsafe"
)

// Action says what one variable of a directive asks for.
type Action uint8

// The actions. Those of a region and of enter data:
const (
	// ActionNone leaves the host address in the kernel's slot.
	ActionNone Action = iota
	// ActionMap increments the counter of a present variable, else creates it.
	ActionMap
	// ActionPresent increments the counter of a variable that must be present.
	ActionPresent
	// ActionIfPresent increments the counter of a variable if it is present.
	ActionIfPresent
	// ActionPointer makes a device copy of a pointer to mapped data.
	ActionPointer
	// ActionDescriptor makes a device copy of a Fortran array descriptor.
	ActionDescriptor
	// ActionDevicePointer copies a pointer that already holds a device address.
	ActionDevicePointer
	// ActionStruct announces members that must share one block of memory.
	ActionStruct
	// ActionAttach makes a pointer in device memory point to device memory.
	ActionAttach
	// ActionUseDevice hands the device address to the host (host_data).
	ActionUseDevice

	// ActionRelease decrements a dynamic counter (exit data).
	ActionRelease
	// ActionDetach gives a pointer in device memory its host value back.
	ActionDetach

	// ActionUpdateDevice and ActionUpdateSelf copy between the two memories.
	ActionUpdateDevice
	ActionUpdateSelf
	// ActionUpdatePointer renews an attached pointer after its section's update.
	ActionUpdatePointer
)

// An Item is one variable with its action decoded.
type Item struct {
	Entry     int // index into the directive's arrays
	Action    Action
	Host      uintptr // the variable's host address; of the pointer for pointers
	Size      uintptr // bytes
	Bias      uintptr // Pointer, Attach: start of the mapped section less the pointer's value
	Extent    uintptr // Attach, Detach: bytes of the pointer, of a Fortran array those of its descriptor
	Alignment uint8   // base-two logarithm
	Members   int     // Struct: how many of the next items are its members
	Leader    int     // item that a descriptor or pointer belongs to, -1 if none

	Copyin   bool // copy to the device on creation
	Copyout  bool // copy back when the data lifetime ends
	Zero     bool // zero the memory on creation, unless Copyin
	Finalize bool // drop all dynamic references, or all attachments
	Optional bool // absence is no error
	Cell     bool // pointer or descriptor on the way to a section, no variable itself (markCells)
	Inside   bool // pointer of the descriptor before it, which is counted for both (markInside), or goes with it as a value
	Frame    bool // frame of a procedure with internal procedures
	Private  bool // may be a firstprivate variable, which the program may change at once
	Value    bool // travels with the kernel's arguments if no part of it is present (MarkValues)
	Link     bool // pointer to the descriptor two items before, which is a value only if this is: a dummy argument
	Clause   Clause
}

// Arguments are the arrays that a GOACC_* call describes its variables with. The
// program shares them among threads: they are read only.
type Arguments struct {
	Hosts []uintptr
	Sizes []uintptr
	Kinds []uint16
	// Zero holds the indices of the variables whose create or copyout clause has
	// the modifier zero (OpenACC 3.3 §2.7.4). Code compiled by GCC, which does
	// not know the modifier, has none; callers from Go may. The modifier readonly
	// of a copyin clause has no place here: it allows an assumption that the
	// runtime doesn't make.
	Zero []int
}

func (a *Arguments) kind(i int) Kind { return Kind(a.Kinds[i]) }

// Scalar is where the host has the variable of an entry that is copied to the device and
// has so many bytes; false for others.
func (a *Arguments) Scalar(i int, bytes uintptr) (unsafe.Pointer, bool) {
	if i < 0 || i >= len(a.Kinds) || a.Sizes[i] != bytes || a.Hosts[i] == 0 {
		return nil, false
	}
	switch a.kind(i) {
	case To, ToFrom, ForceTo, ForceToFrom:
		return *(*unsafe.Pointer)(unsafe.Pointer(&a.Hosts[i])), true
	}
	return nil, false
}

// Region decodes the variables of a compute or data construct into items, which
// it appends to into[:0]. compute tells a compute construct, the only one that
// has frame entries. load reads one pointer of the program's memory and says
// whether it could.
func Region(into []Item, a Arguments, compute bool, load func(uintptr) (uintptr, bool)) ([]Item, error) {
	items := into[:0]
	for i := 0; i < len(a.Kinds); i++ {
		items = appendItem(items, &a, i)
		item := &items[len(items)-1]
		switch k := a.kind(i); {
		case k == ForceDevicePointer:
			if item.Size == pointerBytes {
				item.Action = ActionDevicePointer
				break
			}
			// Fortran: the address itself, then a temporary that holds it.
			item.Action, item.Host = ActionNone, 0
			if next := i + 1; next < len(a.Kinds) && a.kind(next) == Pointer && a.Sizes[next] == 0 {
				if value, ok := load(a.Hosts[next]); ok && value == a.Hosts[i] {
					items = appendItem(items, &a, next)
					item = &items[len(items)-1]
					item.Action, item.Size = ActionDevicePointer, pointerBytes
					i = next
				}
			}
		case k == UseDevice, k == UseDeviceIfPresent:
			item.Action, item.Optional = ActionUseDevice, k == UseDeviceIfPresent
		default:
			if err := enterItem(item, &a, items[:len(items)-1], "data or compute construct"); err != nil {
				return nil, err
			}
		}
		if err := item.negative(); err != nil {
			return nil, err
		}
	}
	if compute {
		markFrame(items, a)
		markClauses(items, a)
	}
	return items, nil
}

// EnterData decodes the variables of an enter data directive. A variable without
// an address (an unallocated array, an absent optional argument) takes its
// descriptor and pointers with it.
func EnterData(into []Item, a Arguments) ([]Item, error) {
	items := into[:0]
	for i := range a.Kinds {
		items = appendItem(items, &a, i)
		item := &items[len(items)-1]
		if a.kind(i) == ZeroLength {
			item.Action = ActionNone
		} else if err := enterItem(item, &a, items[:len(items)-1], "enter data"); err != nil {
			return nil, err
		}
		if err := item.negative(); err != nil {
			return nil, err
		}
		switch item.Action {
		case ActionDescriptor, ActionPointer, ActionAttach:
			if item.Leader >= 0 && items[item.Leader].Action == ActionNone {
				item.Action = ActionNone
			}
		}
	}
	markCells(items, a)
	markInside(items, a)
	return items, nil
}

// ExitData decodes the variables of an exit data directive. Detach actions come
// first in the order of work, wherever they stand.
func ExitData(into []Item, a Arguments) ([]Item, error) {
	items := into[:0]
	for i := range a.Kinds {
		items = appendItem(items, &a, i)
		item := &items[len(items)-1]
		item.Optional = true
		switch a.kind(i) {
		case From, ForceFrom:
			item.Action, item.Copyout = ActionRelease, true
			item.Finalize = a.kind(i) == ForceFrom
		case Release, Delete:
			item.Action, item.Finalize = ActionRelease, a.kind(i) == Delete
		case Descriptor:
			item.Action = ActionRelease
		case Pointer:
			item.Action, item.Bias, item.Size = ActionRelease, item.Size, pointerBytes
		case Detach, ForceDetach, Attach: // GCC 14 says attach of d[i] in copyout(d[i][0:n])
			item.Action, item.Finalize = ActionDetach, a.kind(i) == ForceDetach
			item.Bias, item.Size, item.Extent = item.Size, pointerBytes, a.extent(i)
		case Struct, StructUnordered, ZeroLength, DeleteZeroLength:
			item.Action = ActionNone
		default:
			return nil, &KindError{"exit data", i, a.kind(i)}
		}
		if err := item.negative(); err != nil {
			return nil, err
		}
		if item.Host == 0 || item.Size == 0 {
			item.Action = ActionNone
		}
	}
	markCells(items, a)
	markInside(items, a)
	for i := range items {
		if items[i].Inside {
			items[i].Action = ActionNone
		}
	}
	return items, nil
}

// Update decodes the variables of an update directive.
func Update(into []Item, a Arguments) ([]Item, error) {
	items := into[:0]
	for i := range a.Kinds {
		items = appendItem(items, &a, i)
		item := &items[len(items)-1]
		switch k := a.kind(i); k {
		case To, ForceTo:
			item.Action, item.Optional = ActionUpdateDevice, k == To
		case From, ForceFrom:
			item.Action, item.Optional = ActionUpdateSelf, k == From
		case AlwaysPointer:
			item.Action, item.Bias, item.Size = ActionUpdatePointer, item.Size, pointerBytes
			item.Leader = leaderOf(items[:i])
			if item.Leader < 0 || items[item.Leader].Action != ActionUpdateDevice {
				item.Action = ActionNone
			}
		case Pointer, Descriptor:
			item.Action, item.Leader = ActionNone, leaderOf(items[:i])
		case Attach: // GCC 14 has it of d[i] in update self(d[i][0:n]); its size is a bias
			item.Action, item.Size = ActionNone, pointerBytes
		case Struct, StructUnordered, ZeroLength, DeleteZeroLength:
			item.Action = ActionNone
		default:
			return nil, &KindError{"update", i, k}
		}
		if err := item.negative(); err != nil {
			return nil, err
		}
		if item.Host == 0 || item.Size == 0 {
			item.Action = ActionNone
		}
	}
	return items, nil
}

// appendItem adds entry i. It is filled in where it lies: a copy of fields that have
// just been written would wait for them.
func appendItem(items []Item, a *Arguments, i int) []Item {
	items = append(items, Item{})
	item := &items[len(items)-1]
	item.Entry, item.Host, item.Size = i, a.Hosts[i], a.Sizes[i]
	item.Alignment, item.Leader = uint8(a.Kinds[i]>>8), -1
	if len(a.Zero) > 0 {
		item.Zero = slices.Contains(a.Zero, i)
	}
	return items
}

// negative is the error of a section whose length was negative at run time, which
// arrives as a size larger than any object's.
func (item *Item) negative() error {
	if item.Size > math.MaxInt && item.Action != ActionStruct {
		return &SectionError{item.Entry, item.Host, int(item.Size)}
	}
	return nil
}

// extent is that of the pointer which entry i attaches or detaches.
func (a *Arguments) extent(i int) uintptr {
	if i > 0 && a.kind(i-1) == Descriptor && a.Hosts[i-1] == a.Hosts[i] {
		return a.Sizes[i-1]
	}
	return pointerBytes
}

// enterItem decodes the kinds that begin a data lifetime.
func enterItem(item *Item, a *Arguments, before []Item, directive string) error {
	switch k := a.kind(item.Entry); {
	case k.plain():
		item.Action = ActionMap
		item.Copyin, item.Copyout = k&copyinBit != 0, k&copyoutBit != 0
		item.Private = k == To
	case k == ForcePresent:
		item.Action = ActionPresent
	case k == IfPresent:
		item.Action, item.Optional = ActionIfPresent, true
	case k == ZeroLength:
		item.Action, item.Optional, item.Size = ActionIfPresent, true, 0
		if item.Host == 0 {
			item.Action = ActionNone
		}
		return nil
	case k == ForceDevicePointer:
		item.Action = ActionNone
	case k == Pointer:
		item.Action, item.Bias, item.Size = ActionPointer, item.Size, pointerBytes
		item.Leader = leaderOf(before)
	case k == Descriptor:
		item.Action, item.Copyin = ActionDescriptor, true
		item.Leader = leaderOf(before)
	case k == Attach:
		item.Action, item.Bias, item.Size, item.Extent = ActionAttach, item.Size, pointerBytes, a.extent(item.Entry)
		item.Leader = leaderOf(before)
	case k == Struct, k == StructUnordered:
		item.Action = ActionStruct
		item.Members = int(min(item.Size, uintptr(len(a.Kinds)-item.Entry-1)))
	default:
		return &KindError{directive, item.Entry, k}
	}
	if item.Host == 0 || item.Size == 0 && item.Action != ActionStruct {
		item.Action = ActionNone
	}
	return nil
}

// leaderOf finds the data item that a descriptor or pointer at the end of items
// belongs to: the nearest before it that is neither.
func leaderOf(items []Item) int {
	for i := len(items) - 1; i >= 0; i-- {
		switch items[i].Action {
		case ActionDescriptor, ActionPointer:
			continue
		case ActionNone:
			// A dropped descriptor or pointer keeps pointing at its leader.
			if items[i].Leader >= 0 {
				return items[i].Leader
			}
		}
		return i
	}
	return -1
}

// markFrame finds the extra first variable that a compute construct gets in a
// procedure with internal procedures: a copy of the whole hidden frame, 8-byte
// aligned, with the range of a later variable strictly inside.
func markFrame(items []Item, a Arguments) {
	at := 0
	if len(items) > 1 && items[0].Size == pointerBytes && a.kind(items[0].Entry) == To {
		at = 1 // the static chain pointer of an internal procedure
	}
	if at >= len(items) {
		return
	}
	frame := &items[at]
	if a.kind(frame.Entry) != ToFrom || frame.Alignment < 3 || frame.Action != ActionMap {
		return
	}
	for i := at + 1; i < len(items); i++ {
		other := &items[i]
		if other.Action == ActionAttach || other.Action == ActionStruct || other.Action == ActionNone {
			continue
		}
		if other.Host >= frame.Host && other.Host+other.Size <= frame.Host+frame.Size && other.Size < frame.Size {
			frame.Frame = true
			return
		}
	}
}
