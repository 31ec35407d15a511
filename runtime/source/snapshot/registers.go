package snapshot

// Memory reads memory of the process that a frame belongs to. It must fail,
// not fault, when the range cannot be read.
type Memory func(address uint64, to []byte) error

// Registers are the registers of a function at a call, by their DWARF number (see
// Processor). Those that the callee may have changed are of no use; the stack pointer is the one after the call returned.
type Registers struct {
	known uint32
	value [32]uint64
}

// Set records a register's value.
func (r *Registers) Set(number int, v uint64) {
	if number >= 0 && number < len(r.value) {
		r.value[number] = v
		r.known |= 1 << number
	}
}

// Get gives a register's value; false where it is not known.
func (r *Registers) Get(number int) (uint64, bool) {
	if number < 0 || number >= len(r.value) || r.known&(1<<number) == 0 {
		return 0, false
	}
	return r.value[number], true
}
