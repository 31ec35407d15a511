package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"
)

// A single object of what has no event yet says so, rather than to wait for one that
// may never come.
func TestJSONOnceWithoutEvents(t *testing.T) {
	before := onceWaits
	onceWaits = 0
	defer func() { onceWaits = before }()
	var output bytes.Buffer
	if err := Stream(t.Context(), silent{}, time.Millisecond, true, &output); err != nil {
		t.Fatal(err)
	}
	var r Reading
	if err := json.Unmarshal(output.Bytes(), &r); err != nil || r.State != Waiting || r.Events != 0 || r.Session != "a program" {
		t.Errorf("%v, %s", err, output.Bytes())
	}
}

// silent is a session in which nothing happens.
type silent struct{}

func (silent) Title() string { return "a program" }

func (silent) Run(ctx context.Context, interval time.Duration, observe func(Frame)) error {
	for ctx.Err() == nil {
		observe(Frame{State: Waiting})
		time.Sleep(interval)
	}
	return nil
}
