// Attacks on the process that runs users' Python: what a module returns, prints, forks and writes to the worker's pipe must
// neither harm the daemon nor leave a call without an answer, and nothing is imported from the working directory.
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Value } from '../../src/data/mod.ts'
import type { Registry } from '../../src/loader/mod.ts'
import { ModuleFolder } from '../../src/pybridge/test-modules.test-support.ts'

const HOSTILE = `
import logging, os, subprocess, sys

log = logging.getLogger(__name__)

def fine():
    return "fine"

def cyclic():
    value = []
    value.append(value)
    return value

def cyclic_dict():
    value = {}
    value["x"] = value
    return value

def deep(levels, limit=1000):
    sys.setrecursionlimit(limit)
    value = []
    for _ in range(levels):
        value = [value]
    return value

def raw(text):
    os.write(4, bytes.fromhex(text))

def close_pipe():
    os.closerange(3, 64)

def forking():
    for _ in range(4):
        if os.fork() == 0:
            for at in range(100):
                log.error("child %s %s", at, "c" * 9000)
            os._exit(0)
    for at in range(100):
        log.error("parent %s %s", at, "p" * 9000)
    for _ in range(4):
        os.wait()
    return "parent"

def fork_returning():
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return "parent" if child else "child"

def fork_leaving():
    child = os.fork()
    if child == 0:
        sys.exit(3)
    os.waitpid(child, 0)
    return "parent"

def fork_asking():
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            __salt__["test.ping"]()
        except BaseException as exc:
            os.write(write, str(exc).encode())
        os._exit(0)
    os.wait()
    return os.read(read, 1000).decode()

def daemon_left():
    subprocess.Popen(["sleep", "20"])
    os._exit(7)

class Mute(Exception):
    def __str__(self):
        raise KeyboardInterrupt("no")
    def with_traceback(self, trace):
        raise RuntimeError("no")

def mute():
    raise Mute()

class Odd(BaseException):
    @property
    def line_num(self):
        raise SystemExit(1)

def odd():
    raise Odd("odd")

class Unshown:
    def __repr__(self):
        raise ValueError("no")
    def __hash__(self):
        return 1

def unshown():
    return {Unshown(): object()}

def printing(text):
    print(text)
    log.warning(text)

def names():
    return {"__proto__": {"x": 1}, "constructor": 2}

def path():
    import json
    return [sys.path, json.__file__]
`

let folder: ModuleFolder
let functions: Registry
beforeAll(async () => {
  folder = new ModuleFolder()
  folder.write('modules/hostile.py', HOSTILE)
  functions = await folder.registry()
})
afterAll(() => folder.remove())

const call = async (name: string, ...args: Value[]): Promise<Value> => functions.call(`hostile.${name}`, args)

describe('a Python module', () => {
  test.each([
    ['cyclic', [], /contains itself/],
    ['cyclic_dict', [], /contains itself/],
    ['deep', [5000], /nests too deep/],
    ['deep', [1500, 100_000], /nests deeper/],
    ['unshown', [], /cannot be passed on/],
    ['mute', [], /cannot be shown/],
    ['odd', [], /cannot be shown/],
    ['close_pipe', [], /worker ended/],
    ['daemon_left', [], /worker ended with status 7/],
  ] as Array<[string, Value[], RegExp]>)(
    'that fails by %s(%j) is answered, and the next call works',
    async (name, args, why) => {
      await expect(call(name, ...args)).rejects.toThrow(why)
      expect(await call('fine')).toBe('fine')
    },
  )

  // a length with no value, not an array, a reply without content, an unheard-of call, a length of 4 GiB
  test.each(['00000004c1c1c1c1', '0000000101', '0000000390c0c0', '00000003930005', 'ffffffff'])(
    'that writes %s to the pipe harms only its worker',
    async (bytes) => {
      await expect(call('raw', bytes)).rejects.toThrow(/worker/)
      expect(await call('fine')).toBe('fine')
    },
  )

  test('that forks and logs in parent and children breaks no message', async () => {
    expect(await call('forking')).toBe('parent')
    expect(folder.lines.filter((line) => /^error: \[.*\] parent \d+ p+$/.test(line))).toHaveLength(100)
  })

  test('that forks is answered by the parent alone', async () => {
    expect(await call('fork_returning')).toBe('parent')
    expect(await call('fork_leaving')).toBe('parent')
    expect(await call('fork_asking')).toContain('cannot use __salt__')
    expect(await call('fine')).toBe('fine')
  })

  test('that prints data of others forges no line of the log and commands no terminal', async () => {
    await call('printing', 'data\r[ERROR   ] forged \u001b[2Jgone\u009b')
    await expect.poll(() => folder.lines.filter((line) => line.includes('forged'))).toHaveLength(2)
    for (const line of folder.lines) expect(line).not.toMatch(/[\r\u001b\u009b]/)
  })

  test('that returns names of prototypes changes no prototype', async () => {
    expect(await call('names')).toEqual(
      new Map<Value, Value>([
        ['__proto__', new Map([['x', 1]])],
        ['constructor', 2],
      ]),
    )
    expect(({} as { x?: number }).x).toBeUndefined()
  })
})

test('The Python worker imports nothing from the working directory', async () => {
  const planted = realpathSync(folder.root)
  const [marker, before] = [join(planted, 'hijacked'), process.cwd()]
  mkdirSync(join(planted, 'encodings'), { recursive: true })
  for (const name of [
    'json.py',
    'sitecustomize.py',
    'usercustomize.py',
    'traceback.py',
    'salt.py',
    'encodings/__init__.py',
  ]) {
    writeFileSync(join(planted, name), `open(${JSON.stringify(marker)}, 'w').close()\n`)
  }
  const kept = process.env['PYTHONPATH']
  process.chdir(planted)
  process.env['PYTHONPATH'] = ':.'
  const fresh = new ModuleFolder()
  try {
    fresh.opts.set('modules_max_memory', 4 << 30)
    fresh.write('modules/hostile.py', HOSTILE)
    const [path, json] = (await (await fresh.registry()).call('hostile.path', [])) as [string[], string]
    expect(path.filter((one) => !one.startsWith('/') || one === planted)).toEqual([])
    expect(json.startsWith(planted)).toBe(false)
    await expect((await fresh.registry()).call('hostile.mute', [])).rejects.toThrow('Mute')
  } finally {
    process.chdir(before)
    if (kept === undefined) delete process.env['PYTHONPATH']
    else process.env['PYTHONPATH'] = kept
    fresh.remove()
  }
  expect(existsSync(marker)).toBe(false)
})
