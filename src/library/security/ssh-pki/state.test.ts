import { beforeAll, describe, expect, test } from 'vitest'
import { type Dict, dictFrom, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Keywords, tryFunction, tryState } from '../../../sdk/mod.ts'
import module from './module.ts'
import ssh from './state.ts'

const NOW = 1_800_000_000
const entriesOf = (given: Keywords): Map<string, Value> =>
  given instanceof Map ? given : new Map(Object.entries(given as Record<string, Value>))

/** Run a state over real functions of the module; file.managed writes its content. */
async function run(host: MemoryHost, fun: string, kwargs: Record<string, Value>, test = false) {
  const own = (name: string) => (args: readonly Value[], given: Keywords) =>
    tryFunction(module, name, { args: [...args], kwargs: Object.fromEntries(entriesOf(given)), host, others })
  const others: Record<string, (args: readonly Value[], given: Keywords) => Value | Promise<Value>> = {
    'state.single': async (args, given) => {
      const options = entriesOf(given)
      if (options.get('replace') === true && !options.get('test')) {
        await host.write(args[1] as string, options.get('contents') as string)
      }
      return dictFrom({ id: dictFrom({ result: true, comment: '', changes: new Map() }) })
    },
    'file.is_link': () => false,
    'file.file_exists': () => false,
    'pillar.get': () => new Map(),
    'config.get': () => new Map(),
  }
  for (const name of ['create_private_key', 'encode_private_key', 'get_public_key', 'get_signing_policy']) {
    others[`ssh_pki.${name}`] = own(name)
  }
  others['ssh_pki.create_certificate'] = own('create_certificate')
  const report = await tryState(ssh, fun, { kwargs, host, others, test })
  const changes = Object.fromEntries(report.get('changes') as Dict)
  return { result: report.get('result'), comment: report.get('comment'), changes }
}

let host: MemoryHost
let now = NOW
beforeAll(async () => {
  host = new MemoryHost({ now: () => now })
  for (const name of ['/ca', '/host']) await run(host, 'private_key_managed', { name, algo: 'ed25519' })
})

describe('a private key', () => {
  const key = { name: '/key', algo: 'ec' }

  test('is created, left alone, locked, and kept with its passphrase', async () => {
    const fresh = new MemoryHost({ now: () => NOW })
    const created = { comment: 'The private key has been created', changes: { created: '/key' } }
    expect((await run(fresh, 'private_key_managed', key, true)).comment).toBe('The private key would have been created')
    expect(await run(fresh, 'private_key_managed', key)).toEqual({ result: true, ...created })
    const settled = { result: true, comment: 'The private key is in the correct state', changes: {} }
    expect(await run(fresh, 'private_key_managed', key)).toEqual(settled)
    expect(await run(fresh, 'private_key_managed', { ...key, passphrase: 'x' })).toEqual({
      ...{ result: true, comment: 'The private key has been encrypted', changes: { passphrase: true } },
    })
    expect(await run(fresh, 'private_key_managed', { ...key, passphrase: 'x' })).toEqual(settled)
    expect(await run(fresh, 'private_key_managed', key)).toMatchObject({
      result: false,
      comment: 'The current key is encrypted with a passphrase. Pass overwrite: true to force regeneration',
    })
    expect(await run(fresh, 'private_key_managed', { ...key, overwrite: true })).toEqual({
      ...{ result: true, comment: 'The private key has been recreated' },
      changes: { passphrase: true, replaced: '/key' },
    })
  })

  test.each<[Record<string, Value>, Record<string, Value>]>([
    [{ algo: 'ec' }, { algo: 'ec' }],
    [{ algo: 'ed25519', new: true }, { replaced: '/host' }],
  ])('of another form is foreseen: %j', async (given, changes) => {
    expect(await run(host, 'private_key_managed', { name: '/host', ...given }, true)).toEqual({
      ...{ result: null, comment: 'The private key would have been recreated', changes },
    })
  })
})

test('over SSH, a key is a key, and the message of a locked one is that of salt-ssh', async () => {
  const fresh = new MemoryHost({ now: () => NOW })
  const key = { name: '/key', algo: 'ec', passphrase: 'x' }
  expect(await run(fresh, 'private_key_managed_ssh', key)).toMatchObject({ result: true, changes: { created: '/key' } })
  expect(await run(fresh, 'private_key_managed_ssh', { ...key, passphrase: null })).toMatchObject({
    result: false,
    comment: expect.stringContaining('with a passphrase, pass overwrite: true'),
  })
})

test('a public key follows its private key', async () => {
  const wanted = { name: '/host.pub', public_key_source: '/host' }
  const foreseen = await run(host, 'public_key_managed', { ...wanted, public_key_source: '/later' }, true)
  expect(foreseen.comment).toContain('The public key would have been created. Note that the source could not be loaded')
  expect(await run(host, 'public_key_managed', wanted)).toMatchObject({ comment: 'The public key has been created' })
  expect(await run(host, 'public_key_managed', wanted)).toMatchObject({ changes: {} })
  expect(await run(host, 'public_key_managed', { ...wanted, public_key_source: '/ca' }, true)).toEqual({
    ...{ result: null, comment: 'The public key would have been updated', changes: { updated: '/host.pub' } },
  })
})

describe('a certificate', () => {
  const wanted = {
    ...{ name: '/host-cert.pub', signing_private_key: '/ca', private_key: '/host', cert_type: 'host' },
    ...{ valid_principals: ['a', 'b'] },
  }

  test('is created, left alone, and renewed a week before it expires', async () => {
    const created = await run(host, 'certificate_managed', wanted)
    expect(created).toEqual({
      ...{ result: true, comment: 'The certificate has been created', changes: { created: '/host-cert.pub' } },
    })
    now = NOW + 22 * 86_400
    expect(await run(host, 'certificate_managed', wanted)).toMatchObject({ result: true, changes: {} })
    now = NOW + 24 * 86_400
    expect(await run(host, 'certificate_managed', wanted, true)).toMatchObject({ changes: { expiration: true } })
    now = NOW
  })

  test('over SSH, is left alone as on a minion', async () => {
    expect(await run(host, 'certificate_managed_ssh', wanted)).toMatchObject({ result: true, changes: {} })
  })

  test.each<[Record<string, Value>, Record<string, Value>]>([
    [{ private_key: '/ca' }, { private_key: true }],
    [{ signing_private_key: '/host' }, { signing_private_key: true }],
    [{ key_id: 'x' }, { key_id: dictFrom({ old: '', new: 'x' }) }],
    [{ cert_type: 'user' }, { cert_type: 'user' }],
    [{ extensions: dictFrom({ e: true }) }, { extensions: dictFrom({ added: ['e'], changed: [], removed: [] }) }],
    [{ valid_principals: ['b', 'c'] }, { principals: dictFrom({ added: ['c'], removed: ['a'] }) }],
    [{ valid_principals: null, all_principals: true }, { principals: dictFrom({ added: '*ALL*', removed: [] }) }],
    [{ serial_number: 7 }, { serial_number: 7 }],
  ])('that lacks %j is recreated', async (given, changes) => {
    expect(await run(host, 'certificate_managed', { ...wanted, ...given }, true)).toEqual({
      ...{ result: null, comment: 'The certificate would have been recreated', changes },
    })
  })

  test('replaces a file that is none, and refuses unknown options', async () => {
    await host.write('/other', 'text')
    expect(await run(host, 'certificate_managed', { ...wanted, name: '/other' }, true)).toMatchObject({
      ...{ result: null, changes: { replaced: '/other' } },
    })
    await expect(run(host, 'certificate_managed', { ...wanted, principals: 'x' })).rejects.toThrow(
      'The following keyword arguments are invalid: principals',
    )
  })
})
