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
	// begins at the address; Size then counts these, and no bytes.
	Structure bool
	// Role is what the directive asks for.
	Role Role
}

// A Role is what a directive asks for with a mapping, as far as its text tells it too. It is
// unknown of the argument of a routine, and in captures of earlier versions.
type Role uint8

const (
	RoleUnknown Role = iota
	Alloc
	To
	From
	ToFrom
	Present
	IfPresent
	DevicePointer
	Release
	UseDevice
	Empty   // a section that may have no bytes
	Pointer // Follows: of the pointer or descriptor of a variable
	Attach  // Follows: of the pointer or descriptor that is a component
	Members // Structure
	Other
)
