import { beforeAll, describe, expect, it } from 'vitest'
import { generateRsaKeys, RsaPrivateKey, type SignedContext, signContext, verifyContext } from './mod.ts'

const PAYLOAD = Buffer.from('payload')
const CONTEXT: SignedContext = { kind: 'sign-in', audience: 'm1', bound: 'nonce', until: 0 }
let key: RsaPrivateKey

beforeAll(async () => {
  key = new RsaPrivateKey((await generateRsaKeys(1024)).privatePem)
})

describe('a signature with a context', () => {
  it('fits the message and the context it was made for, and nothing else', async () => {
    const signature = await signContext(key, CONTEXT, PAYLOAD)
    const fits = (changes: Partial<SignedContext>, payload = PAYLOAD): boolean =>
      verifyContext(key.publicKey, { ...CONTEXT, ...changes }, payload, signature)
    expect(fits({})).toBe(true)
    expect(fits({}, Buffer.from('other'))).toBe(false)
    for (const other of [
      { kind: 'private-reply' },
      { kind: 'publication' },
      { audience: 'm2' },
      { bound: 'other' },
      { until: 1 },
    ] as const) {
      expect(fits(other)).toBe(false)
    }
    const stranger = new RsaPrivateKey((await generateRsaKeys(1024)).privatePem)
    expect(verifyContext(stranger.publicKey, CONTEXT, PAYLOAD, signature)).toBe(false)
  })

  it('is none of the signatures that a peer can ask for by name', async () => {
    const signature = await signContext(key, CONTEXT, PAYLOAD)
    for (const algorithm of ['PKCS1v15-SHA1', 'PKCS1v15-SHA224']) {
      expect(key.publicKey.verify(PAYLOAD, signature, algorithm)).toBe(false)
      expect(verifyContext(key.publicKey, CONTEXT, PAYLOAD, await key.sign(PAYLOAD, algorithm))).toBe(false)
    }
    await expect(async () => key.sign(PAYLOAD, 'PKCS1v15-SHA256')).rejects.toThrow('Invalid algorithm')
  })

  it('is not made, and fits nothing, when a field reaches into the next one', async () => {
    const signature = await signContext(key, { ...CONTEXT, audience: 'a', bound: 'b' }, PAYLOAD)
    const shifted = { ...CONTEXT, audience: 'a\nb', bound: '' }
    expect(verifyContext(key.publicKey, shifted, PAYLOAD, signature)).toBe(false)
    await expect(async () => signContext(key, shifted, PAYLOAD)).rejects.toThrow('more than one line')
  })
})
