import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Dict, encodeMsgpack, type Value } from '../../data/mod.ts'
import { fileCache } from '../../store/mod.ts'
import { Tokens } from './tokens.ts'

let root: string
let folder: string
let now: number
let tokens: Tokens

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-tokens-'))
  folder = join(root, 'tokens')
  now = 1000
  tokens = new Tokens(fileCache(root).bank('tokens'), folder, () => now)
  tokens.make(new Map(), 1)
})
afterEach(() => rmSync(root, { recursive: true }))

const SALTS = 'ab'.repeat(32)
const facts = (token: string, more: Record<string, Value> = {}): Dict =>
  new Map<Value, Value>([
    ['name', 'alice'],
    ['eauth', 'pam'],
    ['expire', 2000],
    ['token', token],
    ...Object.entries(more),
  ])

function keep(file: string, value: Value): void {
  writeFileSync(join(folder, file), encodeMsgpack(value, 'bus'), { mode: 0o600 })
}

describe('a token', () => {
  it('is known until it expires or is revoked', () => {
    const token = String(tokens.make(new Map([['name', 'bob']]), 100).get('token'))
    expect(tokens.find(token)?.get('name')).toBe('bob')
    expect([tokens.revoke(token), tokens.revoke(token), tokens.find(token)]).toEqual([true, false, undefined])
    const other = String(tokens.make(new Map(), 100).get('token'))
    now = 1101
    expect(tokens.find(other)).toBeUndefined()
  })

  it('is not accepted by the name of its record', () => {
    const token = String(tokens.make(new Map(), 100).get('token'))
    const name = createHash('sha256').update(token).digest('hex')
    expect(readdirSync(folder)).toContain(`${name}.p`)
    expect(tokens.find(name)).toBeUndefined()
  })

  const wrapped = new Map<Value, Value>([
    ['data', facts(SALTS)],
    ['_expires', 2000],
  ])
  it.each([
    ['Salt 3007', SALTS, facts(SALTS)],
    ['Salt 3008', `${SALTS}.p`, wrapped],
  ])('of %s is known until it expires or is revoked', (_, file, value) => {
    keep(file, value)
    tokens.prune()
    expect(tokens.find(SALTS)?.get('name')).toBe('alice')
    expect([tokens.revoke(SALTS), existsSync(join(folder, file)), tokens.find(SALTS)]).toEqual([true, false, undefined])
    keep(file, value)
    now = 2001
    expect([tokens.find(SALTS), existsSync(join(folder, file))]).toEqual([undefined, false])
    keep(file, value)
    tokens.prune()
    expect(existsSync(join(folder, file))).toBe(false)
  })

  it.each(['../secret', 'jid', '', `${SALTS}.p`, 'AB'.repeat(32)])('is not %j', (text) => {
    keep('jid', facts('jid'))
    writeFileSync(join(root, 'secret'), encodeMsgpack(facts('../secret'), 'bus'))
    keep(`${SALTS}.p`, facts(`${SALTS}.p`))
    expect(tokens.find(text)).toBeUndefined()
  })

  it('of Salt is in a file that only its owner writes, and that holds it', () => {
    keep(SALTS, facts('cd'.repeat(32)))
    expect(tokens.find(SALTS)).toBeUndefined()
    keep(SALTS, facts(SALTS))
    chmodSync(join(folder, SALTS), 0o666)
    expect(tokens.find(SALTS)).toBeUndefined()
    rmSync(join(folder, SALTS))
    writeFileSync(join(root, 'elsewhere'), encodeMsgpack(facts(SALTS), 'bus'))
    symlinkSync(join(root, 'elsewhere'), join(folder, SALTS))
    expect(tokens.find(SALTS)).toBeUndefined()
  })
})
