import { expect, test } from 'vitest'
import type { Dict, Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Keywords, tryState } from '../../../sdk/mod.ts'
import x509 from './state.ts'

const KEY = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
`

/** A report of file.managed, and the options it was called with. */
async function run(fun: string, kwargs: Record<string, Value>, files: Record<string, string>, test: boolean) {
  const host = await MemoryHost.with({ files })
  const managed: Keywords[] = []
  const others = {
    'state.single': (_args: readonly Value[], given: Keywords): Value => {
      managed.push(given)
      return new Map([['id', new Map<Value, Value>([['result', true]]).set('comment', '').set('changes', new Map())]])
    },
    'file.is_link': () => false,
    'x509.create_private_key': () => KEY,
    'x509.get_private_key_size': () => null,
  }
  const report = await tryState(x509, fun, { kwargs, host, others, test })
  const changes = Object.fromEntries(report.get('changes') as Dict)
  return { result: report.get('result'), comment: report.get('comment'), changes, managed }
}

const ed = { name: '/k', algo: 'ed25519' }

test('a private key is made through file.managed, for its owner alone', async () => {
  const { managed, ...report } = await run('private_key_managed', ed, {}, false)
  expect(report).toEqual({ result: true, comment: 'The private key has been created', changes: { created: '/k' } })
  expect(Object.fromEntries(managed.at(-1) as Map<string, Value>)).toMatchObject({ mode: '0400', contents: KEY })
})

test.each<[Record<string, Value>, Record<string, string>, boolean | null, string, Record<string, Value>]>([
  [ed, {}, null, 'The private key would have been created', { created: '/k' }],
  [ed, { '/k': KEY }, true, 'The private key is in the correct state', {}],
  [{ ...ed, algo: 'ec' }, { '/k': KEY }, null, 'The private key would have been recreated', { algo: 'ec' }],
  [{ ...ed, passphrase: 'x' }, { '/k': KEY }, null, 'The private key would have been recreated', { passphrase: true }],
  [{ ...ed, keysize: 5 }, {}, false, 'keysize is an invalid parameter for ed25519', {}],
])('a dry run of a private key as %j', async (kwargs, files, result, comment, changes) => {
  const { managed: _, ...report } = await run('private_key_managed', kwargs, files, true)
  expect(report).toEqual({ result, comment, changes })
})

test('a file that is no private key is not changed without a setting', async () => {
  const report = await run('private_key_managed', ed, { '/k': 'text' }, false)
  expect(report.comment).toContain('The existing file does not seem to be a private key')
})
