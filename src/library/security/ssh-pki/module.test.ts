import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, dictFrom, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ssh from './module.ts'

const NOW = 1_800_000_000
const host = new MemoryHost({ now: () => NOW })
let policies: Dict = new Map()
const others = {
  'pillar.get': () => policies,
  'config.get': () => new Map(),
  'file.file_exists': () => false,
  'match.glob': (args: readonly Value[]) => args[0] === args[1],
}
const call = (fun: string, kwargs: Record<string, Value>): Promise<Value> =>
  tryFunction(ssh, fun, { kwargs, host, others })
const shown = (value: Value): Record<string, Value> => Object.fromEntries(value as Map<string, Value>)

const folder = mkdtempSync(join(tmpdir(), 'brine-ssh-pki-'))
afterAll(() => rmSync(folder, { recursive: true }))

const keygen = (...args: string[]): string =>
  execFileSync('ssh-keygen', args, { encoding: 'utf8', env: { PATH: process.env.PATH, TZ: 'UTC' } })

/** Return OpenSSH's description of a certificate. */
function listed(certificate: Value): string {
  const path = join(folder, 'shown-cert.pub')
  writeFileSync(path, certificate as string)
  return keygen('-L', '-f', path).replace(/^ +| +$/gm, '')
}

const keys: Record<string, { private_key: string; public_key: string }> = {}
const ALGORITHMS: ReadonlyArray<[string, Record<string, Value>]> = [
  ['ed25519', { algo: 'ed25519' }],
  ['ec', { algo: 'ec', keysize: 521 }],
  ['rsa', { algo: 'rsa', keysize: 2048 }],
]

beforeAll(async () => {
  for (const [name, given] of ALGORITHMS) {
    keys[name] = shown(await call('create_private_key', given)) as (typeof keys)[string]
    await host.write(`/${name}`, keys[name]!.private_key)
    await host.write(`/${name}.pub`, keys[name]!.public_key)
  }
})

const forUser = {
  signing_private_key: '/ed25519',
  public_key: '/ec.pub',
  cert_type: 'user',
  valid_principals: ['deploy', 'root'],
  serial_number: 4711,
  key_id: 'tina',
  ttl: '1.5h',
  critical_options: dictFrom({ 'force-command': '/usr/bin/id' }),
  extensions: dictFrom({ 'permit-pty': true, 'no-such@example.com': 'x', 'permit-X11-forwarding': false }),
}

describe('a private key', () => {
  test.each(ALGORITHMS.map(([name]) => name))('of %s can be read by OpenSSH, plain and encrypted', async (name) => {
    const path = join(folder, name)
    writeFileSync(path, keys[name]!.private_key, { mode: 0o600 })
    expect(keygen('-y', '-f', path).trim()).toBe(keys[name]!.public_key)
    const locked = (await call('encode_private_key', { private_key: `/${name}`, passphrase: 'a b' })) as string
    writeFileSync(path, locked, { mode: 0o600 })
    expect(keygen('-y', '-f', path, '-P', 'a b').trim()).toBe(keys[name]!.public_key)
  })

  test('of OpenSSH is read with its passphrase alone', async () => {
    const path = join(folder, 'theirs')
    keygen('-q', '-t', 'ecdsa', '-b', '384', '-N', 'secret', '-a', '4', '-f', path)
    const private_key = readFileSync(path, 'utf8')
    expect(await call('get_private_key_size', { private_key, passphrase: 'secret' })).toBe(384)
    const half = await call('get_public_key', { key: private_key, passphrase: 'secret' })
    expect(readFileSync(`${path}.pub`, 'utf8').startsWith(half as string)).toBe(true)
    await expect(call('get_private_key_size', { private_key })).rejects.toThrow('Please provide a password')
    await expect(call('get_private_key_size', { private_key, passphrase: 'x' })).rejects.toThrow('Bad decrypt')
    const plain = keys.rsa!.private_key
    await expect(call('get_private_key_size', { private_key: plain, passphrase: 'x' })).rejects.toThrow(
      'Password was given but private key is not encrypted',
    )
  })

  test('is written for its owner alone, with its public half beside it', async () => {
    const done = await call('create_private_key', { algo: 'ed25519', path: '/new' })
    expect(done).toBe('Private key written to /new')
    expect((await host.stat('/new'))!.mode & 0o777).toBe(0o600)
    expect(await call('verify_private_key', { private_key: '/new', public_key: '/new.pub' })).toBe(true)
    expect(await call('verify_private_key', { private_key: '/new', public_key: '/ec.pub' })).toBe(false)
  })

  test.each<[string, Value, string]>([
    ['create_private_key', 'dsa', 'Invalid algorithm specified for generating private key: dsa'],
    ['encode_private_key', 'no key', 'Could not load OpenSSH private key'],
    ['get_public_key', 'no key', 'Could not load key as certificate, public key or private key'],
  ])('is refused by %s for %j', async (fun, given, message) => {
    const name = { create_private_key: 'algo', encode_private_key: 'private_key', get_public_key: 'key' }[fun]!
    await expect(call(fun, { [name]: given })).rejects.toThrow(message)
  })

  test('with a damaged body is refused', async () => {
    const body = Buffer.from(keys.rsa!.private_key.replace(/-----.*-----/g, ''), 'base64')
    for (const cut of [20, 100, body.length - 300]) {
      const text = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.subarray(0, cut).toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`
      await expect(call('get_private_key_size', { private_key: text })).rejects.toThrow(
        'Could not load OpenSSH private',
      )
    }
  })
})

describe('a certificate', () => {
  test('for a user can be read by OpenSSH', async () => {
    const text = listed(await call('create_certificate', forUser))
    expect(text).toContain('Type: ecdsa-sha2-nistp521-cert-v01@openssh.com user certificate\n')
    expect(text).toContain('(using ssh-ed25519)\nKey ID: "tina"\nSerial: 4711\n')
    expect(text).toContain('Valid: from 2027-01-15T08:00:00 to 2027-01-15T09:30:00\n')
    expect(text).toContain('Principals:\ndeploy\nroot\nCritical Options:\nforce-command /usr/bin/id\nExtensions:\n')
    expect(text).toContain('permit-pty\n')
    expect(text).toContain('no-such@example.com UNKNOWN OPTION')
    expect(text).not.toContain('X11')
  })

  test.each(['ec', 'rsa'])('signed by a key of %s is accepted by OpenSSH', async (name) => {
    const given = { signing_private_key: `/${name}`, private_key: '/ed25519', cert_type: 'host', all_principals: true }
    const made = await call('create_certificate', given)
    // ssh-keygen -L checks the signature when it reads a certificate.
    expect(listed(made)).toContain('Principals: (none)\n')
    expect(await call('verify_signature', { certificate: made, signing_pub_key: `/${name}.pub` })).toBe(true)
    expect(await call('verify_signature', { certificate: made, signing_pub_key: '/ed25519.pub' })).toBe(false)
    expect(await call('expires', { certificate: made, ttl: '29d' })).toBe(false)
    expect(await call('expires', { certificate: made, ttl: '31d' })).toBe(true)
  })

  test('of OpenSSH can be read, and a changed one is refused', async () => {
    const [ca, user] = [join(folder, 'ca'), join(folder, 'user')]
    for (const path of [ca, user]) keygen('-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', path)
    keygen('-q', '-s', ca, '-I', 'id', '-n', 'a,b', '-z', '255', '-O', 'source-address=10.0.0.0/8', `${user}.pub`)
    const line = readFileSync(`${user}-cert.pub`, 'utf8')
    const facts = shown(await call('read_certificate', { certificate: line }))
    expect(facts).toMatchObject({
      ...{ cert_type: 'user', valid_principals: ['a', 'b'], key_id: 'id', key_size: 2048, key_type: 'rsa' },
      ...{ serial_number: 'FF', not_after: 'forever' },
    })
    expect(shown(facts.critical_options!)).toEqual({ 'source-address': '10.0.0.0/8' })
    expect(Object.keys(shown(facts.extensions!))).toContain('permit-pty')
    const print = keygen('-l', '-f', `${ca}.pub`).split(' ')[1]
    expect(`SHA256:${shown(facts.issuer_public_key_fingerprints!).sha256}`.replace(/=+$/, '')).toBe(print)
    const [type, body] = line.split(' ') as [string, string]
    const bytes = Buffer.from(body, 'base64')
    bytes[bytes.indexOf('id') + 1]! ^= 1
    const changed = `${type} ${bytes.toString('base64')}`
    await expect(call('read_certificate', { certificate: changed })).rejects.toThrow('signature on the SSH certificate')
    expect(
      await call('verify_signature', { certificate: changed, signing_pub_key: readFileSync(`${ca}.pub`, 'utf8') }),
    ).toBe(false)
  })

  test.each<[Record<string, Value>, string]>([
    [{ cert_type: 'both' }, "Cert type needs to be either `user` or `host`, got 'both'"],
    [{ valid_principals: [] }, 'Must either set all_principals to true or specify principals to allow'],
    [{ public_key: null }, 'Need public_key or private_key to derive public key to sign'],
    [{ signing_private_key: null }, 'Creating a certificate locally at least requires a signing private key.'],
    [{ serial_number: 'xyz' }, 'Could not parse serial number xyz'],
    [{ ttl: 'soon' }, 'Invalid time string format: soon'],
    [{ principals: 'x' }, "unexpected keyword argument 'principals'"],
    [{ public_key: '/nofile' }, 'Could not load OpenSSH public key.'],
  ])('is refused for %j', async (kwargs, message) => {
    await expect(call('create_certificate', { ...forUser, ...kwargs })).rejects.toThrow(message)
  })
})

describe('an authority', () => {
  const policy = {
    ...{ minions: 'web', signing_private_key: '/ed25519', cert_type: 'user', max_ttl: '1h', ttl: '30m' },
    ...{ allowed_valid_principals: ['deploy', 'www'], default_valid_principals: ['www'], copypath: '/copies' },
    ...{ allowed_extensions: ['permit-pty'], critical_options: dictFrom({ 'force-command': '/bin/false' }) },
  }
  const ask = async (kwargs: Record<string, Value>, minion = 'web') => {
    policies = dictFrom({ www: dictFrom(policy) })
    await host.makeDirectory('/copies', { parents: true })
    const asked = dictFrom({ public_key: keys.ec!.public_key, serial_number: 16, ...kwargs })
    return shown(await call('sign_remote_certificate', { signing_policy: 'www', kwargs: asked, __pub_id: minion }))
  }

  test('has the fixed values of the policy, and no more than it permits', async () => {
    const { data, errors } = await ask({
      ...{ valid_principals: ['root', 'deploy'], all_principals: true, ttl: '9d', copypath: '/etc' },
      ...{ extensions: dictFrom({ 'permit-pty': true, 'permit-agent-forwarding': true }) },
      ...{ critical_options: dictFrom({ 'force-command': '/bin/sh' }), signing_private_key: '/rsa' },
    })
    expect(errors).toEqual([])
    const text = listed(data!)
    expect(text).toContain('to 2027-01-15T09:00:00\nPrincipals:\ndeploy\nCritical Options:\nforce-command /bin/false\n')
    expect(text).toContain('Extensions:\npermit-pty\n')
    expect(text).not.toContain('agent')
    expect(Buffer.from(await host.read('/copies/10.crt')).toString()).toBe(data)
  })

  test.each<[Record<string, Value>, string]>([
    [{}, 'www'],
    [{ all_principals: true }, 'deploy\nwww'],
    [{ valid_principals: ['root'] }, 'www'],
  ])('gives principals for %j', async (kwargs, principals) => {
    expect(listed((await ask(kwargs)).data!)).toContain(`Principals:\n${principals}\nCritical`)
  })

  test('refuses other minions, unknown policies, and reads no file for a minion', async () => {
    expect(await ask({}, 'db')).toEqual({
      data: null,
      errors: ['minion not permitted to use specified signing policy'],
    })
    expect((await ask({ public_key: '/ec.pub' })).errors).toEqual(['Could not load OpenSSH public key.'])
    const unknown = await call('sign_remote_certificate', { signing_policy: 'x', kwargs: new Map() })
    expect(shown(unknown).errors).toEqual(['signing_policy must be specified and defined on signing minion'])
  })

  test('shows its policy with the public key alone', async () => {
    policies = dictFrom({ www: dictFrom(policy) })
    const given = { signing_policy: 'www', kwargs: new Map(), get_signing_policy_only: true, __pub_id: 'web' }
    const shownPolicy = shown(shown(await call('sign_remote_certificate', given)).data!)
    expect(shownPolicy.signing_public_key).toBe(keys.ed25519!.public_key)
    expect(Object.keys(shownPolicy)).not.toContain('signing_private_key')
  })
})
