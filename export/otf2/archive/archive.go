// Package archive writes archives of the Open Trace Format, version 2, as its library has
// them since 3.0 (https://www.vi-hps.org/projects/score-p): a folder with the anchor
// traces.otf2, the definitions traces.def, and in traces/ for each location N the files
// N.evt, its events, and N.def, which is empty since all definitions are global.
//
// A file of definitions or events is made of chunks of one size, the last may be shorter.
// A chunk begins with the order of bytes and the numbers of its first and last event; then
// come records: a kind, a length, and what they hold, in which unsigned numbers take as
// many bytes as they need behind one that says how many. The time of an event stands before
// the first of the same time.
package archive

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// Names of the files.
const (
	Anchor      = "traces.otf2"
	Definitions = "traces.def"
	Locations   = "traces" // the folder of the locations' files
)

// Sizes of chunks; a reader takes from 256 KiB to 16 MiB.
const (
	eventChunk      = 1 << 20
	definitionChunk = 4 << 20
)

const (
	// memory is about how much of the events is not in the files yet.
	memory = 64 << 20
	// A file is not written to for less than the first, nor kept waiting for more than the second.
	leastWritten = 4 << 10
	mostWaiting  = 256 << 10
)

// Archive is an archive in the making.
type Archive struct {
	definitions
	folder  string
	streams []*Stream
	groups  []extent // the times of each group
	extent  extent
}

// extent is from the first time to the last.
type extent struct {
	first, last uint64
	any         bool
}

func (e *extent) include(time uint64) {
	if !e.any {
		*e = extent{time, time, true}
		return
	}
	e.first, e.last = min(e.first, time), max(e.last, time)
}

// Create begins an archive in an empty folder.
func Create(folder string) (*Archive, error) {
	if err := os.Mkdir(filepath.Join(folder, Locations), 0o777); err != nil {
		return nil, err
	}
	return &Archive{definitions: newDefinitions(), folder: folder}, nil
}

// waiting is how much of a location's events may be in memory.
func (a *Archive) waiting() int {
	return min(max(memory/max(len(a.streams), 1), leastWritten), mostWaiting)
}

// Group defines a group of locations on a node of the system tree; one of a device has the
// group of the process that uses it, others None.
func (a *Archive) Group(name string, kind GroupType, node, process Ref) Ref {
	text := a.String(name)
	number, payload := a.number(sectionGroups)
	payload = append(appendRefs(payload, text), byte(kind))
	a.add(sectionGroups, defGroup, appendRefs(payload, node, process))
	a.groups = append(a.groups, extent{})
	return number
}

// GroupProperty tells of a group what its definition does not.
func (a *Archive) GroupProperty(of Ref, name, value string) {
	texts := []Ref{a.String(name), a.String(value)}
	payload := appendRefs(appendRefs(nil, of, texts[0]), texts[1]) // readers before 1.3 take the text here
	a.add(sectionGroups, defGroupProperty, appendRefs(append(payload, byte(Text)), texts[1]))
}

// Extent is from the first time in a group to the last; any is false where there is none.
func (a *Archive) Extent(of Ref) (first, last uint64, any bool) {
	e := &a.groups[of]
	return e.first, e.last, e.any
}

// Location defines a location of a group and gives what writes its events.
func (a *Archive) Location(name string, kind LocationType, of Ref) *Stream {
	number := uint64(len(a.streams))
	s := &Stream{Location: number, archive: a, name: a.String(name), kind: kind, group: of}
	s.chunks = newChunks(a.path(number, ".evt"), eventChunk, a.waiting)
	a.streams = append(a.streams, s)
	return s
}

func (a *Archive) path(location uint64, extension string) string {
	return filepath.Join(a.folder, Locations, fmt.Sprint(location, extension))
}

// Close writes what is not in the files yet. The archive is whole when it has succeeded.
func (a *Archive) Close(info *Info) error {
	for _, s := range a.streams {
		if err := s.chunks.close(); err != nil {
			return err
		}
		if err := writeEmpty(a.path(s.Location, ".def")); err != nil {
			return err
		}
		payload := append(appendRefs(appendUint64(nil, s.Location), s.name), byte(s.kind))
		a.add(sectionLocations, defLocation, appendRefs(appendUint64(payload, s.Events()), s.group))
	}
	file := newChunks(filepath.Join(a.folder, Definitions), definitionChunk, func() int { return mostWaiting })
	total, err := a.write(file, a.clock(info))
	if err != nil {
		return err
	}
	if err := file.close(); err != nil {
		return err
	}
	return a.writeAnchor(info, total)
}

// clock are the properties of the clock: ticks a second, the first time, how long from
// there to the last, and the first in Unix time, ns.
func (a *Archive) clock(info *Info) []byte {
	const nanoseconds = 1_000_000_000
	realtime := uint64(math.MaxUint64)
	if info.Dated {
		realtime = a.extent.first + uint64(info.Realtime)
	}
	payload := appendUint64(appendUint64(nil, nanoseconds), a.extent.first)
	return appendUint64(appendUint64(payload, a.extent.last-a.extent.first), realtime)
}
