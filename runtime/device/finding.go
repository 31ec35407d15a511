package device

// FindingKind is what is wrong.
type FindingKind string

// The kinds of findings.
const (
	FindingOutOfBounds   FindingKind = "out-of-bounds"
	FindingNotMapped     FindingKind = "not-mapped"
	FindingMisaligned    FindingKind = "misaligned"
	FindingUninitialised FindingKind = "uninitialised"
	FindingRace          FindingKind = "race"
	FindingQueueRace     FindingKind = "queue-race"
	FindingStaleOnDevice FindingKind = "stale-on-device"
	FindingStaleOnHost   FindingKind = "stale-on-host"
	FindingLostWrite     FindingKind = "lost-write"
	FindingBarrier       FindingKind = "barrier"
	FindingTrap          FindingKind = "trap"
	FindingDiffers       FindingKind = "differs"
	// FindingChecked is none: Count accesses of Bytes in all were looked at, and Where says what was
	// not.
	FindingChecked FindingKind = "checked"
)

// A Finding is the first of equal mistakes, and how often they were met.
type Finding struct {
	Number  int // among those of the device, from 0
	Kind    FindingKind
	Address Address
	Bytes   uint64
	Side          // the access that was found wrong
	Other   *Side // the other access, nil where there is none
	// Of addresses that are no memory: where they lie, and the allocation before them, 0 bytes
	// where there is none. Of what ends a kernel, what it does; of what differs, both values; of
	// FindingChecked a line for each thing that was not.
	Where     string
	Near      Address
	NearBytes uint64
	Later     bool // it may be meant so: of what is stale on the device, it was brought up to date after that
	Mixed     bool // of what is stale: the other side has changed other parts of the same memory
	Gone      bool // of what is stale on the host: it is not on the device any more
	Equal     bool // of races: all writes wrote what was there
	Count     uint64
	// Of FindingChecked: whether the accesses of the host's code were seen, and how many of them
	// were to memory that is on the device or was.
	HostSeen     bool
	HostAccesses uint64
}

// A Side is an access of a lane of a kernel, or of the host's code, or a transfer.
type Side struct {
	Operation     ActivityKind // 0: the host's code
	Returned      uintptr      // of that, behind the access; 0: not known
	Kernel, File  string       // "" where not known, as Function
	Function      string       // of the host's code
	Line          int
	Store, Atomic bool
	Gang          uint32
	Worker, Lane  int    // -1 where not known, or of a transfer
	Correlation   uint64 // of the operation
}
