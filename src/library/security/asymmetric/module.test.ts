// Signatures by private keys, and their keys.
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import asymmetric from './module.ts'

const pem = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const
type Pair = { publicKey: string; privateKey: string }
const keys = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048, ...pem }) as unknown as Pair,
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256', ...pem }) as unknown as Pair,
  ed: generateKeyPairSync('ed25519', pem) as unknown as Pair,
}
type Name = keyof typeof keys
const NAMES = Object.keys(keys) as Name[]

const host = await MemoryHost.with({ files: { '/data': 'hello' } })
const call = async (fun: string, kwargs: Record<string, Value>) =>
  toPlain(await tryFunction(asymmetric, fun, { kwargs, host }))
const sign = (name: Name, text = 'hello') => call('sign', { privkey: keys[name].privateKey, text }) as Promise<string>

test.each(NAMES)('a signature by %s is valid for its text only', async (name) => {
  const pubkey = keys[name].publicKey
  const signature = await sign(name)
  expect(await call('verify', { filename: '/data', pubkey, signature })).toEqual({
    res: true,
    message: 'The signature is valid',
  })
  expect(await call('verify', { text: 'other', pubkey, signature })).toMatchObject({
    res: false,
    message: expect.stringMatching(/^Failed checking signature: Invalid signature for key [0-9a-f]{64}$/),
  })
})

test('a signature is written to a file as bytes', async () => {
  const wish = { privkey: keys.ed.privateKey, filename: '/data', path: '/sig' }
  expect(await call('sign', wish)).toBe("Signature written to '/sig'")
  expect(await call('verify', { filename: '/data', pubkey: keys.ed.publicKey, signature: '/sig' })).toMatchObject({
    res: true,
  })
})

test('of several keys one or all must have signed', async () => {
  const [rsa, ec, ed] = NAMES.map((name) => keys[name].publicKey) as [string, string, string]
  const signature = [await sign('rsa'), await sign('ec')]
  const verdict = (wish: Record<string, Value>) => call('verify', { text: 'hello', signature, ...wish })
  expect(await verdict({ signed_by_any: [ed, ec] })).toMatchObject({ res: true })
  expect(await verdict({ signed_by_all: [rsa, ec] })).toMatchObject({ res: true })
  expect(await verdict({ signed_by_all: [rsa, ed] })).toMatchObject({ res: false })
  expect(await verdict({ signed_by_any: [ed] })).toEqual({
    res: false,
    message: 'None of the public keys listed in signed_by_any provided a valid signature',
  })
})

test('arguments that make no sense are refused', async () => {
  await expect(call('verify', { text: 'a', filename: '/data', signature: 'x' })).rejects.toThrow('mutually exclusive')
  await expect(call('verify', { text: 'a', signature: 'x' })).rejects.toThrow('Missing pubkey(s) to check against')
  await expect(call('sign', { privkey: 'x' })).rejects.toThrow('Either `text` or `filename` is required')
})
