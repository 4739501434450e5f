// `python_upstream_modules`: functions that are lacking here come from a real Salt, through the same worker as users' own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repr } from '../../src/data/mod.ts'
import { MasterRegistry, moduleTable, type Registry } from '../../src/loader/mod.ts'
import { type FamilyName, functionScope, refreshMasterModules, userPlugins } from '../../src/pybridge/mod.ts'
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

  test('serves further kinds: runners, and plugins of the names that are not built in', async () => {
    const registries = { runner: new MasterRegistry({}), wheel: new MasterRegistry({}) }
    await refreshMasterModules(folder.opts, folder.log, registries)
    expect((await registries.runner.find('test.arg')).doc).toContain('test.arg')
    expect(Object.keys((await registries.wheel.find('key.finger')).args)).toContain('match')
    const scope = functionScope(functions.ctx)
    const plugins = async (family: FamilyName, name: string, builtIn: string[] = []): Promise<string[]> => [
      ...((await userPlugins(scope, family, [name], builtIn)).get(name)?.functions ?? []),
    ]
    expect(await plugins('returners', 'rawfile_json')).toContain('returner')
    expect(await plugins('returners', 'rawfile_json', ['rawfile_json'])).toEqual([])
    expect(await plugins('pillar', 'cmd_json')).toContain('ext_pillar')
    expect(await plugins('beacons', 'load')).toEqual(expect.arrayContaining(['validate', 'beacon']))
    expect(await plugins('executors', 'direct_call')).toContain('execute')
    expect(await plugins('roster', 'flat')).toContain('targets')
    expect(await plugins('output', 'pprint')).toContain('output')
  }, 60_000)

  test('says why it cannot serve', async () => {
    await expect((async () => functions.call('win_timezone.get_zone'))()).rejects.toThrow()
  }, 60_000)
})
