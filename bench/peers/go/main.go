// Times the Go original on the rows and expressions of bench/filter-data.ts, which arrive as JSON on stdin.
package main

import (
	"encoding/json"
	"os"
	"sort"
	"time"

	bexpr "github.com/hashicorp/go-bexpr"
)

type Resources struct {
	CPU      int
	MemoryMB int
}

type Job struct {
	ID, Name, Status  string
	Version, Priority int
	Stable            bool
	Tags, Datacenters []string
	Meta              map[string]string
	Resources         Resources
}

func main() {
	var input struct {
		Rows        []*Job
		Expressions map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	type result struct {
		Nanoseconds float64
		Passed      int
	}
	results := map[string]result{}
	for name, text := range input.Expressions {
		evaluator, err := bexpr.CreateEvaluatorForType(text, nil, (*Job)(nil))
		if err != nil {
			panic(err)
		}
		var times []float64
		passed := 0
		for round := 0; round < 9; round++ {
			passed = 0
			start := time.Now()
			for _, row := range input.Rows {
				match, err := evaluator.Evaluate(row)
				if err != nil {
					panic(err)
				}
				if match {
					passed++
				}
			}
			if round >= 2 {
				times = append(times, float64(time.Since(start).Nanoseconds())/float64(len(input.Rows)))
			}
		}
		sort.Float64s(times)
		results[name] = result{times[len(times)/2], passed}
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		panic(err)
	}
}
