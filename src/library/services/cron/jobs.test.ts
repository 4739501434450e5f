// Jobs and variables of a crontab: the functions of the module on a machine with one crontab, and the states over them.
import { describe, expect, test } from 'vitest'
import { dictFrom, str, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction, tryState } from '../../../sdk/mod.ts'
import module from './module.ts'
import state from './state.ts'

const HEAD = '# Lines below here are managed by Salt, do not edit\n'

/** A machine whose `crontab` stores one table; `refusal` is its error for each new one. */
async function machine(tab = '', refusal = '') {
  const host = await MemoryHost.with({
    files: { '/tmp/': '', '/new': '1 2 3 4 5 own\n' },
    users: [{ name: 'root', uid: 0, gid: 0, home: '/root', shell: '/bin/sh', gecos: '' }],
  })
  const seen = { tab, ran: [] as string[] }
  const commands = {
    'cmd.run_stdout': () => seen.tab,
    'cmd.run_all': async ([line]: readonly Value[]) => {
      const words = str(line!).split(' ')
      seen.ran.push(words[0]!)
      if (refusal === '') seen.tab = Buffer.from(await host.read(words.at(-1)!)).toString()
      return dictFrom({ retcode: refusal === '' ? 0 : 1, stdout: '', stderr: refusal })
    },
  }
  const call = async (fun: string, args: readonly Value[] = [], kwargs: Record<string, Value> = {}) =>
    tryFunction(module, fun, { args: [...args], kwargs, host, others: commands })
  const names = ['list_tab', 'set_job', 'set_special', 'rm_job', 'set_env', 'rm_env'] as const
  const others = Object.fromEntries(
    names.map((fun) => [
      `cron.${fun}`,
      (args: readonly Value[], kwargs: ReadonlyMap<string, Value> | Record<string, Value> = {}) =>
        call(fun, args, kwargs instanceof Map ? Object.fromEntries(kwargs) : (kwargs as Record<string, Value>)),
    ]),
  )
  const apply = async (fun: string, kwargs: Record<string, Value>, test = false) =>
    toPlain(await tryState(state, fun, { kwargs, host, others, test }))
  return { call, apply, seen, host }
}

describe('the functions of cron', () => {
  test('add, change and remove a job', async () => {
    const { call, seen } = await machine()
    const times = ['0', '5', '*', '*', '1']
    expect(await call('set_job', ['root', ...times, 'tidy'], { identifier: 'a', comment: 'weekly' })).toBe('new')
    expect(seen.tab).toBe(`${HEAD}# weekly SALT_CRON_IDENTIFIER:a\n0 5 * * 1 tidy\n`)
    expect(await call('set_job', ['root', ...times, 'tidy'], { identifier: 'a', comment: 'weekly' })).toBe('present')
    expect(await call('set_job', ['root', ...times, 'tidy --all'], { identifier: 'a' })).toBe('updated')
    expect(toPlain(await call('get_entry', ['root'], { identifier: 'a' }))).toMatchObject({ cmd: 'tidy --all' })
    expect(await call('get_entry', ['root'], { cmd: 'other' })).toBe(false)
    expect(await call('rm_job', ['root', 'tidy --all'], { identifier: 'a' })).toBe('removed')
    expect(await call('rm', ['root', 'tidy --all'])).toBe('absent')
    expect(seen.tab).toBe(HEAD)
  })

  test('add and remove a job with a special time', async () => {
    const { call, seen } = await machine('1 2 3 4 5 own\n')
    expect(await call('set_special', ['root', '@daily', 'tidy'])).toBe('new')
    expect(seen.tab).toBe(`1 2 3 4 5 own\n${HEAD}@daily tidy\n`)
    expect(toPlain(await call('ls', ['root']))).toMatchObject({ special: [{ spec: '@daily', cmd: 'tidy' }] })
    expect(await call('rm_special', ['root', 'tidy'], { special: '@daily' })).toBe('removed')
    expect(await call('rm_special', ['root', 'tidy'])).toBe('absent')
  })

  test('set and remove a variable', async () => {
    const { call, seen } = await machine()
    expect(await call('set_env', ['root', 'MAILTO', 'me'])).toBe('new')
    expect(await call('set_env', ['root', 'MAILTO', 'me'])).toBe('present')
    expect(await call('set_env', ['root', 'MAILTO', 'you'])).toBe('updated')
    expect(seen.tab).toBe(`${HEAD}MAILTO=you\n`)
    expect(await call('rm_env', ['root', 'MAILTO'])).toBe('removed')
    expect(await call('rm_env', ['root', 'MAILTO'])).toBe('absent')
  })

  test('hand a whole file over, and leave no file of their own', async () => {
    const { call, seen, host } = await machine()
    expect(await call('write_cron_file', ['root', '/new'])).toBe(true)
    expect(seen.tab).toBe('1 2 3 4 5 own\n')
    await call('set_env', ['root', 'A', 'b'])
    expect(await host.list('/tmp')).toEqual([])
    expect(new Set(seen.ran)).toEqual(new Set(['crontab']))
  })

  test("return crontab's error", async () => {
    const { call } = await machine('', 'bad minute')
    expect(await call('set_job', ['root', 'x', '*', '*', '*', '*', 'tidy'])).toBe('bad minute')
    expect(await call('write_cron_file', ['root', '/new'])).toBe(false)
  })
})

describe('the states of cron', () => {
  test('put a job into the crontab, once', async () => {
    const { apply, seen } = await machine()
    const job = { name: 'tidy', minute: 5, identifier: 'a' }
    expect(await apply('present', job, true)).toMatchObject({ result: null, comment: 'Cron tidy is set to be added' })
    expect(seen.tab).toBe('')
    expect(await apply('present', job)).toMatchObject({
      result: true,
      comment: "Cron tidy added to root's crontab",
      changes: { root: 'tidy' },
    })
    expect(seen.tab).toContain('5 * * * * tidy\n')
    expect(await apply('present', job)).toMatchObject({ comment: 'Cron tidy already present', changes: {} })
  })

  test("report crontab's refusal", async () => {
    const { apply } = await machine('', 'bad minute')
    expect(await apply('present', { name: 'tidy' })).toMatchObject({
      result: false,
      comment: 'Cron tidy for user root failed to commit with error \nbad minute',
    })
  })

  test('set and remove a variable', async () => {
    const { apply, seen } = await machine()
    expect(await apply('env_present', { name: 'MAILTO', value: 'me' })).toMatchObject({
      comment: "Cron env MAILTO added to root's crontab",
    })
    expect(seen.tab).toBe(`${HEAD}MAILTO=me\n`)
    expect(await apply('env_absent', { name: 'MAILTO' }, true)).toMatchObject({ result: null })
    expect(await apply('env_absent', { name: 'MAILTO' })).toMatchObject({
      comment: "Cron env MAILTO removed from root's crontab",
    })
    expect(await apply('env_absent', { name: 'MAILTO' })).toMatchObject({ comment: 'Cron env MAILTO already absent' })
  })
})
