// Command control is the client that bounds what a client can do: HTTP/1.1 over sockets of its own, each event
// of a stream split off and counted, and nothing else. It parses no JSON, has no deadlines and no TLS.
//
// It sends the rows of a dataset to POST /v1/completions of one server, either at a rate (-rate, -seconds; the
// arrivals are a Poisson process) or with a number of requests in flight (-in-flight, -requests). A line of JSON on
// the standard output says what came of it, and -times names a file for the times of each request.
package main

import (
	"benchmark/monotonic"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// request is one request and its times. due is when the schedule has it; the zero time of the others means that
// it did not happen.
type request struct {
	row                     int
	due, sent, first, ended time.Time
	events                  int
	failure                 error
}

// client sends requests over connections that it keeps.
type client struct {
	address  string
	messages [][]byte // a whole HTTP request for each row of the dataset
	tokens   int      // events of each answer

	mutex sync.Mutex
	idle  []*connection // the one used last is at the end
}

func (c *client) do(r *request) {
	r.sent = time.Now()
	k, err := c.take()
	if err != nil {
		r.failure = err
		return
	}
	r.events, err = k.exchange(c.messages[r.row], &r.first)
	r.ended = time.Now()
	if err == nil && r.events != c.tokens {
		err = fmt.Errorf("%d events instead of %d", r.events, c.tokens)
	}
	if err != nil {
		r.failure = err
		k.Close()
		return
	}
	c.mutex.Lock()
	c.idle = append(c.idle, k)
	c.mutex.Unlock()
}

func (c *client) take() (*connection, error) {
	c.mutex.Lock()
	if last := len(c.idle) - 1; last >= 0 {
		k := c.idle[last]
		c.idle = c.idle[:last]
		c.mutex.Unlock()
		return k, nil
	}
	c.mutex.Unlock()
	return dial(c.address)
}

// open sends each request when it is due, and returns when the last has ended.
func (c *client) open(requests []request) {
	var running sync.WaitGroup
	for i := range requests {
		r := &requests[i]
		time.Sleep(time.Until(r.due))
		running.Add(1)
		go func() {
			defer running.Done()
			c.do(r)
		}()
	}
	running.Wait()
}

// closed sends the requests with inFlight of them at a time.
func (c *client) closed(requests []request, inFlight int) {
	var running sync.WaitGroup
	var next atomic.Int64
	for range inFlight {
		running.Add(1)
		go func() {
			defer running.Done()
			for i := next.Add(1) - 1; i < int64(len(requests)); i = next.Add(1) - 1 {
				requests[i].due = time.Now()
				c.do(&requests[i])
			}
		}()
	}
	running.Wait()
}

// schedule is a Poisson process: requests a second, for so many seconds.
func schedule(begin time.Time, rate, seconds float64, rows int, random *rand.Rand) []request {
	var requests []request
	for at := random.ExpFloat64() / rate; at < seconds; at += random.ExpFloat64() / rate {
		due := begin.Add(time.Duration(at * float64(time.Second)))
		requests = append(requests, request{row: random.Intn(rows), due: due})
	}
	return requests
}

// row is a row of the dataset.
type row struct {
	Tokens []int `json:"input_tokens"`
}

// body asks for what the runner asks for.
func body(model string, tokens int, prompt []int) ([]byte, error) {
	return json.Marshal(map[string]any{
		"model": model, "prompt": prompt, "max_tokens": tokens, "temperature": 1.0, "top_p": 1.0, "top_k": -1,
		"return_token_ids": true, "stream": true, "stream_options": map[string]any{"include_usage": true},
	})
}

func read(dataset string) ([]row, error) {
	text, err := os.ReadFile(dataset)
	if err != nil {
		return nil, err
	}
	var rows []row
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", dataset, err)
	}
	for i, r := range rows {
		if len(r.Tokens) == 0 {
			return nil, fmt.Errorf("%s: row %d has no input_tokens", dataset, i)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", dataset)
	}
	return rows, nil
}

// writeTimes writes a line for each request, with times of CLOCK_MONOTONIC, 0 for what did not happen. prompt is the
// first token of its row.
func writeTimes(file string, requests []request, rows []row, clock monotonic.Clock) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return "0"
		}
		return strconv.FormatInt(clock.At(t), 10)
	}
	lines := csv.NewWriter(out)
	lines.Write([]string{"prompt", "due_ns", "sent_ns", "first_ns", "ended_ns"})
	for _, r := range requests {
		lines.Write([]string{strconv.Itoa(rows[r.row].Tokens[0]), at(r.due), at(r.sent), at(r.first), at(r.ended)})
	}
	lines.Flush()
	return errors.Join(lines.Error(), out.Close())
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("control: ")
	server := flag.String("url", "", "base `URL` of the server, http://HOST:PORT")
	dataset := flag.String("dataset", "", "JSON `file`: an array of objects with input_tokens")
	model := flag.String("model", "stub", "`name` of the model")
	tokens := flag.Int("tokens", 64, "tokens of each answer")
	rate := flag.Float64("rate", 0, "requests a second, for -seconds")
	seconds := flag.Float64("seconds", 0, "how long requests are sent at -rate")
	inFlight := flag.Int("in-flight", 0, "requests at a time, of -requests")
	count := flag.Int("requests", 0, "how many requests are sent with -in-flight")
	seed := flag.Int64("seed", 1, "of the schedule and the choice of rows")
	times := flag.String("times", "", "`file` for the times of each request")
	flag.Parse()
	paced, bound := *rate > 0 && *seconds > 0, *inFlight > 0 && *count > 0
	if paced == bound || *tokens < 1 || flag.NArg() > 0 {
		flag.Usage()
		log.Fatal("either -rate and -seconds, or -in-flight and -requests, and nothing else")
	}
	target, err := url.Parse(*server)
	if err != nil || target.Scheme != "http" || target.Port() == "" {
		log.Fatalf("-url %q: http://HOST:PORT is needed", *server)
	}
	rows, err := read(*dataset)
	if err != nil {
		log.Fatal(err)
	}
	c := &client{address: target.Host, tokens: *tokens}
	for _, r := range rows {
		b, err := body(*model, *tokens, r.Tokens)
		if err != nil {
			log.Fatal(err)
		}
		c.messages = append(c.messages, message(target.Host, "/v1/completions", b))
	}
	clock := monotonic.New()
	random := rand.New(rand.NewSource(*seed))
	begun := time.Now()
	var requests []request
	if paced {
		requests = schedule(begun, *rate, *seconds, len(rows), random)
		c.open(requests)
	} else {
		requests = make([]request, *count)
		for i := range requests {
			requests[i].row = random.Intn(len(rows))
		}
		c.closed(requests, *inFlight)
	}
	result := summarize(requests, time.Since(begun))
	if *times != "" {
		if err := writeTimes(*times, requests, rows, clock); err != nil {
			log.Fatal(err)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
	if result.Failed > 0 {
		log.Fatalf("%d of %d requests failed, the first with: %v", result.Failed, len(requests), result.failure)
	}
}
