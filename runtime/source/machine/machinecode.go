package machine

import "golang.org/x/arch/x86/x86asm"

// dwarfRegister gives the DWARF number of a register and its width in bytes,
// -1 for registers that are not tracked.
func dwarfRegister(r x86asm.Reg) (number, width int) {
	general := [16]int{0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15}
	switch {
	case r >= x86asm.RAX && r <= x86asm.R15:
		return general[r-x86asm.RAX], 8
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return general[r-x86asm.EAX], 4
	case r >= x86asm.AX && r <= x86asm.R15W:
		return general[r-x86asm.AX], 2
	case r >= x86asm.AL && r <= x86asm.BL:
		return general[r-x86asm.AL], 1
	case r >= x86asm.AH && r <= x86asm.BH:
		return general[r-x86asm.AH], 1
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return general[r-x86asm.SPB+4], 1
	case r >= x86asm.X0 && r <= x86asm.X15:
		return 17 + int(r-x86asm.X0), 16
	}
	return -1, 0
}

// x86Decode decodes one instruction; false at the first bytes that are none.
func x86Decode(code []byte, pc uint64) (instruction, bool) {
	in := instruction{pc: pc, killed: [3]int{-1, -1, -1}}
	i, err := x86asm.Decode(code, 64)
	if err == nil && i.Len > 0 && i.Op != 0 {
		in.inst, in.length = i, i.Len
		in.way = x86Way(i.Op)
		if rel, ok := i.Args[0].(x86asm.Rel); ok {
			in.to, in.fixed = pc+uint64(i.Len)+uint64(int64(rel)), true
			if in.way == onward {
				in.way = branching
			}
		}
		return in, true
	}
	// endbr64 and the vector extensions are not in the decoder's tables.
	if len(code) >= 4 && code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] >= 0xc0 {
		in.length, in.opaque = 4, true
		return in, true
	}
	return vectorInstruction(code, in)
}

// vectorInstruction measures an instruction with a VEX or EVEX prefix (Intel
// 64 and IA-32 Architectures Software Developer's Manual, volume 2, §2.3, §2.7).
func vectorInstruction(code []byte, in instruction) (instruction, bool) {
	if len(code) < 4 {
		return in, false
	}
	var prefix int
	var group, high, second byte // opcode map; extension bits of reg and rm
	var operand int              // the third operand
	switch code[0] {
	case 0xc5:
		prefix, group = 2, 1
		high = ^code[1] >> 7 & 1
		operand = int(^code[1] >> 3 & 15)
	case 0xc4:
		prefix, group = 3, code[1]&0x1f
		high, second = ^code[1]>>7&1, ^code[1]>>5&1
		operand = int(^code[2] >> 3 & 15)
	case 0x62:
		prefix, group = 4, code[1]&0x07
		high, second = ^code[1]>>7&1, ^code[1]>>5&1
		operand = int(^code[2] >> 3 & 15)
	default:
		return in, false
	}
	if len(code) < prefix+1 {
		return in, false
	}
	opcode := code[prefix]
	n := prefix + 1
	in.opaque = true
	if group == 1 && opcode == 0x77 { // vzeroupper
		in.length = n
		return in, true
	}
	if len(code) < n+1 || group == 0 || group > 3 {
		return in, false
	}
	modrm := code[n]
	n++
	mode, reg, rm := modrm>>6, int(modrm>>3&7)|int(high)<<3, int(modrm&7)|int(second)<<3
	if mode != 3 {
		if modrm&7 == 4 {
			if len(code) < n+1 {
				return in, false
			}
			if mode == 0 && code[n]&7 == 5 {
				n += 4
			}
			n++
		} else if mode == 0 && modrm&7 == 5 {
			n += 4
		}
		switch mode {
		case 1:
			n++
		case 2:
			n += 4
		}
	}
	if group == 3 || group == 1 && (opcode >= 0x70 && opcode <= 0x73 || opcode == 0xc2 || opcode >= 0xc4 && opcode <= 0xc6) {
		n++
	}
	if n > len(code) {
		return in, false
	}
	in.length = n
	general := [16]int{0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15}
	in.killed[0], in.killed[2] = general[reg&15], general[operand&15]
	if mode == 3 {
		in.killed[1] = general[rm&15]
	}
	return in, true
}

func x86Way(op x86asm.Op) way {
	switch op {
	case x86asm.JMP:
		return jumping
	case x86asm.CALL:
		return calling
	case x86asm.RET, x86asm.UD2, x86asm.HLT:
		return ending
	}
	return onward
}
