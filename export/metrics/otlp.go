package metrics

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
)

// OTLP gives the metrics the form that OTLP exporters take. Counters count from
// start.
func OTLP(list []*Metric, of *resource.Resource, start, now time.Time) *metricdata.ResourceMetrics {
	scope := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: "github.com/accscope/accscope"}}
	for _, m := range list {
		var points []metricdata.DataPoint[int64]
		for _, p := range m.Points {
			labels := make([]attribute.KeyValue, 0, len(p.Labels))
			for _, l := range p.Labels {
				labels = append(labels, attribute.String("accscope."+l[0], l[1]))
			}
			points = append(points, metricdata.DataPoint[int64]{Attributes: attribute.NewSet(labels...), StartTime: start, Time: now, Value: p.Value})
		}
		if len(points) == 0 {
			continue
		}
		var data metricdata.Aggregation = metricdata.Gauge[int64]{DataPoints: points}
		if m.Counter {
			data = metricdata.Sum[int64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
		}
		scope.Metrics = append(scope.Metrics, metricdata.Metrics{Name: m.Name, Description: m.About, Unit: m.Unit, Data: data})
	}
	return &metricdata.ResourceMetrics{Resource: of, ScopeMetrics: []metricdata.ScopeMetrics{scope}}
}
