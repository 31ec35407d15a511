package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/collector/regular"
	"golang.org/x/sys/unix"
)

// Process is the capture of one process: its folder, which may still grow. Its
// methods may be used from several goroutines.
type Process struct {
	Dir         string
	PID         int
	ParentPID   int
	StartTicks  uint64 // process start, as in /proc/PID/stat
	Program     string // the executable's path
	Name        string // the kernel's name of the process (comm) when the capture began
	Arguments   []string
	Directory   string // the current folder when the library was loaded
	Host        string
	Machine     string            // as uname -m
	Boot        string            // the kernel's boot id
	Environment map[string]string // the launcher's variables (OMPI_COMM_WORLD_RANK, SLURM_PROCID, …) TRACEPARENT and TRACESTATE
	Rejected    []string          // settings that were not understood, as NAME=value
	Filters     Filters

	// Warn is told what leaves places and names of events out. It is called from the
	// goroutine that reads a stream, and may be nil.
	Warn func(string)

	control *handle
	clock   atomic.Pointer[clock]

	mu       sync.Mutex
	readings uint64 // of the control file, known to clock
	streams  map[string]*Stream
	names    stringTable
	places   places
}

// Filters are what the recording was restricted to; zero values mean all.
type Filters struct {
	Events          string // as given in ACCSCOPE_EVENTS
	MinimumBytes    uint64
	Queue           string // as given in ACCSCOPE_QUEUE
	LastBytes       uint64 // flight recorder: the newest bytes
	LastNanoseconds uint64 // flight recorder: the newest time
	Mask            uint64 // events that are recorded: a bit for each kind, bit 63 for errors
}

// Counters is the state of a capture at one moment.
type Counters struct {
	On               bool // capture is switched on
	Epoch            uint32
	Exited           bool  // the process ended by exit or quick_exit
	QuickExit        bool  // by quick_exit
	ExitTime         int64 // CLOCK_MONOTONIC, if Exited
	Status           int   // of its exit, if Exited; -1: not known
	LimitBytes       uint64
	AllocatedBytes   uint64 // of all chunks ever
	RecycledBytes    uint64 // given back by the flight recorder
	ReleasedBytes    uint64 // given back by Stream.Release
	DroppedSpace     uint64 // events dropped: no space
	DroppedNested    uint64 // events dropped: handlers nested too deep
	DroppedThreads   uint64 // events dropped: too many threads
	Waits            uint64
	WaitNanoseconds  uint64
	Threads          uint64 // ever seen
	Rings            uint64
	TimeStampCounter bool // times are of the invariant time-stamp counter
	// DroppedOperations are what devices did, dropped: no space. No event is among them.
	DroppedOperations uint64
	TellsToggles      bool // the runtime tells when callbacks are switched
	switched          [switches]int64
}

// StartedOff says whether capture was off when it began, as far as that is known.
func (c *Counters) StartedOff() bool {
	return c.Epoch >= disarmed && c.Epoch < switches && c.switched[disarmed] == 0
}

// Switched is when capture was switched to an epoch, CLOCK_MONOTONIC. It is not known of one
// that began with the capture, or that many others came after.
func (c *Counters) Switched(epoch uint32) (at int64, known bool) {
	if epoch > c.Epoch || c.Epoch-epoch >= switches {
		return 0, false
	}
	at = c.switched[epoch%switches]
	return at, at != 0
}

// Dropped is the number of events lost, for whatever reason.
func (c Counters) Dropped() uint64 { return c.DroppedSpace + c.DroppedNested + c.DroppedThreads }

// ErrNotStarted means that the folder holds no capture yet: the process is
// still setting it up, or died while it did.
var ErrNotStarted = errors.New("the capture has not started")

// Is says whether dir is a capture folder, whole or damaged.
func Is(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, processFile))
	return err == nil && info.Mode().IsRegular()
}

// Remove deletes a capture folder. What makes it one goes last: a folder whose
// removal was cut short is still a capture.
func Remove(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == processFile {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// Open reads a process's capture folder. The error wraps ErrNotStarted where
// the recorded process has not finished setting it up.
func Open(dir string) (*Process, error) {
	file, err := openHandle(filepath.Join(dir, processFile))
	if errors.Is(err, fs.ErrNotExist) {
		if _, stat := os.Stat(dir); stat != nil {
			return nil, fmt.Errorf("open capture: %w", stat)
		}
		return nil, fmt.Errorf("open capture %s: %w (no file %q in it)", dir, ErrNotStarted, processFile)
	}
	if err != nil {
		return nil, fmt.Errorf("open capture: %w", err)
	}
	p := &Process{
		Dir: dir, control: file, Environment: map[string]string{},
		streams: map[string]*Stream{}, names: stringTable{ids: map[string]StringID{}},
	}
	p.places = places{process: p, sites: map[uint32]*place{}, warned: map[string]bool{}}
	for _, read := range []func() error{p.readHeader, p.readInfo, p.refreshClock} {
		if err := read(); err != nil {
			file.Close()
			return nil, err
		}
	}
	return p, nil
}

// Close closes the capture's files.
func (p *Process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.places.close()
	err := p.control.Close()
	for _, s := range p.streams {
		if s.file != nil {
			err = errors.Join(err, s.file.Close())
		}
	}
	return err
}

func (p *Process) readHeader() error {
	var b [sizeOfProcess]byte
	n, err := p.control.ReadAt(b[:], 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read capture: %w", err)
	}
	le := binary.LittleEndian
	name := p.control.path
	switch magic := le.Uint64(b[:]); {
	case n == 0:
		return fmt.Errorf("open capture %s: %w", p.Dir, ErrNotStarted)
	case n < len(b):
		return &CorruptError{name, int64(n), "the file ends in its header"}
	case magic == 0:
		return fmt.Errorf("open capture %s: %w", p.Dir, ErrNotStarted)
	case binary.BigEndian.Uint64(b[:]) == processMagic:
		return &CorruptError{name, 0, "recorded on a host of the other byte order; read it on one of that kind"}
	case magic != processMagic:
		return &CorruptError{name, 0, "not a capture of accscope"}
	}
	// The magic is written last, but what was read with it may have been read before it.
	if _, err := p.control.ReadAt(b[:], 0); err != nil {
		return fmt.Errorf("read capture: %w", err)
	}
	if v := le.Uint32(b[atProcessVersion:]); v != Version {
		return &CorruptError{name, atProcessVersion, fmt.Sprintf("capture format %d, this accscope reads %d; use the accscope that recorded it", v, Version)}
	}
	p.PID = int(int32(le.Uint32(b[atProcessPID:])))
	p.ParentPID = int(int32(le.Uint32(b[atProcessParentPID:])))
	p.StartTicks = le.Uint64(b[atProcessStartTicks:])
	p.clock.Store(&clock{counter: le.Uint32(b[atProcessClock:]) == clockCounter, slope: 1})
	p.Filters.LastBytes = le.Uint64(b[atProcessLastBytes:])
	p.Filters.LastNanoseconds = le.Uint64(b[atProcessLastNanoseconds:])
	p.Filters.MinimumBytes = le.Uint64(b[atProcessMinimumBytes:])
	p.Filters.Mask = le.Uint64(b[atProcessEventMask:])
	return nil
}

// Counters reads the capture's present state.
func (p *Process) Counters() (Counters, error) {
	var b [sizeOfProcess]byte
	if _, err := p.control.ReadAt(b[:], 0); err != nil {
		return Counters{}, fmt.Errorf("read capture %s: %w", p.Dir, err)
	}
	le := binary.LittleEndian
	if le.Uint32(b[atProcessEnded:]) != 0 {
		// When it ended is written before that it did, but what one look finds of the two
		// it may have read in any order.
		if _, err := p.control.ReadAt(b[:], 0); err != nil {
			return Counters{}, fmt.Errorf("read capture %s: %w", p.Dir, err)
		}
	}
	word := func(offset int) uint64 { return le.Uint64(b[offset:]) }
	c := Counters{
		Epoch:          le.Uint32(b[atProcessArmed:]),
		Exited:         le.Uint32(b[atProcessEnded:]) == endExit || le.Uint32(b[atProcessEnded:]) == endQuickExit,
		QuickExit:      le.Uint32(b[atProcessEnded:]) == endQuickExit,
		LimitBytes:     word(atProcessLimitBytes),
		AllocatedBytes: word(atProcessAllocatedBytes), RecycledBytes: word(atProcessRecycledBytes), ReleasedBytes: word(atProcessReleasedBytes),
		DroppedSpace: word(atProcessDroppedSpace), DroppedNested: word(atProcessDroppedNested), DroppedThreads: word(atProcessDroppedThreads),
		Waits: word(atProcessWaits), WaitNanoseconds: word(atProcessWaitNanoseconds),
		Threads: word(atProcessThreads), Rings: word(atProcessRings),
		TimeStampCounter:  le.Uint32(b[atProcessClock:]) == clockCounter,
		DroppedOperations: word(atProcessDroppedOperations), TellsToggles: word(atProcessTellsToggles) != 0,
	}
	for epoch := range uint32(switches) {
		c.switched[epoch] = int64(word(int(placeOfSwitch(epoch))))
	}
	c.On = c.Epoch&1 == 1
	if status := word(atProcessExitStatus); status != 0 {
		c.Status = int(status & 255)
	} else {
		c.Status = -1
	}
	if c.Exited {
		c.ExitTime = p.clock.Load().monotonic(word(atProcessEndTicks))
	}
	return c, nil
}

// fileLimit is more than the library writes into the files info and modules.
const fileLimit = 16 << 20

// readFile reads one of the folder's small files, nothing if it is not there.
func (p *Process) readFile(name string) ([]byte, error) {
	file, err := regular.Open(filepath.Join(p.Dir, name), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, fileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	if len(data) > fileLimit {
		return nil, &CorruptError{file.Name(), fileLimit, "the file goes on where no capture's does"}
	}
	return data, nil
}

func (p *Process) readInfo() error {
	data, err := p.readFile(infoFile)
	if err != nil {
		return err
	}
	texts := map[string]*string{"program": &p.Program, "name": &p.Name, "directory": &p.Directory, "host": &p.Host, "machine": &p.Machine,
		"boot": &p.Boot, "events": &p.Filters.Events, "queue": &p.Filters.Queue}
	for fact := range strings.SplitSeq(string(data), "\x00") {
		key, value, ok := strings.Cut(fact, "=")
		switch text := texts[key]; {
		case !ok, key == "min_bytes", key == "last":
			// of the last two the control file has the number
		case text != nil:
			*text = value
		case key == "argument":
			p.Arguments = append(p.Arguments, value)
		case key == "rejected":
			p.Rejected = append(p.Rejected, value)
		default:
			p.Environment[key] = value
		}
	}
	return nil
}

// Rank is the process's rank in its MPI job, if it was started as one.
func (p *Process) Rank() (rank int, ok bool) {
	return RankOf(func(name string) string { return p.Environment[name] })
}

// RankOf is the rank that the variables of MPI's launcher or of the batch system tell, if
// they tell one. Slurm's script of a job has the variables of a task, too, but those of a step
// (sbatch(1), srun(1)): what it starts itself is no rank.
func RankOf(variable func(name string) string) (rank int, ok bool) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "FLUX_TASK_RANK", "JOB_COMPLETION_INDEX"} {
		if name == "SLURM_PROCID" && variable("SLURM_STEP_ID") == "" {
			continue
		}
		if rank, err := strconv.Atoi(variable(name)); err == nil && rank >= 0 {
			return rank, true
		}
	}
	return 0, false
}

// Alive reports whether the recorded process still runs on this host.
func (p *Process) Alive() bool {
	if boot := OwnBoot(); boot == "" || boot != p.Boot {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return false
	}
	// The program's name may hold any character: the last parenthesis ends it.
	rest := string(stat[bytes.LastIndexByte(stat, ')')+1:])
	fields := strings.Fields(rest) // from field 3
	if len(fields) < 20 || fields[0] == "X" {
		return false
	}
	// A process whose main thread has ended is a zombie with threads that run.
	if threads, err := strconv.Atoi(fields[17]); fields[0] == "Z" && (err != nil || threads <= 1) {
		return false
	}
	start, err := strconv.ParseUint(fields[19], 10, 64)
	return err == nil && start == p.StartTicks
}

// OwnBoot is this host's boot id, as the kernel has it; "" if it can't be had.
func OwnBoot() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot))
}

// OwnHost is this host's name, as captures have it; "" if it can't be had.
func OwnHost() string {
	var names unix.Utsname
	if unix.Uname(&names) != nil {
		return ""
	}
	return unix.ByteSliceToString(names.Nodename[:])
}

// Replaced reports whether the recorded process, which is alive, runs another
// program by now (exec): it does not map the capture any more.
func (p *Process) Replaced() bool {
	running, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
	if err != nil || running == p.Program {
		return false
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.PID))
	return err == nil && len(maps) > 0 && !bytes.Contains(maps, []byte("/"+filepath.Base(p.Dir)+"/"+processFile))
}

// Comm is the name that the kernel has of the process, which is alive; a program may
// change it, and another one that it goes on as (exec) does. "" if it can't be had.
func (p *Process) Comm() string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(name), "\n")
}

// Realtime converts a time of this capture to CLOCK_REALTIME, in nanoseconds.
func (p *Process) Realtime(monotonic int64) int64 { return p.clock.Load().realtime(monotonic) }

// Begun is when the capture began, CLOCK_MONOTONIC of the recording host.
func (p *Process) Begun() int64 {
	for _, r := range p.clock.Load().readings {
		return r.monotonic
	}
	return p.clock.Load().monotonic(0) // of a damaged one
}

// RealtimeOffset is CLOCK_REALTIME minus CLOCK_MONOTONIC of the recording host, as last
// read there: in nanoseconds, 0 if never.
func (p *Process) RealtimeOffset() int64 { return p.clock.Load().realtimeOffset() }

// refreshClock takes in the clock readings made since the last time.
func (p *Process) refreshClock() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var count [8]byte
	if _, err := p.control.ReadAt(count[:], atProcessClockReadings); err != nil {
		return fmt.Errorf("read capture %s: %w", p.Dir, err)
	}
	total := binary.LittleEndian.Uint64(count[:])
	if total == p.readings {
		return nil
	}
	var looks [2][]byte
	for i := range looks {
		looks[i] = make([]byte, (clockFirst+clockLater)*sizeOfClock)
		n, err := p.control.ReadAt(looks[i], clockOffset)
		if err != nil && err != io.EOF {
			return fmt.Errorf("read capture %s: %w", p.Dir, err)
		}
		looks[i] = looks[i][:n]
	}
	fresh := settled(looks[0], looks[1], p.readings, total)
	p.readings = total
	p.clock.Store(p.clock.Load().with(fresh))
	return nil
}

func (p *Process) addReading(r reading) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock.Store(p.clock.Load().with([]reading{r}))
}

// Streams returns the streams of all ring files that exist by now, in the order
// of their numbers; those that an earlier call returned are the same.
func (p *Process) Streams() ([]*Stream, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, fmt.Errorf("read capture: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, ringPrefix) || p.streams[name] != nil {
			continue
		}
		file, err := openHandle(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, fmt.Errorf("read capture: %w", err)
		}
		s := newStream(p, file, file.path)
		s.file, s.Name = file, name
		p.streams[name] = s
	}
	all := slices.SortedFunc(maps.Values(p.streams), func(a, b *Stream) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
