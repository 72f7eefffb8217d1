package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func post(t *testing.T, url, body string) string {
	t.Helper()
	response, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	return string(answer)
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

type completion struct {
	Choices []struct {
		Index        int
		Text         string
		TokenIDs     []int  `json:"token_ids"`
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		CompletionTokens int `json:"completion_tokens"`
	}
}

func parse(t *testing.T, body string) completion {
	t.Helper()
	var c completion
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err, body)
	}
	return c
}

func TestABatchHasAChoiceForEachPrompt(t *testing.T) {
	server := httptest.NewServer(newStub("m", 3, latency{}).handler())
	defer server.Close()

	for _, body := range []string{`{"prompt":[[1,2],[3,4]],"return_token_ids":true}`, `{"prompt": ["a", "b"], "return_token_ids": true}`} {
		c := parse(t, post(t, server.URL, body))

		if len(c.Choices) != 2 || c.Choices[1].Index != 1 || len(c.Choices[1].TokenIDs) != 3 || c.Usage.CompletionTokens != 6 {
			t.Errorf("%s: %+v", body, c)
		}
	}
}

func TestOnePromptOfTokenIDsIsNoBatch(t *testing.T) {
	server := httptest.NewServer(newStub("m", 3, latency{}).handler())
	defer server.Close()

	c := parse(t, post(t, server.URL, `{"prompt":[1,2,3]}`))

	if len(c.Choices) != 1 || c.Choices[0].TokenIDs != nil || c.Usage.CompletionTokens != 3 {
		t.Errorf("%+v", c)
	}
}

func TestAStreamIsTheSameWithAndWithoutDelay(t *testing.T) {
	body := `{"prompt":[1],"stream":true,"stream_options":{"include_usage":true},"return_token_ids":true}`
	var answers []string
	for _, l := range []latency{{}, {ttft: time.Millisecond, tpot: time.Millisecond}} {
		server := httptest.NewServer(newStub("m", 4, l).handler())
		answers = append(answers, post(t, server.URL, body))
		server.Close()
	}

	if answers[0] != answers[1] {
		t.Errorf("%s\nis not\n%s", answers[0], answers[1])
	}
	events := strings.Split(strings.TrimSuffix(answers[0], "\n\n"), "\n\n")
	if len(events) != 4+2 || events[5] != "data: [DONE]" {
		t.Fatal(answers[0])
	}
	if c := parse(t, strings.TrimPrefix(events[3], "data: ")); c.Choices[0].FinishReason != "length" || len(c.Choices[0].TokenIDs) != 1 {
		t.Errorf("last token: %+v", c)
	}
	if c := parse(t, strings.TrimPrefix(events[4], "data: ")); len(c.Choices) != 0 || c.Usage.CompletionTokens != 4 {
		t.Errorf("usage: %+v", c)
	}
}

func TestTokensAreNotSentEarly(t *testing.T) {
	server := httptest.NewServer(newStub("m", 3, latency{ttft: 30 * time.Millisecond, tpot: 10 * time.Millisecond}).handler())
	defer server.Close()
	begun := time.Now()

	post(t, server.URL, `{"prompt":[1],"stream":true}`)

	if took := time.Since(begun); took < 50*time.Millisecond {
		t.Errorf("three tokens after %v", took)
	}
}

func TestCountsWhatItWasAskedAndWhatItSent(t *testing.T) {
	server := httptest.NewServer(newStub("m", 5, latency{}).handler())
	defer server.Close()
	post(t, server.URL, `{"prompt":[1],"stream":true}`)
	post(t, server.URL, `{"prompt":[[1],[2],[3]]}`)

	var stats map[string]int
	if err := json.Unmarshal([]byte(get(t, server.URL+"/stub/stats")), &stats); err != nil {
		t.Fatal(err)
	}
	metrics := get(t, server.URL+"/metrics")

	if stats["requests"] != 2 || stats["prompts"] != 4 || stats["streams"] != 1 || stats["max_in_flight"] != 1 {
		t.Errorf("%v", stats)
	}
	if !strings.Contains(metrics, `vllm:generation_tokens_total{model_name="m"} 20`) {
		t.Errorf("%s", metrics)
	}
}
