import { describe, expect, it } from 'vitest'
import type { Dict, Value } from '../../data/mod.ts'
import { readAuthRequest } from './auth-request.ts'

const load = (changes: Record<string, unknown> = {}): Dict =>
  new Map<Value, Value>(
    Object.entries({ id: 'm1', nonce: 'a'.repeat(32), pub: ' PEM\n', sig_algo: 'PKCS1v15-SHA1', ...changes }) as never,
  )

describe('a request to be let in', () => {
  it('is read with what Salt takes for missing fields', () => {
    expect(readAuthRequest(load(), 3)).toMatchObject({ pub: 'PEM', encryption: 'OAEP-SHA1', asksContext: false })
    const offer = new Map([['signatures', 1]])
    expect(readAuthRequest(load({ brine: offer }), 3)).toMatchObject({ asksContext: true })
    expect(readAuthRequest(load({ nonce: undefined }), 1)).toMatchObject({ nonce: '' })
  })

  it.each([
    ['nonce', undefined],
    ['nonce', null],
    ['nonce', 5],
    ['nonce', ''],
    ['nonce', 'a'.repeat(65)],
    ['nonce', 'line\nline'],
    ['nonce', new Uint8Array(32)],
    ['nonce', new Map()],
    ['pub', undefined],
    ['pub', 'x'.repeat(20_000)],
    ['pub', new Uint8Array(9)],
    ['sig_algo', 'x'.repeat(65)],
    ['enc_algo', new Uint8Array(9)],
    ['token', new Uint8Array(3000)],
    ['token', ['x']],
    ['autosign_grains', new Map([['a', 'x'.repeat(70_000)]])],
    ['autosign_grains', new Map([['a', Array.from({ length: 2000 }, () => 1)]])],
  ])('is refused when its %s is %j', (field, value) => {
    expect(typeof readAuthRequest(load({ [field]: value }), 3)).toBe('string')
  })
})
