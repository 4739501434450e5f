import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { rsaNumbers } from './public-numbers.ts'

describe('rsaNumbers', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const pem = (type: 'spki' | 'pkcs1'): string => publicKey.export({ type, format: 'pem' }).toString()

  it.each(['spki', 'pkcs1'] as const)('reads what OpenSSL reads from the %s form', (type) => {
    const { n, e } = createPublicKey(pem(type)).export({ format: 'jwk' })
    expect(rsaNumbers(pem(type))).toEqual({ kty: 'RSA', n, e })
    expect(rsaNumbers(pem(type).trim().replaceAll('\n', '\r\n'))).toEqual({ kty: 'RSA', n, e })
  })

  it('leaves to OpenSSL what is no RSA key, cut, or has more behind it', () => {
    const { publicKey: curve } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const lines = pem('spki').split('\n')
    const body = Buffer.from(lines.slice(1, -2).join(''), 'base64')
    const wrap = (bytes: Buffer): string => [lines[0], bytes.toString('base64'), lines.at(-2)].join('\n')
    const others = ['', 'no key', curve.export({ type: 'spki', format: 'pem' }).toString()]
    for (let size = 0; size < body.length; size++) others.push(wrap(body.subarray(0, size)))
    others.push(wrap(Buffer.concat([body, Buffer.from([0])])))
    for (const text of others) expect(rsaNumbers(text)).toBeUndefined()
  })
})
