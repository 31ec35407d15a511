package cuda

import (
	"regexp"
	"strings"
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/goacc"
)

// #include "cuda.h"
import "C"

// argumentWrites says which arguments a kernel may write to, read from its PTX when it
// is first asked for. Only kernels of which that can be told for certain may share an
// argument block with values.
type argumentWrites struct {
	name string
	code goacc.PTX

	once    sync.Once
	known   bool
	written map[int]bool
}

// MayWrite says no where the kernel only reads what the argument refers to. What lies
// behind a pointer is not followed.
func (w *argumentWrites) MayWrite(argument int, behind bool) bool {
	w.once.Do(func() {
		for _, object := range unsafe.Slice((*C.struct_accscope_cuda_object)(w.code.Objects), w.code.Count) {
			if object.code == nil || object.size == 0 {
				continue
			}
			text := unsafe.String((*byte)(unsafe.Pointer(object.code)), object.size-1)
			if parameter, body, ok := kernelBody(text, w.name); ok {
				w.written, w.known = writes(parameter, body)
				return
			}
		}
	})
	return behind || !w.known || w.written[argument]
}

// kernelBody finds the instructions of a kernel with one parameter, and its name.
func kernelBody(text, name string) (parameter, body string, ok bool) {
	for _, match := range entry.FindAllStringSubmatchIndex(text, -1) {
		if text[match[2]:match[3]] != name {
			continue
		}
		parameters := text[match[4]:match[5]]
		begin := strings.IndexAny(text[match[1]:], "{;")
		if begin < 0 || text[match[1]+begin] == ';' || !oneOnly.MatchString(parameters) {
			continue
		}
		begin += match[1]
		end := closing(text, begin)
		if end < 0 {
			return "", "", false
		}
		return parameters[strings.LastIndexByte(parameters, '%'):], text[begin+1 : end], true
	}
	return "", "", false
}

// A taint is what a register, or a place in shared memory, may have in it: the argument
// block's address, addresses of arguments.
type taint struct {
	block     bool
	arguments map[int]bool
}

var (
	register    = regexp.MustCompile(`%[\w$.]+`)
	memory      = regexp.MustCompile(`\[\s*(%[\w$.]+)\s*(?:\+\s*(\d+)\s*)?\]`)
	instruction = regexp.MustCompile(`^(?:@!?%[\w$.]+\s+)?([a-z][\w.]*)\s+(.*);$`)
	variable    = regexp.MustCompile(`\[\s*([A-Za-z_][\w$]*)\s*(?:\+\s*(\d+)\s*)?\]`)
	shared      = regexp.MustCompile(`^(%[\w$.]+)\s*,\s*([A-Za-z_][\w$]*)$`)
)

// A flow follows the addresses of a kernel's arguments through its registers, and
// through the shared memory by which GCC hands registers to other workers.
type flow struct {
	parameter string
	taints    map[string]*taint
	changed   bool
	written   map[int]bool
	// broadcasts are registers with the address of a variable in shared memory;
	// of these variables, followed has those where a block's or argument's address
	// was put, astray those that may be reached by other ways too.
	broadcasts       map[string]string
	followed, astray map[string]bool
}

// writes tells which arguments a kernel writes through, or whose addresses end where
// they cannot be followed (PTX ISA, "Instruction Set"). It is false where that is so
// for the block's address itself.
func writes(parameter, body string) (written map[int]bool, known bool) {
	f := flow{parameter: parameter, taints: map[string]*taint{}, changed: true, written: map[int]bool{},
		broadcasts: map[string]string{}, followed: map[string]bool{}, astray: map[string]bool{}}
	for f.changed {
		f.changed = false
		for line := range strings.Lines(body) {
			line, _, _ = strings.Cut(line, "//")
			match := instruction.FindStringSubmatch(strings.TrimSpace(line))
			if match != nil && !f.follow(match[1], match[2]) {
				return nil, false
			}
		}
	}
	for broadcast := range f.followed {
		if f.astray[broadcast] {
			return nil, false
		}
	}
	return f.written, true
}

func (f *flow) of(place string) *taint {
	t := f.taints[place]
	if t == nil {
		t = &taint{arguments: map[int]bool{}}
		f.taints[place] = t
	}
	return t
}

func (f *flow) add(to string, block bool, arguments map[int]bool) {
	t := f.of(to)
	if block && !t.block {
		t.block, f.changed = true, true
	}
	for argument := range arguments {
		if !t.arguments[argument] {
			t.arguments[argument], f.changed = true, true
		}
	}
}

// use notes that a register's value is used in another way than as an address.
func (f *flow) use(name string) *taint {
	if broadcast, ok := f.broadcasts[name]; ok {
		f.astray[broadcast] = true
	}
	return f.of(name)
}

// escape is for values that go where they cannot be followed; false gives up.
func (f *flow) escape(names []string) bool {
	for _, name := range names {
		t := f.use(name)
		if t.block {
			return false
		}
		for argument := range t.arguments {
			f.written[argument] = true
		}
	}
	return true
}

// follow takes one instruction into account; false gives up.
func (f *flow) follow(operation, operands string) bool {
	kind, modifiers, _ := strings.Cut(operation, ".")
	registers := register.FindAllString(operands, -1)
	switch kind {
	case "ld", "ldu":
		return f.load(modifiers, operands)
	case "st", "red", "atom":
		return f.store(operands, registers)
	case "cvta":
		if match := shared.FindStringSubmatch(operands); match != nil && strings.HasPrefix(modifiers, "shared") {
			if before, ok := f.broadcasts[match[1]]; ok && before != match[2] {
				f.astray[before], f.astray[match[2]] = true, true
			}
			f.broadcasts[match[1]] = match[2]
			return true
		}
		fallthrough
	case "mov", "shfl", "selp":
		f.move(operands)
		return true
	case "setp", "set", "bra", "bar", "barrier", "ret", "exit", "trap":
		return true
	case "call":
		return f.escape(registers)
	}
	if len(registers) == 0 {
		return true
	}
	for _, source := range registers[1:] {
		t := f.use(source)
		if t.block {
			return false
		}
		f.add(registers[0], false, t.arguments)
	}
	return true
}

// move is for instructions whose first operand takes the others, each of which may be
// a pack in braces.
func (f *flow) move(operands string) {
	split := strings.IndexByte(operands, ',')
	if strings.HasPrefix(operands, "{") {
		split = strings.IndexByte(operands, '}') + 1
	}
	if split < 0 {
		return
	}
	for _, destination := range register.FindAllString(operands[:split], -1) {
		for _, source := range register.FindAllString(operands[split:], -1) {
			t := f.use(source)
			f.add(destination, t.block, t.arguments)
		}
	}
}

func (f *flow) load(modifiers, operands string) bool {
	open := strings.IndexByte(operands, '[')
	if open < 0 {
		return false
	}
	destinations := register.FindAllString(operands[:open], -1)
	if named := variable.FindStringSubmatch(operands); named != nil {
		f.loadPlace(destinations, named[1]+"+"+named[2])
		return true
	}
	at := memory.FindStringSubmatch(operands)
	if at == nil {
		// An address of another form is none of those followed.
		for _, name := range register.FindAllString(operands[open:], -1) {
			if t := f.use(name); t.block {
				return false
			}
		}
		return true
	}
	if strings.HasPrefix(modifiers, "param") {
		if at[1] == f.parameter && len(destinations) == 1 {
			f.add(destinations[0], true, nil)
		}
		return true
	}
	if broadcast, ok := f.broadcasts[at[1]]; ok {
		f.loadPlace(destinations, broadcast+"+"+at[2])
		return true
	}
	if !f.of(at[1]).block {
		return true // what an argument points to is not followed
	}
	offset := digits(at[2])
	if offset%8 != 0 || !strings.HasSuffix(modifiers, "64") {
		return false
	}
	for i, destination := range destinations {
		f.add(destination, false, map[int]bool{offset/8 + i: true})
	}
	return true
}

// loadPlace is for registers that get what was put into a place of a variable.
func (f *flow) loadPlace(destinations []string, place string) {
	t := f.of(place)
	for _, destination := range destinations {
		f.add(destination, t.block, t.arguments)
	}
}

func (f *flow) store(operands string, registers []string) bool {
	at := memory.FindStringSubmatch(operands)
	if at == nil {
		return f.escape(registers)
	}
	open := strings.IndexByte(operands, '[')
	values := register.FindAllString(operands[open+len(at[0]):], -1)
	if broadcast, ok := f.broadcasts[at[1]]; ok && open == 0 && len(values) == 1 {
		t := f.use(values[0])
		if t.block || len(t.arguments) > 0 {
			f.followed[broadcast] = true
		}
		f.add(broadcast+"+"+at[2], t.block, t.arguments)
		return true
	}
	target := f.of(at[1])
	if target.block {
		return false
	}
	for argument := range target.arguments {
		f.written[argument] = true
	}
	return f.escape(values)
}

// digits is the number that a text is, 0 for none.
func digits(text string) (n int) {
	for _, c := range text {
		n = 10*n + int(c-'0')
	}
	return n
}
