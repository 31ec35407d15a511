package archive

import (
	"encoding/binary"
	"os"
	"path/filepath"
)

// Info is what the anchor says of an archive.
type Info struct {
	Machine, Creator, Description string
	Properties                    []Property // each name once
	Trace                         uint64     // its number, by which archives are told apart
	// Realtime is what to add to a time to get that since 1970, ns; it counts if Dated.
	Realtime int64
	Dated    bool
}

// Property is a named text. A name is "NAMESPACE::KEY".
type Property struct{ Name, Value string }

// What the anchor says of every archive.
var (
	magic = []byte("OTF2\x00")
	// version are two numbers of the format, of which readers compare the second with
	// their own, and the three of the release that has the records written here.
	version = []byte{3, 2, 3, 0, 2}
)

const (
	substrateFiles = 1 // each location's events are a file
	notCompressed  = 1
)

func (a *Archive) writeAnchor(info *Info, definitions uint64) error {
	b := append(append([]byte{markBegin, littleEndian}, magic...), version...)
	b = binary.LittleEndian.AppendUint64(b, eventChunk)
	b = binary.LittleEndian.AppendUint64(b, definitionChunk)
	b = append(b, substrateFiles, notCompressed)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(a.streams)))
	b = binary.LittleEndian.AppendUint64(b, definitions)
	for _, text := range []string{info.Machine, info.Creator, info.Description} {
		b = appendString(b, plain(text))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(info.Properties)))
	for _, p := range info.Properties {
		b = appendString(appendString(b, plain(p.Name)), plain(p.Value))
	}
	b = binary.LittleEndian.AppendUint64(b, info.Trace)
	b = binary.LittleEndian.AppendUint32(b, 0) // snapshots
	b = binary.LittleEndian.AppendUint32(b, 0) // thumbnails
	b = append(b, markChunk, markFile, 0)
	return os.WriteFile(filepath.Join(a.folder, Anchor), b, 0o666)
}
