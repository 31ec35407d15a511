package archive

import (
	"cmp"
	"encoding/binary"

	"github.com/accscope/accscope/collector/lookup"
)

// Kinds of records in the file of definitions.
const (
	defClock            = 5
	defParadigm         = 6
	defParadigmProperty = 7
	defString           = 10
	defAttribute        = 11
	defNode             = 12
	defGroup            = 13
	defLocation         = 14
	defRegion           = 15
	defMembers          = 18
	defMetricMember     = 19
	defMetricClass      = 20
	defMetricInstance   = 21
	defCommunicator     = 22
	defParameter        = 23
	defWindow           = 24
	defNodeDomain       = 27
	defGroupProperty    = 28
	defSource           = 33
)

const (
	propertyTransfersOnly = 2 // of a paradigm: its communicators serve windows alone

	membersAll  = 4 // all locations of a paradigm
	membersPart = 5 // a part of these, by their places there

	noFlags = 0
	oldType = 0 // unknown, to readers before 1.1 or 1.2; what came later stands at the end

	kindOther        = 0    // of a metric
	absoluteFromHere = 0x31 // a metric's value is absolute and stands until the next
	decimal          = 1
	asynchronous     = 2 // a metric's values are at times of their own
	byInstances      = 1 // who records a metric class
)

// sections are the kinds of definitions in the order in which they are in the file:
// each behind what it refers to.
const (
	sectionStrings = iota
	sectionParadigms
	sectionAttributes
	sectionNodes
	sectionGroups
	sectionLocations
	sectionSources
	sectionRegions
	sectionMembers
	sectionCommunicators
	sectionWindows
	sectionMetricMembers
	sectionMetrics
	sectionParameters
	sections
)

// definitions are the global definitions, until they are written.
type definitions struct {
	records    [sections][]byte
	count      [sections]uint64
	strings    map[string]Ref
	regions    map[Region]Ref
	sources    map[place]Ref
	parameters map[string]Ref
	metrics    map[string]Ref // members by name and unit
	numbers    [sections]Ref  // how many definitions of a kind have a number
	payload    []byte
}

type place struct {
	file string
	line uint32
}

func newDefinitions() definitions {
	return definitions{strings: map[string]Ref{}, regions: map[Region]Ref{}, sources: map[place]Ref{}, parameters: map[string]Ref{}, metrics: map[string]Ref{}}
}

func (d *definitions) add(section int, kind byte, payload []byte) {
	d.records[section] = appendRecord(d.records[section], kind, payload)
	d.count[section]++
	d.payload = payload[:0]
}

// number is the next number of a section's definitions, and begins one.
func (d *definitions) number(section int) (Ref, []byte) {
	number := d.numbers[section]
	d.numbers[section]++
	return number, appendRefs(d.payload[:0], number)
}

func appendRefs(b []byte, refs ...Ref) []byte {
	for _, r := range refs {
		b = appendUint32(b, uint32(r))
	}
	return b
}

// String defines a text once.
func (d *definitions) String(text string) Ref {
	if known, ok := d.strings[text]; ok {
		return known
	}
	number := d.numbers[sectionStrings]
	d.numbers[sectionStrings]++
	d.strings[text] = number
	// The payload of another definition may be in the making.
	d.records[sectionStrings] = appendRecord(d.records[sectionStrings], defString, appendString(appendRefs(nil, number), plain(text)))
	d.count[sectionStrings]++
	return number
}

// Paradigm says that a paradigm was there. One whose transfers alone are events has no
// events of its communicators.
func (d *definitions) Paradigm(paradigm Paradigm, name string, class ParadigmClass, transfersOnly bool) {
	payload := appendRefs([]byte{byte(paradigm)}, d.String(name))
	d.add(sectionParadigms, defParadigm, append(payload, byte(class)))
	if transfersOnly {
		d.add(sectionParadigms, defParadigmProperty, []byte{byte(paradigm), propertyTransfersOnly, byte(Uint8), 1})
	}
}

// Attribute defines what events may say.
func (d *definitions) Attribute(name, description string, kind Type) Ref {
	texts := []Ref{d.String(name), d.String(description)}
	number, payload := d.number(sectionAttributes)
	payload = append(appendRefs(payload, texts[0]), byte(kind))
	d.add(sectionAttributes, defAttribute, appendRefs(payload, texts[1]))
	return number
}

// Node defines a node of the system tree below another, or None.
func (d *definitions) Node(name, class string, domain Domain, parent Ref) Ref {
	texts := []Ref{d.String(name), d.String(class)}
	number, payload := d.number(sectionNodes)
	d.add(sectionNodes, defNode, appendRefs(appendRefs(payload, texts...), parent))
	d.add(sectionNodes, defNodeDomain, append(appendRefs(nil, number), byte(domain)))
	return number
}

// Region is what is entered and left.
type Region struct {
	Name        string
	Canonical   string // as the linker has it; "": as Name
	Description string
	Role        Role
	Paradigm    Paradigm
	File        string // "": not known
	Begin, End  uint32 // lines; 0: not known
}

// Region defines a region once.
func (d *definitions) Region(r Region) Ref {
	if known, ok := d.regions[r]; ok {
		return known
	}
	canonical, file := cmp.Or(r.Canonical, r.Name), None
	if r.File != "" {
		file = d.String(r.File)
	}
	name, other, description := d.String(r.Name), d.String(canonical), d.String(r.Description)
	number, payload := d.number(sectionRegions)
	payload = append(appendRefs(payload, name, description), oldType)
	payload = appendUint32(appendUint32(appendRefs(payload, file), r.Begin), r.End)
	payload = append(appendRefs(payload, other), byte(r.Role), byte(r.Paradigm))
	d.add(sectionRegions, defRegion, appendUint32(payload, noFlags))
	d.regions[r] = number
	return number
}

// Source defines a place in the source once.
func (d *definitions) Source(file string, line uint32) Ref {
	return lookup.Make(d.sources, place{file, line}, func() Ref {
		text := d.String(file)
		number, payload := d.number(sectionSources)
		d.add(sectionSources, defSource, appendUint32(appendRefs(payload, text), line))
		return number
	})
}

// Parameter defines, once, a parameter that has texts as values.
func (d *definitions) Parameter(name string) Ref {
	return lookup.Make(d.parameters, name, func() Ref {
		text := d.String(name)
		number, payload := d.number(sectionParameters)
		d.add(sectionParameters, defParameter, append(appendRefs(payload, text), 0))
		return number
	})
}

// Members defines the locations that a paradigm runs on: the place of each is its number
// in Communicator. It is called once for a paradigm.
func (d *definitions) Members(name string, paradigm Paradigm, locations []uint64) {
	d.members(name, membersAll, paradigm, locations)
}

func (d *definitions) members(name string, kind byte, paradigm Paradigm, members []uint64) Ref {
	text := d.String(name)
	number, payload := d.number(sectionMembers)
	payload = appendUint32(append(appendRefs(payload, text), oldType), uint32(len(members)))
	for _, member := range members {
		payload = appendUint64(payload, member)
	}
	d.add(sectionMembers, defMembers, appendUint32(append(payload, kind, byte(paradigm)), noFlags))
	return number
}

// Communicator defines who takes part, by their places in the paradigm's Members.
func (d *definitions) Communicator(name string, paradigm Paradigm, places []uint64) Ref {
	group := d.members(name, membersPart, paradigm, places)
	text := d.String(name)
	number, payload := d.number(sectionCommunicators)
	d.add(sectionCommunicators, defCommunicator, appendUint32(appendRefs(payload, text, group, None), noFlags))
	return number
}

// Window defines memory that the members of a communicator transfer into and from.
func (d *definitions) Window(name string, communicator Ref) Ref {
	text := d.String(name)
	number, payload := d.number(sectionWindows)
	d.add(sectionWindows, defWindow, appendUint32(appendRefs(payload, text, communicator), noFlags))
	return number
}

// Instance defines a metric of a location group or a node, whose values, Int64, stand
// each until the next and are on the location recorder.
func (d *definitions) Instance(name, unit string, recorder *Stream, scope Scope, of Ref) Ref {
	class, ok := d.metrics[name+"\x00"+unit]
	if !ok {
		texts := []Ref{d.String(name), d.String("")}
		inUnit := d.String(unit)
		member, payload := d.number(sectionMetricMembers)
		payload = append(appendRefs(payload, texts...), kindOther, absoluteFromHere, byte(Int64), decimal)
		d.add(sectionMetricMembers, defMetricMember, appendRefs(appendInt64(payload, 0), inUnit))
		class, payload = d.number(sectionMetrics)
		d.add(sectionMetrics, defMetricClass, append(appendRefs(append(payload, 1), member), asynchronous, byInstances))
		d.metrics[name+"\x00"+unit] = class
	}
	number, payload := d.number(sectionMetrics)
	payload = append(appendUint64(appendRefs(payload, class), recorder.Location), byte(scope))
	d.add(sectionMetrics, defMetricInstance, appendUint64(payload, uint64(of)))
	return number
}

// write writes all definitions and says how many there are.
func (d *definitions) write(to *chunks, clock []byte) (total uint64, err error) {
	if err := to.record(appendRecord(nil, defClock, clock)); err != nil {
		return 0, err
	}
	total = 1
	for section, records := range d.records {
		for len(records) > 0 {
			size := recordSize(records)
			if err := to.record(records[:size]); err != nil {
				return 0, err
			}
			records = records[size:]
		}
		total += d.count[section]
	}
	return total, nil
}

// recordSize is the size of the first of some records.
func recordSize(records []byte) int {
	if size := records[1]; size != undefined {
		return 2 + int(size)
	}
	return 10 + int(binary.LittleEndian.Uint64(records[2:]))
}
