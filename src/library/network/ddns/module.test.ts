import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ddns from './module.ts'

/** A server with one record of host1.example. */
async function run(name: string, args: Value[], kwargs: Record<string, Value> = {}) {
  const scripts: string[] = []
  const host = await MemoryHost.with({ files: { '/keys.json': '{"update-key": "c2VjcmV0"}' } })
  const others = {
    'config.option': () => '',
    'cmd.run_all': ([cmd]: readonly Value[], options: unknown) => {
      const words = (cmd as Value[]).join(' ')
      if (words.startsWith('nsupdate')) scripts.push(String((options as Record<string, Value>)['stdin']))
      const stdout = words.includes('-q host1.example. ') ? 'host1.example.\t60\tIN\tA\t10.0.0.1\n' : ''
      return fromPlain({ retcode: scripts.at(-1)?.includes('refused') ? 2 : 0, stdout, stderr: '' })
    },
  }
  const answer = toPlain(await tryFunction(ddns, name, { args, kwargs, others, host }))
  return { answer, last: scripts.at(-1)?.split('\n').slice(1) }
}

describe('ddns', () => {
  test('does not change an existing record', async () => {
    expect(await run('update', ['example', 'host1', 60, 'A', '10.0.0.1'])).toEqual({ answer: null, last: undefined })
  })

  test.each<[string, Value[], Record<string, Value>, unknown, string[]]>([
    [
      'update',
      ['example', 'host1', 90, 'A', '10.0.0.1'],
      { keyfile: '/keys.json' },
      true,
      ['zone example.', 'key hmac-md5:update-key c2VjcmV0', 'update add host1.example. 90 A 10.0.0.1', 'send', ''],
    ],
    [
      'update',
      ['example', 'host1', 60, 'A', '10.0.0.2'],
      { replace: true },
      true,
      ['zone example.', 'update delete host1.example. A', 'update add host1.example. 60 A 10.0.0.2', 'send', ''],
    ],
    [
      'update',
      ['example', 'refused', 60, 'A', '1.2.3.4'],
      {},
      false,
      ['zone example.', 'update add refused.example. 60 A 1.2.3.4', 'send', ''],
    ],
    ['delete', ['example', 'host1'], {}, true, ['zone example.', 'update delete host1.example.', 'send', '']],
  ])('%s %o %o answers %o', async (name, args, kwargs, answer, last) => {
    expect(await run(name, args, kwargs)).toEqual({ answer, last })
  })

  test('adds the name of an address to the first reverse zone that takes it', async () => {
    const { last } = await run('add_host', ['example', 'host2', 60, '10.0.0.2'])
    expect(last).toContain('update add 2.0.0.10.in-addr.arpa. 60 PTR host2.example.')
  })
})
