// Package arguments lays out the argument blocks of kernels in device memory, and
// keeps those of a queue for launches with the same arguments.
//
// A kernel that GCC outlined gets one address for each variable of its construct
// (firstprivate variables too, OpenACC 3.3 §2.5.13). Where a variable is nothing but
// a value, the value stands in the block behind the addresses, and its address is
// that place: it needs no mapping and no transfer of its own. So does a pointer to data
// that the kernel follows, and an array descriptor with such a pointer in it: what stands
// in the block is the data's device address.
package arguments

import (
	"encoding/binary"

	"github.com/accscope/accscope/runtime/device"
)

// addressBytes is the size of a device address in a block.
const addressBytes = 8

// A Block is the contents of an argument block being put together. Addresses of
// values are offsets from its beginning until it has a place. The zero Block is
// ready for Begin.
type Block struct {
	contents []byte
	values   []value
	pointers int // of the values: pointers and descriptors
	unique   bool
	placed   []byte // contents with the values' addresses

	in   *Store  // where it was placed last, nil for nowhere
	at   *Stored // of in, maybe another block's since
	hash uint64  // of contents, for in
}

type value struct {
	argument, offset int
	link             bool // a pointer to another value, whose offset it holds until the block has a place
}

// Begin starts a block of so many arguments, all of them null.
func (b *Block) Begin(arguments int) {
	b.contents = append(b.contents[:0], make([]byte, arguments*addressBytes)...)
	b.values, b.pointers, b.unique = b.values[:0], 0, false
}

// Bytes is how large the block is.
func (b *Block) Bytes() int { return len(b.contents) }

// Copy makes b a block of what other is.
func (b *Block) Copy(other *Block) {
	b.contents = append(b.contents[:0], other.contents...)
	b.values = append(b.values[:0], other.values...)
	b.pointers, b.unique, b.in, b.at = other.pointers, other.unique, other.in, other.at
}

// SetValue sets the i-th value again, of as many bytes.
func (b *Block) SetValue(i int, to []byte) { copy(b.contents[b.values[i].offset:], to) }

// SetAddress sets an argument to the device address of a mapped variable.
func (b *Block) SetAddress(argument int, address device.Address) {
	binary.NativeEndian.PutUint64(b.contents[argument*addressBytes:], uint64(address))
}

// AddValue makes an argument a value in the block, of size bytes, at an address that
// is a multiple of 1<<alignment, and gives its memory, to be filled at once.
func (b *Block) AddValue(argument, size int, alignment uint8) []byte {
	end := After(len(b.contents), size, alignment)
	at := end - size
	b.contents = append(b.contents, make([]byte, end-len(b.contents))...)
	b.values = append(b.values, value{argument: argument, offset: at})
	b.SetAddress(argument, device.Address(at))
	return b.contents[at : at+size]
}

// After is the size of a block of so many bytes with a value of size bytes more, which is
// the larger the larger the block was.
func After(bytes, size int, alignment uint8) int {
	multiple := 1 << min(alignment, placeAlignment)
	return (bytes+multiple-1)&^(multiple-1) + size
}

// AddPointer makes an argument a pointer in the block, to device memory.
func (b *Block) AddPointer(argument int, to device.Address) {
	binary.NativeEndian.PutUint64(b.AddValue(argument, addressBytes, 3), uint64(to))
	b.pointers++
}

// AddDescriptor is AddValue for an array descriptor, whose pointer AddInside gives.
func (b *Block) AddDescriptor(argument, size int, alignment uint8) []byte {
	b.pointers++
	return b.AddValue(argument, size, alignment)
}

// AddInside makes an argument a pointer to device memory in the value added last, so many
// bytes from its beginning.
func (b *Block) AddInside(argument, offset int, to device.Address) {
	at := b.values[len(b.values)-1].offset + offset
	binary.NativeEndian.PutUint64(b.contents[at:], uint64(to))
	b.values = append(b.values, value{argument: argument, offset: at})
	b.SetAddress(argument, device.Address(at))
	b.pointers++
}

// AddLink makes an argument a pointer to the descriptor that was added before the last value.
func (b *Block) AddLink(argument int) {
	b.AddPointer(argument, device.Address(b.values[len(b.values)-2].offset))
	b.values[len(b.values)-1].link = true
}

// Links says whether the i-th value is a pointer to another one.
func (b *Block) Links(i int) bool { return b.values[i].link }

// Unique keeps the block from being used by any other launch, as where the device
// will write into it.
func (b *Block) Unique() { b.unique = true }

// Values is how many values the block carries, pointers and descriptors too.
func (b *Block) Values() int { return len(b.values) }

// Pointers is the number of pointers and descriptors among the values.
func (b *Block) Pointers() int { return b.pointers }

// Value is the i-th value's argument and its offset in the block.
func (b *Block) Value(i int) (argument, offset int) { return b.values[i].argument, b.values[i].offset }

// AppendAt appends to into what the block is at an address, a multiple of 1<<placeAlignment.
func (b *Block) AppendAt(into []byte, address device.Address) []byte {
	into = append(into, b.contents...)
	placed := into[len(into)-len(b.contents):]
	for _, v := range b.values {
		binary.NativeEndian.PutUint64(placed[v.argument*addressBytes:], uint64(address)+uint64(v.offset))
		if v.link {
			to := placed[v.offset:]
			binary.NativeEndian.PutUint64(to, uint64(address)+binary.NativeEndian.Uint64(to))
		}
	}
	return into
}
