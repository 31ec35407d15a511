package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// secondPath is where the page sends a trace that was dropped into it.
const secondPath = "/api/second"

// largestSecond is how large such a trace may be, bytes.
const largestSecond = 8 << 30

// lingers is how long a reader answers on whose place another one has taken.
const lingers = 10 * time.Second

// second takes a trace to compare with the first one: what stood second is left. It is kept
// in a folder of its own until another one comes, or the server ends.
func (s *Server) second(w http.ResponseWriter, r *http.Request) {
	name := filepath.Base(r.URL.Query().Get("name"))
	if strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\x00") {
		fail(w, badRequest("parameter name is %q: want the name of a file", name))
		return
	}
	folder, err := os.MkdirTemp("", "accscope-second-")
	if err == nil {
		err = receive(filepath.Join(folder, name), http.MaxBytesReader(w, r.Body, largestSecond))
	}
	if err == nil {
		err = s.reader.compareWith(r.Context(), filepath.Join(folder, name), folder)
	}
	if err != nil {
		fail(w, badRequest("%s: %s", name, errors.Join(err, os.RemoveAll(folder))))
		return
	}
	writeJSON(w, struct{}{})
}

func receive(path string, body io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, body)
	return errors.Join(err, file.Close())
}

// compareWith puts a reader that has the trace as the second one in the place of that which
// reads now. folder goes with the trace. While that is opened and verified, other requests
// wait.
func (i *isolated) compareWith(ctx context.Context, path, folder string) error {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.closed {
		return errServerEnded
	}
	config := i.config
	config.Traces, config.Dropped = append(slices.Clone(config.Traces[:1]), path), true
	p, err := startReader()
	if err != nil {
		return err
	}
	var answer opened
	if err = p.tell(ctx, "open", config, &answer); err == nil && answer.Error != "" {
		err = errorText(strings.ReplaceAll(answer.Error, path, filepath.Base(path)))
	}
	if err != nil {
		p.end()
		return fmt.Errorf("it cannot be compared: %w", err)
	}
	if old := i.process; old != nil {
		time.AfterFunc(lingers, old.end) // some are being answered
	}
	if i.dropped != "" {
		os.RemoveAll(i.dropped) //nolint:errcheck // a temporary folder
	}
	i.process, i.config, i.dropped = p, config, folder
	return nil
}
