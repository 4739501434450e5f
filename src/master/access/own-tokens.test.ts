import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PackageFolder, TOKEN_STORE } from '../../../test/extensions/packages.ts'
import { type Dict, fromPlain, toPlain, type Value } from '../../data/mod.ts'
import { fileCache } from '../../store/mod.ts'
import { OwnTokens, tokenStore } from './own-tokens.ts'
import { Tokens } from './tokens.ts'

let packages: PackageFolder
let now: number
let lines: string[]

beforeEach(() => {
  packages = new PackageFolder()
  packages.use()
  now = 1000
  lines = []
  mkdirSync(join(packages.root, 'kept'))
})
afterEach(() => packages.remove())

const log = (level: string, text: string): void => void lines.push(`${level}: ${text}`)
const facts = (): Dict => new Map<Value, Value>([['name', 'alice']])

function options(more: Record<string, string | number> = {}): Dict {
  const folder = join(packages.root, 'kept')
  return fromPlain({ cachedir: packages.root, eauth_tokens: 'kind', 'kind.tokens': folder, ...more }) as Dict
}

describe('a store of tokens of an extension', () => {
  test('knows a token until it expires or is revoked', async () => {
    packages.install('held', { 'tokens/kind.py': TOKEN_STORE })
    const tokens = new OwnTokens(options(), log, () => now)
    const made = (await tokens.make(facts(), 100)) as Dict
    const token = String(made.get('token'))
    expect(toPlain((await tokens.find(token))!)).toMatchObject({ name: 'alice', expire: 1100, token })
    expect([await tokens.revoke(token), await tokens.revoke(token), await tokens.find(token)]).toEqual([
      true,
      false,
      undefined,
    ])
    await tokens.make(facts(), 100)
    now = 1101
    await tokens.prune()
    expect(readdirSync(join(packages.root, 'kept'))).toEqual([])
    expect(lines).toEqual([])
  })

  test('is queried only for possible tokens, and its answer counts only for the requested one', async () => {
    packages.install('held', { 'tokens/kind.py': TOKEN_STORE })
    const tokens = new OwnTokens(options(), log, () => now)
    const kept = (name: string, data: object): void =>
      writeFileSync(join(packages.root, 'kept', name), JSON.stringify({ name: 'root', expire: 2000, ...data }))
    writeFileSync(join(packages.root, 'secret-of-somebody'), JSON.stringify({ name: 'root', expire: 2000 }))
    kept('a'.repeat(40), { token: 'b'.repeat(40) })
    kept('c'.repeat(40), { expire: 'never' })
    for (const text of ['../secret-of-somebody', '', 'short', 'a'.repeat(40), 'c'.repeat(40), 'd'.repeat(600)]) {
      expect(await tokens.find(text)).toBeUndefined()
    }
    expect(existsSync(join(packages.root, 'secret-of-somebody'))).toBe(true)
  })

  test.each([
    ['raises', 'raise RuntimeError("no room")', 'no room'],
    ['ends Python', 'import os; os._exit(3)', 'ended with status 3'],
    ['hangs', 'import time\n    while True: time.sleep(0.05)', 'took longer than 5 seconds'],
    ['gives none', 'return {}', 'gave no token'],
  ])('that %s admits no user', async (_what, text, reason) => {
    const broken = TOKEN_STORE.replace('def mk_token(opts, tdata):\n', `def mk_token(opts, tdata):\n    ${text}\n`)
    packages.install('held', { 'tokens/kind.py': broken })
    const tokens = new OwnTokens(options(reason.includes('longer') ? { python_call_timeout: 5 } : {}), log, () => now)
    expect(await tokens.make(facts(), 100)).toBe('')
    expect(lines.join('\n')).toContain(`error: The store of tokens 'kind'`)
    expect(lines.join('\n')).toContain(reason)
    expect(await tokens.find('a'.repeat(40))).toBeUndefined()
  })

  test('is chosen by its name; without one local files serve', () => {
    const bank = fileCache(packages.root).bank('tokens')
    const local = options({ eauth_tokens: 'localfs', token_dir: packages.root })
    expect(tokenStore(local, log, bank)).toBeInstanceOf(Tokens)
    expect(tokenStore(options({ token_dir: packages.root }), log, bank)).toBeInstanceOf(Tokens)
    packages.install('held', { 'tokens/kind.py': TOKEN_STORE })
    expect(tokenStore(options(), log, bank)).toBeInstanceOf(OwnTokens)
  })
})
