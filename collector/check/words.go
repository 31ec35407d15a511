package check

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/device"
)

// element is which element of its variable an access is to, by the size of the access; "" where
// the variable is not known. Of Fortran it is counted from 1, and of what has several dimensions
// in the order of memory.
func (k *known) element(d *datum, address, bytes uint64, file string) string {
	if d == nil || d.variable == "" || bytes == 0 {
		return ""
	}
	if d.bytes == bytes && address == d.begin {
		return d.variable
	}
	n := (int64(address) - int64(d.begin)) / int64(bytes)
	if isFortran(cmp.Or(file, d.file)) {
		return fmt.Sprintf("%s(%d)", d.variable, n+1)
	}
	return fmt.Sprintf("%s[%d]", d.variable, n+k.first(d))
}

func isFortran(file string) bool {
	return strings.HasPrefix(strings.ToLower(filepath.Ext(file)), ".f")
}

// first is the index with which the section of a variable begins that its directive maps, where
// that is a number.
func (k *known) first(d *datum) (n int64) {
	parsed := k.sources.Parsed(d.file, d.line)
	if parsed == nil {
		return 0
	}
	section := regexp.MustCompile(`(?:^|[\s,])` + regexp.QuoteMeta(d.variable) + `\s*\[\s*([0-9]+)\s*:`)
	for _, c := range parsed.Clauses {
		if m := section.FindStringSubmatch(c.Arguments); m != nil {
			_, _ = fmt.Sscan(m[1], &n) // digits
		}
	}
	return n
}

// subject is what a finding is about, as people are to see it.
func (f *Finding) subject(d *datum) string {
	switch {
	case f.Instance.Element != "":
		return f.Instance.Element
	case d != nil:
		return fmt.Sprintf("%s of device memory", report.ShowBytes(float64(d.bytes)))
	}
	return "device memory"
}

// verb is what an access does.
func (i *Instance) verb() string {
	if i.Host {
		return map[string]string{"read": "is read by the host", "write": "is written by the host"}[i.Access]
	}
	return map[string]string{"read": "is read", "write": "is written", "atomic": "is changed atomically", "upload": "is written by an upload", "download": "is read by a download",
		"copy": "is copied", "fill": "is filled"}[i.Access]
}

// by is who it is.
func (i *Instance) by() string {
	if i.Gang < 0 || i.Worker < 0 {
		return ""
	}
	return fmt.Sprintf(" by lane %d of worker %d of gang %d", i.Lane, i.Worker, i.Gang)
}

// at is where that is.
func (i *Instance) at() string {
	if i.Queue >= 0 {
		return fmt.Sprintf(" at %s (queue %d)", i.Where(), i.Queue)
	}
	return " at " + i.Where()
}

// what says what is wrong.
func (k *known) what(of *Finding, f *store.Finding, d *datum) string {
	i := &of.Instance
	subject := of.subject(d)
	switch device.FindingKind(f.Kind) {
	case device.FindingOutOfBounds:
		whole := "what is on the device"
		if d != nil {
			whole = fmt.Sprintf("%s, of which %s are on the device (%s:%d)", cmp.Or(d.variable, "that memory"), report.ShowBytes(float64(d.bytes)), filepath.Base(d.file), d.line)
		}
		return fmt.Sprintf("%s %s%s%s: it lies %s", subject, i.verb(), i.by(), i.at(), strings.Replace(f.Where, "of the "+fmt.Sprint(f.NearBytes)+" bytes at "+fmt.Sprintf("%#x", f.Near), "of "+whole, 1))
	case device.FindingNotMapped:
		return fmt.Sprintf("the address %#x %s%s%s: %s", f.Address, i.verb(), i.by(), i.at(), f.Where)
	case device.FindingBarrier, device.FindingTrap:
		return fmt.Sprintf("lane %d of worker %d of gang %d%s %s", i.Lane, i.Worker, i.Gang, i.at(), f.Where)
	case device.FindingDiffers:
		return fmt.Sprintf("%s, which is written%s, %s", subject, i.at(), f.Where)
	case device.FindingMisaligned:
		return fmt.Sprintf("%s %s%s%s at %#x, which is not a multiple of the %d bytes: a GPU ends the program", subject, i.verb(), i.by(), i.at(), f.Address, f.Bytes)
	case device.FindingUninitialised:
		return fmt.Sprintf("%s (%s) %s%s%s, and nothing has written it on the device", subject, report.ShowBytes(float64(f.Bytes)), i.verb(), i.by(), i.at())
	case device.FindingStaleOnDevice:
		if of.Other != nil {
			return fmt.Sprintf("%s %s%s%s, and is what it was before the host changed it at %s", subject, i.verb(), i.by(), i.at(), of.Other.Where())
		}
		return fmt.Sprintf("%s %s%s%s, and is what it was before the host changed it", subject, i.verb(), i.by(), i.at())
	case device.FindingStaleOnHost:
		if of.Other != nil {
			return fmt.Sprintf("%s %s%s%s, and is what it was before a kernel changed it%s: that has never come to the host", subject, i.verb(), i.by(), i.at(), of.Other.at())
		}
		return fmt.Sprintf("%s %s%s, and is given up with the mapping (%s): the host never gets it", subject, i.verb(), i.at(), mapped(d))
	case device.FindingLostWrite:
		if of.Other != nil {
			return fmt.Sprintf("%s %s%s, and a download overwrites it%s before anybody has read it", subject, i.verb(), i.at(), of.Other.at())
		}
		return fmt.Sprintf("%s %s%s, and an upload overwrites it before anybody has read it", subject, i.verb(), i.at())
	case device.FindingQueueRace:
		if i.Host {
			verb := i.verb()
			if of.Gone {
				verb = "its memory is freed by the host"
			}
			return fmt.Sprintf("%s %s%s, and %s%s, which has not waited for that", subject, of.Other.verb(), of.Other.at(), verb, i.at())
		}
		return fmt.Sprintf("%s %s%s and %s%s, and neither waits for the other", subject, of.Other.verb(), of.Other.at(), i.verb(), i.at())
	}
	return fmt.Sprintf("%s %s%s%s and %s%s, in no order", subject, of.Other.verb(), of.Other.by(), of.Other.at(), i.verb(), of.twice())
}

// twice is where the access is, of one whose other side has been told.
func (f *Finding) twice() string {
	by := f.Instance.by()
	if f.Instance.place() == f.Other.place() {
		return by + " there"
	}
	return by + f.Instance.at()
}

// A reduction is written as one of these; what is before the variable's name and behind it.
var reductions = []struct{ operator, before, after string }{
	{"+", ``, `\s*(?:\+=|-=|\+\+|--)`}, {"*", ``, `\s*\*=`}, {"|", ``, `\s*\|=`}, {"&", ``, `\s*&=`}, {"^", ``, `\s*\^=`},
	{"+", ``, `\s*=\s*NAME\s*[+-]`}, {"*", ``, `\s*=\s*NAME\s*\*`}, {"||", ``, `\s*=\s*NAME\s*\|\|`}, {"&&", ``, `\s*=\s*NAME\s*&&`},
	{".or.", ``, `\s*=\s*NAME\s*\.or\.`}, {".and.", ``, `\s*=\s*NAME\s*\.and\.`},
	{"+", ``, `\s*=\s*[^=;]*\+\s*NAME\s*(?:;|$)`},
	{"max", ``, `\s*=\s*(?:\w*max\w*)\s*\(`}, {"min", ``, `\s*=\s*(?:\w*min\w*)\s*\(`},
	{"max", `>\s*`, `\s*\)`}, {"min", `<\s*`, `\s*\)`},
}

// reduction is the operator with which a line of the source reduces to a variable; "" where
// none is seen.
func (k *known) reduction(variable, file string, line int64) string {
	lines := k.sources.Lines(file)
	if line < 1 || line > int64(len(lines)) || variable == "" {
		return ""
	}
	name := `\b` + regexp.QuoteMeta(variable) + `\b`
	for _, r := range reductions {
		if regexp.MustCompile(`(?i)` + r.before + name + strings.ReplaceAll(r.after, "NAME", name)).MatchString(lines[line-1]) {
			return r.operator
		}
	}
	return ""
}

// writesConstant says whether both sides of a race are one statement that assigns a number: whoever
// is last, it is what all have written.
func (k *known) writesConstant(of *Finding) bool {
	i := &of.Instance
	lines := k.sources.Lines(i.File)
	if i.place() != of.Other.place() || i.Access != "write" || of.Other.Access != "write" || i.Line < 1 || i.Line > int64(len(lines)) || of.Variable == "" {
		return false
	}
	return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(of.Variable) + `\b[^=]*=\s*(?:[-+]?[0-9][0-9a-z_.]*|\.?true\.?|\.?false\.?)\s*(?:;|!|$)`).MatchString(lines[i.Line-1])
}

// changes says whether an access of a race changes what it finds: then writes of one value are none
// that each would have made alone.
func (k *known) changes(of *Finding) bool {
	i := &of.Instance
	return k.accumulates(of.Variable, i.File, i.Line) || k.reduction(of.Variable, i.File, i.Line) != ""
}

// elementOf is an element by a name, in the languages: that of a loop's variable, as a rule.
var elementOf = map[bool]*regexp.Regexp{
	false: regexp.MustCompile(`\w\s*\[[^\]]*[A-Za-z_]`),
	true:  regexp.MustCompile(`(?i)\b(\w+)\s*\([^()]*[a-z_]`),
}

// asksDevice says whether code of a finding's file asks where it runs, or for its place among the lanes,
// or takes what an atomic operation finds: then the host may well do something else.
func (k *known) asksDevice(of *Finding) bool {
	return slices.ContainsFunc(k.sources.Lines(of.File), asking.MatchString)
}

var asking = regexp.MustCompile(`(?i)\bacc_on_device\b|\b__builtin_goacc_parlevel|\batomic\s+capture\b`)

// varies says whether a race's writes are of one statement whose value is that of an element: that all
// are equal is so by these data.
func (k *known) varies(of *Finding) bool {
	i := &of.Instance
	lines := k.sources.Lines(i.File)
	if of.Other == nil || i.place() != of.Other.place() || i.Access != "write" || i.Line < 1 || i.Line > int64(len(lines)) || of.Variable == "" {
		return false
	}
	end := map[bool]string{false: ";", true: "!"}[isFortran(i.File)]
	m := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(of.Variable) + `\s*=([^=][^` + end + `]*)`).FindStringSubmatch(lines[i.Line-1])
	if m == nil {
		return false
	}
	for _, element := range elementOf[isFortran(i.File)].FindAllStringSubmatch(m[1], -1) {
		if len(element) < 2 || !structure.Intrinsic(strings.ToLower(element[1]), true) { // which look like elements
			return true
		}
	}
	return false
}

// accumulates says whether a line changes an element of a variable by what it was.
func (k *known) accumulates(variable, file string, line int64) bool {
	lines := k.sources.Lines(file)
	if line < 1 || line > int64(len(lines)) || variable == "" {
		return false
	}
	text := lines[line-1]
	if regexp.MustCompile(`\b` + regexp.QuoteMeta(variable) + `\s*\[.*\]\s*(?:[-+*/|&^]=|\+\+|--)|(?:\+\+|--)\s*` + regexp.QuoteMeta(variable) + `\s*\[`).MatchString(text) {
		return true
	}
	m := regexp.MustCompile(`(?i)(\b` + regexp.QuoteMeta(variable) + `\s*[\[(][^=]*[\])])\s*=(.*)`).FindStringSubmatch(text)
	squeeze := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
	return m != nil && strings.Contains(squeeze(m[2]), squeeze(m[1]))
}

// change is what mends it.
func (k *known) change(of *Finding, f *store.Finding, d *datum) string {
	name := cmp.Or(of.Variable, "the data")
	switch device.FindingKind(f.Kind) {
	case device.FindingOutOfBounds:
		if d == nil {
			return "name the data in a clause of the construct"
		}
		return fmt.Sprintf("map all of %s that the loop uses at %s:%d, or end the loop where %s ends", name, filepath.Base(d.file), d.line, name)
	case device.FindingNotMapped:
		return "name the data in a clause of the construct, such as copyin(a[0:n]), or map them before it"
	case device.FindingBarrier:
		return "let all lanes of the gang come to it: take what synchronises them, such as an inner loop of workers or lanes, out of conditions and loops that they leave apart"
	case device.FindingDiffers:
		return "see what of the construct is not the same for one thread and for many: iterations that depend on one another, data that it finds otherwise on the device, or a mistake of a compiler; --compare-host=TOLERANCE forgives more"
	case device.FindingTrap:
		return "see what it ends for: an abort, a stop or an assertion that failed, or a pointer to a function or to memory that is none"
	case device.FindingMisaligned:
		return "use an address that is a multiple of the type's size"
	case device.FindingUninitialised:
		if d == nil {
			return "write all of it before, or bring less"
		}
		return fmt.Sprintf("write all of %s on the device before it is used, or give it the host's values (copy in place of copyout, copyin in place of create, or update device) at %s:%d", name, filepath.Base(d.file), d.line)
	case device.FindingStaleOnDevice:
		return fmt.Sprintf("send it before the kernel: update device(%s), or map %s behind the host's change", name, name)
	case device.FindingStaleOnHost:
		if of.Other != nil {
			return fmt.Sprintf("bring it to the host before: update self(%s), or copy in place of what maps %s (%s)", name, name, mapped(d))
		}
		return fmt.Sprintf("if the host is to have it, write copy or copyout in place of what maps %s (%s), or update self(%s) before it goes; if it is scratch memory, create", name, mapped(d), name)
	case device.FindingLostWrite:
		if of.Other != nil {
			return fmt.Sprintf("send what the host has written before the kernel: update device(%s), or leave the download out", name)
		}
		return fmt.Sprintf("leave the upload of %s out, or bring what the kernel has written to the host before: update self(%s)", name, name)
	case device.FindingQueueRace:
		if of.Instance.Host {
			return fmt.Sprintf("let the host wait for the transfer before %s: wait(%s)", of.Instance.Where(), queueText(of.Other.Queue))
		}
		return fmt.Sprintf("put both on one queue, or let the second wait for the first: wait(%s)", queueText(of.Other.Queue))
	}
	return k.changeOfRace(of, d)
}

// mapped is where data were mapped.
func mapped(d *datum) string {
	if d == nil || d.file == "" {
		return "at a place that is not known"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(d.file), d.line)
}

func queueText(queue int64) string {
	if queue < 0 {
		return "the queue of the first"
	}
	return fmt.Sprint(queue)
}

func (k *known) changeOfRace(of *Finding, d *datum) string {
	name := cmp.Or(of.Variable, "the variable")
	i, other := &of.Instance, of.Other
	atomic := other
	if i.Access == "atomic" {
		atomic = i
	}
	switch scalar := d != nil && d.bytes <= 16; {
	case atomic.Access == "atomic" && (i.Access != "atomic" || other.Access != "atomic"):
		plain := i
		if atomic == i {
			plain = other
		}
		of.Clause = "atomic"
		return fmt.Sprintf("make the access to %s at %s atomic, too", name, plain.Where())
	case of.Unsure:
		return fmt.Sprintf("each of them writes the same value: let one write %s, or leave it if that is meant", name)
	case scalar:
		for _, at := range []*Instance{i, other} {
			if operator := k.reduction(of.Variable, at.File, at.Line); operator != "" {
				of.Clause, of.Operator = "reduction", operator
				return fmt.Sprintf("add reduction(%s:%s) to the loop", operator, name)
			}
		}
		of.Clause = "private"
		return fmt.Sprintf("add private(%s) to the loop if each iteration has its own, else reduction or an atomic directive", name)
	case i.place() == other.place() && k.accumulates(of.Variable, i.File, i.Line):
		of.Clause = "atomic"
		return fmt.Sprintf("write an atomic update directive before %s, where several iterations change one element of %s", i.Where(), name)
	}
	return fmt.Sprintf("iterations of the loop depend on one another by %s: make the loop seq, split it in two constructs, or let each iteration write elements of its own", name)
}

// Headline is what a finding begins with in text: its number from 1, kind, subject and place.
func (f *Finding) Headline(number int) string {
	kind := f.Kind
	if f.Unsure {
		kind += " (unsure)"
	}
	return fmt.Sprintf("%d %s %s %s", number, kind, cmp.Or(f.Variable, model.Readable(f.Kernel), "-"), f.Instance.Where())
}
