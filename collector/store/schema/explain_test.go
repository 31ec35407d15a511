package schema

import (
	"errors"
	"fmt"
	"testing"

	"zombiezen.com/go/sqlite"
)

// The texts are those of the library itself.
func TestPlain(t *testing.T) {
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for sql, want := range map[string]string{
		"SELECT * FROM nowhere": "reading: no such table: nowhere",
		"SELECT nowhere":        "reading: 1:8: no such column: nowhere",
	} {
		_, _, err := conn.PrepareTransient(sql)
		if err == nil {
			t.Fatalf("%s: no error", sql)
		}
		if got := Plain(fmt.Errorf("reading: %w", err)); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	_, err = sqlite.OpenConn("/nowhere/\"quoted\".db", sqlite.OpenReadOnly)
	if got, want := Plain(err), "unable to open database file"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	explained := Explain("t.db", err)
	if got, want := explained.Error(), "t.db: unable to open database file (check that the folder exists and may be written)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(explained, err) {
		t.Error("what SQLite said is lost")
	}
}
