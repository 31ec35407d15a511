package openacc

import (
	"cmp"
	"slices"
	"unsafe"
)

// Attach is acc_attach and acc_attach_async (OpenACC 3.3 §3.2.29).
func (t *dataRoutines) Attach(pointer unsafe.Pointer, async int) {
	t.pointerRoutine("acc_attach", async, t.single(pointer), t.attachAll)
}

// Detach is acc_detach with its _async and _finalize forms (OpenACC 3.3 §3.2.29).
func (t *dataRoutines) Detach(pointer unsafe.Pointer, async int, finalize bool) {
	t.pointerRoutine(detachRoutine(finalize), async, t.single(pointer), t.detachAll(finalize))
}

// AttachDescribed is acc_attach and acc_attach_async of Fortran, which gives the
// descriptor of what the pointer points to: gfortran does not tell where a pointer
// of no certain type is. Every pointer in memory that is present which points
// there, in the descriptor's shape, is attached. A null pointer is none.
func (t *dataRoutines) AttachDescribed(target *FortranDescriptor, async int) {
	t.pointerRoutine("acc_attach", async, func(d *Device) ([]uintptr, bool) { return d.pointersTo(target), true }, t.attachAll)
}

// DetachDescribed is acc_detach with its forms of Fortran: of the attached pointers
// that point there.
func (t *dataRoutines) DetachDescribed(target *FortranDescriptor, async int, finalize bool) {
	t.pointerRoutine(detachRoutine(finalize), async, func(d *Device) ([]uintptr, bool) { return d.attachedTo(target), true },
		t.detachAll(finalize))
}

func detachRoutine(finalize bool) string {
	if finalize {
		return "acc_detach_finalize"
	}
	return "acc_detach"
}

// single gives the one pointer of a C routine.
func (t *dataRoutines) single(pointer unsafe.Pointer) func(*Device) ([]uintptr, bool) {
	return func(*Device) ([]uintptr, bool) {
		if pointer == nil {
			t.fail(t.errorf(errorInvalidNullPointer, "ptr_addr is a null pointer; pass the address of a pointer"))
			return nil, false
		}
		return []uintptr{uintptr(pointer)}, true
	}
}

func (t *dataRoutines) attachAll(d *Device, pointers []uintptr) {
	for _, pointer := range pointers {
		t.attachPointer(d, pointer, 0)
	}
}

func (t *dataRoutines) detachAll(finalize bool) func(*Device, []uintptr) {
	return func(d *Device, pointers []uintptr) {
		for _, pointer := range pointers {
			t.detachPointer(d, pointer, 8, finalize)
		}
	}
}

// pointerRoutine is a routine about pointers, which find gives by their host
// addresses. do runs with d.mu held.
func (t *dataRoutines) pointerRoutine(routine string, async int, find func(*Device) ([]uintptr, bool), do func(*Device, []uintptr)) {
	d, ok := t.data(asyncForm(routine, async), async)
	if !ok {
		return
	}
	pointers, ok := find(d)
	if !ok || d.Shared || len(pointers) == 0 {
		return
	}
	q := t.onQueue(d, async)
	if q == nil {
		return
	}
	for _, pointer := range pointers {
		t.nameData(pointer, pointerBytes)
	}
	d.mu.Lock()
	do(d, pointers)
	d.mu.Unlock()
	t.enqueueUploads(d, q)
	t.finish(q, waitTold)
}

const pointerBytes = 8

// A FortranDescriptor is what gfortran passes for an assumed-rank dummy argument.
// Of a pointer or an allocatable variable that is an array, the like stands in
// memory; a scalar one is the base alone.
type FortranDescriptor struct {
	Base          uintptr
	offset        uintptr
	elementLength uintptr
	version       int32
	rank          int8
	kind          int8
	attribute     int16
	span          int
	dimensions    [15]fortranDimension // rank of them
}

type fortranDimension struct{ stride, lower, upper int }

// A c_ptr comes as its value, though its kind is not that of a pointer.
const fortranCPointer = 10

// describes says whether a pointer at a host address below limit, which has the
// base, has the rest of f, too.
func (f *FortranDescriptor) describes(pointer, limit uintptr) bool {
	if f.rank == 0 || f.kind == fortranCPointer {
		return true
	}
	var g FortranDescriptor
	size := unsafe.Offsetof(g.dimensions) + uintptr(f.rank)*unsafe.Sizeof(g.dimensions[0])
	if limit-pointer < size || !readMemory(unsafe.Slice((*byte)(unsafe.Pointer(&g)), size), pointer) || g.rank != f.rank {
		return false
	}
	for i := range g.dimensions[:g.rank] {
		a, b := &f.dimensions[i], &g.dimensions[i]
		if a.stride != b.stride || a.upper-a.lower != b.upper-b.lower {
			return false
		}
	}
	return true
}

const (
	// searchChunk is how much memory a search reads in one go, and searchEnough
	// after how much it ends when it has found something.
	searchChunk  = 64 << 10
	searchEnough = 64 << 20
)

// pointersTo finds the pointers to target in the host memory of d's mappings, small
// ones first: structures are small, what they point to may be large.
func (d *Device) pointersTo(target *FortranDescriptor) []uintptr {
	if d.Shared || target.Base == 0 {
		return nil
	}
	var ranges []hostRange
	d.mu.Lock()
	for m := range d.table.All() {
		if !blockOf(m).identity && m.Size >= pointerBytes {
			ranges = append(ranges, hostRange{low: m.Host, high: m.End()})
		}
	}
	d.mu.Unlock()
	slices.SortStableFunc(ranges, func(a, b hostRange) int { return cmp.Compare(a.high-a.low, b.high-b.low) })
	var found []uintptr
	searched := uintptr(0)
	words := make([]uintptr, searchChunk/pointerBytes)
	for _, r := range ranges {
		if searched += r.high - r.low; len(found) > 0 && searched > searchEnough {
			break
		}
		for at := (r.low + pointerBytes - 1) &^ (pointerBytes - 1); at+pointerBytes <= r.high; at += searchChunk {
			words := words[:min(searchChunk, r.high-at)/pointerBytes]
			if !readMemory(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*pointerBytes), at) {
				break // the program has given it back
			}
			for i, word := range words {
				if pointer := at + uintptr(i)*pointerBytes; word == target.Base && target.describes(pointer, r.high) {
					found = append(found, pointer)
				}
			}
		}
	}
	return found
}

// attachedTo finds the attached pointers to target.
func (d *Device) attachedTo(target *FortranDescriptor) []uintptr {
	if d.Shared {
		return nil
	}
	var found []uintptr
	d.mu.Lock()
	defer d.mu.Unlock()
	for m := range d.table.All() {
		for offset := range m.Attach {
			if value, ok := load(m.Host + offset); ok && value == target.Base && target.describes(m.Host+offset, m.End()) {
				found = append(found, m.Host+offset)
			}
		}
	}
	slices.Sort(found)
	return found
}
