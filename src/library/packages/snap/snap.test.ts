import { describe, expect, test } from 'vitest'
import { type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { type Recorded, scripted, type Trial, tryFunction, tryState } from '../../../sdk/mod.ts'
import snap from './module.ts'
import states from './state.ts'

// output of snap 2.57
const HEAD = 'Name   Version  Rev   Tracking       Publisher   Notes'
const LXD = 'lxd    5.0      1234  latest/stable  canonical   held'
const OFF = 'core   16-2     13    latest/stable  canonical   core,disabled'
const PLAIN = '--unicode=never --color=never'
const missing = { retcode: 1, stderr: 'error: no matching snaps installed' }

const RECORDED: Record<string, Recorded | Recorded[]> = {
  [`snap list ${PLAIN} lxd`]: `${HEAD}\n${LXD}\n`,
  [`snap list ${PLAIN} core`]: `${HEAD}\n${OFF}\n`,
  [`snap list ${PLAIN} --all lxd`]: `${HEAD}\n${LXD}\n`,
  [`snap list ${PLAIN}`]: `${HEAD}\n${LXD}\n${OFF}\n`,
  [`snap refresh ${PLAIN} --list`]:
    'Name  Version  Rev   Size  Publisher  Notes\nlxd   5.1      1240  90MB  canonical  -\nhello 2  42  1MB  canonical  -\n',
  [`snap info ${PLAIN} lxd`]: 'name: lxd\nsummary: containers\nchannels:\n  latest/stable: 5.0\n',
  'snap list*': missing,
  'snap *': '',
}

async function call(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}, recorded = RECORDED) {
  const { others, ran } = scripted(recorded)
  return { answer: toPlain(await tryFunction(snap, fun, { args, kwargs, others })), ran }
}

describe('snap', () => {
  test.each<[string, Value[], Plain]>([
    ['is_installed', ['lxd'], true],
    ['is_installed', ['none'], false],
    ['is_held', ['lxd'], true],
    ['is_held', ['core'], false],
    ['is_enabled', ['core'], false],
    ['info', ['lxd'], { name: 'lxd', summary: 'containers', channels: { 'latest/stable': 5 } }],
  ])('%s %j returns %j', async (fun, args, answer) => expect((await call(fun, args)).answer).toEqual(answer))

  test('list_upgrades omits held snaps on request', async () => {
    expect((await call('list_upgrades')).answer).toMatchObject({ lxd: { revision: '1240' }, hello: { version: '2' } })
    expect(Object.keys((await call('list_upgrades', [true])).answer as object)).toEqual(['hello'])
  })

  test.each<[string, Value[], Record<string, Value>, string]>([
    ['refresh', ['lxd'], { channel: 'latest/edge' }, `snap refresh ${PLAIN} --channel latest/edge lxd`],
    ['remove', ['lxd'], { purge: true, revision: 7 }, 'snap remove --purge --revision 7 lxd'],
    ['purge', ['lxd'], {}, 'snap remove --purge lxd'],
    ['enable', ['lxd'], {}, 'snap enable lxd'],
    ['unhold', ['lxd'], {}, 'snap refresh --unhold lxd'],
    ['upgrade_all', [], {}, `snap refresh ${PLAIN}`],
  ])('%s %j %j runs %s', async (fun, args, kwargs, line) => {
    const { answer, ran } = await call(fun, args, kwargs)
    expect([answer, ran]).toEqual([true, [line]])
  })

  test('failures and wrong arguments are errors', async () => {
    const refused = { 'snap *': { retcode: 1, stderr: 'error: cannot refresh "x": snap not found' } }
    await expect(call('refresh', ['x'], {}, refused)).rejects.toThrow('Running snap failed: error: cannot refresh')
    await expect(call('refresh', ['x'], { channel: 'a/b/c/d' })).rejects.toThrow("Invalid channel name 'a/b/c/d'")
    await expect(call('refresh', ['x'], { channel: 'latest/odd' })).rejects.toThrow("Invalid channel risk level 'odd'")
    await expect(call('is_held', ['none'])).rejects.toThrow('snap "none" is not installed')
    for (const fun of ['refresh', 'remove', 'purge', 'enable', 'unhold', 'info', 'is_installed']) {
      await expect(call(fun, ['--dangerous'])).rejects.toThrow('A snap name cannot begin with a hyphen')
    }
  })
})

describe('states of snap', () => {
  /** A machine whose snaps the commands of `snap` change. */
  function machine() {
    const snaps = new Map<string, string>([['lxd', LXD]])
    const run = ([given]: readonly Value[]): Value => {
      const words = (given as string[]).filter((word) => !word.startsWith('--unicode') && !word.startsWith('--color'))
      const name = words.at(-1)!
      const [, verb] = words
      const answer = (retcode: number, stdout = '', stderr = '') =>
        new Map<Value, Value>([
          ['retcode', retcode],
          ['stdout', stdout],
          ['stderr', stderr],
        ] as [Value, Value][])
      if (verb === 'list') return snaps.has(name) ? answer(0, `${HEAD}\n${snaps.get(name)}\n`) : answer(1)
      if (name === 'nosuch') return answer(1, '', 'error: snap "nosuch" not found')
      const notes = { enable: '-', disable: 'disabled', install: '-' }[verb!]
      if (verb === 'remove') snaps.delete(name)
      else if (words.includes('--unhold')) snaps.set(name, LXD.replace('held', '-'))
      else if (notes) snaps.set(name, `${name} 1 1 latest/stable canonical ${notes}`)
      return answer(0)
    }
    const others: Record<string, NonNullable<Trial['others']>[string]> = { 'cmd.run_all': run }
    for (const fun of Object.keys(snap.functions)) {
      others[`snap.${fun}`] = (args, kwargs) => tryFunction(snap, fun, { args, kwargs, others: { 'cmd.run_all': run } })
    }
    return async (fun: string, kwargs: Record<string, Value>, test = false) =>
      toPlain(await tryState(states, fun, { kwargs, others, test })) as Record<string, unknown>
  }

  test('installed installs, releases and reports refusals of snap', async () => {
    const apply = machine()
    expect(await apply('installed', { name: 'hello' }, true)).toMatchObject({
      result: null,
      changes: { installed: 'hello' },
    })
    expect(await apply('installed', { name: 'hello' })).toMatchObject({ result: true, comment: 'Installed the snap' })
    expect(await apply('installed', { name: 'hello' })).toMatchObject({ result: true, changes: {} })
    expect(await apply('installed', { name: 'lxd', held: false })).toMatchObject({
      result: true,
      changes: { held: { old: true, new: false } },
    })
    expect(await apply('installed', { name: 'nosuch' })).toMatchObject({
      result: false,
      comment: 'Running snap failed: error: snap "nosuch" not found',
    })
  })

  test('removed, disabled and enabled', async () => {
    const apply = machine()
    expect(await apply('disabled', { name: 'lxd' }, true)).toMatchObject({ result: null, changes: { disabled: 'lxd' } })
    expect(await apply('disabled', { name: 'lxd' })).toMatchObject({ result: true, comment: 'Disabled the snap' })
    expect(await apply('disabled', { name: 'lxd' })).toMatchObject({ result: true, changes: {} })
    expect(await apply('enabled', { name: 'lxd' })).toMatchObject({ result: true, changes: { enabled: 'lxd' } })
    expect(await apply('enabled', { name: 'none' })).toMatchObject({
      result: false,
      comment: 'snap "none" is not installed',
    })
    expect(await apply('removed', { name: 'lxd' }, true)).toMatchObject({ result: null })
    expect(await apply('removed', { name: 'lxd' })).toMatchObject({ result: true, changes: { removed: 'lxd' } })
    expect(await apply('removed', { name: 'lxd' })).toMatchObject({
      result: true,
      comment: 'The snap is already absent',
    })
  })
})
