// Package clickhouse sends traces to a ClickHouse server, over HTTP in RowBinary: runs of many
// programs in one database, which is asked by SQL and by dashboards. Of each view of the trace
// (docs/trace-schema.md) the database has one of the same name and columns, with the name of
// the run before them.
//
// What is sent is a load. Its rows lie in a partition of its own in each table, and the views
// show the newest finished load of each run: a load that is under way, or was broken off, is not
// seen, and one that ends takes the place of those before it at once. No statement is used that
// ClickHouse 18.16 does not know.
package clickhouse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Options say how a trace is sent.
type Options struct {
	export.Options
	Run   string // the run's name in the database
	Force bool   // take the place of a run of that name that is another one
}

// Result is what was sent.
type Result struct {
	Rows, Bytes int64 // of all views, as they were sent
	Replaced    bool  // the database had the run before
}

// Send sends a whole trace, as it is at the moment where it is still written. Where it fails,
// what the database shows is as before.
func Send(ctx context.Context, to Target, trace *store.Trace, options Options) (result Result, err error) {
	c, err := to.connect()
	if err != nil {
		return Result{}, err
	}
	defer c.http.CloseIdleConnections()
	if err := c.checkVersion(ctx); err != nil {
		return Result{}, err
	}
	// The views are read at one moment of a trace that grows.
	err = trace.Snapshot(func() (err error) {
		result, err = c.send(ctx, trace, options)
		return err
	})
	return result, err
}

func (c *client) send(ctx context.Context, trace *store.Trace, options Options) (Result, error) {
	of, err := describe(trace, options)
	if err != nil {
		return Result{}, err
	}
	views, err := columnsOf(trace)
	if err != nil {
		return Result{}, err
	}
	if err := c.prepare(ctx, views); err != nil {
		return Result{}, err
	}
	before, err := c.loadsOf(ctx, options.Run)
	if err != nil {
		return Result{}, err
	}
	for _, b := range before {
		if b.finished && b.identity != of.identity && !options.Force {
			return Result{}, fmt.Errorf("database %s has another run of the name %s, of %s: give this one another name with --run, or let it take the place of the other with --force",
				c.database, options.Run, b.program)
		}
	}
	// Loads are in the order of time; what is random tells those of one moment from each other.
	of.load = uint64(time.Now().UnixNano())&^0xffff | rand.Uint64N(1<<16)
	for _, b := range before {
		of.load = max(of.load, b.load+1)
	}
	if err := c.insertLoad(ctx, &of, false); err != nil {
		return Result{}, err
	}
	s := sender{client: c, load: of.load, run: options.Run, progress: options.Progress}
	err = s.sendAll(ctx, trace, views)
	if err == nil {
		err = c.insertLoad(ctx, &of, true)
	}
	if err != nil {
		// What was sent is not seen; the next load of the run drops it where this cannot.
		left, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropLimit)
		defer cancel()
		c.drop(left, of.load, views) //nolint:errcheck // the first error is the one to tell
		return s.result, err
	}
	for _, b := range before {
		if b.load < of.load {
			s.result.Replaced = s.result.Replaced || b.finished
			if err := c.drop(ctx, b.load, views); err != nil {
				return s.result, fmt.Errorf("the run was sent; what it takes the place of could not be dropped, and is tried again when the run is sent again: %w", err)
			}
		}
	}
	return s.result, nil
}

// dropLimit is how long a load that failed may take to be dropped.
const dropLimit = 10 * time.Second

// load is a row of the table of loads.
type load struct {
	load     uint64
	finished bool
	identity string
	program  string
	host     string
	zero     int64 // Unix time of the trace's time 0, ns; 0 if not known
	first    int64
	last     int64
	ranks    int64
	events   int64
	lost     int64
	complete bool
	run      string
	version  string
}

// describe is what the database is told of a trace as a whole.
func describe(trace *store.Trace, options Options) (load, error) {
	meta, err := trace.Meta()
	if err != nil {
		return load{}, err
	}
	processes, err := trace.Processes()
	if err != nil {
		return load{}, err
	}
	of := load{run: options.Run, version: options.Version, identity: meta.Facts["identity"], zero: meta.Realtime, first: meta.First, last: meta.Last,
		events: meta.Events, lost: meta.Lost, complete: meta.Complete}
	ranks := map[int]bool{}
	for i, p := range processes {
		if i == 0 {
			of.program, of.host = filepath.Base(p.Program), p.Host
		}
		if p.Rank >= 0 {
			ranks[p.Rank] = true
		}
	}
	of.ranks = int64(len(ranks))
	if of.identity == "" { // of a trace that no run wrote: what tells it from others
		pid := 0
		if len(processes) > 0 {
			pid = processes[0].PID
		}
		of.identity = strings.Join([]string{of.host, of.program, strconv.Itoa(pid), strconv.FormatInt(meta.Origin, 10), strconv.FormatInt(meta.First, 10)}, " ")
	}
	return of, nil
}
