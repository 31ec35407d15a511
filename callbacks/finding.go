package callbacks

// Finding is what an accscope_activity_finding's name has, as a JSON object: an access to a
// device's memory with which something is wrong, the first of those that are alike, and how
// many they were so far.
type Finding struct {
	Device  int32  `json:"device"`          // its number
	Number  int    `json:"number"`          // among the device's, from 0
	Kind    string `json:"kind"`            // out-of-bounds, race, ... (device.FindingKind)
	Count   uint64 `json:"count"`           // of such accesses
	Equal   bool   `json:"equal,omitempty"` // of races: each write wrote what was there
	Later   bool   `json:"later,omitempty"` // it may be meant so: of what is stale on the device, it was brought up to date after that
	Mixed   bool   `json:"mixed,omitempty"` // of what is stale: the other side has changed other parts of the same memory
	Gone    bool   `json:"gone,omitempty"`  // of what is stale on the host: it is not on the device any more
	Address uint64 `json:"address"`         // of the device
	Bytes   uint64 `json:"bytes"`
	Access
	Other *Access `json:"other,omitempty"` // null where there is none
	Where string  `json:"where,omitempty"` // of an address that is no memory: where it lies; of what ends a kernel: what it does; of what differs: both values
	// The allocation before such an address; 0 bytes: there is none.
	Near      uint64 `json:"near,omitempty"`
	NearBytes uint64 `json:"near_bytes,omitempty"`
	// Of what was checked: whether the accesses of the host's code were seen, and how many.
	HostSeen     bool   `json:"host_seen,omitempty"`
	HostAccesses uint64 `json:"host_accesses,omitempty"`
}

// Access is one side of a finding: of a lane of a kernel, of the host's code, or of a transfer.
type Access struct {
	Host        bool         `json:"host,omitempty"` // of the host's code
	Operation   ActivityKind `json:"operation"`
	Correlation uint64       `json:"correlation"` // ActivityRecord.Correlation of it; 0: it has none
	Kernel      string       `json:"kernel,omitempty"`
	Function    string       `json:"function,omitempty"` // of the host's code
	File        string       `json:"file,omitempty"`     // "" and 0 where not known
	Line        int          `json:"line,omitempty"`
	Store       bool         `json:"store,omitempty"` // it writes
	Atomic      bool         `json:"atomic,omitempty"`
	Gang        uint32       `json:"gang"`
	Worker      int          `json:"worker"` // -1 where not known, as Lane
	Lane        int          `json:"lane"`
}
