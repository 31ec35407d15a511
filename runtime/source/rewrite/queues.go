package rewrite

import (
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// waitArgument is what stands between the parentheses of wait (§2.16): queues, and the
// number of the device whose they are.
type waitArgument struct {
	device string
	queues []string
}

// readWait reads a wait argument, and says whether it has words that GCC does not know.
func readWait(text string) (w waitArgument, modern bool) {
	if rest, ok := prefixed(text, "devnum"); ok {
		modern = true
		parts := split(rest, ':')
		w.device, text = parts[0], strings.Join(parts[1:], ":")
	}
	if rest, ok := prefixed(text, "queues"); ok {
		modern, text = true, rest
	}
	if text = strings.TrimSpace(text); text != "" {
		w.queues = split(text, ',')
	}
	return w, modern
}

// waits are the calls by which the host, or a queue, waits for the queues of a device.
func (c *construct) waits(w waitArgument, async *directive.Clause) (statements []string) {
	l := c.language
	if async == nil {
		if len(w.queues) == 0 {
			return []string{l.call("acc_wait_all_device", w.device)}
		}
		for _, queue := range w.queues {
			statements = append(statements, l.call("acc_wait_device", queue, w.device))
		}
		return statements
	}
	on := queue(async)
	if len(w.queues) == 0 {
		return []string{l.call("acc_wait_all_device_async", on, w.device)}
	}
	for _, queue := range w.queues {
		statements = append(statements, l.call("acc_wait_device_async", queue, on, w.device))
	}
	return statements
}

// noval is acc_async_noval.
const noval = "-1"

// queue is the argument of an async clause.
func queue(async *directive.Clause) string {
	if !async.Has {
		return noval
	}
	return strings.TrimSpace(async.Arguments)
}

// waitDirective has calls say what GCC's wait directive cannot: devnum, queues and if.
func waitDirective(c *construct) {
	if c.name != "wait" {
		return
	}
	inside := strings.TrimSuffix(strings.TrimPrefix(c.arguments, "("), ")")
	w, modern := readWait(inside)
	condition := c.take("if")
	if !modern && condition == nil {
		return
	}
	var statements []string
	if w.device != "" {
		statements = c.waits(w, c.find("async"))
		c.say("devnum", "wait(devnum:) is calls of acc_wait_device and its like: GCC knows no devnum")
	} else {
		if c.arguments = ""; len(w.queues) > 0 {
			c.arguments = "(" + strings.Join(w.queues, ", ") + ")"
		}
		statements = []string{c.language.directive(c.String())}
		if modern {
			c.say("queues", "the word queues, which GCC does not know, is left out")
		}
	}
	if condition != nil {
		statements = c.language.when(condition.Arguments, statements)
		c.say("if", "the condition stands before the wait: GCC's has no if clause")
	}
	c.before = append(c.before, statements...)
	c.dropped = true
}

// waitClause has a wait clause without the words that GCC does not know; the host waits for
// queues of another device before the directive.
func waitClause(c *construct) {
	for i := 0; i < len(c.clauses); i++ {
		clause := &c.clauses[i]
		if !is(*clause, "wait") || !clause.Has {
			continue
		}
		w, modern := readWait(clause.Arguments)
		switch {
		case !modern:
		case w.device != "":
			c.before = append(c.before, c.waits(w, nil)...)
			c.clauses = append(c.clauses[:i:i], c.clauses[i+1:]...)
			i--
			c.say("devnum", "the host waits for the queues of device %s before the directive: GCC's wait clause has no devnum", w.device)
		default:
			clause.Arguments, clause.Has = strings.Join(w.queues, ", "), len(w.queues) > 0
			c.say("queues", "the word queues, which GCC does not know, is left out")
		}
	}
}

// dataQueues has a data region with async or wait wait for its queue where it begins and
// where it ends: what an asynchronous region may do at once.
func dataQueues(c *construct) {
	if c.name != "data" {
		return
	}
	c.before, c.awaited = append(c.before, c.waiting()...), append(c.awaited, c.finishing()...)
	if c.take("wait") != nil {
		c.say("wait", "the wait clause is a wait directive ahead of the region: GCC's data has none")
	}
	if c.take("async") != nil {
		c.say("async", "the region waits for its queue where it begins and ends, and copies synchronously: GCC's data has no async clause")
	}
}

// settled has a region's queue be waited for ahead of all that other rules do where the region ends.
func settled(c *construct) {
	c.ending = append(c.awaited, c.ending...)
	c.awaited = nil
}
