import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endingHost } from '../host/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { PythonFailure } from '../python/mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const FAULTS = `
import os, signal, sys, time

def fine():
    return os.getpid()

def threads():
    """How many calls of this module but this one are under way."""
    frames = [frame for frame in sys._current_frames().values()]
    own = 0
    for frame in frames:
        while frame is not None and frame.f_globals.get("__name__") != __name__:
            frame = frame.f_back
        own += frame is not None
    return own - 1

def raising():
    return {}["missing"]

def salted():
    import salt.exceptions
    raise salt.exceptions.CommandExecutionError("controlled")

def own_class():
    class Odd(Exception):
        pass
    raise Odd("very")

def leaving():
    sys.exit(3)

def leaving_at_once():
    os._exit(7)

def killing():
    os.kill(os.getpid(), signal.SIGKILL)

def looping():
    while True:
        pass

def sleeping(seconds):
    time.sleep(seconds)
    return seconds

def waiting(path):
    while not os.path.exists(path):
        time.sleep(0.01)
    return "gone"

def ticking(path):
    while True:
        with open(path, "a") as file:
            file.write("x")
        time.sleep(0.01)

def stubborn(path):
    while True:
        try:
            ticking(path)
        except BaseException:
            pass

def running(path):
    import subprocess
    subprocess.run(["sh", "-c", "while :; do printf x >> %s; sleep 0.01; done" % path])

def asking(path):
    open(path, "a").close()
    while True:
        __salt__["file.append"](path, "x")

def holding():
    import re
    return re.match("(a+)+$", "a" * 64 + "b")

def printing(megabytes):
    line = "x" * 1023
    for _ in range(megabytes * 1024):
        print(line)
    return "printed"

def strange():
    return {"a": [1, object()]}

def passing():
    return __salt__["test.echo"](lambda: 1)

`

let folder: ModuleFolder
let functions: Registry

beforeAll(async () => {
  folder = new ModuleFolder()
  folder.write('modules/faults.py', FAULTS)
  functions = await folder.registry()
})
afterAll(() => folder.remove())

const failure = async (name: string): Promise<Error> => {
  try {
    await functions.call(name)
  } catch (error) {
    return error as Error
  }
  throw new Error(`${name} did not fail`)
}

describe('a fault of a Python module', () => {
  test.each([
    ['faults.raising', "'missing'"],
    ['faults.salted', 'controlled'],
    ['faults.own_class', 'very'],
    ['faults.leaving', '3'],
    ['faults.leaving_at_once', 'The Python worker ended with status 7 while it ran faults.leaving_at_once'],
    ['faults.killing', 'The Python worker ended by SIGKILL while it ran faults.killing'],
    [
      'faults.strange',
      "faults.strange gives what cannot be passed on: return['a'][1]: a value of type object cannot leave Python",
    ],
    ['faults.passing', 'faults.passing gives what cannot be passed on: a value of type function cannot leave Python'],
  ])('%s is one clear error, and the next call works', async (name, message) => {
    expect((await failure(name)).message).toBe(message)
    expect(await functions.call('faults.fine')).toBeTypeOf('number')
  })

  test('shows the lines of the module that led to it', async () => {
    const error = await failure('faults.raising')
    expect(error).toBeInstanceOf(PythonFailure)
    expect((error as PythonFailure).trace).toMatch(
      /^Traceback \(most recent call last\):\n {2}File ".*faults\.py", line 18, in raising\n[\s\S]*KeyError: 'missing'\n$/,
    )
    expect(error).toMatchObject({ code: 'KeyError', at: { line: 18 } })
  })

  test('costs only the time it may take', async () => {
    const pid = await functions.call('faults.fine')
    folder.opts.set('python_call_timeout', 0.3)
    const error = await failure('faults.looping')
    folder.opts.delete('python_call_timeout')
    expect(error.message).toBe('faults.looping took longer than 0.3 seconds (python_call_timeout)')
    expect(await functions.call('faults.fine')).toBe(pid)
  })

  test.each(['ticking', 'running', 'asking'])('%s ends with the job that called it', async (name) => {
    const path = join(folder.root, name)
    const ending = new AbortController()
    const job = functions.with({ host: endingHost(functions.ctx.host, ending.signal) })
    const pid = await functions.call('faults.fine')
    const call = Promise.resolve(job.call(`faults.${name}`, [path]))
    const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
    await expect.poll(size).toBeGreaterThan(2)
    ending.abort(new Error('ended'))
    await expect(call).rejects.toThrow('ended')
    await expect.poll(async () => Number(await functions.call('faults.threads'))).toBe(0)
    const last = size()
    await functions.call('faults.sleeping', [0.1])
    expect(size()).toBe(last)
    expect(await functions.call('faults.fine')).toBe(pid)
  })

  test('that catches what should end it costs a new worker', async () => {
    const pid = await functions.call('faults.fine')
    folder.opts.set('python_call_timeout', 0.3)
    await expect(functions.call('faults.stubborn', [join(folder.root, 'stubborn')])).rejects.toThrow('took longer')
    folder.opts.delete('python_call_timeout')
    await expect.poll(() => folder.lines.join('\n')).toContain('catches what should end it')
    await expect.poll(async () => Promise.resolve(functions.call('faults.fine')).catch(() => pid)).not.toBe(pid)
  })

  test('that keeps Python from doing anything else costs a new worker', async () => {
    const pid = await functions.call('faults.fine')
    folder.opts.set('python_call_timeout', 0.3)
    const error = await failure('faults.holding')
    folder.opts.delete('python_call_timeout')
    expect(error.message).toBe('faults.holding took longer than 0.3 seconds (python_call_timeout)')
    await expect.poll(() => folder.lines.join('\n')).toContain('the Python worker is started anew')
    await expect.poll(async () => Promise.resolve(functions.call('faults.fine')).catch(() => pid)).not.toBe(pid)
  })

  test('that prints without end leaves a note in the log', async () => {
    expect(await functions.call('faults.printing', [100])).toBe('printed')
    await expect.poll(() => folder.lines.join('\n')).toContain('prints more than a log can take')
    expect(folder.lines.length).toBeLessThan(3000)
  })

  test('that ends Python while it is read costs only itself', async () => {
    folder.write('modules/deadly.py', 'import os\nos._exit(5)\n')
    const fresh = await folder.registry()
    expect(await fresh.call('faults.fine')).toBeTypeOf('number')
    expect(folder.lines.join('\n')).toMatch(
      /error: The Python worker ended with status 5 while it ran the loading of .*deadly\.py/,
    )
  })

  test('that blocks does not keep others waiting', async () => {
    const path = join(folder.root, 'go')
    const blocked = functions.call('faults.waiting', [path])
    expect(await functions.call('faults.fine')).toBeTypeOf('number')
    folder.write('go', '')
    expect(await blocked).toBe('gone')
  })
})
