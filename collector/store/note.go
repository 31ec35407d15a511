package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// Beginnings of keys in table meta.
const (
	// WarningKey is that of what a runtime warned of: the text follows, and the value is
	// the place, FILE:LINE.
	WarningKey = "warning: "
	// ConstructKey is that of a compute construct: its place follows, and the value is
	// its name.
	ConstructKey = "construct: "
	// SourceKey is that of a source file as it was when the program ran: its path follows, and
	// the value is the SHA-256 of its content.
	SourceKey = "source: "
	// DirectiveKey is that of a directive of such a file: its place follows, and the value is
	// its text, on one line.
	DirectiveKey = "directive: "
	// LoopKey is that of the loop around such a directive: the directive's place follows, and the
	// value is the line that the loop begins in, and what stands there.
	LoopKey = "loop: "
	// ExposedKey is that of data whose device address acc_deviceptr has given: their host
	// address and their bytes follow, and the value is these bytes again.
	ExposedKey = "exposed: "
	// UnusedKey is that of data of which no kernel of a process had any use: the process's
	// number, their host address and their bytes follow, and the value is these bytes again.
	UnusedKey = "unused: "
	// FindingKey is that of something that is wrong with accesses to a device's memory: the
	// process's number, the device's and the finding's follow, and the value is a
	// model.Finding in JSON.
	FindingKey = "finding: "
	// MultiprocessorsKey is that of devices of a name, which follows: the value is how
	// many multiprocessors they have.
	MultiprocessorsKey = "multiprocessors: "
)

// A Warning is what a runtime said of the program.
type Warning struct {
	File string // "" where not known
	Line int32  // negative where not known
	Text string
}

// A Finding is what is wrong with accesses of a process to a device's memory.
type Finding struct {
	Process model.ProcessID
	model.Finding
}

// SourceHash is what SourceKey has of a file's content.
func SourceHash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// PlaceText is FILE:LINE.
func PlaceText(file string, line int32) string { return fmt.Sprintf("%s:%d", file, line) }

// splitPlace is the reverse of PlaceText; line -1 where there is none.
func splitPlace(text string) (file string, line int32) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, -1
	}
	n, err := strconv.ParseInt(text[at+1:], 10, 32)
	if err != nil {
		return text, -1
	}
	return text[:at], int32(n)
}

// Data are a range of the host's memory.
type Data struct{ Host, Bytes int64 }

// ProcessData are data of a process.
type ProcessData struct {
	Process model.ProcessID
	Data
}

// String is the decimal number of the process and what Data.String gives.
func (d ProcessData) String() string { return fmt.Sprintf("%d %s", d.Process, d.Data) }

// String is the decimal numbers of the host's address and of the bytes, as runtimes tell
// them (accscope_activity_exposed).
func (d Data) String() string { return fmt.Sprintf("%d %d", d.Host, d.Bytes) }

// ParseData is the reverse of Data.String.
func ParseData(text string) (Data, error) {
	host, bytes, _ := strings.Cut(text, " ")
	h, err := strconv.ParseInt(host, 10, 64)
	if err != nil {
		return Data{}, fmt.Errorf("data %q: want two numbers: %w", text, err)
	}
	b, err := strconv.ParseInt(bytes, 10, 64)
	if err != nil || b < 0 {
		return Data{}, fmt.Errorf("data %q: want two numbers: an address, and a size", text)
	}
	return Data{h, b}, nil
}

// note takes in what a row of table meta says of the program, if it is one of those.
func (m *Meta) note(key, value string) bool {
	if text, found := strings.CutPrefix(key, WarningKey); found {
		file, line := splitPlace(value)
		m.Warnings = append(m.Warnings, Warning{file, line, text})
		slices.SortFunc(m.Warnings, func(a, b Warning) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
		})
		return true
	}
	if data, found := strings.CutPrefix(key, ExposedKey); found {
		if d, err := ParseData(data); err == nil {
			m.Exposed = append(m.Exposed, d)
		}
		return true
	}
	if text, found := strings.CutPrefix(key, UnusedKey); found {
		number, data, _ := strings.Cut(text, " ")
		process, err := strconv.ParseInt(number, 10, 64)
		if d, badData := ParseData(data); err == nil && badData == nil {
			m.Unused = append(m.Unused, ProcessData{model.ProcessID(process), d})
		}
		return true
	}
	if text, found := strings.CutPrefix(key, FindingKey); found {
		number, _, _ := strings.Cut(text, " ")
		process, err := strconv.ParseInt(number, 10, 64)
		f := Finding{Process: model.ProcessID(process)}
		if json.Unmarshal([]byte(value), &f.Finding) == nil && err == nil {
			m.Findings = append(m.Findings, f)
			slices.SortFunc(m.Findings, func(a, b Finding) int {
				return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Device, b.Device), cmp.Compare(a.Number, b.Number))
			})
		}
		return true
	}
	for beginning, texts := range m.texts() {
		if name, found := strings.CutPrefix(key, beginning); found {
			texts[name] = value
			return true
		}
	}
	return false
}

// texts are what the notes of each key say of source files, by what follows the key.
func (m *Meta) texts() map[string]map[string]string {
	return map[string]map[string]string{ConstructKey: m.Constructs, SourceKey: m.Sources, DirectiveKey: m.Directives, LoopKey: m.Loops}
}

// Texts gives each note on source files by its whole key.
func (m *Meta) Texts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for beginning, texts := range m.texts() {
			for name, value := range texts {
				if !yield(beginning+name, value) {
					return
				}
			}
		}
	}
}
