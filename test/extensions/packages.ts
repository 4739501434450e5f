// Small Salt extensions for tests, installed into a folder as pip would: a package, and what says of it that it extends Salt.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export class PackageFolder {
  readonly root: string = mkdtempSync(join(tmpdir(), 'brine-packages-'))
  private readonly before = process.env['PYTHONPATH']

  write(path: string, text: string): void {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  /** Installs a package whose files are given; `entries` are those of the group `salt.loader`. */
  install(name: string, files: Readonly<Record<string, string>>, entries: string = `${name} = ${name}`): void {
    for (const [path, text] of Object.entries({ '__init__.py': '', ...files })) this.write(`${name}/${path}`, text)
    const info = `${name}-1.2.dist-info`
    this.write(`${info}/METADATA`, `Metadata-Version: 2.1\nName: saltext.${name}\nVersion: 1.2\n\nVersion: 9\n`)
    this.write(`${info}/entry_points.txt`, `[console_scripts]\nx = y:z\n\n[salt.loader]\n${entries}\n`)
  }

  /** Lets every interpreter of this process and its programs find the packages. */
  use(): void {
    process.env['PYTHONPATH'] = this.root
  }

  remove(): void {
    if (this.before === undefined) delete process.env['PYTHONPATH']
    else process.env['PYTHONPATH'] = this.before
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** One module of every kind that has a host here. */
export const EVERY_KIND: Readonly<Record<string, string>> = {
  'shared.py': 'WORD = "shared"\n',
  'modules/kindmod.py': `
"""Functions of an extension."""
import salt.utils.args
from everykind.shared import WORD
__virtualname__ = "kind"
__virtual_aliases__ = ("kin",)
__func_alias__ = {"list_": "list"}
def __virtual__():
    return __virtualname__
def word():
    """Return a word."""
    return [WORD, __salt__["test.echo"]("x"), __opts__["id"]]
def list_():
    return ["a"]
def _hidden():
    pass
`,
  'modules/disk.py': 'def usage():\n    return "of the extension"\n',
  'modules/never.py': 'def __virtual__():\n    return False, "not today"\ndef x():\n    pass\n',
  'states/kind.py': `
def present(name):
    return {"name": name, "result": True, "changes": {}, "comment": __salt__["kind.word"]()[0]}
`,
  'grains/kind.py': 'def facts():\n    return {"kind_grain": 7}\n',
  'runners/kind.py': 'def who():\n    """Tell who."""\n    return sorted(__salt__["manage.up"]())\n',
  'wheel/kind.py': 'def turn(by=1):\n    return by + 1\n',
  'returners/kind.py': `
import json
def returner(ret):
    with open(__salt__["config.get"]("kind_file"), "a") as file:
        file.write(json.dumps([ret["id"], ret["fun"], ret["return"]]) + "\\n")
`,
  'renderers/kindly.py':
    'def render(text, saltenv="base", sls="", **kwargs):\n    return {"said": text.read().strip().upper()}\n'.replace(
      'text.read()',
      '(text.read() if hasattr(text, "read") else text)',
    ),
  'pillar/kind.py': 'def ext_pillar(minion_id, pillar, *args):\n    return {"kind_pillar": [minion_id, list(args)]}\n',
  'tops/kind.py': 'def top(**kwargs):\n    return {"base": ["from_" + kwargs["opts"]["id"]]}\n',
  'engines/kind.py': `
import time
def start(tag):
    __salt__["event.send"](tag, {"id": __opts__["id"]})
    while True:
        time.sleep(0.05)
`,
  'beacons/kind.py':
    'def validate(config):\n    return True, "fine"\ndef beacon(config):\n    return [{"tag": "seen"}]\n',
  'sdb/kind.py': 'def get(key, profile=None):\n    return key + profile["suffix"]\n',
  'auth/kind.py': 'def auth(username, password):\n    return password == username[::-1]\n',
  'roster/kind.py': 'def targets(tgt, tgt_type="glob", **kwargs):\n    return {tgt: {"host": "10.0.0.1"}}\n',
  'matchers/kind_match.py': 'def match(tgt, opts=None, minion_id=None):\n    return __opts__["id"].endswith(tgt)\n',
  'output/kind.py': 'def output(data, **kwargs):\n    return "<<" + str(data) + ">>"\n',
  'queues/kind.py': 'def list_queues():\n    return ["of the extension"]\n',
  'thorium/kind.py': 'def keep(name):\n    return {"name": name, "result": True, "changes": {}, "comment": ""}\n',
  'executors/kind.py': `
def execute(opts, data, func, args, kwargs):
    return None if data["fun"] == "test.ping" else ["executed", func(*args, **kwargs)]
`,
  'wrapper/kind.py': 'def word():\n    return ["here", __salt__["test.echo"]("there")]\n',
  'metaproxy/kind.py': 'def post_master_init(self, master):\n    pass\n',
  'proxy/kind.py': 'def init(opts):\n    pass\n',
}

/** A driver of the data cache: a file for each key, below the option `kind.folder`. */
export const CACHE_DRIVER = `
import json
import os
import shutil
__virtualname__ = 'kind'
__func_alias__ = {"ls": "list"}
def __virtual__():
    return __virtualname__
def init_kwargs(kwargs):
    assert kwargs["cachedir"]
    return {"root": __opts__["kind.folder"]}
def _path(root, *parts):
    return os.path.join(root, *parts)
def store(bank, key, data, root):
    os.makedirs(_path(root, bank), exist_ok=True)
    with open(_path(root, bank, key + ".json"), "w") as file:
        json.dump(data, file)
def fetch(bank, key, root):
    try:
        with open(_path(root, bank, key + ".json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}
def updated(bank, key, root):
    path = _path(root, bank, key + ".json")
    return int(os.path.getmtime(path)) if os.path.exists(path) else None
def flush(bank, key=None, root=None):
    if key is None:
        shutil.rmtree(_path(root, bank), ignore_errors=True)
    elif os.path.exists(_path(root, bank, key + ".json")):
        os.remove(_path(root, bank, key + ".json"))
def ls(bank, root):
    found = os.listdir(_path(root, bank)) if os.path.isdir(_path(root, bank)) else []
    return [name[:-5] if name.endswith(".json") else name for name in found]
def contains(bank, key, root):
    return updated(bank, key, root) is not None
`

/** A file server backend: an environment for each folder below the option `kind.tree`. */
export const FILE_BACKEND = `
import hashlib
import os
import salt.fileserver
def _root(load):
    return os.path.join(__opts__["kind.tree"], load["saltenv"])
def _walk(load):
    for folder, dirs, files in os.walk(_root(load)):
        yield os.path.relpath(folder, _root(load)), dirs, files
def envs():
    return sorted(os.listdir(__opts__["kind.tree"])) + ["../outside"]
def update():
    with open(__opts__["kind.tree"] + ".updated", "a") as file:
        file.write("x")
def find_file(path, tgt_env, **kwargs):
    full = os.path.join(_root({"saltenv": tgt_env}), path)
    if not os.path.isfile(full) or salt.fileserver.is_file_ignored(__opts__, full):
        return {"path": "", "rel": ""}
    return {"path": "elsewhere:" + full, "rel": path, "stat": list(os.stat(full))}
def serve_file(load, fnd):
    with open(fnd["path"].partition(":")[2], "rb") as file:
        file.seek(load["loc"])
        return {"data": file.read(4), "dest": fnd["rel"]}
def file_hash(load, fnd):
    with open(fnd["path"].partition(":")[2], "rb") as file:
        return {"hsum": hashlib.md5(file.read()).hexdigest(), "hash_type": "md5"}
def file_list(load):
    return [os.path.normpath(os.path.join(rel, name)) for rel, _, files in _walk(load) for name in files] + ["../x", "/y"]
def dir_list(load):
    return [os.path.normpath(os.path.join(rel, name)) for rel, dirs, _ in _walk(load) for name in dirs]
def symlink_list(load):
    return {"link": "a", "../link": "b"}
`

/** A format: each key with its value in a line, behind a sign of choice. */
export const SERIALIZER = `
from salt.serializers import DeserializationError
def serialize(obj, sign="", **options):
    return "\\n".join(sign + key + "=" + str(value) for key, value in sorted(obj.items()))
def deserialize(stream_or_string, **options):
    if "=" not in stream_or_string:
        raise DeserializationError("no pairs")
    return dict(line.split("=") for line in stream_or_string.split("\\n") if line)
`

/** A store of tokens: a file for each, below the option `kind.tokens`. */
export const TOKEN_STORE = `
import json
import os
def _path(opts, tok):
    return os.path.join(opts["kind.tokens"], tok)
def mk_token(opts, tdata):
    tdata["token"] = os.urandom(20).hex()
    with open(_path(opts, tdata["token"]), "w") as file:
        json.dump(tdata, file)
    return tdata
def get_token(opts, tok):
    try:
        with open(_path(opts, tok)) as file:
            return json.load(file)
    except OSError:
        return {}
def rm_token(opts, tok):
    os.remove(_path(opts, tok))
    return {}
def list_tokens(opts):
    return os.listdir(opts["kind.tokens"])
`

/** A cloud provider whose machines are files, below the setting `folder` of the provider. */
export const CLOUD_PROVIDER = `
import json
import os
import salt.config as config
import salt.utils.cloud
from salt.exceptions import SaltCloudSystemExit
def __virtual__():
    return "filed" if get_configured_provider() else False
def _active():
    try:
        return __active_provider_name__.value()
    except AttributeError:
        return __active_provider_name__
def get_configured_provider():
    return config.is_provider_configured(__opts__, _active() or "filed", ("folder", "api_token"))
def _path(name):
    folder = get_configured_provider()["folder"]
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, name)
def create(vm_):
    fail = config.get_cloud_config_value("fail", vm_, __opts__, default="", search_global=False)
    tag = "salt/cloud/{}/".format(vm_["name"])
    for event in ("creating", "requesting"):
        kept = __utils__["cloud.filter_event"](event, vm_, ["name", "profile", "driver"])
        __utils__["cloud.fire_event"]("event", "now " + event, tag + event, args=kept, sock_dir=__opts__["sock_dir"])
    with open(_path(vm_["name"]), "w") as file:
        json.dump({"image": vm_["image"], "alias": _active(), "ips": ["127.0.0.1"]}, file)
    if fail == "exit":
        os._exit(3)
    if fail == "false":
        return False
    if fail:
        raise SaltCloudSystemExit(fail)
    vm_["ssh_host"] = salt.utils.cloud.wait_for_ip(lambda: "127.0.0.1", interval=0.1)
    vm_["password"] = "made-by-the-driver"
    ret = __utils__["cloud.bootstrap"](vm_, __opts__)
    ret.update(show_instance(vm_["name"], call="action"))
    return ret
def destroy(name, call=None):
    if call == "function":
        raise SaltCloudSystemExit("destroy is an action")
    os.remove(_path(name))
    return {name: "gone"}
def list_nodes_full(call=None):
    ret = {}
    for name in sorted(os.listdir(_path(""))):
        with open(_path(name)) as file:
            facts = json.load(file)
        ret[name] = {"id": "i-" + name, "image": facts["image"], "size": None, "state": "running",
                     "private_ips": [], "public_ips": facts["ips"], "alias": facts["alias"]}
    return ret
def list_nodes(call=None):
    return {name: {key: facts[key] for key in facts if key != "alias"} for name, facts in list_nodes_full().items()}
def avail_images(call=None):
    return {"debian": {"name": "debian"}}
def show_instance(name, call=None):
    if call != "action":
        raise SaltCloudSystemExit("show_instance is an action")
    return list_nodes_full()[name]
def quota(kwargs=None, call=None):
    if call != "function":
        raise SaltCloudSystemExit("quota is a function")
    return {"asked": kwargs, "token": get_configured_provider()["api_token"]}
`

/** A network API: each request is a chunk of lowstate as JSON. */
export const NETWORK_API = `
import http.server
import json
import salt.netapi
def __virtual__():
    return "kindapi" if "kindapi" in __opts__ else (False, "kindapi is not configured")
class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        low = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            status, answer = 200, self.server.client.run(low)
        except Exception as exc:
            status, answer = 400, str(exc)
        body = json.dumps({"return": answer}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
def start():
    server = http.server.HTTPServer(("127.0.0.1", __opts__["kindapi"]["port"]), _Handler)
    server.client = salt.netapi.NetapiClient(__opts__)
    server.serve_forever(poll_interval=0.05)
`

/** A type of resources whose state is files, below the setting `folder`, with a module `test`. */
export const RESOURCE_KIND: Readonly<Record<string, string>> = {
  'resources/shelf/__init__.py': `
import os
def _settings():
    return __opts__["pillar"]["resources"]["shelf"]
def init(opts):
    os.makedirs(opts["pillar"]["resources"]["shelf"]["folder"], exist_ok=True)
def discover(opts):
    return opts["pillar"]["resources"]["shelf"]["ids"]
def grains():
    return {"kind": "shelf", "resource_id": __resource__["id"]}
def ping():
    return os.path.exists(os.path.join(_settings()["folder"], __resource__["id"]))
def put(what):
    with open(os.path.join(_settings()["folder"], __resource__["id"]), "a") as file:
        file.write(what)
    return __resource__["id"]
`,
  'resources/shelf/modules/__init__.py': '',
  'resources/shelf/modules/test.py': `
def ping():
    return __resource_funcs__["shelf.ping"]()
`,
  'modules/shelving.py': `
__virtualname__ = "shelving"
def __virtual__():
    return __virtualname__ if __opts__.get("resource_type") == "shelf" else (False, "only for shelves")
def put(what):
    return [__resource_funcs__["shelf.put"](what), __grains__["kind"], __minion__["config.get"]("id")]
`,
}
