import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dict, repr, type Value } from '../data/mod.ts'
import { decrypt } from './gpg.ts'
import { findGpg } from './gpg-process.ts'

const run = promisify(execFile)
const hasGpg = (await findGpg()) !== undefined

let home: string
let opts: Dict

async function encrypted(text: string | Buffer): Promise<string> {
  const child = run('gpg', ['--homedir', home, '--batch', '--trust-model', 'always', '-aer', 'brine@example.com'])
  child.child.stdin?.end(text)
  return (await child).stdout.trimEnd()
}

beforeAll(async () => {
  // sockets of gpg's agent need a short path
  home = await mkdtemp(join(tmpdir(), 'gpg-'))
  opts = new Map<Value, Value>([['gpg_keydir', home]])
  if (!hasGpg) return
  const key = ['--quick-gen-key', 'brine@example.com', 'future-default', 'default', 'never']
  await run('gpg', ['--homedir', home, '--batch', '--passphrase', '', ...key])
})

afterAll(async () => {
  if (hasGpg) await run('gpgconf', ['--homedir', home, '--kill', 'all']).catch(() => {})
  await rm(home, { recursive: true, force: true })
})

describe.skipIf(!hasGpg)('the gpg renderer', () => {
  test('decrypts messages in place, anywhere in the data', async () => {
    const message = await encrypted('hello\n')
    const data: Value = new Map<Value, Value>([
      ['a', new Map([['b', [message, 'plain']]])],
      ['n', 5],
      ['both', `user:${message}:${message}`],
    ])
    expect(repr(await decrypt(data, { opts }))).toBe(
      "{'a': {'b': ['hello', 'plain']}, 'n': 5, 'both': 'user:hello\\n:hello'}",
    )
  })

  test('keeps line breaks before the end, and bytes that are no text', async () => {
    expect(await decrypt(await encrypted('\n\na\nb\n\n'), { opts })).toBe('\n\na\nb')
    expect(await decrypt(await encrypted(Buffer.from([0xff, 0xfe])), { opts })).toEqual(Uint8Array.of(0xff, 0xfe))
  })

  test('reads a message that was put on one line', async () => {
    const oneLine = (await encrypted('x')).replaceAll('\n', '\\n')
    expect(await decrypt(oneLine, { opts })).toBe('x')
    expect(await decrypt('a\\nb', { opts }, { translateNewlines: true })).toBe('a\nb')
  })

  test('fails on a message it cannot decrypt, unless that is allowed', async () => {
    const broken = '-----BEGIN PGP MESSAGE-----\n\nnonsense\n-----END PGP MESSAGE-----'
    await expect(decrypt(broken, { opts })).rejects.toThrow(
      /^Could not decrypt cipher b'-----BEGIN PGP .*, received: b'/,
    )
    const lenient: Dict = new Map([...opts, ['gpg_decrypt_must_succeed', false]])
    expect(await decrypt(broken, { opts: lenient })).toBe(broken)
    expect(await decrypt(`${broken}\n`, { opts: lenient })).toBe(broken)
  })

  test('removes the locks of gpg processes that are gone', async () => {
    const lock = '.#lk0x1.host.999999999'
    await writeFile(join(home, lock), '')
    await decrypt(await encrypted('x'), { opts })
    expect(await readdir(home)).not.toContain(lock)
  })

  test('finds its keys through config.get first', async () => {
    const functions = {
      has: () => true,
      hasModule: () => true,
      names: () => [],
      call: () => home,
    }
    const elsewhere: Dict = new Map([['gpg_keydir', '/nowhere']])
    expect(await decrypt(await encrypted('x'), { opts: elsewhere, functions })).toBe('x')
  })
})
