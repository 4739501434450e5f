import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Registry } from '../loader/mod.ts'
import { PythonFailure } from '../python/mod.ts'
import { ModuleFolder } from './test-modules.test-support.ts'

const FAULTS = `
import os, signal, sys, time

def fine():
    return os.getpid()

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
      /^Traceback \(most recent call last\):\n {2}File ".*faults\.py", line 8, in raising\n[\s\S]*KeyError: 'missing'\n$/,
    )
    expect(error).toMatchObject({ code: 'KeyError', at: { line: 8 } })
  })

  test('costs only the time it may take', async () => {
    folder.opts.set('python_call_timeout', 0.3)
    try {
      const pid = await functions.call('faults.fine')
      expect((await failure('faults.looping')).message).toBe(
        'faults.looping took longer than 0.3 seconds (python_call_timeout)',
      )
      expect(await functions.call('faults.fine')).toBe(pid)
    } finally {
      folder.opts.delete('python_call_timeout')
    }
  })

  test('that prints without end leaves a note in the log', async () => {
    expect(await functions.call('faults.printing', [100])).toBe('printed')
    await expect.poll(() => folder.lines.join('\n')).toContain('prints more than a log can take')
    expect(folder.lines.length).toBeLessThan(3000)
  }, 30_000)

  test('that ends Python while it is read costs only itself', async () => {
    folder.write('modules/deadly.py', 'import os\nos._exit(5)\n')
    const fresh = await folder.registry()
    expect(await fresh.call('faults.fine')).toBeTypeOf('number')
    expect(folder.lines.join('\n')).toMatch(
      /error: The Python worker ended with status 5 while it ran the loading of .*deadly\.py/,
    )
  })

  test('that blocks does not keep others waiting', async () => {
    const blocked = functions.call('faults.sleeping', [0.5])
    const begun = performance.now()
    await functions.call('faults.fine')
    expect(performance.now() - begun).toBeLessThan(400)
    expect(await blocked).toBe(0.5)
  })
})
