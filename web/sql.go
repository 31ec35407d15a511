package web

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Limits of the SQL console.
const (
	longestQuery = 100_000 // bytes
	longestCell  = 100_000 // bytes shown of one value
	mostBytes    = 16 << 20
	mostRows     = 100_000
	mostSeconds  = 30
)

type sqlAnswer struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	// Limit says why there are no more rows, "" if there are none.
	Limit   string  `json:"limit"`
	Seconds float64 `json:"seconds"`
}

// readOnly lets a statement read tables and call functions, and nothing else.
type readOnly struct{}

func (readOnly) Authorize(a sqlite.Action) sqlite.AuthResult {
	switch a.Type() {
	case sqlite.OpSelect, sqlite.OpRead, sqlite.OpRecursive:
		return sqlite.AuthResultOK
	case sqlite.OpFunction:
		if !strings.Contains(strings.ToLower(a.String()), "load_extension") {
			return sqlite.AuthResultOK
		}
	}
	return sqlite.AuthResultDeny
}

// sql runs a statement of the user's on a connection of its own.
func (s *reader) sql(w http.ResponseWriter, r *http.Request) {
	f, p := s.asked(r)
	rows := p.integer("rows", 1000, 1, mostRows)
	seconds := p.integer("seconds", 10, 1, mostSeconds)
	text, format := strings.TrimSpace(p.text("sql")), p.text("format")
	switch {
	case p.err != nil:
	case text == "":
		p.err = badRequest("parameter sql is empty: give one SELECT statement")
	case len(text) > longestQuery:
		p.err = badRequest("the statement has %d bytes: at most %d", len(text), longestQuery)
	case format != "" && format != "json" && format != "csv":
		p.err = badRequest("parameter format is %q: want json or csv", format)
	}
	if p.err != nil {
		fail(w, p.err)
		return
	}
	answer, err := s.query(r.Context(), f, text, rows, seconds)
	if err != nil {
		fail(w, err)
		return
	}
	if format == "csv" {
		writeCSV(w, answer)
		return
	}
	writeJSON(w, answer)
}

// query runs a statement when it is its turn. What it took is given back when the rows are
// there: sending them takes as long as the client likes.
func (s *reader) query(ctx context.Context, f *file, text string, rows, seconds int64) (*sqlAnswer, error) {
	select {
	case s.queries <- struct{}{}:
		defer func() { <-s.queries }()
	case <-ctx.Done():
		return nil, ctx.Err() // nobody waits for it
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()
	f.paused.RLock()
	defer f.paused.RUnlock()
	answer, err := runSQL(ctx, f.where(), text, rows)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = statusError{http.StatusServiceUnavailable, fmt.Sprintf("the statement ran longer than %d s and was ended", seconds)}
	}
	return answer, err
}

func runSQL(ctx context.Context, path, text string, rows int64) (answer *sqlAnswer, err error) {
	trace, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	fault, err := guarded(path, "the statement", func() (err error) {
		answer, err = queryRows(ctx, trace, text, rows)
		return err
	})
	if !fault {
		err = errors.Join(err, trace.Close())
	}
	return answer, err
}

func queryRows(ctx context.Context, trace *store.Trace, text string, rows int64) (*sqlAnswer, error) {
	began := time.Now()
	conn := trace.Conn()
	trace.Interrupt(ctx.Done())
	conn.Limit(sqlite.LimitLength, mostBytes)
	conn.Limit(sqlite.LimitSQLLength, longestQuery)
	conn.Limit(sqlite.LimitExprDepth, 200)
	if err := trace.CheckSQL(text); err != nil {
		return nil, statusError{http.StatusForbidden, err.Error()}
	}
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA cache_size = -16384", nil); err != nil {
		return nil, err
	}
	if err := conn.SetAuthorizer(readOnly{}); err != nil {
		return nil, err
	}
	statement, trailing, err := conn.PrepareTransient(text)
	if err != nil {
		if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultAuth {
			return nil, statusError{http.StatusForbidden, "only reading is allowed: one SELECT statement on the trace's tables and views"}
		}
		return nil, sqlError(ctx, err)
	}
	defer statement.Finalize()
	if rest := strings.TrimSpace(text[len(text)-trailing:]); rest != "" {
		return nil, badRequest("one statement at a time; there is more after it: %q", shortened(rest))
	}
	a := &sqlAnswer{Columns: make([]string, statement.ColumnCount()), Rows: [][]any{}}
	for i := range a.Columns {
		a.Columns[i] = statement.ColumnName(i)
	}
	size := 0
	for {
		more, err := statement.Step()
		if err != nil {
			return nil, sqlError(ctx, err)
		}
		if !more {
			break
		}
		if int64(len(a.Rows)) == rows {
			a.Limit = fmt.Sprintf("the first %d rows", rows)
			break
		}
		row := make([]any, len(a.Columns))
		for i := range row {
			var n int
			row[i], n = value(statement, i)
			size += n
		}
		a.Rows = append(a.Rows, row)
		if size > mostBytes {
			a.Limit = fmt.Sprintf("the first %d rows: the result is larger than %d MiB", len(a.Rows), mostBytes>>20)
			break
		}
	}
	a.Seconds = time.Since(began).Seconds()
	return a, nil
}

// sqlError is a mistake in the statement, unless its time was over.
func sqlError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return badRequest("SQL: %v", err)
}

// value reads a cell; integers that JSON numbers cannot hold come as text.
func value(s *sqlite.Stmt, i int) (any, int) {
	switch s.ColumnType(i) {
	case sqlite.TypeInteger:
		n := s.ColumnInt64(i)
		if n > 1<<53 || n < -1<<53 {
			return strconv.FormatInt(n, 10), 20
		}
		return n, 8
	case sqlite.TypeFloat:
		f := s.ColumnFloat(i)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return fmt.Sprint(f), 8
		}
		return f, 8
	case sqlite.TypeText:
		text := s.ColumnText(i)
		if len(text) > longestCell {
			text = text[:longestCell] + "…"
		}
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "\uFFFD")
		}
		return text, len(text)
	case sqlite.TypeBlob:
		data := make([]byte, min(s.ColumnLen(i), longestCell))
		s.ColumnBytes(i, data)
		return "x'" + hex.EncodeToString(data) + "'", 2 * len(data)
	}
	return nil, 1
}

func writeCSV(w http.ResponseWriter, a *sqlAnswer) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="accscope.csv"`)
	out := csv.NewWriter(w)
	lines := [][]string{a.Columns}
	for _, row := range a.Rows {
		line := report.Raw(row)
		for i := range line {
			line[i] = harmless(line[i])
		}
		lines = append(lines, line)
	}
	out.WriteAll(lines) //nolint:errcheck // the client has gone
}

// harmless keeps spreadsheets from taking a name of an untrusted trace for a
// formula.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return "'" + text
		}
	}
	return text
}
