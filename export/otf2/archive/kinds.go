package archive

// Ref is the number of a definition among those of its kind.
type Ref uint32

// None is the number of no definition.
const None Ref = 1<<32 - 1

// Type is that of a value.
type Type uint8

// Types of values.
const (
	Uint8    Type = 1
	Uint64   Type = 4
	Int64    Type = 8
	Text     Type = 11 // a string's definition
	Location Type = 20 // a source code location's definition
)

// Paradigm is what a region belongs to.
type Paradigm uint8

// Paradigms.
const (
	User    Paradigm = 1
	MPI     Paradigm = 4
	OpenACC Paradigm = 18
)

// ParadigmClass is what a paradigm's parallelism is made of.
type ParadigmClass uint8

// Classes of paradigms.
const (
	Processes    ParadigmClass = 0
	Accelerators ParadigmClass = 3
)

// Role is what a region does.
type Role uint8

// Roles of regions.
const (
	RoleUnknown      Role = 0
	RoleFunction     Role = 1
	RoleWrapper      Role = 2
	RoleCode         Role = 4
	RoleBarrier      Role = 15
	RoleTaskCreate   Role = 21
	RoleTaskWait     Role = 22
	RoleOneToAll     Role = 23
	RoleAllToOne     Role = 24
	RoleAllToAll     Role = 25
	RoleCollective   Role = 26
	RolePointToPoint Role = 28
	RoleTransfer     Role = 30
)

// GroupType is what a group of locations is.
type GroupType uint8

// Types of location groups.
const (
	Process     GroupType = 1 // threads, and metrics
	Accelerator GroupType = 2 // streams of a device under a process, and metrics
)

// LocationType is what a location is.
type LocationType uint8

// Types of locations.
const (
	Thread LocationType = 1
	Queue  LocationType = 2 // of an accelerator
	Metric LocationType = 3 // nothing but values of metrics
)

// Domain is what a node of the system tree is.
type Domain uint8

// Domains of nodes.
const (
	Machine      Domain = 0
	SharedMemory Domain = 1
	Device       Domain = 7
)

// Scope is what a metric's values are of.
type Scope uint8

// Scopes of metrics.
const (
	ScopeGroup Scope = 1 // a location group
	ScopeNode  Scope = 2 // a node of the system tree
)
