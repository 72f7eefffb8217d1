package main

import (
	"slices"
	"syscall"
	"time"
)

// summary is what came of a run. Times to the first token are in milliseconds, once from the time that the schedule
// has and once from the time at which the request was sent.
type summary struct {
	Requests int     `json:"requests"`
	Failed   int     `json:"failed"`
	Events   int     `json:"events"`
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"rate"`
	CPU      float64 `json:"cpu_s"`
	FromDue  spread  `json:"ttft_ms"`
	FromSent spread  `json:"ttft_from_sent_ms"`

	failure error
}

type spread struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

func summarize(requests []request, took time.Duration) summary {
	s := summary{Requests: len(requests), Seconds: took.Seconds()}
	var due, sent []float64
	for _, r := range requests {
		s.Events += r.events
		if r.failure != nil {
			s.Failed++
			if s.failure == nil {
				s.failure = r.failure
			}
			continue
		}
		due = append(due, float64(r.first.Sub(r.due))/1e6)
		sent = append(sent, float64(r.first.Sub(r.sent))/1e6)
	}
	s.FromDue, s.FromSent = spreadOf(due), spreadOf(sent)
	s.Rate = float64(s.Requests-s.Failed) / s.Seconds
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) == nil {
		s.CPU = float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	}
	return s
}

// spreadOf has percentiles by the nearest rank.
func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	rank := func(percent int) float64 { return values[(len(values)*percent+99)/100-1] }
	return spread{sum / float64(len(values)), rank(50), rank(90), rank(99), values[len(values)-1]}
}
