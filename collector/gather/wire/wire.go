// Package wire is what a node's agent and a job's collector say to each other: batches of
// the records of captures, as bytes, and where on a NATS server they go. A batch is the
// text "ACCB", a byte with the version, and compressed (zstd) the length of a header as a
// varint, the header in JSON, and the bytes of its pieces one after the other.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
)

// Version is that of batches and of what is said when an agent joins.
const Version = 1

const (
	magic = "ACCB"
	// Limit is how many bytes of captures one batch holds, about: with its header it
	// stays below the 1 MiB that a NATS server takes, however badly it compresses.
	Limit = 512 << 10
	// memoryLimit is what a batch may take up when it is decompressed.
	memoryLimit = 16 << 20
)

// ErrNotABatch is wrapped by errors about bytes that are none.
var ErrNotABatch = errors.New("not a batch of captures")

// Mark is a place in what an agent sends. Each time that an agent starts it begins to
// count its batches anew, as one life more.
type Mark struct {
	Life   int `json:"life"`
	Number int `json:"number"` // of the batch, from 1 in each life
}

// Batch is what an agent sends at once.
type Batch struct {
	Agent string `json:"agent"` // the agent's name
	Mark
	// After is what this life goes on from: all up to it has been received.
	After Mark   `json:"after"`
	Host  string `json:"host"`
	Boot  string `json:"boot"` // the kernel's boot id
	// Until is the CLOCK_MONOTONIC of the agent's host, ns, before which all events are
	// in this batch and those before it, and UntilRealtime its CLOCK_REALTIME then.
	Until         int64     `json:"until"`
	UntilRealtime int64     `json:"until_realtime"`
	Ranks         []int     `json:"ranks,omitempty"`     // MPI ranks that the agent was started for
	Processes     []Process `json:"processes,omitempty"` // what is known of their ends, as of now
	Last          bool      `json:"last,omitempty"`      // there will be no more
	// Clock are round trips from the agent's host to the collector's, in order.
	Clock []clock.Sample `json:"clock,omitempty"`
	Parts []Part         `json:"parts,omitempty"`
}

// Process is what whoever started a process knows of its end.
type Process struct {
	PID    int    `json:"pid"`
	Killed bool   `json:"killed,omitempty"`
	Name   string `json:"name,omitempty"` // the kernel's of the process at its end
	Signal string `json:"signal,omitempty"`
	Status int    `json:"status,omitempty"`
	Time   int64  `json:"time,omitempty"` // of its end, CLOCK_MONOTONIC of its host, ns
}

// Part is a piece of a capture.
type Part struct {
	Capture string `json:"capture"` // the name of its folder on the node
	File    string `json:"file"`
	Offset  int64  `json:"offset"`
	Bytes   int    `json:"bytes"`
	Data    []byte `json:"-"`
}

// Piece is the part without its capture.
func (p *Part) Piece() capture.Piece {
	return capture.Piece{File: p.File, Offset: p.Offset, Data: p.Data}
}

// Add adds a capture's pieces.
func (b *Batch) Add(name string, pieces []capture.Piece) {
	for _, p := range pieces {
		b.Parts = append(b.Parts, Part{name, p.File, p.Offset, len(p.Data), p.Data})
	}
}

// Size is how many bytes of captures the batch holds.
func (b *Batch) Size() (n int) {
	for i := range b.Parts {
		n += len(b.Parts[i].Data)
	}
	return n
}

var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
})

var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderMaxMemory(memoryLimit), zstd.WithDecoderConcurrency(1))
})

// Encode makes bytes of a batch.
func Encode(b *Batch) ([]byte, error) {
	header, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	plain := binary.AppendUvarint(make([]byte, 0, len(header)+b.Size()+binary.MaxVarintLen64), uint64(len(header)))
	plain = append(plain, header...)
	for i := range b.Parts {
		plain = append(plain, b.Parts[i].Data...)
	}
	zstd, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return zstd.EncodeAll(plain, append([]byte(magic), Version)), nil
}

// name is what agents and captures may be called: they become names of folders.
var name = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$`)

// ValidName says whether a text can be the name of an agent, a job or a capture.
func ValidName(text string) bool { return name.MatchString(text) }

// Decode reads what Encode made. The error wraps ErrNotABatch where the bytes are
// something else. Pieces share the memory that was decompressed.
func Decode(data []byte) (*Batch, error) {
	bad := func(format string, arguments ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrNotABatch}, arguments...)...)
	}
	if len(data) < len(magic)+1 || string(data[:len(magic)]) != magic {
		return nil, bad("it begins otherwise")
	}
	if v := data[len(magic)]; v != Version {
		return nil, bad("version %d, this accscope reads %d; use the same accscope on all nodes", v, Version)
	}
	zstd, err := decoder()
	if err != nil {
		return nil, err
	}
	plain, err := zstd.DecodeAll(data[len(magic)+1:], nil)
	if err != nil {
		return nil, bad("%v", err)
	}
	length, n := binary.Uvarint(plain)
	if n <= 0 || length > uint64(len(plain)-n) {
		return nil, bad("a header of %d bytes in %d", length, len(plain))
	}
	b := &Batch{}
	if err := json.Unmarshal(plain[n:][:length], b); err != nil {
		return nil, bad("%v", err)
	}
	if !ValidName(b.Agent) || strings.Contains(b.Agent, ".") || b.Life < 1 || b.Number < 1 {
		return nil, bad("agent %q, batch %d of life %d", b.Agent, b.Number, b.Life)
	}
	rest := plain[n:][length:]
	for i := range b.Parts {
		p := &b.Parts[i]
		if p.Bytes < 0 || p.Bytes > len(rest) || !ValidName(p.Capture) {
			return nil, bad("a piece of %d bytes of capture %q", p.Bytes, p.Capture)
		}
		p.Data, rest = rest[:p.Bytes:p.Bytes], rest[p.Bytes:]
	}
	if len(rest) > 0 {
		return nil, bad("%d bytes that belong to nothing", len(rest))
	}
	return b, nil
}
