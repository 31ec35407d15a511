package compare

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/report"
)

// Condition is one under which a comparison fails: METRIC OP VALUE.
type Condition struct {
	Text     string
	metric   *metric
	limit    limit
	operator string
	absolute bool
	percent  bool
	value    float64 // in the metric's unit, or percent
	Base     int64   // what the runs have: the median of each side
	Other    int64
	Failed   bool
}

var (
	conditionForm = regexp.MustCompile(`^\s*([A-Za-z_.]+)\s*(?:\[\s*(\w+)\s*=\s*([^\]]*)\])?\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*$`)
	valueForm     = regexp.MustCompile(`^([=+-])(\d+(?:\.\d+)?)(%|[A-Za-z]*)$`)
)

// ParseCondition reads METRIC OP VALUE, as --fail-if has it.
func ParseCondition(text string) (*Condition, error) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q: want METRIC OP VALUE with OP one of > >= < <= == !=, such as 'transfers.bytes > +5%%'", text)
	}
	c := &Condition{Text: strings.TrimSpace(text), operator: m[4]}
	at := slices.IndexFunc(metrics, func(known *metric) bool { return known.name == m[1] })
	if at < 0 {
		return nil, fmt.Errorf("%q: no metric is called %s; there are %s", text, m[1], strings.Join(MetricNames(), ", "))
	}
	c.metric = metrics[at]
	if m[2] != "" {
		if err := c.parseLimit(m[2], m[3]); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
	}
	if err := c.parseValue(m[5]); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return c, nil
}

func (c *Condition) parseLimit(name, value string) error {
	if !slices.Contains(c.metric.filters, name) {
		allowed := "by nothing"
		if len(c.metric.filters) > 0 {
			allowed = "by " + strings.Join(c.metric.filters, ", ")
		}
		return fmt.Errorf("%s can be limited %s, not by %s", c.metric.name, allowed, name)
	}
	if value == "" {
		return fmt.Errorf("%s= is empty", name)
	}
	f := &c.limit.filter
	switch name {
	case "kernel":
		f.Kernel = value
	case "variable":
		f.Variable = value
	case "source":
		f.Source = value
	case "queue":
		number, err := callbacks.ParseAsync(value)
		if err != nil {
			return fmt.Errorf("queue=%w", err)
		}
		f.Queue = &number
	case "rank":
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil || number < 0 {
			return fmt.Errorf("rank=%s: want a number from 0 on", value)
		}
		c.limit.rank = &number
	}
	return nil
}

func (c *Condition) parseValue(text string) error {
	m := valueForm.FindStringSubmatch(text)
	if m == nil && valueForm.MatchString("+"+text) {
		absolute := fmt.Sprintf(", =%s for the value itself", text)
		if strings.HasSuffix(text, "%") {
			absolute = ""
		}
		return fmt.Errorf("%[1]s: write +%[1]s for a change by so much, -%[1]s for one downwards%[2]s", text, absolute)
	}
	if m == nil {
		return fmt.Errorf("%s: want a change such as +5%%, -2 or +4MiB, or an absolute value such as =10", text)
	}
	number, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	c.absolute = m[1] == "="
	sign := 1.0
	if m[1] == "-" {
		sign = -1
	}
	switch suffix := m[3]; {
	case suffix == "%" && c.absolute:
		return fmt.Errorf("%s: an absolute value has no percent", text)
	case suffix == "%":
		c.percent = true
	case c.metric.unit == sized:
		factor, known := report.SizeUnits[suffix]
		if !known {
			return fmt.Errorf("%s: want bytes, such as +4MiB", text)
		}
		number *= float64(factor)
	case c.metric.unit == timed:
		d, err := time.ParseDuration(m[2] + suffix)
		if err != nil {
			return fmt.Errorf("%s: want a time, such as +20ms", text)
		}
		number = float64(d)
	case suffix != "":
		return fmt.Errorf("%s: %s is a number without a unit", text, c.metric.name)
	}
	c.value = sign * number
	return nil
}

// Timed says whether the condition is on a time.
func (c *Condition) Timed() bool { return c.metric.unit == timed }

// Decide finds out whether a condition makes the comparison fail, and keeps it for
// the tables. It is an error if its limit names nothing on either side, or if it is on
// device time of which a run has none.
func (c *Comparison) Decide(condition *Condition) error {
	asked := slices.Index(c.asked, condition)
	if asked < 0 {
		return fmt.Errorf("%q was not asked of the runs when they were read", condition.Text)
	}
	named := false
	var medians [2]int64
	for side, runs := range c.sides {
		values := make([]int64, len(runs))
		for i, r := range runs {
			value := &r.values[asked]
			if value.unmeasured() {
				return fmt.Errorf("%q: %s has no device times of that: the OpenACC runtime measured none, or they were left out (accscope run --activity)",
					condition.Text, r.name)
			}
			values[i], named = value.sum, named || value.named
		}
		medians[side] = report.Median(values)
	}
	if !named && condition.limit != (limit{}) {
		return fmt.Errorf("%q: the limit names nothing that is in a trace", condition.Text)
	}
	condition.Base, condition.Other = medians[0], medians[1]
	condition.Failed = condition.holds()
	c.Conditions = append(c.Conditions, condition)
	return nil
}

// holds compares what the runs have with the value. Growth from 0 is infinite.
func (c *Condition) holds() bool {
	left := float64(c.Other - c.Base)
	switch {
	case c.absolute:
		left = float64(c.Other)
	case c.percent && c.Other == c.Base:
		left = 0
	case c.percent && c.Base == 0:
		left = math.Inf(1)
	case c.percent:
		left = left / float64(c.Base) * 100
	}
	switch c.operator {
	case ">":
		return left > c.value
	case ">=":
		return left >= c.value
	case "<":
		return left < c.value
	case "<=":
		return left <= c.value
	case "==":
		return left == c.value
	}
	return left != c.value
}

// String is the condition with both values, as people are to read it.
func (c *Condition) String() string {
	show := func(n int64) string { return report.Show(n, cmp.Or(c.metric.unit, report.Count)) }
	return fmt.Sprintf("%s: %s, then %s", c.Text, show(c.Base), show(c.Other))
}

func conditionTable(conditions []*Condition) *report.Table {
	t := &report.Table{Key: "conditions", Title: "Fails if", Columns: []report.Column{{Title: "condition", Key: "condition"},
		{Title: "base", Key: "base", Unit: report.Count}, {Title: "then", Key: "value", Unit: report.Count}, {Title: "result", Key: "result"}}}
	for _, c := range conditions {
		result := "met"
		if c.Failed {
			result = "failed"
		}
		t.Rows = append(t.Rows, []any{c.Text, c.Base, c.Other, result})
	}
	return t
}
