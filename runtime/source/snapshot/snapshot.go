// Package snapshot has calls of the runtime as the names of their variables are found from
// them: at once in the running program, or later and elsewhere, from as much of the program's
// memory as is kept of the moment.
package snapshot

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"sort"

	"github.com/accscope/accscope/runtime/source/machine"
	"golang.org/x/sys/unix"
)

// A snapshot is a RuntimeCall with as much of the memory of its moment as names are usually
// found from, so that they can be looked for later and elsewhere: by another process,
// also when this one has ended. It is taken without debug information, within some
// tens of microseconds: the caller's frame and those around it, the small static
// variables of its file, the descriptors that go with entries, and the beginnings of what
// all of these point to.
//
// In bytes, each number little-endian: a head of eight words of 32 bits (the
// registers that are known, the entries, the pieces of memory, how many registers
// follow or 0 for 16, four that are 0); so many registers of 8 bytes; each entry's address, size and flags
// (1 follows, 2 structure, from bit 8 on the role), 8 bytes each; each
// piece's address and length, 8 bytes each; the pieces.
const (
	headSize  = 32
	entrySize = 24
	pieceSize = 16

	fewRegisters = 16 // of x86-64

	entryFollows   = 1
	entryStructure = 2
	entryRole      = 8 // its lowest bit
)

const (
	frameBytes  = 8 << 10 // from the caller's stack pointer upwards
	localBytes  = 4 << 10 // below the frame pointer, which may be far up, and behind arrays
	stackBytes  = 8 << 20 // what lies so far up is in the stack
	targetBytes = 512     // of what a pointer points to
	maxTargets  = 128

	maxFollowing = 512 // of a pointer or a descriptor that goes with an entry
	maxPieces    = 1 << 16

	maxPieceBytes = 4 << 10 // a page: what cannot be read ends at one
)

// piece is a range of memory with its bytes.
type piece struct {
	low   uint64
	bytes []byte
}

// Append appends a snapshot of a call of the running process to a slice. static are
// the ranges of static data that names may be found from.
func (c *Call) Append(to []byte, static [][2]uint64) []byte {
	return c.AppendOf(to, static, os.Getpid())
}

// AppendOf is Append for a call of another process.
func (c *Call) AppendOf(to []byte, static [][2]uint64, pid int) []byte {
	var wanted [][2]uint64
	own := machine.Own()
	if sp, known := c.Registers.Get(own.StackPointer); known {
		wanted = append(wanted, [2]uint64{sp, sp + frameBytes})
		// Below the frame pointer a function has its variables.
		if fp, known := c.Registers.Get(own.FramePointer); known && int64(fp) > int64(sp+frameBytes) {
			wanted = append(wanted, [2]uint64{uint64(max(int64(fp-localBytes), int64(sp+frameBytes))), fp + 256})
		}
		wanted = append(wanted, c.betweenArrays(sp)...)
	}
	for _, e := range c.Entries {
		if e.Follows { // the array's descriptor, which may lie far inside of a structure
			low := e.Address &^ 7
			wanted = append(wanted, [2]uint64{low, low + min(e.Size+8, maxFollowing)})
		}
	}
	pieces := readPieces(pid, append(wanted, static...))
	pieces = append(pieces, readPieces(pid, c.targets(pieces))...)

	registers := c.Registers.value[:own.General]
	size := headSize + len(registers)*8 + len(c.Entries)*entrySize + len(pieces)*pieceSize
	for _, p := range pieces {
		size += len(p.bytes)
	}
	to = slices.Grow(to, size)
	to = binary.LittleEndian.AppendUint32(to, c.Registers.known)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(c.Entries)))
	to = binary.LittleEndian.AppendUint32(to, uint32(len(pieces)))
	if len(registers) == fewRegisters {
		to = binary.LittleEndian.AppendUint32(to, 0)
	} else {
		to = binary.LittleEndian.AppendUint32(to, uint32(len(registers)))
	}
	to = append(to, make([]byte, headSize-16)...)
	for _, v := range registers {
		to = binary.LittleEndian.AppendUint64(to, v)
	}
	for _, e := range c.Entries {
		flags := uint64(0)
		if e.Follows {
			flags |= entryFollows
		}
		if e.Structure {
			flags |= entryStructure
		}
		flags |= uint64(e.Role) << entryRole
		to = binary.LittleEndian.AppendUint64(to, e.Address)
		to = binary.LittleEndian.AppendUint64(to, e.Size)
		to = binary.LittleEndian.AppendUint64(to, flags)
	}
	for _, p := range pieces {
		to = binary.LittleEndian.AppendUint64(to, p.low)
		to = binary.LittleEndian.AppendUint64(to, uint64(len(p.bytes)))
	}
	for _, p := range pieces {
		to = append(to, p.bytes...)
	}
	return to
}

// betweenArrays are the ranges of the stack between and behind the entries that lie there:
// a frame with large arrays has what it saved and its arguments further up. It is nothing
// of what is near the stack pointer, and at most frameBytes.
func (c *Call) betweenArrays(sp uint64) (list [][2]uint64) {
	var arrays [][2]uint64
	for _, e := range c.Entries {
		if e.Address > sp && e.Address-sp < stackBytes && e.Size < stackBytes && !e.Structure {
			arrays = append(arrays, [2]uint64{e.Address, e.Address + e.Size})
		}
	}
	slices.SortFunc(arrays, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
	if arrays == nil {
		return nil
	}
	left, end := uint64(frameBytes), sp+frameBytes
	add := func(next uint64) {
		if high := min(next, end+min(left, localBytes)); end < high {
			list, left = append(list, [2]uint64{end, high}), left-(high-end)
		}
	}
	for _, a := range arrays {
		add(a[0])
		end = max(end, a[1])
	}
	add(end + localBytes)
	return list
}

// targets are the beginnings of what registers and pieces point to, as far as no piece has
// them.
func (c *Call) targets(pieces []piece) [][2]uint64 {
	t := targets{list: make([][2]uint64, 0, maxTargets), kept: sorted(pieces)}
	for n, v := range c.Registers.value {
		if c.Registers.known&(1<<n) != 0 {
			t.add(v)
		}
	}
	highest := uint64(1) << machine.Own().AddressBits
	for _, p := range pieces {
		for at := int(-p.low & 7); at+8 <= len(p.bytes) && len(t.list) < maxTargets; at += 8 {
			// Most words are no addresses.
			if v := binary.LittleEndian.Uint64(p.bytes[at:]); v >= lowestTarget && v < highest {
				t.add(v)
			}
		}
	}
	return together(t.list)
}

// What lies below is the zero page and what is kept free above it.
const lowestTarget = 1 << 16

// targets are collected, each once.
type targets struct {
	list [][2]uint64
	kept []piece // sorted
	seen [4 * maxTargets]uint64
}

// add takes an address, unless it is not aligned, in the zero page, or in the kernel's half:
// no pointer to an object.
func (t *targets) add(address uint64) {
	if address%8 != 0 || address < lowestTarget || address >= 1<<machine.Own().AddressBits || len(t.list) >= maxTargets {
		return
	}
	if _, kept := bytesAt(t.kept, address, 1); kept {
		return
	}
	slot := (address >> 3) * 0x9e3779b97f4a7c15 >> 55 // Fibonacci hashing, to as many as there are
	for ; t.seen[slot] != 0; slot = (slot + 1) % uint64(len(t.seen)) {
		if t.seen[slot] == address {
			return
		}
	}
	t.seen[slot] = address
	t.list = append(t.list, [2]uint64{address, address + targetBytes})
}

// nearTargets is how far apart what is read as one may lie.
const nearTargets = 64

// together joins ranges that overlap, or nearly do: the system looks each up by itself. They
// are of the same pages, then.
func together(list [][2]uint64) [][2]uint64 {
	slices.SortFunc(list, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
	joined := list[:0]
	for _, r := range list {
		if n := len(joined); n > 0 && r[0] <= joined[n-1][1]+nearTargets {
			joined[n-1][1] = max(r[1], joined[n-1][1])
		} else {
			joined = append(joined, r)
		}
	}
	return joined
}

// sorted are pieces by their addresses.
func sorted(pieces []piece) []piece {
	pieces = slices.Clone(pieces)
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.low, b.low) })
	return pieces
}

// bytesAt are so many bytes at an address, of one of some sorted pieces that has them all.
func bytesAt(pieces []piece, address uint64, size int) (found []byte, ok bool) {
	i := sort.Search(len(pieces), func(i int) bool { return pieces[i].low > address })
	for i--; i >= 0 && address-pieces[i].low < maxPieceBytes; i-- {
		if at := address - pieces[i].low; at <= uint64(len(pieces[i].bytes)) && uint64(size) <= uint64(len(pieces[i].bytes))-at {
			return pieces[i].bytes[at:][:size], true
		}
	}
	return nil, false
}

// readPieces reads ranges of a process as far as they are there.
func readPieces(pid int, ranges [][2]uint64) (read []piece) {
	var remote []unix.RemoteIovec
	total := 0
	for _, r := range ranges {
		for low := r[0]; low < r[1]; {
			high := min(r[1], low&^(maxPieceBytes-1)+maxPieceBytes)
			remote = append(remote, unix.RemoteIovec{Base: uintptr(low), Len: int(high - low)})
			total += int(high - low)
			low = high
		}
	}
	memory := make([]byte, total)
	for len(remote) > 0 {
		batch := remote[:min(len(remote), 1024)] // as many as the kernel takes
		local := []unix.Iovec{{Base: &memory[0]}}
		size := 0
		for _, r := range batch {
			size += r.Len
		}
		local[0].SetLen(size)
		n, err := ReadMemory(pid, local, batch)
		if err != nil {
			n = 0
		}
		done := 0
		for done < len(batch) && batch[done].Len <= n {
			length := batch[done].Len
			read = append(read, piece{uint64(batch[done].Base), memory[:length]})
			memory, n = memory[length:], n-length
			done++
		}
		if done < len(batch) { // this one cannot be read
			memory = memory[batch[done].Len:]
			done++
		}
		remote = remote[done:]
	}
	return read
}

var errDamaged = errors.New("damaged snapshot of a call")

// Read gives the call that Snapshot wrote; its return address and function
// are for the caller to fill in.
func Read(b []byte) (Call, error) {
	var c Call
	if len(b) < headSize {
		return c, errDamaged
	}
	le := binary.LittleEndian
	entries, count := int(le.Uint32(b[4:])), int(le.Uint32(b[8:]))
	registers := int(le.Uint32(b[12:]))
	if registers == 0 {
		registers = fewRegisters
	}
	c.Registers.known = le.Uint32(b)
	b = b[headSize:]
	if registers > len(c.Registers.value) || len(b) < 8*registers {
		return c, errDamaged
	}
	for i := range registers {
		c.Registers.value[i] = le.Uint64(b[8*i:])
	}
	c.Registers.known &= uint32(uint64(1)<<registers - 1)
	b = b[8*registers:]
	if entries > len(b)/entrySize || count > maxPieces || count > (len(b)-entries*entrySize)/pieceSize {
		return c, errDamaged
	}
	for ; entries > 0; entries-- {
		flags := le.Uint64(b[16:])
		c.Entries = append(c.Entries, Entry{Address: le.Uint64(b), Size: le.Uint64(b[8:]),
			Follows: flags&entryFollows != 0, Structure: flags&entryStructure != 0, Role: Role(flags >> entryRole)})
		b = b[entrySize:]
	}
	content := b[count*pieceSize:]
	pieces := make([]piece, count)
	for i := range pieces {
		length := le.Uint64(b[8:])
		if length > uint64(len(content)) {
			return c, errDamaged
		}
		pieces[i] = piece{le.Uint64(b), content[:length]}
		content, b = content[length:], b[pieceSize:]
	}
	pieces = sorted(pieces) // where they overlap, any of them says the same
	c.Memory = func(address uint64, to []byte) error {
		found, ok := bytesAt(pieces, address, len(to))
		if !ok {
			return errNotKept
		}
		copy(to, found)
		return nil
	}
	return c, nil
}

var errNotKept = errors.New("not in the snapshot")
