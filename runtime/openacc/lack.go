package openacc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// routineData is the entry of what a routine is about.
const routineData = -1

// A lack is data that a call needs on a device and that is not there in one piece. What is
// there is noted while d.mu is held, names and places are looked up when the error is
// raised.
type lack struct {
	role        string  // what the directive or routine wants it for
	entry       int     // of the directive, or routineData
	host, bytes uintptr // bytes 0: all that begins there
	wording     string  // what GCC's tests look for

	other     string // what is wrong with the data, where it is not that they are not there
	code      device.Code
	device    string
	refusal   error // why its declare directive has no effect
	there     []*dataenv.Mapping
	left      departure
	forgotten bool // left may be another one, or lack
	declared  bool // an allocatable of a declare directive
	failure   *device.Error
}

// lacks makes the error of a lack, of which role, entry, host and bytes are given: for one
// of which parts are there, that is what partly says of the first of them. d.mu is held.
func (t *caller) lacks(d *Device, l lack, partly func(m *dataenv.Mapping) string) *device.Error {
	if t.context.parent == callbacks.RuntimeAPI {
		l.role, l.entry = cmp.Or(l.role, "data_arg"), routineData
	}
	l.device = d.String()
	l.code = errorNotPresent
	l.wording = fmt.Sprintf("[%#x,%d] is not mapped", l.host, l.bytes)
	if l.role == presentRole {
		l.wording = "present clause: !acc_is_present: " + l.wording
	}
	if d.isOpen() {
		l.refusal = d.refusedVariable(l.host)
		if l.there = d.table.Overlapping(l.host, l.bytes); len(l.there) > 0 && l.bytes > 0 {
			l.code, l.wording = errorPartlyPresent, partly(l.there[0])
		} else {
			l.left, l.forgotten = d.lastDeparted(l.host, l.bytes), d.hasForgotten()
			l.declared = t.isDeclaredDescriptor(d, l.entry)
		}
	}
	l.failure = t.errorf(l.code, "%s is not on %s: %s", span(l.host, l.bytes), l.device, l.wording)
	t.lack = &l
	return l.failure
}

// Roles that are no argument's name.
const (
	presentRole = "present clause"
	targetRole  = "pointer"
	deviceRole  = "use_device clause"
)

// isDeclaredDescriptor says whether an entry of the directive in progress goes with the
// descriptor of a variable of a declare directive.
func (t *caller) isDeclaredDescriptor(d *Device, entry int) bool {
	if entry == routineData {
		return false
	}
	a := t.scratch.arguments
	for i := entry + 1; i < len(a.Kinds) && attribution.Follows(a, i); i++ {
		if m, presence := d.table.Find(a.Hosts[i], 1); attribution.IsDescriptor(a, i) && presence == dataenv.Present && m.Declared {
			return true
		}
	}
	return false
}

// outside is what GCC says where a directive or routine takes more than one mapping has.
func outside(host, bytes uintptr) func(*dataenv.Mapping) string {
	return func(m *dataenv.Mapping) string {
		return fmt.Sprintf("%s not mapped as one: %[1]s outside mapped block %s", span(host, bytes), span(m.Host, m.Size))
	}
}

// colliding is what it says where a construct would map more than one mapping has.
func colliding(host, bytes uintptr) func(*dataenv.Mapping) string {
	return func(m *dataenv.Mapping) string {
		return fmt.Sprintf("Trying to map into device [%#x..%#x) object when [%#x..%#x) is already mapped",
			host, host+bytes, m.Host, m.End())
	}
}

// negativeLength is what goacc and routines say of data, behind their number and address.
const negativeLength = " has a length of "

// about notes what data a failure is about, which is named when it is raised.
func (t *caller) about(entry int, host, bytes uintptr, failure *device.Error) *device.Error {
	_, what, _ := strings.Cut(failure.Message, ": ")
	t.lack = &lack{entry: entry, host: host, bytes: bytes, other: what, failure: failure}
	return failure
}

// lacksItem is lacks for an item of a directive.
func (p *mapper) lacksItem(role string, entry int, host, bytes uintptr) *device.Error {
	return p.t.lacks(p.d, lack{role: role, entry: entry, host: host, bytes: bytes}, colliding(host, bytes))
}

// An account is what the program calls the data of a lack, for its message.
type account struct {
	*lack
	t    *raiser
	told attribution.Argument
}

// account looks up what the program calls the data of a lack.
func (t *raiser) account(l *lack) account {
	a := account{lack: l, t: t}
	switch n := t.rt.options.Namer; {
	case n == nil:
	case l.entry == routineData:
		a.told = n.DescribeData(t.place, l.host, l.bytes)
	default:
		a.told = n.Describe(t.place, t.function, t.scratch.arguments, l.entry)
	}
	return a
}

// String is the message, without where and in what call.
func (a account) String() string {
	if a.other != "" {
		_, length, negative := strings.Cut(a.other, negativeLength)
		switch what := a.subject(a.host, a.bytes); {
		case negative && a.told.Item != "":
			return "`" + a.told.Item + "`" + negativeLength + length
		case a.told.Item != "" && a.bytes == 0:
			return "`" + a.told.Item + "`: " + a.other
		case strings.HasPrefix(what, "`"):
			return what + ": " + a.other
		}
		return a.other
	}
	role := a.role
	if a.told.Clause != "" && a.entry != routineData {
		role = a.told.Clause + " clause"
	}
	var text strings.Builder
	if role != "" && role != targetRole {
		text.WriteString(role + ": ")
	}
	switch what := a.subject(a.host, a.bytes); {
	case a.role == targetRole:
		fmt.Fprintf(&text, "what %s points to is not on device %s: ", what, a.device)
	case a.code == errorNotPresent:
		fmt.Fprintf(&text, "%s on device %s: ", isNot(what), a.device)
	default:
		text.WriteString(a.overlap(what))
	}
	if a.code == errorNotPresent {
		text.WriteString(a.absence())
	}
	fmt.Fprintf(&text, " (%s)", a.wording)
	return text.String()
}

// subject is a range of the data as the program has it.
func (a account) subject(host, bytes uintptr) string {
	section, size := a.told.Section(host, bytes), fmt.Sprintf("%d bytes", bytes)
	switch whole := host == a.host && bytes == a.bytes; {
	case bytes == 0 || a.role == targetRole || a.role == deviceRole:
		if a.told.Name != "" {
			return "`" + a.told.Name + "`"
		}
	case section != "":
		return "`" + section + "`"
	case whole && a.told.Item != "":
		return "`" + a.told.Item + "` (" + size + ")"
	case whole && a.told.Name != "":
		return "`" + a.told.Name + "` (" + size + ")"
	}
	if a.entry == routineData {
		return size + fmt.Sprintf(" at %#x", host)
	}
	return fmt.Sprintf("variable %d (%s at %#x)", a.entry+1, size, host)
}

// isNot is the beginning of a sentence about a subject.
func isNot(subject string) string {
	if subject[0] >= '0' && subject[0] <= '9' {
		return subject + " are not"
	}
	return subject + " is not"
}

// part is what of the data is in a mapping.
func (a account) part(m *dataenv.Mapping) string {
	low, high := max(a.host, m.Host), min(a.host+a.bytes, m.End())
	bytes := fmt.Sprintf("%d bytes", high-low)
	switch section := a.told.Section(low, high-low); {
	case section != "" && a.told.Extends(low, high-low):
		return "`" + section + "` is"
	case low == a.host:
		return "its first " + bytes + " are"
	case high == a.host+a.bytes:
		return "its last " + bytes + " are"
	}
	return bytes + " in it are"
}

// at is a call that began or ended a data lifetime: "at FILE:LINE (enter data copyin(a[0:n]))".
func (a account) at(o origin) (string, attribution.Location) {
	if a.t.rt.options.Namer == nil || o.at.ReturnAddress == 0 {
		return "by " + cmp.Or(o.routine, "a declare directive"), attribution.Location{}
	}
	l := a.t.rt.options.Namer.Locate(o.at.ReturnAddress, o.at.Function)
	by := cmp.Or(l.Text(a.told.Name), o.routine)
	switch {
	case l.Where() != "":
		return "at " + l.Where() + " (" + by + ")", l
	case l.Function != "":
		return "in " + l.Function + " (" + by + ")", l
	}
	return "by " + by, l
}

// absence is the likely cause of data not being there at all, and the remedy.
func (a account) absence() string {
	name := cmp.Or(a.told.Name, "it")
	switch {
	case a.refusal != nil:
		return fmt.Sprintf("its declare directive has no effect there: %v", a.refusal)
	case a.declared:
		return fmt.Sprintf("code by GCC does not create the allocatable of a declare directive when it is allocated; "+
			"write enter data create(%s) after its allocate, and exit data delete(%[1]s) before its deallocate", name)
	case a.left.mapping != nil:
		from, _ := a.at(blockOf(a.left.mapping).origin)
		until, _ := a.at(a.left.by)
		verb := "until"
		if o := blockOf(a.left.mapping).origin; o.at == a.left.by.at {
			return fmt.Sprintf("it was there only within the construct %s; end its data lifetime later, or begin another one", from)
		}
		return fmt.Sprintf("it was entered %s, and was there %s it was ended %s; end its data lifetime later, or begin another one", from, verb, until)
	}
	cause := "no directive or routine has put it there"
	if a.forgotten {
		cause = "nothing that is there now holds it"
	}
	if o, found := a.moved(); found {
		where, _ := a.at(o)
		cause = fmt.Sprintf("what was entered %s lies at another address: ", where)
		if a.told.Pointer() {
			cause += fmt.Sprintf("`%s` points elsewhere since, as after a reallocation", name)
		} else {
			cause += fmt.Sprintf("it is the `%s` of another call of %s", name, a.told.Function)
		}
	}
	return cause + "; name it before in enter data, a data construct or acc_copyin" + a.insteadOfPresent()
}

func (a account) insteadOfPresent() string {
	if a.role != presentRole {
		return ""
	}
	return ", or write copy in place of present"
}

// mostOrigins bounds the calls that moved looks at.
const mostOrigins = 256

// moved finds the call that entered the only variable that its directive names, at another address,
// which has the name of the missing data: that is what the name, of a pointer or of what each call
// of its function has its own, stood for then.
func (a account) moved() (origin, bool) {
	d := a.t.context.device
	if a.t.rt.options.Namer == nil || a.told.Name == "" || d == nil || !a.told.Pointer() && a.told.FrameEnd() == 0 {
		return origin{}, false
	}
	var known []origin
	add := func(m *dataenv.Mapping) bool {
		o := blockOf(m).origin
		if m.Host != a.host && o.at.ReturnAddress != 0 && o.at != a.t.site() && !slices.ContainsFunc(known, func(k origin) bool { return k.at == o.at }) {
			known = append(known, o)
		}
		return len(known) < mostOrigins
	}
	d.mu.Lock()
	if d.isOpen() {
		for m := range d.table.All() {
			if !add(m) {
				break
			}
		}
	}
	for left := range d.departed.all {
		if !add(left.mapping) {
			break
		}
	}
	d.mu.Unlock()
	for _, o := range known {
		if l := a.t.rt.options.Namer.Locate(o.at.ReturnAddress, o.at.Function); l.File == a.told.File && l.Function == a.told.Function && l.Only(a.told.Name) {
			return o, true
		}
	}
	return origin{}, false
}

// overlap says what of the data is there, the likely cause, and the remedy.
func (a account) overlap(what string) string {
	const remedy = "; name the same section in both places, or end the first one's data lifetime before"
	m := a.there[0]
	o := blockOf(m).origin
	where, l := a.at(o)
	if items := l.Components(a.told.Name); len(items) == 1 && len(a.there) == 1 {
		item := items[0]
		return fmt.Sprintf("%s: only `%s` is on device %s: entered %s%s", what, item, a.device, where, remedy)
	}
	if a.isOfEndedFrame(m, l) {
		return fmt.Sprintf("%s on device %s, but what a local variable of %s left there lies in it: that was entered %s, "+
			"and never ended before the function returned; end its data lifetime there",
			isNot(what), a.device, cmp.Or(l.Function, "another function"), where)
	}
	text := fmt.Sprintf("%s: only %s on device %s: ", what, a.part(m), a.device)
	section := a.told.Section(m.Host, m.Size)
	switch {
	case l.Lists(a.told.Name) < 0:
		return text + fmt.Sprintf("it was entered %s under another name; if that memory was freed since, end its data lifetime before it is freed, "+
			"else name the same section in both places", where)
	case len(a.there) > 1:
		return text + fmt.Sprintf("entered %s with another size, and in the rest %s%s", where, a.rest(), remedy)
	case section != "" && (m.Host < a.host || m.End() > a.host+a.bytes) && a.told.Extends(m.Host, m.Size):
		return text + fmt.Sprintf("`%s` was entered %s%s", section, where, remedy)
	}
	if m.Size == a.bytes {
		return text + "entered " + where + " from another beginning on" + remedy
	}
	return text + "entered " + where + " with another size" + remedy
}

// rest is what else lies in the data than the first part.
func (a account) rest() string {
	if more := len(a.there) - 1; more > 1 {
		return fmt.Sprintf("lie %d other data of their own", more)
	}
	where, _ := a.at(blockOf(a.there[1]).origin)
	return "lies what was entered " + where
}

// isOfEndedFrame says whether a mapping that overlaps a variable of the calling function's
// frame can only be what a function that has returned left behind: it reaches below the
// stack, or was made higher up on it, by another function, than that frame's own.
func (a account) isOfEndedFrame(m *dataenv.Mapping, l attribution.Location) bool {
	o, stack, end := blockOf(m).origin, a.t.place.StackPointer, a.told.FrameEnd()
	if end == 0 || o.stack == 0 {
		return false
	}
	return m.Host < stack && o.stack <= m.Host || o.stack > stack && o.stack < end+1<<20 && m.End() <= end && l.Function != a.told.Function
}
