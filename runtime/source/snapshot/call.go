package snapshot

// Call is one call of the runtime that the program made: what its place and the
// names of its variables are found from.
type Call struct {
	ReturnAddress uint64
	Function      uint64 // outlined function of a compute construct, else 0
	Registers     Registers
	Entries       []Entry
	Memory        Memory // as it was at the call
}

// Entry is one mapping of a compute construct or data directive.
type Entry struct {
	Address uint64 // on the host
	Size    uint64
	// Follows tells that the mapping belongs to the one before it: a pointer,
	// descriptor or attachment that goes with mapped data.
	Follows bool
	// Structure tells that the mapping announces members of a structure that
	// begins at the address; Size then counts no bytes.
	Structure bool
}
