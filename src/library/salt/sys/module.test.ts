import { expect, test } from 'vitest'
import { BrineError } from '../../../base/mod.ts'
import { str } from '../../../data/mod.ts'
import { arg, defineModule, type ModuleDeclaration, masterFn, reads, tryFunction } from '../../../sdk/mod.ts'
import sys from './module.ts'

const nothing = reads({ doc: 'Nothing.', args: {}, run: () => null })

/** The table names the functions of all modules of a name; only apt's serve this minion, and nothing serves zfs here. */
const NAMES = ['pkg.list_pkgs', 'pkg.autoremove', 'pkg.groupinstall', 'zfs.list']
const apt = defineModule({ name: 'aptpkg', doc: '', functions: { list_pkgs: nothing, autoremove: nothing } })

async function module(name: string): Promise<ModuleDeclaration> {
  if (name === 'pkg') return apt
  throw new BrineError('ModuleUnavailable', `'${name}' __virtual__ returned False`)
}

const serves = async (name: string): Promise<boolean> =>
  name.startsWith('pkg.') && Object.hasOwn(apt.functions, name.slice('pkg.'.length))

const ask = (name: string, ...args: string[]) =>
  tryFunction(sys, name, { args, context: { names: () => NAMES, serves, module } })

test.each([
  ['list_functions', [], ['pkg.autoremove', 'pkg.list_pkgs']],
  ['list_functions', ['pkg'], ['pkg.autoremove', 'pkg.list_pkgs']],
  ['list_functions', ['*.list*'], ['pkg.list_pkgs']],
  ['list_functions', ['zfs'], []],
  ['list_modules', [], ['pkg']],
  ['list_modules', ['z*'], []],
])('sys.%s %j lists only functions that support this minion', async (name, args, expected) => {
  expect(await ask(name, ...args)).toEqual(expected)
})

const runners = {
  names: () => ['jobs.active', 'jobs.list_jobs', 'manage.up'],
  find: async () =>
    masterFn({ doc: 'Something.', args: { jid: arg.string('A job', { default: '' }) }, run: () => null }),
}

test.each([
  ['list_runners', [], ['jobs', 'manage']],
  ['list_runner_functions', ['jobs'], ['jobs.active', 'jobs.list_jobs']],
  ['list_returners', [], ['redis']],
  ['list_returner_functions', ['redis'], ['redis.get_jid', 'redis.returner']],
])('sys.%s %j lists functions of masters and returners', async (name, args, expected) => {
  const context = { runners, returnerNames: async () => ['redis.returner', 'redis.get_jid'] }
  expect(await tryFunction(sys, name, { args, context })).toEqual(expected)
})

test('sys.runner_argspec gives the arguments of runners', async () => {
  const spec = await tryFunction(sys, 'runner_argspec', { args: ['manage'], context: { runners } })
  expect(str(spec)).toBe("{'manage.up': {'args': ['jid'], 'defaults': [''], 'varargs': None, 'kwargs': None}}")
})
