// Package card has descriptions of GPUs, and says how long a kernel's counts and a transfer take
// on one: what the simulated device's clock goes by where a card is modelled
// (docs/modelled.md). A description is a text of lines "name = value unit"; those of H100 and
// H200 are built in.
package card

import (
	"bufio"
	"embed"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
)

//go:embed h100.txt h200.txt
var builtIn embed.FS

// A Card is a GPU's description. Rates are of the whole card where the name of the field's line
// does not say otherwise; latencies are from an instruction to one that needs its result.
type Card struct {
	Name string `line:"name"`

	Multiprocessors float64 `line:"multiprocessors"`
	Clock           float64 `line:"clock" unit:"Hz"`
	Warps           float64 `line:"warps per multiprocessor"`
	Gangs           float64 `line:"gangs per multiprocessor"`
	Registers       float64 `line:"registers per multiprocessor"`
	MostRegisters   float64 `line:"registers per lane"`

	// Instructions of warps that a multiprocessor takes in a cycle.
	Issue    float64 `line:"instructions per cycle"`
	Integer  float64 `line:"integer instructions per cycle"`
	Float    float64 `line:"float instructions per cycle"`
	Double   float64 `line:"double instructions per cycle"`
	Special  float64 `line:"special instructions per cycle"`
	Requests float64 `line:"memory requests per cycle"`
	Stall    float64 `line:"cycles per instruction of a warp alone"`

	FirstLevel        float64 `line:"first level" unit:"B"` // of a multiprocessor
	FirstSectors      float64 `line:"first level sectors per cycle"`
	FirstLatency      float64 `line:"first level latency" unit:"s"`
	SecondLevel       float64 `line:"second level" unit:"B"`
	SecondBandwidth   float64 `line:"second level bandwidth" unit:"B/s"`
	SecondLatency     float64 `line:"second level latency" unit:"s"`
	MemoryBandwidth   float64 `line:"memory bandwidth" unit:"B/s"`
	MemoryLatency     float64 `line:"memory latency" unit:"s"`
	SharedLatency     float64 `line:"shared memory latency" unit:"s"`
	AtomicSame        float64 `line:"atomics at one address" unit:"1/s"`
	AtomicRate        float64 `line:"atomics" unit:"1/s"`
	StoreRate         float64 `line:"stored lines" unit:"1/s"` // of 128 bytes or parts of them
	Call              float64 `line:"call" unit:"s"`
	CallSectors       float64 `line:"sectors per call"` // to lanes' stacks and back
	Start             float64 `line:"kernel start" unit:"s"`
	GangStart         float64 `line:"gang start" unit:"s"` // on a multiprocessor, one after the other
	Barrier           float64 `line:"barrier" unit:"s"`
	UploadBandwidth   float64 `line:"upload bandwidth" unit:"B/s"`
	UploadStart       float64 `line:"upload start" unit:"s"`
	DownloadBandwidth float64 `line:"download bandwidth" unit:"B/s"`
	DownloadStart     float64 `line:"download start" unit:"s"`
}

// Load gives a card that is built in, by its name, or the one that a file describes. The error says what
// there is, or the file, line and what is allowed there.
func Load(name string) (*Card, error) {
	if text, err := builtIn.ReadFile(strings.ToLower(name) + ".txt"); err == nil {
		return parse(name, string(text))
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s is no card that is built in (h100, h200), and no description can be read there: %w", name, err)
	}
	return parse(name, string(text))
}

// prefixes are those of units.
var prefixes = map[string]float64{"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}

// quantity reads "4.8 TB/s".
func quantity(text, unit string) (float64, bool) {
	number, of, _ := strings.Cut(text, " ")
	value, err := strconv.ParseFloat(number, 64)
	prefix, is := strings.CutSuffix(strings.TrimSpace(of), unit)
	scale, known := prefixes[prefix]
	return value * scale, err == nil && is && known && value >= 0
}

func parse(file, text string) (*Card, error) {
	c, seen := &Card{}, map[string]bool{}
	fields, value := map[string]int{}, reflect.ValueOf(c).Elem()
	for i := range value.NumField() {
		fields[value.Type().Field(i).Tag.Get("line")] = i
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, given, _ := strings.Cut(line, "=")
		name, given = strings.TrimSpace(name), strings.TrimSpace(given)
		at, known := fields[name]
		switch {
		case !known:
			return nil, fmt.Errorf("%s, line %d: %q is nothing that a card's description has; docs/modelled.md lists what it has", file, n, name)
		case seen[name]:
			return nil, fmt.Errorf("%s, line %d: %q is there twice: leave one out", file, n, name)
		}
		seen[name] = true
		if field := value.Field(at); field.Kind() == reflect.String {
			field.SetString(given)
			continue
		}
		unit := value.Type().Field(at).Tag.Get("unit")
		number, ok := quantity(given, unit)
		if !ok || number == 0 && unit != "s" {
			return nil, fmt.Errorf("%s, line %d: %q is no %s: write a number%s", file, n, given, name, map[bool]string{true: " and its unit, as in \"1.5 G" + unit + "\""}[unit != ""])
		}
		value.Field(at).SetFloat(number)
	}
	for name := range fields {
		if !seen[name] {
			return nil, fmt.Errorf("%s has no line %q: a card's description has all that docs/modelled.md lists", file, name)
		}
	}
	return c, nil
}
