import { describe, expect, test } from 'vitest'
import { isStoredPassword, storedPassword } from './postgres-password.ts'

describe('PostgreSQL passwords', () => {
  test('md5 ones are made of password and role, and kept when they are hashes already', () => {
    expect(storedPassword('joe', 'pw', 'md5')).toBe('md51336ddf712b53e2c9f51af2f7c5af6c2')
    expect(storedPassword('joe', 'md5x', true)).toBe('md5x')
    expect(isStoredPassword('joe', 'pw', 'md51336ddf712b53e2c9f51af2f7c5af6c2', true)).toBe(true)
  })

  test('SCRAM verifiers differ each time and accept their password alone', () => {
    const known =
      'SCRAM-SHA-256$4096:MDEyMzQ1Njc4OWFiY2RlZg==$9q6PSRGp2+uBMcnz7q8n5itASoj/FpfuYzRn9lbeEvI=:6BsjqySlyd4HzaHFwwSLGuLMKq0XyUOEBn0fyhzZqx4='
    expect(isStoredPassword('joe', 'päss wörd', known, 'scram-sha-256')).toBe(true)
    const made = storedPassword('joe', 'secret', 'scram-sha-256')
    expect(made).not.toBe(storedPassword('joe', 'secret', 'scram-sha-256'))
    expect(isStoredPassword('joe', 'secret', made, 'scram-sha-256')).toBe(true)
    expect(isStoredPassword('joe', 'Secret', made, 'scram-sha-256')).toBe(false)
    expect(isStoredPassword('joe', 'secret', 'md5abc', 'scram-sha-256')).toBe(false)
  })

  test('plain ones stay, and an unknown algorithm is refused', () => {
    expect(storedPassword('joe', 12, false)).toBe('12')
    expect(() => storedPassword('joe', 'x', 'sha1')).toThrow('Unknown password algorithm: sha1')
  })
})
