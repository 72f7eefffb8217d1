#!/usr/bin/env python3
"""Runs the programs of livecodebench.jsonl against LiveCodeBench's tests and writes which passed.

    run.py PROGRAMS RESULTS --reference FOLDER [--workers N]

FOLDER is language/gpt-oss-120b of a checkout of mlcommons/inference with its submodules. This executes what a model wrote: run it
where it can do no harm, such as in the Job beside this file.
"""

import argparse
import json
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, TimeoutError


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("results")
    parser.add_argument("--reference", required=True)
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--timeout", type=float, default=80, help="seconds for one program, as eval_mlperf_accuracy.py has it")
    options = parser.parse_args()
    sys.path.insert(0, options.reference)
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
            try:
                _, correct, detail = future.result(timeout=options.timeout)
            except TimeoutError:
                correct, detail = False, f"no result in {options.timeout:g} s"
            # The reference reports a broken set-up as a wrong answer; that must not become a score.
            if str(detail).startswith(("Failed to load benchmark", "Evaluation error")):
                sys.exit(f"sample {program['sample']}: {detail}")
            passed += bool(correct)
            out.write(json.dumps({"sample": program["sample"], "passed": bool(correct), "detail": str(detail)[:500]}) + "\n")
    print(f"{passed} of {len(programs)} programs passed")


if __name__ == "__main__":
    main()
