package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// An Asker asks the API within a program, without a server: as there, a process of its own
// reads the traces, within limits, and changes nothing.
type Asker struct{ reader *isolated }

// NewAsker opens the traces of the options, of which Address, Hosts, Then and Token mean
// nothing here. The error is of the first that cannot be read.
func NewAsker(ctx context.Context, options Options) (*Asker, error) {
	reader, err := isolate(ctx, readerConfig{Traces: slices.Clone(options.Traces), Sources: options.Sources, Running: options.Running, Trusted: options.Trusted})
	if err != nil {
		return nil, err
	}
	return &Asker{reader}, nil
}

// Get is the answer of an operation, as JSON. One of more than most bytes is an error.
func (a *Asker) Get(ctx context.Context, path string, values url.Values, most int) (json.RawMessage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://reader"+path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	response, err := a.reader.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the process that reads the trace left its answer unfinished: %w", err)
	case response.StatusCode != http.StatusOK:
		var told struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal(body, &told); err != nil || told.Error == "" {
			return nil, fmt.Errorf("%s: %s", path, response.Status)
		}
		return nil, errorText(told.Error)
	case len(body) > most:
		return nil, fmt.Errorf("the answer has more than %d bytes: ask for fewer rows, or for a smaller part of the trace", most)
	}
	return body, nil
}

// Close ends the process that reads the traces.
func (a *Asker) Close() { a.reader.close() }

// An Operation is what an Asker can be asked.
type Operation struct {
	Path       string
	About      string // what it gives
	Parameters []Parameter
}

// A Parameter is of an Operation.
type Parameter struct {
	Name, Type string // integer or string
	About      string
	Required   bool
}

// OperationAt describes the operation of a path; it panics where there is none.
func OperationAt(path string) Operation {
	for _, r := range routes() {
		if r.path != path {
			continue
		}
		o := Operation{Path: path, About: abouts[path]}
		for _, name := range r.parameters {
			text := parameterTexts[name]
			o.Parameters = append(o.Parameters, Parameter{name, text[0], text[1], slices.Contains(requiredParameters[path], name)})
		}
		return o
	}
	panic("the API has no " + path)
}
