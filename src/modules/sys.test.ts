import { expect, test } from 'vitest'
import { BrineError } from '../base/mod.ts'
import { defineModule, fn, type ModuleDeclaration, tryFunction } from '../sdk/mod.ts'
import sys from './sys.ts'

const nothing = fn({ doc: 'Nothing.', args: {}, effect: 'read', run: () => null })

/** The table names the functions of all modules of a name; only apt's serve this minion, and nothing serves zfs here. */
const NAMES = ['pkg.list_pkgs', 'pkg.autoremove', 'pkg.groupinstall', 'zfs.list']
const apt = defineModule({ name: 'aptpkg', doc: '', functions: { list_pkgs: nothing, autoremove: nothing } })

async function module(name: string): Promise<ModuleDeclaration> {
  if (name === 'pkg') return apt
  throw new BrineError('ModuleUnavailable', `'${name}' __virtual__ returned False`)
}

const ask = (name: string, ...args: string[]) =>
  tryFunction(sys, name, { args, context: { names: () => NAMES, module } })

test.each([
  ['list_functions', [], ['pkg.autoremove', 'pkg.list_pkgs']],
  ['list_functions', ['pkg'], ['pkg.autoremove', 'pkg.list_pkgs']],
  ['list_functions', ['*.list*'], ['pkg.list_pkgs']],
  ['list_functions', ['zfs'], []],
  ['list_modules', [], ['pkg']],
  ['list_modules', ['z*'], []],
])('sys.%s %j names only what serves this minion', async (name, args, expected) => {
  expect(await ask(name, ...args)).toEqual(expected)
})
