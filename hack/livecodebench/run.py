#!/usr/bin/env python3
"""Runs the programs of livecodebench.jsonl against LiveCodeBench's tests and writes which passed.

    run.py PROGRAMS RESULTS --reference FOLDER [--questions FOLDER] [--workers N]

The reference is language/gpt-oss-120b of a checkout of mlcommons/inference with its submodules. This executes what a model wrote: run
it where it can do no harm, such as in the Job beside this file.
"""

import argparse
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

# How the reference begins what it says of a program that it could not run. It takes that for a wrong answer, which must not become a
# score.
NOT_RUN = ("Failed to load benchmark", "Evaluation error", "Error evaluating")


def read_questions_from(folder):
    """The reference loads questions through a cache that takes locks, which a read-only file system does not have."""
    import datasets

    datasets.load_dataset = lambda *args, **options: datasets.load_from_disk(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("results")
    parser.add_argument("--reference", required=True)
    parser.add_argument("--questions", help="what datasets.save_to_disk wrote of LiveCodeBench; without it they are downloaded")
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    sys.path.insert(0, options.reference)
    if options.questions:
        read_questions_from(options.questions)
    import eval_accuracy

    known = eval_accuracy.load_lcb_benchmark()
    with open(options.programs, encoding="utf-8") as f:
        programs = [json.loads(line) for line in f]
    missing = sorted({p["questionId"] for p in programs} - set(known))
    if missing:
        sys.exit(f"LiveCodeBench has no question {', '.join(missing[:5])}; use release_v6")
    passed = 0
    with ProcessPoolExecutor(max_workers=options.workers) as executor, open(options.results, "w", encoding="utf-8") as out:
        futures = [executor.submit(eval_accuracy.evaluate_livecodebench_worker, (p["code"], p["questionId"])) for p in programs]
        for program, future in zip(programs, futures):
            # No limit here: LiveCodeBench stops a program that takes too long, and time in the queue is not the program's.
            _, correct, detail = future.result()
            if str(detail).startswith(NOT_RUN):
                for waiting in futures:
                    waiting.cancel()
                sys.exit(f"sample {program['sample']}: {detail}")
            passed += bool(correct)
            out.write(json.dumps({"sample": program["sample"], "passed": bool(correct), "detail": str(detail)[:500]}) + "\n")
    print(f"{passed} of {len(programs)} programs passed")


if __name__ == "__main__":
    main()
