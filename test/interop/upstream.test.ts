// `python_upstream_modules`: functions that are lacking here come from a real Salt, through the same worker as users' own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repr } from '../../src/data/mod.ts'
import { moduleTable, type Registry } from '../../src/loader/mod.ts'
import { ModuleFolder } from '../../src/pybridge/test-modules.test-support.ts'
import { findPython, PYTHONPATH, SALT_TREE } from './salt.ts'

const folder = new ModuleFolder()
const before = process.env['PYTHONPATH']
let functions: Registry

/** A function that real Salt has and that is taken away here. */
const { test: _taken, ...others } = moduleTable

describe.skipIf(!SALT_TREE)('a real Salt behind our functions', () => {
  beforeAll(async () => {
    process.env['PYTHONPATH'] = PYTHONPATH
    folder.opts.set('python_upstream_modules', true)
    folder.opts.set('python_executable', findPython())
    folder.write('modules/mine.py', 'import salt.utils.args, salt\n\ndef where():\n    return salt.__file__\n')
    functions = await folder.registry({}, others)
  }, 60_000)
  afterAll(() => {
    process.env['PYTHONPATH'] = before
    folder.remove()
  })

  test('serves what is lacking here', async () => {
    expect(await functions.call('test.fib', [10])).toEqual(expect.anything())
    expect(repr(await functions.call('test.kwarg', [], { a: 1 }))).toBe("{'a': 1}")
    expect(await functions.call('test.ping')).toBe(true)
  }, 60_000)

  test("calls our functions, and is what users' own import", async () => {
    expect(await functions.call('test.cross_test', ['file.file_exists', ['/etc/passwd']])).toBe(true)
    expect(await functions.call('mine.where')).toBe(`${SALT_TREE}/salt/__init__.py`)
  }, 60_000)

  test('says why it cannot serve', async () => {
    await expect((async () => functions.call('win_timezone.get_zone'))()).rejects.toThrow()
  }, 60_000)
})
