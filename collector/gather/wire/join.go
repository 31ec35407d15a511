package wire

// What an agent asks once, before it sends: which of the job's collectors takes its
// batches. It keeps to that one for good.

// Join is an agent's question, in JSON, on JoinSubject.
type Join struct {
	Version int    `json:"version"`
	Agent   string `json:"agent"`
	Host    string `json:"host"`
	Job     string `json:"job,omitempty"` // that the agent's address names, else its batch system's
	Ranks   []int  `json:"ranks,omitempty"`
	Boot    string `json:"boot,omitempty"`  // the kernel's boot id
	Clock   bool   `json:"clock,omitempty"` // the agent asks for the time, and its batches have samples
}

// Joined is the answer.
type Joined struct {
	Gather  string `json:"gather"`            // the collector's name
	Refused string `json:"refused,omitempty"` // why not; the agent sends nothing then
	Stray   bool   `json:"stray,omitempty"`   // refused, as an agent of another job
	At      string `json:"at,omitempty"`      // the collector is at this address: the agent asks there
}

// Ours is what a collector tells the job's others, in JSON, on OursSubject: which agents
// send to it. An agent that did not hear the answer of the collector that it asked first
// asks again, and may get another one: the first is not to wait for it. A collector that
// has agents which were announced and sent nothing asks the others for them by Ours on
// WhoseSubject.
type Ours struct {
	Gather string   `json:"gather"`
	Agents []string `json:"agents"`
}

// State is what a collector tells the job's others of its share, in JSON, on StateSubject:
// a job's end is that of all its agents, whosever they are.
type State struct {
	Gather string `json:"gather"`
	Agents int    `json:"agents"`
	Ended  int    `json:"ended"` // of them
	Ranks  int    `json:"ranks"`
	Quiet  int64  `json:"quiet"`          // ns since something came; -1: nothing came yet
	Done   bool   `json:"done,omitempty"` // it takes nothing more
	Machine
}

// Machine is a collector's: the others ask for its time as agents do, and have its name and
// when it was started from here.
type Machine struct {
	Host           string `json:"host,omitempty"`
	Boot           string `json:"boot,omitempty"`            // the kernel's boot id
	RealtimeOffset int64  `json:"realtime_offset,omitempty"` // CLOCK_REALTIME minus CLOCK_MONOTONIC, ns
}

// StateSubject is where collectors tell that.
func StateSubject(job string) string { return "accscope." + job + ".state" }

// AgentsAtOnce is how many agents are told of at once.
const AgentsAtOnce = 1024

// OursSubject is where collectors tell which agents send to them.
func OursSubject(job string) string { return "accscope." + job + ".ours" }

// WhoseSubject is where they ask which of some agents send to others.
func WhoseSubject(job string) string { return "accscope." + job + ".whose" }

// Time is what a collector answers who asks for the time: its CLOCK_MONOTONIC, ns, when the
// question came and when the answer went.
type Time struct {
	Received int64 `json:"received"`
	Answered int64 `json:"answered"`
}

// TimeSubject is where agents and the other collectors ask a collector for the time.
func TimeSubject(job, gather string) string { return "accscope." + job + ".time." + gather }

// JoinSubject is where agents of a job ask; each question goes to one collector.
func JoinSubject(job string) string { return "accscope." + job + ".join" }

// AssignSubject is where a collector has another one say who answers.
func AssignSubject(job, gather string) string { return "accscope." + job + ".assign." + gather }

// JoinSubjectOf is where a collector has another one answer.
func JoinSubjectOf(job, gather string) string { return JoinSubject(job) + "." + gather }

// BatchSubject is where an agent's batches for a collector go; "*" for the agent stands
// for all of them.
func BatchSubject(job, gather, agent string) string {
	return "accscope." + job + ".batch." + gather + "." + agent
}

// StreamName is the stream that keeps a collector's batches.
func StreamName(job, gather string) string { return "accscope-" + job + "-" + gather }
