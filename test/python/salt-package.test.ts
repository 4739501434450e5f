// The salt package that users' modules import: every module of it can be imported by itself, and its functions give what
// those of Salt gave when salt-package.json was recorded.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { interpreter } from '../../src/python/mod.ts'

const PYTHON = join(import.meta.dirname, '../../python')
const recorded: Array<[expression: string, value: string]> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'salt-package.json'), 'utf8'),
)

/** Names that formulas and extensions import most. */
const WANTED = `salt.cache salt.client salt.config salt.defaults.events salt.defaults.exitcodes salt.exceptions salt.ext.six
salt.fileclient salt.key salt.loader salt.loader.context salt.loader.dunder salt.log salt.minion salt.modules.cmdmod
salt.client.ssh.state salt.crypt salt.daemons.masterapi salt.fileserver salt.output salt.output.nested salt.payload salt.pillar
salt.pillar.sql_base salt.returners salt.runner salt.serializers.json
salt.serializers.msgpack salt.serializers.yaml salt.state salt.states.file salt.syspaths salt.template salt.version
salt.wheel`

/** Run Python with the package in its path; return its JSON output. */
function python(program: string, input: unknown): unknown {
  const { stdout, stderr, status } = spawnSync(interpreter('python3'), ['-c', program], {
    env: { ...process.env, PYTHONPATH: PYTHON },
    input: JSON.stringify(input),
    encoding: 'utf8',
  })
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

function utilities(folder = 'salt/utils'): string[] {
  return readdirSync(join(PYTHON, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory() && entry.name !== '__pycache__') return utilities(`${folder}/${entry.name}`)
    if (!entry.name.endsWith('.py')) return []
    return `${folder}/${entry.name}`.replace(/(\/__init__)?\.py$/, '').replaceAll('/', '.')
  })
}

describe('the salt package', () => {
  test('has modules that can each be imported', () => {
    const program = `
import importlib, json, sys
failed = {}
for name in json.load(sys.stdin):
    try:
        importlib.import_module(name)
    except Exception as exc:
        failed[name] = repr(exc)
print(json.dumps(failed))
`
    const names = [...utilities(), ...WANTED.split(/\s+/)]
    expect(names.length).toBeGreaterThan(90)
    expect(python(program, names)).toEqual({})
  })

  test('returns the same as Salt', () => {
    const program = `
import importlib, json, logging, re, sys
logging.disable(logging.CRITICAL)
names = {}
values = []
for expression, _ in json.load(sys.stdin):
    for name in re.findall(r"salt(?:\\.\\w+)+(?=\\.\\w+[(,])", expression):
        importlib.import_module(name)
    try:
        values.append(repr(eval(expression, {"salt": sys.modules["salt"]})))
    except Exception as exc:
        values.append("{}: {}".format(type(exc).__name__, exc))
print(json.dumps(values))
`
    const values = python(program, recorded) as string[]
    expect(recorded.map(([expression], index) => [expression, values[index]])).toEqual(recorded)
  })

  test('signs with the keys of files', () => {
    const program = `
import json, os, subprocess, sys, tempfile
import salt.crypt
with tempfile.TemporaryDirectory() as folder:
    key, public = os.path.join(folder, "key"), os.path.join(folder, "public")
    make = ["openssl", "genrsa", "-aes128", "-passout", "pass:word", "-out", key, "2048"]
    subprocess.run(make, check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["openssl", "rsa", "-in", key, "-passin", "pass:word", "-pubout", "-out", public], check=True, stderr=subprocess.DEVNULL)
    made = salt.crypt.sign_message(key, "text", passphrase="word")
    try:
        salt.crypt.sign_message(key, "text", passphrase="wrong")
        refused = False
    except ValueError:
        refused = True
    print(json.dumps([salt.crypt.verify_signature(public, text, made) for text in ("text", b"text", "other")] + [refused]))
`
    expect(python(program, null)).toEqual([true, true, false, true])
  })
})
