package otlp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/accscope/accscope/collector/store"
)

// TraceID and SpanID are the identifiers of W3C Trace Context.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// String is the id in hexadecimal digits.
func (t TraceID) String() string { return hex.EncodeToString(t[:]) }

// TraceParent is the caller's span, from the environment variable TRACEPARENT
// (W3C Trace Context, header traceparent).
type TraceParent struct {
	Trace TraceID
	Span  SpanID
	Flags uint32 // sampledFlag, randomFlag
	State string // of TRACESTATE, kept as it is
}

// Sampled says whether the caller's trace is recorded.
func (p TraceParent) Sampled() bool { return p.Flags&sampledFlag != 0 }

// Valid says whether there is a parent.
func (p TraceParent) Valid() bool { return p.Trace != TraceID{} && p.Span != SpanID{} }

// ParseTraceParent reads "00-<32 hex digits>-<16 hex digits>-<2 hex digits>" and
// the tracestate that goes with it, which is dropped where it is malformed.
// Later versions may have more fields; "" is no parent.
func ParseTraceParent(text, state string) (TraceParent, error) {
	var p TraceParent
	if text == "" {
		return p, nil
	}
	fields := strings.Split(strings.TrimSpace(text), "-")
	var version, flags [1]byte
	wrong := func() (TraceParent, error) {
		return TraceParent{}, fmt.Errorf("TRACEPARENT %q: expected 00-TRACEID-SPANID-FLAGS with 32, 16 and 2 lower-case hexadecimal digits", text)
	}
	if len(fields) < 4 || strings.ToLower(text) != text {
		return wrong()
	}
	for i, into := range [][]byte{version[:], p.Trace[:], p.Span[:], flags[:]} {
		if len(fields[i]) != 2*len(into) {
			return wrong()
		}
		if _, err := hex.Decode(into, []byte(fields[i])); err != nil {
			return wrong()
		}
	}
	if version[0] == 0xff || version[0] == 0 && len(fields) != 4 || !p.Valid() {
		return wrong()
	}
	p.Flags = uint32(flags[0])
	if parsed, err := trace.ParseTraceState(state); err == nil {
		p.State = parsed.String()
	}
	return p, nil
}

// kind separates the ids of what is numbered separately in a trace.
type kind int

const (
	ofProcess  kind = iota
	ofRecord        // a host span
	ofActivity      // a device activity
	ofFold          // several host spans in one
	ofActivityFold
	ofEvents // events of a span that has too many for one
	ofRun    // what a launcher started
	ofRanks  // all processes of a run, where the launcher started one of them
	ofStart  // that a process has started
	kinds
)

// identity gives a trace's ids: the same ones each time it is exported.
type identity struct {
	trace TraceID
	seeds [kinds]uint64
}

// identify derives the ids from what makes a run unique: when and where its
// processes ran.
func identify(meta store.Meta, processes []store.Process, parent TraceParent) identity {
	if known := meta.Facts["identity"]; known != "" {
		return identifyRun(known, parent)
	}
	var text strings.Builder
	session := meta.Facts["session"]
	fmt.Fprintf(&text, "%q %d\n", session, meta.Origin)
	for _, p := range processes {
		if session != "" {
			break // that and the clock are enough, and known before all processes are
		}
		fmt.Fprintf(&text, "%q %d %d %d %q\n", p.Host, p.PID, p.Rank, p.Start, p.Program)
	}
	return identifyRun(text.String(), parent)
}

// identifyRun derives the ids from what names the run.
func identifyRun(name string, parent TraceParent) identity {
	digest := sha256.Sum256([]byte(name))
	sum := digest[:]
	var id identity
	copy(id.trace[:], sum)
	for i := range id.seeds {
		each := sha256.Sum256(append([]byte{byte(i)}, sum...))
		id.seeds[i] = binary.LittleEndian.Uint64(each[:])
	}
	if parent.Valid() {
		id.trace = parent.Trace
	}
	return id
}

// ProgramSpan is the span that a program started for a run of an identity
// (session.Identity) is to be given as TRACEPARENT: that of its process, or the
// one around all processes where it is none of the trace's.
func ProgramSpan(runIdentity string, parent TraceParent) (TraceParent, error) {
	id := identifyRun(runIdentity, parent)
	span := TraceParent{Trace: id.trace, Span: id.span(ofRun, 0), Flags: parent.Flags & randomFlag, State: parent.State}
	record, err := sampled(id.trace, parent)
	if record {
		span.Flags |= sampledFlag
	}
	return span, err
}

// String is the value of TRACEPARENT.
func (p TraceParent) String() string {
	return fmt.Sprintf("00-%s-%s-%02x", p.Trace, hex.EncodeToString(p.Span[:]), p.Flags)
}

// span is the id of the number-th span of a kind. Within a kind no two are
// equal: every step is a bijection (the finalizer of SplitMix64).
func (id *identity) span(k kind, number int64) SpanID {
	x := id.seeds[k] ^ uint64(number)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	if x == 0 {
		x = id.seeds[k] | 1
	}
	var s SpanID
	binary.BigEndian.PutUint64(s[:], x)
	return s
}
