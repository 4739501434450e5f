// The Python side of the `py` renderer: it runs a file's `run()` and speaks JSON lines with us. What the file prints goes
// to the error stream. `script` is handed to `python3 -c`.

export const script = `
import base64, collections, json, sys, traceback, types

lines, answers = sys.stdin, sys.stdout
sys.stdout = sys.stderr

def pack(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"i": str(int(value))}
    if isinstance(value, float):
        return {"f": repr(float(value))}
    if isinstance(value, (bytes, bytearray)):
        return {"b": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        kind = "o" if isinstance(value, collections.OrderedDict) else "d"
        return {kind: [[pack(k), pack(v)] for k, v in value.items()]}
    if isinstance(value, tuple):
        return {"t": [pack(item) for item in value]}
    if isinstance(value, (set, frozenset)):
        return {"s": [pack(item) for item in value]}
    if isinstance(value, (list, collections.deque)) or hasattr(value, "__iter__"):
        return [pack(item) for item in value]
    return str(value)

def unpack(value):
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    (kind, body), = value.items()
    if kind == "i":
        return int(body)
    if kind == "f":
        return float(body)
    if kind == "b":
        return base64.b64decode(body)
    if kind == "d":
        return {unpack(k): unpack(v) for k, v in body}
    if kind == "o":
        return collections.OrderedDict((unpack(k), unpack(v)) for k, v in body)
    return {"t": tuple, "s": set}[kind](unpack(item) for item in body)

def say(message):
    answers.write(json.dumps(message) + "\\n")
    answers.flush()

def call(name, args, kwargs):
    say({"call": name, "args": pack(list(args)), "kwargs": pack(kwargs)})
    answer = json.loads(lines.readline())
    if "error" in answer:
        raise Exception(answer["error"])
    return unpack(answer["value"])

request = json.loads(lines.readline())
known = set(request["functions"])

class Functions:
    def __init__(self, prefix=""):
        self._prefix = prefix
    def __contains__(self, name):
        return name in known
    def __iter__(self):
        return iter(sorted(known))
    def __getitem__(self, name):
        if name not in known:
            raise KeyError(name)
        return lambda *args, **kwargs: call(name, args, kwargs)
    def get(self, name, default=None):
        return self[name] if name in known else default
    def __getattr__(self, name):
        if self._prefix:
            return self[self._prefix + "." + name]
        return Functions(name)

try:
    module = types.ModuleType("sls")
    module.__file__ = request["path"]
    functions = Functions()
    exec(compile(request["source"], request["path"] or "<sls>", "exec"), module.__dict__)
    for name, value in unpack(request["variables"]).items():
        setattr(module, name, value)
    for name in ("salt", "__salt__"):
        setattr(module, name, functions)
    say({"value": pack(module.run())})
except Exception:
    say({"error": traceback.format_exc()})
`
