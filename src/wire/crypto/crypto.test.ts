import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  Crypticle,
  cleanKey,
  generateKeyString,
  generateRsaKeys,
  loadOrMakeKeys,
  RsaPrivateKey,
  RsaPublicKey,
} from './mod.ts'

let directory: string
let key: RsaPrivateKey
let other: RsaPrivateKey

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'brine-keys-'))
  key = await loadOrMakeKeys(directory, 'minion')
  other = new RsaPrivateKey((await generateRsaKeys(1024)).privatePem)
})
afterAll(() => rmSync(directory, { recursive: true }))

describe('RSA keys', () => {
  it('are written as PKCS#1, readable by the owner alone, and found again', async () => {
    const text = readFileSync(join(directory, 'minion.pem'), 'utf8')
    expect(text).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/)
    expect(statSync(join(directory, 'minion.pem')).mode & 0o777).toBe(0o400)
    expect(readFileSync(join(directory, 'minion.pub'), 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
    expect((await loadOrMakeKeys(directory, 'minion')).publicKey.pem).toBe(key.publicKey.pem)
  })

  it('are read from PKCS#8 too, and with a passphrase', async () => {
    const { privatePem, publicPem } = await generateRsaKeys(1024, 'secret')
    expect(new RsaPrivateKey(privatePem, 'secret').publicKey.pem).toBe(cleanKey(publicPem))
    const plain = createPrivateKey({ key: privatePem, passphrase: 'secret' })
    const pkcs8 = plain.export({ type: 'pkcs8', format: 'pem' }).toString()
    expect(new RsaPrivateKey(pkcs8).publicKey.pem).toBe(cleanKey(publicPem))
  })

  it.each(['OAEP-SHA1', 'OAEP-SHA224'])('open what was encrypted with %s', async (algorithm) => {
    expect((await key.decrypt(key.publicKey.encrypt('text', algorithm), algorithm)).toString()).toBe('text')
  })

  it.each(['PKCS1v15-SHA1', 'PKCS1v15-SHA224'])('verify what they signed with %s', async (algorithm) => {
    const signature = await key.sign('text', algorithm)
    expect(key.publicKey.verify('text', signature, algorithm)).toBe(true)
    expect(key.publicKey.verify('other', signature, algorithm)).toBe(false)
    expect(other.publicKey.verify('text', signature, algorithm)).toBe(false)
  })

  it('refuse algorithms that Salt does not have', async () => {
    await expect(async () => key.sign('text', 'PKCS1v15-MD5')).rejects.toThrow('Invalid algorithm: PKCS1v15-MD5')
    expect(() => key.publicKey.encrypt('text', 'toString')).toThrow('Invalid algorithm: toString')
  })

  it('know their own token and no other', () => {
    expect(key.publicKey.isToken(key.token())).toBe(true)
    expect(key.publicKey.isToken(other.token())).toBe(false)
    expect(other.publicKey.isToken(key.token())).toBe(false)
    expect(key.publicKey.isToken(Buffer.alloc(256, 0xff))).toBe(false)
    expect(key.publicKey.isToken(Buffer.alloc(0))).toBe(false)
  })

  it('are refused when they are no RSA keys', () => {
    expect(() => new RsaPublicKey('nothing')).toThrow('Cannot read the public key')
  })
})

describe('Crypticle', () => {
  const crypticle = new Crypticle(generateKeyString())

  it('opens what it sealed, with the nonce in front', () => {
    const sealed = crypticle.seal(new Map([['a', 'ü']]), 'n'.repeat(32))
    expect(crypticle.open(sealed, { nonce: 'n'.repeat(32) })).toEqual(new Map([['a', 'ü']]))
    expect(() => crypticle.open(sealed, { nonce: 'm'.repeat(32) })).toThrow('Nonce verification error')
  })

  it('refuses a message of another key, a changed one and one that is too short', () => {
    const sealed = crypticle.seal('x')
    expect(() => new Crypticle(generateKeyString()).open(sealed)).toThrow('message authentication failed')
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed)
      changed[i]! ^= 1
      expect(() => crypticle.open(changed)).toThrow('message authentication failed')
    }
    expect(() => crypticle.open(Buffer.from('bad load'))).toThrow('message authentication failed')
  })

  it('takes each serial number once, and only a higher one', () => {
    const receiver = new Crypticle(generateKeyString())
    const sealed = (serial: unknown) => receiver.seal({ fun: 'test.ping', serial })
    expect(receiver.open(sealed(2))).toEqual(new Map([['fun', 'test.ping']]))
    for (const serial of [2, 1, 0, -1, 'x']) expect(receiver.open(sealed(serial))).toEqual(new Map())
    expect(receiver.open(sealed(3))).toEqual(new Map([['fun', 'test.ping']]))
  })

  it('gives an empty mapping for contents without the mark', () => {
    expect(crypticle.open(crypticle.encrypt(Buffer.from('\x81\xa1a\x01', 'latin1')))).toEqual(new Map())
  })

  it('refuses a key of another size', () => {
    expect(() => new Crypticle('AAAA')).toThrow('Cannot use a key of 3 bytes')
  })
})
