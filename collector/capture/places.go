package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/accscope/accscope/collector/regular"
	"github.com/accscope/accscope/runtime/source"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// References stand in events for places and names that the program did not wait for
// (accscope_names.h): they are found here, from the file "sites" and the debug
// information of the files that the program had loaded.

const (
	reference = "\x01"
	carry     = "\x02" // before each variable of a transfer that carries several
)

// places is what is known of the sites that events refer to.
type places struct {
	process *Process

	mu       sync.Mutex
	offset   int64 // of the file's first record that is not known
	sites    map[uint32]*place
	modules  []Module
	resolver *source.Process
	warned   map[string]bool
}

// place is a site of the program.
type place struct {
	returnAddress, function uint64
	calls                   []placeCall
	found                   *position // nil: not looked for yet
}

// placeCall is a snapshot of a call. Once names are known, the snapshot is dropped.
type placeCall struct {
	first    uint32
	snapshot []byte
	names    []string
}

// position is where a site stands in the source, in texts of the process.
type position struct {
	source.Position
	file, function, kernel StringID
}

// refer completes an event whose file may be a reference, and gives its directive if its
// text is known. Where the file is not known, the event has the return address.
func (p *Process) refer(e *Event) *source.Directive {
	text := p.String(e.SourceFile)
	if !strings.HasPrefix(text, reference) {
		return nil
	}
	site, found := p.places.position(text)
	if site == nil {
		e.SourceFile = 0
		return nil
	}
	e.SourceFile, e.Function = found.file, found.function
	e.Line, e.EndLine = line(found.Line), line(found.EndLine)
	e.FunctionLine, e.FunctionEnd = line(found.FunctionLine), line(found.FunctionEnd)
	if found.file == 0 {
		e.CallStack = []uint64{site.returnAddress}
	}
	return found.Directive
}

// line is a line number of OpenACC 3.3 §5.2.1, negative where it is unknown.
func line(n int) int32 {
	if n <= 0 {
		return -1
	}
	return int32(n)
}

// nameOf gives the text that a name stands for, which may be one or more references,
// or a list of those.
func (p *Process) nameOf(id StringID) StringID {
	text := p.String(id)
	if strings.HasPrefix(text, carry) {
		return p.places.intern(p.places.carried(text))
	}
	if !strings.HasPrefix(text, reference) {
		return id
	}
	if !strings.Contains(text, ".") {
		_, found := p.places.position(text)
		return found.kernel
	}
	return p.places.intern(p.places.firstNamed(text))
}

// firstNamed gives the name of the first of references that has one. Those behind the first
// are of other calls: their names count where the text of the first one's directive has them.
func (p *places) firstNamed(text string) string {
	own, others, _ := strings.Cut(strings.TrimPrefix(text, reference), reference)
	if name := p.variable(own); name != "" || others == "" {
		return name
	}
	site, _, _ := strings.Cut(own, ".")
	_, at := p.position(reference + site)
	for one := range strings.SplitSeq(others, reference) {
		if name := p.variable(one); at.Directive.Names(name) {
			return name
		}
	}
	return ""
}

// carried names the variables of a transfer that carries several, each once, with a comma
// and a space between them; then "?" for each that has no name. "" if none has any.
func (p *places) carried(text string) string {
	var names []string
	unnamed := 0
	for one := range strings.SplitSeq(strings.TrimPrefix(text, carry), carry) {
		switch name := p.firstNamed(one); {
		case name == "":
			unnamed++
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(append(names, slices.Repeat([]string{"?"}, unnamed)...), ", ")
}

// position finds out where a site is; nil for one that the file does not have.
func (p *places) position(text string) (*place, position) {
	number, err := strconv.ParseUint(text[len(reference):], 10, 32)
	if err != nil {
		return nil, position{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	site := p.site(uint32(number))
	if site == nil {
		return nil, position{}
	}
	if site.found == nil {
		resolver := p.resolverFor(site)
		found, err := resolver.Position(site.returnAddress, site.function)
		p.complain(err)
		site.found = &position{Position: found, file: p.intern(found.File), function: p.intern(found.Function)}
		if site.function != 0 {
			site.found.kernel = p.intern(resolver.KernelName(site.function))
		}
	}
	return site, *site.found
}

func (p *places) intern(text string) StringID {
	if text == "" {
		return 0
	}
	return p.process.names.intern([]byte(text))
}

// variable gives the name of SITE.ENTRY.CALLS: what the first so many calls of a site
// that had a snapshot taken of them say of an entry.
func (p *places) variable(text string) string {
	var number [3]uint64
	fields := strings.Split(text, ".")
	if len(fields) != len(number) {
		return ""
	}
	for i, field := range fields {
		var err error
		if number[i], err = strconv.ParseUint(field, 10, 32); err != nil {
			return ""
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	site := p.site(uint32(number[0]))
	if site == nil {
		return ""
	}
	if uint64(len(site.calls)) < number[2] {
		p.read()
	}
	for i := range min(number[2], uint64(len(site.calls))) {
		call := &site.calls[i]
		if call.snapshot != nil {
			if at, err := snapshot.Read(call.snapshot); err == nil {
				at.ReturnAddress, at.Function = site.returnAddress, site.function
				call.names = p.resolverFor(site).SiteNames(at)
			}
			call.snapshot = nil
		}
		if at := number[1] - uint64(call.first); at < uint64(len(call.names)) && call.names[at] != "" {
			return call.names[at]
		}
	}
	return ""
}

// site gives a site that the file has by now. p.mu is held.
func (p *places) site(number uint32) *place {
	if p.sites[number] == nil {
		p.read()
	}
	return p.sites[number]
}

// read takes in what the file has got since the last time. What follows damage is lost:
// the runtime's numbers are known from the records only.
func (p *places) read() {
	file, err := regular.Open(filepath.Join(p.process.Dir, sitesFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		p.complain(err)
		return
	}
	defer file.Close()
	le := binary.LittleEndian
	for {
		var head [sizeOfSiteCall]byte
		if _, err := file.ReadAt(head[:], p.offset); err != nil {
			return // no more by now
		}
		size := le.Uint32(head[:])
		if size < sizeOfSiteCall || size%8 != 0 || size > fileLimit {
			p.complain(&CorruptError{file.Name(), p.offset, fmt.Sprintf("a site of %d bytes", size)})
			return
		}
		snapshot := make([]byte, size-sizeOfSiteCall)
		if _, err := io.ReadFull(io.NewSectionReader(file, p.offset+sizeOfSiteCall, int64(len(snapshot))), snapshot); err != nil {
			return // the process is writing it, or was killed while it did
		}
		p.offset += int64(size)
		number := le.Uint32(head[atSiteCallNumber:])
		site := p.sites[number]
		if site == nil {
			site = &place{returnAddress: le.Uint64(head[atSiteCallReturnAddress:]), function: le.Uint64(head[atSiteCallFunction:])}
			p.sites[number] = site
		}
		if len(snapshot) > 0 {
			site.calls = append(site.calls, placeCall{first: le.Uint32(head[atSiteCallFirst:]), snapshot: snapshot})
		}
	}
}

// resolverFor gives what resolves the addresses of a site.
func (p *places) resolverFor(site *place) *source.Process {
	known := func(address uint64) bool {
		for _, m := range p.modules {
			if address >= m.Start && address < m.End {
				return true
			}
		}
		return false
	}
	if p.resolver != nil && known(site.returnAddress) && (site.function == 0 || known(site.function)) {
		return p.resolver
	}
	modules, err := p.process.Modules()
	p.complain(err)
	if p.resolver != nil && len(modules) == len(p.modules) {
		return p.resolver
	}
	if p.resolver != nil {
		p.resolver.Close()
	}
	p.modules = modules
	p.resolver = Resolver(modules, func(err error) { p.complain(err) })
	return p.resolver
}

func (p *places) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resolver != nil {
		p.resolver.Close()
		p.resolver = nil
	}
}

// complain says once what is missing.
func (p *places) complain(err error) {
	if err == nil || errors.Is(err, source.ErrNoModule) || p.process.Warn == nil || p.warned[err.Error()] {
		return
	}
	p.warned[err.Error()] = true
	p.process.Warn(fmt.Sprintf("%v; some functions, lines and names of variables are left out", err))
}

// Resolver resolves addresses of a recorded process by the files that it had loaded,
// as far as they are still those.
func Resolver(modules []Module, warn func(error)) *source.Process {
	var list []source.Module
	for _, m := range modules {
		if !filepath.IsAbs(m.Path) || strings.HasSuffix(m.Path, " (deleted)") {
			continue // memory, or a file that is no longer there
		}
		bias, err := biasOf(m)
		if err != nil {
			warn(err)
			continue
		}
		list = append(list, source.Module{Path: m.Path, Bias: bias, Low: m.Start, High: m.End, BuildID: m.BuildID})
	}
	return source.FromModules(list)
}

// biasOf is what the loader added to the file's addresses.
func biasOf(m Module) (uint64, error) {
	if info, err := os.Stat(m.Path); err != nil {
		return 0, err
	} else if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is %s, no program or library", m.Path, regular.Kind(info.Mode()))
	}
	image, err := source.Open(m.Path)
	if err != nil {
		return 0, err
	}
	defer image.Close()
	address, ok := image.Address(m.Offset)
	if !ok {
		return 0, fmt.Errorf("%s: nothing is loaded from offset %#x, where the program had code", m.Path, m.Offset)
	}
	return m.Start - address, nil
}
