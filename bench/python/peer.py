"""The Python side of a bench: prepares workloads and measures them when asked, one JSON request a line.

usage: peer.py WORKLOADS.py        WORKLOADS.py defines prepare(name, payload) -> a function without arguments

  {"prepare": name, "payload": ...}   -> {"ok": true}
  {"sample": name, "times": n}        -> {"cpu_ms": CPU time of n calls}
  {"result": name}                    -> {"result": what one call gives}
"""

import gc
import importlib.util
import json
import os
import sys
import time


def load(path):
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("workloads", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sample(work, times):
    gc.collect()
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) * 1000


def answer(workloads, prepared, request):
    if "prepare" in request:
        prepared[request["prepare"]] = workloads.prepare(request["prepare"], request.get("payload"))
        return {"ok": True}
    if "sample" in request:
        return {"cpu_ms": sample(prepared[request["sample"]], request["times"])}
    return {"result": prepared[request["result"]]()}


def main():
    workloads, prepared = load(sys.argv[1]), {}
    for line in sys.stdin:
        try:
            reply = answer(workloads, prepared, json.loads(line))
        except Exception as exc:  # told to the bench, which stops
            reply = {"error": "%s: %s" % (type(exc).__name__, exc)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


main()
