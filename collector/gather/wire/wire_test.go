package wire

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
)

func example() *Batch {
	b := &Batch{Agent: "node1-abc", Mark: Mark{2, 7}, After: Mark{1, 3}, Host: "node1", Boot: "b", Until: 5, UntilRealtime: 6, Ranks: []int{0, 3},
		Processes: []Process{{PID: 4, Killed: true, Name: "solver"}}, Last: true, Clock: []clock.Sample{{Sent: 1, Received: 102, Answered: 103, Heard: 7}}}
	b.Add("12-34", []capture.Piece{{File: "info", Data: []byte("host=node1")}, {File: "ring-00000", Offset: 128, Data: bytes.Repeat([]byte{1, 2}, 4000)}})
	b.Add("13-35", []capture.Piece{{File: "process", Offset: 8, Data: nil}})
	return b
}

func TestRoundTrip(t *testing.T) {
	want := example()
	data, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want.Parts[2].Data = []byte{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if len(data) > 1000 {
		t.Errorf("%d bytes: not compressed", len(data))
	}
}

// Whatever else comes is refused with an error, not a crash.
func TestRefuses(t *testing.T) {
	good, err := Encode(example())
	if err != nil {
		t.Fatal(err)
	}
	change := func(do func(*Batch)) []byte {
		b := example()
		do(b)
		data, err := Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, data := range map[string][]byte{
		"nothing":        nil,
		"another format": []byte("NATS or what"),
		"a later one":    append([]byte(magic), 2),
		"cut":            good[:len(good)-9],
		"no agent":       change(func(b *Batch) { b.Agent = "" }),
		"a path":         change(func(b *Batch) { b.Agent = "../x" }),
		"a dotted agent": change(func(b *Batch) { b.Agent = "a.b" }),
		"a capture's":    change(func(b *Batch) { b.Parts[0].Capture = ".." }),
		"no number":      change(func(b *Batch) { b.Number = 0 }),
		"too few bytes":  change(func(b *Batch) { b.Parts[1].Bytes++ }),
		"too many":       change(func(b *Batch) { b.Parts[1].Bytes-- }),
		"less than none": change(func(b *Batch) { b.Parts[1].Bytes = -1 }),
	} {
		if _, err := Decode(data); !errors.Is(err, ErrNotABatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Decode(append([]byte(magic), 2)); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a later version: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	good, err := Encode(example())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:20])
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(again); err != nil {
			t.Fatal(err)
		}
	})
}
