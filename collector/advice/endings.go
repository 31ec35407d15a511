package advice

import (
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// byItself is SQL for model.ProcessInfo.EndedByItself of a row p of processes.
var byItself = "p.ended IN (" + literals(model.OwnEnds) + ") AND (p.exit = " + literals([]string{model.Succeeded}) + " OR p.process NOT IN (SELECT process FROM errors))"

// deletable is SQL for model.Deletable of what has a construct.
var deletable = "construct IN (" + literals(deletables()) + ")"

func deletables() (names []string) {
	for _, construct := range model.Deletables {
		names = append(names, model.ConstructName(int32(construct)))
	}
	return names
}

// literals are texts in SQL, none of which has a quote.
func literals(texts []string) string { return "'" + strings.Join(texts, "', '") + "'" }
