package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/accscope/accscope/runtime/source/snapshot"
)

// ErrNoModule reports an address that lies in no file of the process.
var ErrNoModule = errors.New("no module holds the address")

// Module is one file that a process has loaded.
type Module struct {
	Path    string
	Bias    uint64 // run-time address less address in the file
	Low     uint64 // run-time addresses [Low, High); High 0 takes them from the file
	High    uint64
	BuildID string // hexadecimal; "" checks nothing
}

// Process resolves run-time addresses. It is safe for use by several
// goroutines.
type Process struct {
	roots []string
	live  bool
	maps  string // file that lists the mappings of a live process

	mu       sync.Mutex
	modules  []loaded // sorted by Low
	inodes   map[string]inode
	images   map[string]opened // by path
	lastRead time.Time

	locations cache[uint64, answer[Location]]
	kernels   cache[uint64, answer[Kernel]]
	globals   cache[uint64, answer[Global]]

	directives cache[string, map[int]*Directive] // by file, of each by line
	routines   cache[string, []*Directive]       // calls of routines, by file
	shared     cache[uint64, []*Directive]       // by call (others)
}

// loaded is a module of which, when pending, only the file offset of its first
// address is known yet, not its bias.
type loaded struct {
	Module
	offset  uint64
	pending bool
}

type inode struct{ number uint64 }

type opened struct {
	image *Image
	err   error
}

// answer is one of those that are kept.
type answer[V any] struct {
	value V
	err   error
}

// Results kept for each sort of question.
const maxCached = 1 << 16

// NewProcess resolves addresses of the running process. Libraries that are
// opened later are found when an address of theirs is asked for.
func NewProcess() *Process {
	p := newProcess()
	p.live, p.maps = true, "/proc/self/maps"
	return p
}

// FromModules resolves addresses of a recorded process. A file whose build-id
// is not the recorded one resolves nothing: its addresses give ErrBinaryChanged.
func FromModules(modules []Module) *Process {
	p := newProcess()
	for _, m := range modules {
		if o := p.open(m); o.image != nil {
			low, high := o.image.extent()
			if m.High == 0 {
				m.Low = low + m.Bias
			}
			m.High = max(m.High, high+m.Bias) // the data follow the code
		}
		p.modules = append(p.modules, loaded{Module: m})
	}
	sort.SliceStable(p.modules, func(i, j int) bool { return p.modules[i].Low < p.modules[j].Low })
	return p
}

func newProcess() *Process {
	return &Process{roots: debugRoots(), images: map[string]opened{}, inodes: map[string]inode{}}
}

// Close unmaps every file.
func (p *Process) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.images {
		if o.image != nil {
			o.image.Close()
		}
	}
	p.images = map[string]opened{}
	p.modules = nil
	p.forgetLocked()
}

// Refresh forgets what is known of the process's files, which must follow
// dlclose: another library may be loaded at the same addresses.
func (p *Process) Refresh() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgetLocked()
	if !p.live {
		return nil
	}
	return p.readMaps()
}

func (p *Process) forgetLocked() {
	p.locations.clear()
	p.kernels.clear()
	p.globals.clear()
	p.directives.clear()
	p.routines.clear()
	p.shared.clear()
}

// Most data are in no file: after a miss the mappings are not read again for
// this long on behalf of another address of data. Code always is in a file.
const dataPause = 20 * time.Millisecond

// resolve gives the image that holds a run-time address, and the address in
// the terms of that file.
func (p *Process) resolve(address uint64, code bool) (*Image, Module, uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.module(address)
	if !ok && p.live && (code || time.Since(p.lastRead) > dataPause) {
		if err := p.readMaps(); err != nil {
			return nil, Module{}, 0, err
		}
		i, ok = p.module(address)
	}
	if !ok {
		return nil, Module{}, 0, ErrNoModule
	}
	o := p.settle(i)
	m := p.modules[i].Module
	return o.image, m, address - m.Bias, o.err
}

func (p *Process) module(address uint64) (int, bool) {
	i := sort.Search(len(p.modules), func(i int) bool { return p.modules[i].Low > address })
	if i == 0 || address >= p.modules[i-1].High {
		return 0, false
	}
	return i - 1, true
}

// settle opens a module's file and computes its bias from its segments.
func (p *Process) settle(i int) opened {
	m := &p.modules[i]
	o := p.open(m.Module)
	if m.pending && o.image != nil {
		m.pending = false
		if address, ok := o.image.Address(m.offset); ok {
			m.Bias = m.Low - address
			// Data that begin as zeroes are mapped from no file.
			_, high := o.image.extent()
			m.High = max(m.High, high+m.Bias)
		}
	}
	return o
}

func (p *Process) open(m Module) opened {
	if o, ok := p.images[m.Path]; ok && (o.image == nil || m.BuildID == "" || o.image.BuildID() == m.BuildID) {
		return o
	}
	o := opened{}
	path, err := p.verified(m.Path)
	if err == nil {
		o.image, err = OpenWithDebugRoots(path, p.roots)
	}
	switch {
	case err != nil:
		o.err = err
	case m.BuildID != "" && o.image.BuildID() != m.BuildID:
		o.err = fmt.Errorf("%s: %w: build-id is %s, recorded was %s", m.Path, ErrBinaryChanged, orNone(o.image.BuildID()), m.BuildID)
		o.image.Close()
		o.image = nil
	}
	p.images[m.Path] = o
	return o
}

func orNone(s string) string {
	if s == "" {
		return "missing"
	}
	return s
}

const deletedMark = " (deleted)"

// verified checks that the file that a running process has mapped is still the
// one of that name, and gives the path to open.
func (p *Process) verified(path string) (string, error) {
	want, ok := p.inodes[path]
	if !ok {
		return path, nil
	}
	name := strings.TrimSuffix(path, deletedMark)
	if sameFile(name, want) {
		return name, nil
	}
	// The executable stays readable under this name when it was replaced.
	if exe := filepath.Join(filepath.Dir(p.maps), "exe"); sameFile(exe, want) {
		return exe, nil
	}
	return "", fmt.Errorf("%s: %w since it was loaded", name, ErrBinaryChanged)
}

func sameFile(path string, want inode) bool {
	var st syscall.Stat_t
	return syscall.Stat(path, &st) == nil && st.Ino == want.number
}

// readMaps takes the list of mapped files from the kernel.
func (p *Process) readMaps() error {
	b, err := os.ReadFile(p.maps)
	if err != nil {
		return err
	}
	p.lastRead = time.Now()
	inodes := map[string]inode{}
	var list []loaded
	for _, line := range strings.Split(string(b), "\n") {
		low, high, offset, node, path, ok := parseMapping(line)
		if !ok {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Path == path && inodes[path] == node && low >= list[n-1].High {
			list[n-1].High = high
			continue
		}
		if old, ok := p.inodes[path]; ok && old != node {
			delete(p.images, path)
		}
		inodes[path] = node
		list = append(list, loaded{Module{Path: path, Low: low, High: high, Bias: low - offset}, offset, true})
	}
	// What is known of a module stays, so that an answer does not depend on when the
	// list was read.
	for i := range list {
		m := &list[i]
		k := sort.Search(len(p.modules), func(k int) bool { return p.modules[k].Low >= m.Low })
		if k < len(p.modules) && p.modules[k].Low == m.Low && p.modules[k].Path == m.Path &&
			p.modules[k].offset == m.offset && p.inodes[m.Path] == inodes[m.Path] {
			*m = p.modules[k]
		}
	}
	p.inodes = inodes
	p.modules = list
	return nil
}

// parseMapping takes one line of /proc/PID/maps apart; ok is false for
// mappings of no file.
func parseMapping(line string) (low, high, offset uint64, node inode, path string, ok bool) {
	f := strings.SplitN(line, " ", 6)
	if len(f) < 6 {
		return
	}
	path = strings.TrimLeft(f[5], " ")
	if !filepath.IsAbs(path) {
		return
	}
	first, last, found := strings.Cut(f[0], "-")
	if !found {
		return
	}
	var errs [4]error
	low, errs[0] = strconv.ParseUint(first, 16, 64)
	high, errs[1] = strconv.ParseUint(last, 16, 64)
	offset, errs[2] = strconv.ParseUint(f[2], 16, 64)
	node.number, errs[3] = strconv.ParseUint(f[4], 10, 64)
	ok = errors.Join(errs[:]...) == nil && low < high && node.number != 0
	return
}

// Lookup resolves a run-time address. Without an error, parts of the location
// may still be unknown; with one, module and offset are given when known.
func (p *Process) Lookup(address uint64) (Location, error) { return p.lookup(address, 0) }

// LookupReturn resolves the return address of a call to the call.
func (p *Process) LookupReturn(address uint64) (Location, error) { return p.lookup(address, 1) }

func (p *Process) lookup(address, back uint64) (Location, error) {
	r := p.locations.get(address-back, func() (answer[Location], bool) {
		im, m, at, err := p.resolve(address-back, true)
		if im == nil {
			return answer[Location]{Location{Module: m.Path, Offset: at}, err}, !errors.Is(err, ErrNoModule)
		}
		l, err := im.Lookup(at)
		return answer[Location]{l, err}, true
	})
	if r.value.Module != "" {
		r.value.Offset += back
	}
	return r.value, r.err
}

// Kernel describes the outlined function at a run-time address.
func (p *Process) Kernel(address uint64) (Kernel, error) {
	r := p.kernels.get(address, func() (answer[Kernel], bool) {
		im, _, at, err := p.resolve(address, true)
		if im == nil {
			return answer[Kernel]{err: err}, !errors.Is(err, ErrNoModule)
		}
		k, err := im.Kernel(at)
		return answer[Kernel]{k, err}, true
	})
	return r.value, r.err
}

// Global gives the static data that holds a run-time address, its address also
// in run-time terms.
func (p *Process) Global(address uint64) (Global, bool, error) {
	r := p.globals.get(address, func() (answer[Global], bool) {
		im, m, at, err := p.resolve(address, false)
		if im == nil {
			if errors.Is(err, ErrNoModule) {
				return answer[Global]{}, false // heap or stack
			}
			return answer[Global]{err: err}, true
		}
		g, _, err := im.Global(at)
		g.Address += m.Bias
		return answer[Global]{g, err}, true
	})
	return r.value, r.value.Name != "", r.err
}

// GlobalName is the name of static data that holds the whole range, "" when
// there is none.
func (p *Process) GlobalName(address, size uint64) string {
	g, ok, err := p.Global(address)
	if err != nil || !ok || address+size > g.Address+g.Size {
		return ""
	}
	return g.Name
}

// Frame describes the variables at a call that returns to a run-time address.
func (p *Process) Frame(returnAddress uint64, registers snapshot.Registers, read snapshot.Memory) (*Frame, error) {
	im, m, at, err := p.resolve(returnAddress-1, true)
	if im == nil {
		return nil, err
	}
	return im.Frame(at+1, m.Bias, registers, read)
}

// Construct describes the compute construct whose call returns to a run-time
// address.
func (p *Process) Construct(returnAddress uint64) (Kernel, bool, error) {
	im, _, at, err := p.resolve(returnAddress-1, true)
	if im == nil {
		return Kernel{}, false, err
	}
	return im.Construct(at + 1)
}

// cache keeps answers. It starts over when it is full.
type cache[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

// get gives the answer kept for a key, or else asks; ask tells whether its
// answer may be kept.
func (c *cache[K, V]) get(k K, ask func() (V, bool)) V {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	v, keep := ask()
	if keep {
		c.mu.Lock()
		if c.m == nil || len(c.m) >= maxCached {
			c.m = map[K]V{}
		}
		c.m[k] = v
		c.mu.Unlock()
	}
	return v
}

func (c *cache[K, V]) clear() {
	c.mu.Lock()
	c.m = nil
	c.mu.Unlock()
}
