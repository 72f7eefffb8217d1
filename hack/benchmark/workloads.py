"""What is asked of a client, and of the stub that it talks to."""

from dataclasses import dataclass, replace

MODEL = "gpt-oss-120b"  # a name that the Python harness knows; the stub answers to it

PROMPTS = 256
PROMPT_TOKENS = 256


@dataclass(frozen=True)
class Workload:
    """One test.

    The stub sends the first token of an answer after ttft_ms and each further one after tpot_ms. With both 0 it sends
    a whole answer in one write, or with `flush` a write for each token. Its words are in ASCII, or with `accents` not, which
    costs the stub nothing and clients more: ours leaves such events to a JSON parser.

    Server is an open loop: `rate` requests a second, for `seconds`, as a Poisson process. Offline is a closed loop:
    `samples` of them, `in_flight` requests at a time, each of `batch` samples.
    """

    name: str
    scenario: str
    tokens: int = 64
    ttft_ms: float = 0
    tpot_ms: float = 0
    flush: bool = False
    accents: bool = False
    streaming: bool = True
    batch: int = 1
    in_flight: int | None = None
    rate: float = 100
    seconds: float = 0
    samples: int = 2

    def at(self, rate, seconds):
        return replace(self, rate=rate, seconds=seconds)

    def of(self, samples):
        return replace(self, samples=samples)

    @property
    def open_loop(self):
        return self.scenario == "Server"

    @property
    def answer_seconds(self):
        """How long the stub takes for an answer."""
        return (self.ttft_ms + self.tpot_ms * (self.tokens - 1)) / 1000

    @property
    def requests(self):
        """How many samples there are, in an open loop on average."""
        return max(2, round(self.rate * self.seconds)) if self.open_loop else self.samples


SUSTAINED = Workload("Server, TTFT 50 ms, TPOT 10 ms", "Server", ttft_ms=50, tpot_ms=10)
PACED = Workload("Server, TTFT 50 ms, TPOT 5 ms", "Server", ttft_ms=50, tpot_ms=5)
FLUSHED = Workload("64 streams in flight, a write for each token", "Offline", flush=True, in_flight=64)
JOINED = Workload("64 streams in flight, each in one write", "Offline", in_flight=64)
MANY = Workload("10 000 streams, TTFT 2 s, TPOT 100 ms", "Offline", tokens=200, ttft_ms=2000, tpot_ms=100, in_flight=10_000)
# Long streams in one write cost the stub a copy and the client a parse, so that the client is what they measure.
LONG = Workload("64 streams of 1024 tokens in flight, each in one write", "Offline", tokens=1024, in_flight=64)
HEAVY = Workload("streams of 1024 tokens with accents, each in one write", "Offline", tokens=1024, accents=True, in_flight=64)
HEAVY_SERVER = replace(HEAVY, scenario="Server", in_flight=None)
OVERLOAD = Workload("Server, streams of 1024 tokens in one write", "Server", tokens=1024)
PLAIN = Workload("64 whole answers in flight", "Offline", tokens=16, streaming=False, in_flight=64)
BATCHED = Workload("batches of 64 whole answers", "Offline", tokens=16, streaming=False, batch=64, in_flight=1)


def prompt_key(row):
    """The first token of a row, by which the stub and the clients know a request again."""
    return 1000 + row * 7919 % 100000


def dataset():
    """The rows of the dataset: the same prompts as token ids and as text of about the same length."""
    rows = []
    for i in range(PROMPTS):
        ids = [1000 + (i * 7919 + j * 104729) % 100000 for j in range(PROMPT_TOKENS)]
        rows.append({"text_input": " ".join(f"w{t}" for t in ids), "input_tokens": ids, "ref_output": ""})
    return rows
