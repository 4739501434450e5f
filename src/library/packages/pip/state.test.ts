import { describe, expect, test } from 'vitest'
import { type Dict, dictFrom, SaltError, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import pip from './state.ts'

/** A pip that has some packages, and answers calls of install. */
function machine(packages: Record<string, string>, install: Record<string, Value> = { retcode: 0, stdout: '' }) {
  const asked: Value[] = []
  const installed: Dict = new Map(Object.entries(packages))
  const others = {
    'pip.version': () => '23.0.1',
    'pip.list': () => installed,
    'pip.list_all_versions': () => ['1.0', '2.0', '3.0'],
    'pip.uninstall': () => new Map([['retcode', 0]]),
    'pip.install': (_: readonly Value[], kwargs: unknown) => {
      const { pkgs } = kwargs as { pkgs: string }
      asked.push(pkgs)
      for (const name of pkgs.split(',').filter(Boolean)) installed.set(name.replace(/[=<>].*/, ''), '9')
      return dictFrom(install)
    },
  }
  const apply = async (fun: string, kwargs: Record<string, Value>, test = false) =>
    toPlain(await tryState(pip, fun, { kwargs, others, test }))
  return { apply, asked }
}

describe('pip.installed', () => {
  test('installs missing packages in one call, and reports present ones', async () => {
    const { apply, asked } = machine({ one: '1.0' })
    const pkgs = ['one>=1', 'two', 'three>=1,<10']
    expect(await apply('installed', { name: 'x', pkgs }, true)).toMatchObject({
      result: null,
      comment: 'Python package(s) set to be installed:\none>=1\ntwo\nthree>=1,<10',
    })
    expect(await apply('installed', { name: 'x', pkgs })).toEqual({
      name: 'one>=1;two;three>=1,<10',
      result: true,
      changes: { 'two==9': 'Installed', 'three==9': 'Installed' },
      comment: 'Python package one>=1 was already installed\nAll packages were successfully installed',
    })
    expect(asked).toEqual(['two,three>=1;<10'])
  })

  test.each<[Record<string, Value>, boolean | null, string]>([
    [{ name: 'one' }, true, 'Python package one was already installed\nAll specified packages are already installed'],
    [{ name: 'one', upgrade: true }, true, 'All packages were successfully installed'],
    [
      { name: 'one<=2.0', upgrade: true },
      true,
      'Python package one<=2.0 was already installed\nAll specified packages are already installed and up-to-date',
    ],
    [
      { name: 'one=2' },
      false,
      "Invalid version specification in package one=2. '=' is not supported, use '==' instead.",
    ],
    [{ name: 'x', pkgs: 'one' }, false, 'pkgs argument must be formatted as a list'],
    [
      { name: 'one', use_wheel: true },
      false,
      "The 'use_wheel' option is only supported in pip between 1.4 and 9.0.3. The version of pip detected was 23.0.1.",
    ],
    [{ name: 'x', requirements: '/r.txt' }, true, 'Successfully processed requirements file /r.txt.'],
  ])('of %j is %s: %s', async (kwargs, result, comment) => {
    const { apply } = machine({ one: '2.0' })
    expect(await apply('installed', kwargs)).toMatchObject({ result, comment })
  })

  test("reports pip's error", async () => {
    const { apply } = machine({}, { retcode: 1, stdout: 'out', stderr: 'err' })
    expect(await apply('installed', { name: 'two' })).toMatchObject({
      result: false,
      comment: 'Failed to install packages: two. Error: out err',
    })
  })
})

describe('pip.removed', () => {
  test.each<[string, boolean, boolean | null, string]>([
    ['one', true, null, 'Package one is set to be removed'],
    ['one', false, true, 'Package was successfully removed.'],
    ['two', false, true, 'Package is not installed.'],
  ])('of %s, dry run %s, is %s: %s', async (name, test, result, comment) => {
    const { apply } = machine({ one: '1' })
    expect(await apply('removed', { name }, test)).toMatchObject({ result, comment })
  })

  test('fails without a pip', async () => {
    const others = {
      'pip.list': () => {
        throw new SaltError('CommandNotFoundError', 'Could not find a `pip` binary')
      },
    }
    expect(toPlain(await tryState(pip, 'removed', { kwargs: { name: 'a' }, others }))).toMatchObject({
      result: false,
      comment: "Error uninstalling 'a': Could not find a `pip` binary",
    })
  })
})
