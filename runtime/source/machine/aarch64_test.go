package machine

import (
	"encoding/binary"
	"testing"
)

// What registers and words of the frame have after instructions of an outlined function,
// whose argument block is in x0.
func TestAArch64Steps(t *testing.T) {
	const (
		enter    = 0xa9bd7bfd // stp x29, x30, [sp, -48]!
		frame    = 0x910003fd // mov x29, sp
		keep     = 0xf90013f5 // str x21, [sp, 32]
		block    = 0xaa0003f3 // mov x19, x0
		pair     = 0xa9408414 // ldp x20, x1, [x0, 8]
		slot     = 0xf9400002 // ldr x2, [x0]
		loaded   = 0xb9400043 // ldr w3, [x2]
		put      = 0xb9002be3 // str w3, [sp, 40]
		leave    = 0xa8c37bfd // ldp x29, x30, [sp], 48
		callBack = 0x97ffffde // bl
	)
	at := func(root Root, slot int32, n int64) Value { return Value{Root: root, Slot: slot, N: n} }
	for _, c := range []struct {
		name     string
		words    []uint32
		register int
		want     Value
	}{
		{"the stack pointer", nil, 31, at(FrameBased, 0, 0)},
		{"a frame", []uint32{enter}, 31, at(FrameBased, 0, -48)},
		{"its pointer", []uint32{enter, frame}, 29, at(FrameBased, 0, -48)},
		{"left again", []uint32{enter, frame, leave}, 31, at(FrameBased, 0, 0)},
		{"mov", []uint32{block}, 19, at(blockBased, 0, 0)},
		{"ldp, first", []uint32{pair}, 20, at(SlotBased, 1, 0)},
		{"ldp, second", []uint32{pair}, 1, at(SlotBased, 2, 0)},
		{"ldr", []uint32{slot}, 2, at(SlotBased, 0, 0)},
		{"ldr of a number", []uint32{slot, loaded}, 3, at(SlotLoaded, 0, 0)},
		{"mov of a number", []uint32{slot, loaded, 0x2a0303e4}, 4, at(SlotLoaded, 0, 0)},
		{"mov of half an address", []uint32{0x2a0003e4}, 4, Value{}},
		{"through the frame", []uint32{enter, slot, loaded, put, 0xb9402be5}, 5, at(SlotLoaded, 0, 0)}, // ldr w5, [sp, 40]
		{"add", []uint32{pair, 0x91004286}, 6, at(SlotBased, 1, 16)},                                   // add x6, x20, 16
		{"sub, shifted", []uint32{pair, 0xd1400687}, 7, at(SlotBased, 1, -4096)},                       // sub x7, x20, 1, lsl 12
		{"adrp", []uint32{0x90000008}, 8, at(FileBased, 0, 0x1000)},
		{"adrp, add", []uint32{0x90000008, 0x91048d08}, 8, at(FileBased, 0, 0x1123)}, // add x8, x8, 0x123
		{"adr", []uint32{0x10fffe29}, 9, at(FileBased, 0, 0x1000-0x3c)},
		{"ldrb", []uint32{slot, 0x3940004a}, 10, Value{}},
		{"ldrsw", []uint32{slot, 0xb980004b}, 11, Value{}},
		{"by way of a vector register", []uint32{pair, 0x9e670280, 0x9e66000c}, 12, at(SlotBased, 1, 0)},          // fmov d0, x20; fmov x12, d0
		{"a number in a vector register", []uint32{slot, 0xbd400041, 0x1e26002d}, 13, at(SlotLoaded, 0, 0)},       // ldr s1, [x2]; fmov w13, s1
		{"a vector register's location", []uint32{slot, 0xbd400041}, 65, at(SlotLoaded, 0, 0)},                    // DWARF number of v1
		{"str d", []uint32{enter, 0xfd400402, 0xfd0013e2, 0xf94013ee}, 14, at(SlotBased, 1, 0)},                   // ldr d2, [x0, 8]; str d2, [sp, 32]; ldr x14, [sp, 32]
		{"half of a vector", []uint32{enter, slot, 0x3dc00041, 0x3c8183e1, 0xf94013ee}, 14, at(SlotLoaded, 0, 8)}, // ldr q1, [x2]; stur q1, [sp, 24]; ldr x14, [sp, 32]
		{"cmp", []uint32{pair, 0xf1000e9f}, 31, at(FrameBased, 0, 0)},                                             // sets no stack pointer
		{"base behind a load", []uint32{0xf840840f}, 0, at(blockBased, 0, 8)},                                     // ldr x15, [x0], 8
		{"load before that", []uint32{0xf840840f}, 15, at(SlotBased, 0, 0)},
		{"movk", []uint32{0xaa0003f0, 0xf2800030}, 16, Value{}},
		{"a call", []uint32{block, callBack}, 0, Value{}},
		{"a call preserves", []uint32{block, callBack}, 19, at(blockBased, 0, 0)},
		{"mov to the stack pointer", []uint32{enter, frame, 0xcb2163ff, 0x910003bf}, 31, at(FrameBased, 0, -48)}, // sub sp, sp, x1; mov sp, x29
		{"a frame of unknown size", []uint32{enter, frame, 0xcb2163ff}, 31, Value{}},
		{"fcvtzs", []uint32{pair, 0x9e780001}, 1, Value{}},
		{"umov", []uint32{pair, 0x0e0c3c01}, 1, Value{}},
		{"fcmp", []uint32{pair, 0x1e612000}, 0, at(blockBased, 0, 0)},
		{"ccmp", []uint32{pair, 0xfa421020}, 0, at(blockBased, 0, 0)},
		{"an index", []uint32{0xf8637841}, 1, Value{}},
		{"mrs", []uint32{pair, 0xd53bd041}, 1, Value{}},
		{"madd", []uint32{0x9b020c20}, 0, Value{}},
		{"a block of memory", []uint32{0x19010440}, 0, Value{}},
		{"a literal", []uint32{slot, 0x58fff823}, 3, Value{}},
		{"a prefetch", []uint32{0xf9800020}, 0, at(blockBased, 0, 0)},
		{"an exclusive load", []uint32{pair, 0x885f7c41}, 1, Value{}},
		{"a store over half", []uint32{enter, pair, 0xfd0013e2, 0xf90013f4, put, 0xf94013ee}, 14, at(SlotBased, 1, 0)}, // str x20, [sp, 32]; at 40 it is beside
		{"a store over it", []uint32{enter, pair, 0xf90013f4, 0xb90023e3, 0xf94013ee}, 14, Value{}},                    // str w3, [sp, 32]
		{"a vector over it", []uint32{enter, pair, 0xf90013f4, 0x3d800be0, 0xf94013ee}, 14, Value{}},                   // str q0, [sp, 32]
		{"zero over it", []uint32{enter, pair, 0xf90013f4, 0xf90013ff, 0xf94013ee}, 14, Value{}},                       // str xzr, [sp, 32]
		{"an exchange with it", []uint32{enter, pair, 0xf90013f4, 0xf82183ff, 0xf94013ee}, 14, Value{}},                // swp x1, xzr, [sp]
	} {
		s := AArch64.OutlinedState()
		for i, w := range c.words {
			code := binary.LittleEndian.AppendUint32(nil, w)
			in, ok := AArch64.decode(code, 0x1000)
			if !ok {
				t.Fatalf("%s: %08x is no instruction", c.name, w)
			}
			s.run(in, i)
		}
		if got := s.Register(c.register); got != c.want {
			t.Errorf("%s: register %d has %+v, want %+v", c.name, c.register, got, c.want)
		}
	}
}

// Where instructions go.
func TestAArch64Ways(t *testing.T) {
	for _, c := range []struct {
		name string
		word uint32
		way  way
		to   uint64 // 0: not fixed
	}{
		{"cbz", 0xb4fffc20, branching, 0x1000 - 0x7c},
		{"b.ne", 0x54fffc01, branching, 0x1000 - 0x80},
		{"tbnz", 0x371ffbe0, branching, 0x1000 - 0x84},
		{"bl", 0x97ffffde, calling, 0x1000 - 0x88},
		{"blr", 0xd63f0020, calling, 0},
		{"br", 0xd61f0040, jumping, 0},
		{"ret", 0xd65f03c0, ending, 0},
		{"b", 0x17ffffda, jumping, 0x1000 - 0x98},
		{"udf", 0x00000000, ending, 0},
		{"brk", 0xd4207d00, ending, 0},
		{"retaa", 0xd65f0bff, ending, 0},
		{"braa", 0xd71f0822, jumping, 0},
		{"paciasp", 0xd503233f, onward, 0},
		{"stp", 0xa9bd7bfd, onward, 0},
	} {
		in, ok := AArch64.decode(binary.LittleEndian.AppendUint32(nil, c.word), 0x1000)
		if !ok || in.way != c.way || in.fixed != (c.to != 0) || in.to != c.to {
			t.Errorf("%s: %+v", c.name, in)
		}
	}
	if _, ok := AArch64.decode([]byte{0, 0, 0}, 0); ok {
		t.Error("three bytes are an instruction")
	}
}
