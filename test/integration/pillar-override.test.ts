// Pillar that a caller gives encrypted: the minion decrypts it, with its own keys.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Value } from '../../src/data/mod.ts'
import { GpgHome, noGpg } from '../gpg.ts'
import { type TestMaster, TestSite } from './site.ts'

describe.skipIf(noGpg !== undefined)('pillar_enc', () => {
  let site: TestSite
  let master: TestMaster
  let keys: GpgHome
  let cipher: string

  beforeAll(async () => {
    keys = new GpgHome(mkdtempSync(join(tmpdir(), 'brine-enc-')))
    keys.run('--passphrase', '', '--quick-generate-key', 'web1@example.com', 'rsa2048', 'encr', 'never')
    writeFileSync(join(keys.folder, 'text'), 'open')
    const to = ['--armor', '--trust-model', 'always', '--recipient', 'web1@example.com', '--output', '-']
    cipher = keys.run(...to, '--encrypt', join(keys.folder, 'text')).toString()
    site = await TestSite.open()
    master = await site.master('master', '127.0.0.1')
    await site.minion('web1', { gpg_keydir: keys.folder })
  })
  afterAll(async () => {
    await site.close()
    keys.close()
    rmSync(keys.folder, { recursive: true })
  })

  const given = (...more: [string, Value][]): Value =>
    new Map<Value, Value>([['__kwarg__', true], ['unmask', true], ['pillar', new Map([['secret', cipher]])], ...more])

  test('has the minion decrypt what the caller gives', async () => {
    expect(await master.ask('web1', 'pillar.items', [given(['pillar_enc', 'gpg'])])).toEqual({ secret: 'open' })
    expect(await master.ask('web1', 'pillar.items', [given()])).toEqual({ secret: cipher })
    expect(await master.ask('web1', 'pillar.items', [given(['pillar_enc', 'x'])])).toContain('not a valid decryption')
  })
})
