import { beforeEach, describe, expect, it } from 'vitest'
import { decodeBytes, encodeText, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import nacl from './module.ts'

/** A box that PyNaCl made with the bytes 0 to 31 as secret key. */
const SECRET = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const OPEN = 'j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8='
const SEALED = 'RiG1qlGVpsyaxaIjJDf/IPcwwplLay3Ke4sX1Eyl7wXWHj2qKHiYe7k0Iq5UWmtMSdv6N1zwRQIb'
const SHUT = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXocKj3hWbYtYYmsgx8f1aYjOGGDyiqdB1zw=='

let host: MemoryHost
beforeEach(() => {
  host = new MemoryHost()
})

async function call(name: string, args: Value[], kwargs: Record<string, Value> = {}, config: Value = new Map()) {
  const opts = new Map([['pki_dir', '/pki']])
  const value = await tryFunction(nacl, name, { args, kwargs, opts, host, others: { 'config.get': () => config } })
  return value instanceof Uint8Array ? decodeBytes(value) : value
}

describe('nacl', () => {
  it.each([
    ['dec', SEALED, { sk: SECRET }],
    ['sealedbox_decrypt', SEALED, { sk: SECRET }],
    ['dec', SHUT, { key: SECRET }],
    ['dec', SHUT, { sk: SECRET, box_type: 'secretbox' }],
    ['secretbox_decrypt', SHUT, { sk: SECRET }],
  ])('%s opens a box of PyNaCl: %s with %j', async (name, box, kwargs) => {
    expect(await call(name, [box], kwargs)).toBe('my secret')
  })

  it('shuts texts and files by the functions of each kind', async () => {
    const sealed = await call('sealedbox_encrypt', ['my secret'], { pk: OPEN })
    expect(await call('sealedbox_decrypt', [sealed], { sk: SECRET })).toBe('my secret')
    const shut = await call('secretbox_encrypt', ['my secret'], { sk: SECRET })
    expect(await call('secretbox_decrypt', [shut], { sk: SECRET })).toBe('my secret')
    host = await MemoryHost.with({ files: { '/a': 'my secret' } })
    expect(await call('enc_file', ['/a'], { out: '/b', sk: SECRET, box_type: 'secretbox' })).toBe('Wrote: /b')
    const box = decodeBytes(await host.read('/b'))
    expect(await call('dec', [box], { sk: SECRET, box_type: 'secretbox' })).toBe('my secret')
  })

  it.each([
    ['sealedbox', { pk: OPEN }, { sk: SECRET }],
    ['secretbox', { sk: SECRET }, { sk: SECRET }],
  ])('%s opens its own boxes, of any length', async (kind, shutting, opening) => {
    for (const text of ['', 'x', 'é'.repeat(31), 'long '.repeat(1000)]) {
      const box = await call(`${kind}_encrypt`, [text], shutting)
      expect(await call(`${kind}_decrypt`, [box], opening)).toBe(text)
    }
  })

  it('creates keys in files, and the public key of an existing secret one', async () => {
    const files = { sk_file: '/k', pk_file: '/k.pub' }
    expect(await call('keygen', ['/k'])).toBe('saved sk_file:/k  pk_file: /k.pub')
    expect((await host.stat('/k'))?.mode).toBe(0o600)
    const box = await call('enc', ['hello'], files)
    expect(await call('dec', [box], files)).toBe('hello')
    await expect(call('keygen', ['/k'])).rejects.toThrow('sk_file:/k and pk_file:/k.pub already exist.')
    await host.write('/s', encodeText(`${SECRET}\n`))
    expect(await call('keygen', ['/s', '/p'])).toBe('saved pk_file: /p')
    expect(decodeBytes(await host.read('/p'))).toBe(OPEN)
    const made = (await call('keygen', [])) as Map<string, Uint8Array>
    expect([...made.keys()]).toEqual(['sk', 'pk'])
  })

  it('finds keys in its configuration, and beside those of the master', async () => {
    expect(await call('dec', [SEALED], {}, new Map([['sk', SECRET]]))).toBe('my secret')
    await host.makeDirectory('/pki/master', { parents: true })
    await host.write('/pki/master/nacl', encodeText(SECRET))
    expect(await call('dec', [SEALED])).toBe('my secret')
    await host.write('/box', encodeText(SEALED))
    expect(await call('dec_file', ['/box', '/plain'])).toBe('Wrote: /plain')
    expect(decodeBytes(await host.read('/plain'))).toBe('my secret')
    await expect(call('dec_file', ['/box', '/plain'])).rejects.toThrow('file:/plain already exist.')
  })

  it.each([
    ['dec', SEALED, {}, 'no key or sk_file found'],
    ['enc', 'x', {}, 'no pubkey or pk_file found'],
    ['dec', SEALED, { sk: 'YmFkcGFzcwo=' }, 'The secret key must be exactly 32 bytes long'],
    ['dec', SEALED.replace('RiG1', 'RiG2'), { sk: SECRET }, 'Decryption failed. Ciphertext failed verification'],
    ['dec', SHUT.replace('ocKj', 'ocKk'), { key: SECRET }, 'Decryption failed. Ciphertext failed verification'],
    ['dec', 'YWJj', { sk: SECRET }, 'Decryption failed. The box is too short'],
    ['dec', 'YWJj', { key: SECRET }, 'Decryption failed. Ciphertext failed verification'],
  ])('%s %s with %j is refused: %s', async (name, data, kwargs, message) => {
    await expect(call(name, [data], kwargs)).rejects.toThrow(message)
  })
})
