import { describe, expect, test } from 'vitest'
import { type Dict, dictFrom, toPlain, tuple, type Value } from '../../../data/mod.ts'
import { MemoryHost, readOnlyHost } from '../../../host/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import cron from './state.ts'

const WANTED = '1 2 3 4 5 new\n'

/** A machine with one crontab, on which the file functions do as much as the state needs. */
async function machine(tab: string, refusal = '') {
  const host = await MemoryHost.with({ files: { '/tmp/': '' }, groups: [{ name: 'root', gid: 0, members: [] }] })
  const seen = { tab }
  const keyword = (kwargs: unknown, name: string): Value =>
    kwargs instanceof Map ? kwargs.get(name)! : (kwargs as Record<string, Value>)[name]!
  const textAt = async (path: Value): Promise<string> => Buffer.from(await host.read(path as string)).toString()
  const others = {
    'cron.raw_cron': () => seen.tab,
    'cron.write_cron_file_verbose': async ([, path]: readonly Value[]) => {
      if (refusal === '') seen.tab = await textAt(path!)
      return dictFrom({ retcode: refusal === '' ? 0 : 1, stderr: refusal })
    },
    'file.source_list': ([source, hash]: readonly Value[]) => tuple([source!, hash!]),
    'file.get_managed': () => tuple(['/cache/tab', new Map(), '']),
    'file.check_managed': () => tuple([null, 'would change']),
    'file.manage_file': async (_: readonly Value[], kwargs: unknown) => {
      const [path, report] = [keyword(kwargs, 'name') as string, keyword(kwargs, 'ret') as Dict]
      if ((await textAt(path)) === WANTED) return report
      await host.write(path, WANTED)
      return report.set('changes', new Map([['diff', '+new']]))
    },
  }
  const apply = async (kwargs: Record<string, Value> = {}, test = false) => {
    const on = test ? readOnlyHost(host) : host
    return toPlain(await tryState(cron, 'file', { kwargs: { name: 'salt://tab', ...kwargs }, others, host: on, test }))
  }
  return { apply, seen, host }
}

describe('cron.file', () => {
  test('hands a crontab over that differs, and leaves no file behind', async () => {
    const { apply, seen, host } = await machine('1 2 3 4 5 old\n')
    expect(await apply()).toMatchObject({ result: true, comment: 'Crontab for user root was updated' })
    expect(seen.tab).toBe(WANTED)
    expect(await host.list('/tmp')).toEqual([])
    expect(await apply()).toMatchObject({ comment: 'Crontab for user root is in the correct state', changes: {} })
  })

  test("reports crontab's error", async () => {
    const { apply } = await machine('', 'bad minute')
    expect(await apply()).toMatchObject({
      result: false,
      changes: {},
      comment: expect.stringMatching(/^Unable to update user root crontab \/tmp\/\S+ Error: bad minute$/),
    })
  })

  test('changes nothing in a dry run', async () => {
    const { apply, seen } = await machine('old\n')
    expect(await apply({}, true)).toMatchObject({ result: null, comment: 'would change', changes: {} })
    expect(seen.tab).toBe('old\n')
  })

  test.each<[Record<string, Value>, boolean, string]>([
    [{ replace: false }, true, 'User root already has a crontab. No changes made'],
    [{ user: 'nobody-here' }, false, 'Could not identify group for user nobody-here'],
  ])('with %o says %s: %s', async (kwargs, result, comment) => {
    const { apply } = await machine('old\n')
    expect(await apply(kwargs)).toMatchObject({ result, comment })
  })
})
