// Command bench measures archives: programs that run at once are captured and go into one as
// fast as they come, without a trace; then it is opened, drawn and summed.
//
//	go run ./collector/store/archive/bench -spans 10_000_000
//
// Spans are host spans; events beside them and device activities, which are written too, are
// told with them. A rate is spans by the processor time that the collector's process takes,
// all its threads, from the captured records to the archive that is whole. Before each
// figure of reading the kernel lets go of what it has of the archive's files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/archive/convert"
	"github.com/accscope/accscope/runtime/compilers"
)

// What a step of the program is (program/steps.c).
const spansOfAStep = 18

type bench struct {
	spans   int64
	ranks   int
	folder  string
	library string
	program string
	least   int64 // bytes that are to stay free
	profile string
	scratch string
}

func main() {
	var b bench
	flag.Func("spans", "host spans of all `RANKS` together (10_000_000)", func(text string) (err error) {
		b.spans, err = strconv.ParseInt(text, 0, 64)
		return err
	})
	flag.IntVar(&b.ranks, "ranks", 8, "programs that run at once")
	flag.StringVar(&b.folder, "o", "", "keep the archive in this `FOLDER`, which must not be there; one that is there is read again")
	flag.StringVar(&b.library, "lib", "lib", "the `FOLDER` of accscope's libraries")
	flag.StringVar(&b.program, "program", "", "the `FILE` of program/steps.c, compiled; without it is compiled here")
	flag.Int64Var(&b.least, "free", 4, "`GiB` of the disk that are to stay free: the programs are ended before")
	flag.StringVar(&b.profile, "profile", "", "write where the processor time goes to this `FILE`, for go tool pprof")
	flag.Parse()
	if b.spans <= 0 {
		b.spans = 10_000_000
	}
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGINT, unix.SIGTERM)
	defer stop()
	if b.scratch, err = os.MkdirTemp("", "accscope-archive-bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	if b.folder == "" {
		b.folder = filepath.Join(b.scratch, "archive")
	}
	if !archive.Is(b.folder) {
		if err := b.write(ctx); err != nil {
			return err
		}
	}
	return b.read()
}

// write captures the programs into an archive. They end with ctx.
func (b *bench) write(ctx context.Context) error {
	library, err := filepath.Abs(b.library)
	if err != nil {
		return err
	}
	libraries := launch.Libraries{Profiler: filepath.Join(library, "libaccprof.so"), Runtime: filepath.Join(library, "libopenacc.so")}
	for _, path := range []string{libraries.Profiler, libraries.Runtime} {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%w; make first", err)
		}
	}
	program := b.program
	if program == "" {
		program = filepath.Join(b.scratch, "steps")
		if err := compilers.Build(program, "-fopenacc", "-O2", "-g", "collector/store/archive/bench/program/steps.c"); err != nil {
			return err
		}
	}
	if err := os.Setenv("ACCSCOPE_DIR", b.scratch); err != nil {
		return err
	}
	run, err := session.Create("steps")
	if err != nil {
		return err
	}
	rows, err := archive.Create(b.folder, "bench")
	if err != nil {
		return err
	}
	finished := false
	defer func() {
		if !finished {
			rows.Abandon()
		}
	}()
	in, err := ingest.Open(ingest.Options{Session: run.Folder, Trace: rows.Index(), Archive: rows, Release: true,
		Warn: func(line string) { fmt.Fprintln(os.Stderr, "bench:", line) }})
	if err != nil {
		return err
	}
	if b.profile != "" {
		file, err := os.Create(b.profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // a figure beside
		defer pprof.StopCPUProfile()
	}
	steps := max(b.spans/int64(b.ranks)/spansOfAStep, 1)
	began, busy := time.Now(), used(unix.RUSAGE_SELF)
	programs, err := b.start(ctx, program, steps, launch.Environment(environment(), libraries, launch.Choice{Runtime: launch.Accscope}, "sim",
		launch.Capture{Session: run.Folder, CallStack: "off"}))
	if err == nil {
		paced := programs.pace(run.Folder)
		err = errors.Join(b.follow(in, programs), paced())
	}
	if err = errors.Join(err, programs.wait()); err != nil {
		return errors.Join(err, in.Close())
	}
	if err := in.Finish(); err != nil {
		return err
	}
	finished = true
	if err := convert.Complete(rows); err != nil {
		return err
	}
	busy, took := used(unix.RUSAGE_SELF)-busy, time.Since(began)
	w := written{}
	if err := w.count(b.folder); err != nil {
		return err
	}
	if want := steps * int64(b.ranks) * spansOfAStep; !programs.ended && w.spans < want || w.lost != 0 {
		return fmt.Errorf("%d spans are in the archive and %d events were lost; at least %d spans were made", w.spans, w.lost, want)
	}
	fmt.Printf("%s; %s\n", w.String(), free(b.folder))
	fmt.Printf("written in %.0f s beside the programs, %.0f s of processor time: %.0f spans/s a core, %.0f events/s; the programs took %.0f s\n", took.Seconds(), busy.Seconds(),
		float64(w.spans)/busy.Seconds(), float64(w.events)/busy.Seconds(), used(unix.RUSAGE_CHILDREN).Seconds())
	return nil
}

// programs are those that run.
type programs struct {
	all   []*exec.Cmd
	done  chan error
	left  int
	errs  []error
	ended bool // before their time
}

// start starts the programs, each a rank.
func (b *bench) start(ctx context.Context, program string, steps int64, environment []string) (*programs, error) {
	p := &programs{done: make(chan error, b.ranks)}
	for rank := range b.ranks {
		command := exec.CommandContext(ctx, program, strconv.FormatInt(steps, 10))
		command.Env = append(slices.Clone(environment), "PMI_RANK="+strconv.Itoa(rank), "PMI_SIZE="+strconv.Itoa(b.ranks))
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			return p, err
		}
		p.all = append(p.all, command)
		p.left++
		go func() { p.done <- command.Wait() }()
	}
	return p, nil
}

// What the captures of all programs may take of the disk, bytes: above most they stand still
// until there is less than enough. Where the machine has other work, too, the collector would
// be too far behind for them to wait, and events would be lost.
const (
	most   = 1 << 30
	enough = 1 << 28
)

// pace has the programs stand still while their captures are too large, until stop is called.
func (p *programs) pace(captures string) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		standing := false
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				done <- p.signal(unix.SIGCONT)
				return
			case <-ticker.C:
			}
			used := space(captures)
			if !standing && used > most || standing && used < enough {
				standing = !standing
				if err := p.signal(map[bool]os.Signal{true: unix.SIGSTOP, false: unix.SIGCONT}[standing]); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	return func() error { cancel(); return <-done }
}

// space is what the files of a folder take of the disk, bytes. They come and go meanwhile.
func space(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		var s unix.Stat_t
		if unix.Stat(path, &s) == nil {
			bytes += s.Blocks * 512
		}
		return nil
	})
	return bytes
}

// signal signals those that have not ended.
func (p *programs) signal(signal os.Signal) error {
	var errs []error
	for _, command := range p.all {
		if err := command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// wait waits until all have ended.
func (p *programs) wait() error {
	for ; p.left > 0; p.left-- {
		p.heard(<-p.done)
	}
	return errors.Join(p.errs...)
}

func (p *programs) heard(err error) {
	if err != nil && !p.ended {
		p.errs = append(p.errs, err)
	}
}

// end has them end before their time.
func (p *programs) end() error {
	p.ended = true
	return p.signal(os.Kill)
}

// follow takes in what the programs do until they have ended.
func (b *bench) follow(in *ingest.Ingester, p *programs) error {
	for p.left > 0 {
		n, err := in.Poll()
		if err != nil {
			return errors.Join(err, p.end())
		}
		if left, err := available(b.folder); err == nil && left < b.least<<30 && !p.ended {
			fmt.Fprintf(os.Stderr, "bench: %d MiB of the disk are left: the programs are ended\n", left>>20)
			if err := p.end(); err != nil {
				return err
			}
		}
		select {
		case err := <-p.done:
			p.left--
			p.heard(err)
		default:
			if n == 0 {
				time.Sleep(20 * time.Millisecond)
			}
		}
	}
	return nil
}

// written is what an archive holds.
type written struct {
	spans, instants, activities, events, lost int64
	files                                     int
	bytes, index                              int64
	ranks                                     int
	time                                      time.Duration
}

func (w *written) count(folder string) (err error) {
	trace, err := store.Open(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	w.events, w.time = meta.Events, time.Duration(meta.Last-meta.First)
	lanes, err := trace.Lanes().All()
	if err != nil {
		return err
	}
	for _, lane := range lanes {
		switch lane.Type {
		case store.LaneSpans:
			w.spans += lane.Count
		case store.LaneInstants:
			w.instants += lane.Count
		default:
			w.activities += lane.Count
		}
	}
	losses, err := trace.Losses()
	for _, loss := range losses {
		w.lost += loss.Events
	}
	if err != nil {
		return err
	}
	processes, err := trace.Processes()
	if err != nil {
		return err
	}
	w.ranks = len(processes)
	return each(folder, func(path string, bytes int64) error {
		w.files++
		if w.bytes += bytes; filepath.Base(path) == archive.IndexFile {
			w.index = bytes
		}
		return nil
	})
}

func (w *written) String() string {
	return fmt.Sprintf("%d spans, %d events beside them, %d device activities of %d ranks in %.0f s; %d files, %.2f GB, of them the index %.2f GB; %.1f bytes a span", w.spans, w.instants,
		w.activities, w.ranks, w.time.Seconds(), w.files, float64(w.bytes)/1e9, float64(w.index)/1e9, float64(w.bytes)/float64(w.spans))
}

// read opens the archive, draws windows of its timeline, and sums its rows.
func (b *bench) read() error {
	if err := cold(b.folder); err != nil {
		return err
	}
	began, busy := time.Now(), used(unix.RUSAGE_SELF)
	trace, err := store.Open(b.folder)
	if err != nil {
		return err
	}
	defer trace.Close() //nolint:errcheck // it was only read
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	lanes, err := trace.Lanes().All()
	if err != nil {
		return err
	}
	fmt.Printf("opened with what the page shows first: %s\n", took(time.Since(began), used(unix.RUSAGE_SELF)-busy))
	if err := b.windows(trace, lanes, meta.First, meta.Last); err != nil {
		return err
	}
	if err := cold(b.folder); err != nil {
		return err
	}
	began, busy = time.Now(), used(unix.RUSAGE_SELF)
	rows, err := archive.Open(b.folder)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // it was only read
	sums, err := rows.Sums(archive.Record.Name, "site", "duration", 2)
	if err != nil {
		return err
	}
	spans, sites := int64(0), len(sums)
	for _, sum := range sums {
		spans += sum.Rows
	}
	fmt.Printf("time by site of all %d spans, %d sites, two at a time: %s\n", spans, sites, took(time.Since(began), used(unix.RUSAGE_SELF)-busy))
	return nil
}

// windows draws all lanes at a page's width: windows from all of the time down to some
// microseconds, at random places, of which the first of each size is read with cold caches.
func (b *bench) windows(trace *store.Trace, lanes []store.Lane, first, last int64) error {
	const pixels, rows = 1750, 12_000 // as the page has it
	random := rand.New(rand.NewPCG(1, 1))
	var all, busies, colds []time.Duration
	for shift := 0; shift <= 24; shift++ {
		for n := range 8 {
			width := max((last-first)>>shift, 1000)
			from := first + random.Int64N(max(last-first-width, 1))
			if n == 0 {
				if err := cold(b.folder); err != nil {
					return err
				}
			}
			began, busy := time.Now(), used(unix.RUSAGE_SELF)
			for _, lane := range lanes {
				if _, err := trace.Lanes().BlocksOfRows(lane, from, from+width, pixels, min(pixels, rows/len(lanes))); err != nil {
					return err
				}
			}
			if each := time.Since(began); n == 0 {
				colds = append(colds, each)
			} else {
				all, busies = append(all, each), append(busies, used(unix.RUSAGE_SELF)-busy)
			}
		}
	}
	for _, times := range [][]time.Duration{all, busies, colds} {
		slices.Sort(times)
	}
	middle := len(all) / 2
	fmt.Printf("windows of %d lanes, one after another on one thread: median %s, longest %s; with cold caches median %s, longest %s\n", len(lanes), took(all[middle], busies[middle]),
		took(all[len(all)-1], busies[len(busies)-1]), milliseconds(colds[len(colds)/2]), milliseconds(colds[len(colds)-1]))
	return nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d)/1e6) }

func took(elapsed, busy time.Duration) string {
	return fmt.Sprintf("%s (%s of processor time)", milliseconds(elapsed), milliseconds(busy))
}

// used is the processor time of this process or of its children.
func used(who int) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// each visits the files of a folder.
func each(folder string, visit func(path string, bytes int64) error) error {
	return filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		return visit(path, info.Size())
	})
}

// cold has the kernel let go of what it has of a folder's files in memory.
func cold(folder string) error {
	return each(folder, func(path string, _ int64) error {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		// What was not on the disk yet could not be let go.
		return errors.Join(file.Sync(), unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED), file.Close())
	})
}

func available(folder string) (int64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(folder, &s)
	return int64(s.Bavail) * s.Bsize, err
}

func free(folder string) string {
	left, err := available(folder)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.1f GB of the disk are left", float64(left)/1e9)
}

// environment is this process's without what would change how programs are captured.
func environment() (all []string) {
	for _, each := range os.Environ() {
		if !strings.HasPrefix(each, "ACC") && !strings.HasPrefix(each, "PMI_") {
			all = append(all, each)
		}
	}
	return all
}
