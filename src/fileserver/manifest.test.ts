import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Dict, decodeMsgpack, encodeMsgpack, str, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { FileServer } from './file-server.ts'
import { KnownHashes } from './known-hashes.ts'
import { ManifestBuilder, Manifests } from './manifest.ts'
import { type AskMaster, RemoteFileClient } from './remote-client.ts'

let folder: string
let asked: string[]
let builder: ManifestBuilder

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'brine-manifest-'))
  await mkdir(join(folder, 'srv'))
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, `srv/f${i}`), `content ${i}`)
  asked = []
  const host = new LocalHost({ cache: '' })
  const opts = new Map<Value, Value>([
    ['file_roots', new Map([['base', [join(folder, 'srv')]]])],
    ['fileserver_backend', ['roots']],
  ])
  builder = new ManifestBuilder(new FileServer(opts, host), new KnownHashes(host), 'sha256')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A master that answers through the wire encoding, and records its requests. */
async function master(load: Dict, { raw = false }: { raw?: boolean } = {}): Promise<Value> {
  const cmd = str(load.get('cmd')!)
  asked.push(cmd)
  const host = new LocalHost({ cache: '' })
  const file = join(folder, 'srv', str(load.get('path') ?? ''))
  const hash = async (): Promise<Map<string, unknown>> =>
    new Map(existsSync(file) ? Object.entries({ hsum: await host.hash(file, 'sha256'), hash_type: 'sha256' }) : [])
  const piece = (): Map<string, unknown> =>
    new Map([['data', existsSync(file) ? readFileSync(file).subarray(Number(load.get('loc'))) : '']])
  const answer =
    cmd === '_file_hash'
      ? await hash()
      : cmd === '_serve_file'
        ? piece()
        : await builder.answer('base', str(load.get('known')!))
  return decodeMsgpack(encodeMsgpack(answer, 'wire'), { dialect: raw ? 'raw' : 'wire' })
}

const client = (isBrine = true, ask: AskMaster = master): RemoteFileClient =>
  new RemoteFileClient(new Map([['cachedir', join(folder, 'cache')]]), new LocalHost({ cache: '' }), { ask, isBrine })

const hashAll = async (files: RemoteFileClient): Promise<(string | undefined)[]> => {
  const sums: (string | undefined)[] = []
  for (let i = 0; i < 20; i++) sums.push((await files.hash(`salt://f${i}`, 'base'))?.hsum)
  return sums
}

describe('the manifest of files', () => {
  it('serves a state run with one request after the first two', async () => {
    const files = client()
    const alone = await hashAll(files)
    expect(asked).toHaveLength(20)
    asked = []
    const end = files.beginRun()
    expect(await hashAll(files)).toEqual(alone)
    end()
    expect(asked).toEqual(['_file_hash', '_file_hash', '_file_manifest'])
  })

  it('is requested again in the next run, and shows changes in between', async () => {
    const files = client()
    let end = files.beginRun()
    const before = await hashAll(files)
    end()
    writeFileSync(join(folder, 'srv/f7'), 'another text')
    end = files.beginRun()
    const after = await hashAll(files)
    end()
    expect(after[7]).not.toBe(before[7])
    expect(after.filter((sum, at) => sum !== before[at])).toHaveLength(1)
  })

  it('does not count any more after a state changed something, which may be a file of the master', async () => {
    const files = client()
    const end = files.beginRun()
    const before = await hashAll(files)
    writeFileSync(join(folder, 'srv/f7'), 'written by a state')
    files.noteChange()
    expect((await hashAll(files))[7]).not.toBe(before[7])
    end()
  })

  it('does not contain files that were changed or removed later', async () => {
    const files = client()
    const end = files.beginRun()
    await hashAll(files)
    writeFileSync(join(folder, 'srv/f7'), 'changed')
    const fetched = await files.fetch('salt://f7', { saltenv: 'base' })
    expect(readFileSync(String(fetched), 'utf8')).toBe('changed')
    await hashAll(files)
    rmSync(join(folder, 'srv/f8'))
    expect(await files.fetch('salt://f8', { saltenv: 'base' })).toBe(false)
    expect(await files.cached('salt://f8', 'base')).toBe('')
    end()
  })

  it('does not count outside a run', async () => {
    const files = client()
    files.beginRun()()
    await hashAll(files)
    expect(asked).not.toContain('_file_manifest')
  })

  it('is not requested from a master of Salt', async () => {
    const files = client(false)
    const end = files.beginRun()
    await hashAll(files)
    end()
    expect(asked).not.toContain('_file_manifest')
  })

  it('is not requested again from a master that refuses it', async () => {
    const refusing = async (load: Dict, options?: { raw?: boolean }): Promise<Value> => {
      if (load.get('cmd') !== '_file_manifest') return master(load, options)
      asked.push('_file_manifest')
      throw new Error('no such command')
    }
    const files = client(true, refusing)
    for (let run = 0; run < 2; run++) {
      const end = files.beginRun()
      expect(await hashAll(files)).not.toContain(undefined)
      end()
    }
    expect(asked.filter((cmd) => cmd === '_file_manifest')).toHaveLength(1)
  })

  it('leaves large files and names of several lines out', async () => {
    writeFileSync(join(folder, 'srv/large'), Buffer.alloc((1 << 20) + 1))
    writeFileSync(join(folder, 'srv/two\nlines'), 'x')
    const answer = await builder.answer('base', undefined)
    expect(String(answer.get('paths')).split('\n').sort()).toEqual(Array.from({ length: 20 }, (_, i) => `f${i}`).sort())
  })

  it('is not sent again while nothing changed', async () => {
    const digest = String((await builder.answer('base', undefined)).get('digest'))
    expect([...(await builder.answer('base', digest)).keys()]).toEqual(['digest', 'hash_type'])
    utimesSync(join(folder, 'srv/f1'), 1, 1)
    expect([...(await builder.answer('base', digest)).keys()]).toEqual(['digest', 'hash_type'])
  })

  it('is compared with the master again after ten seconds of a run', async () => {
    let now = 0
    let asks = 0
    const manifests = new Manifests(
      async (_saltenv, known) => {
        asks++
        const answer = await builder.answer('base', known)
        return decodeMsgpack(encodeMsgpack(answer, 'wire'), { dialect: 'raw' })
      },
      () => now,
    )
    manifests.begin()
    const sum = async (): Promise<string | undefined> => (await manifests.sum('f3', 'base'))?.hsum
    await sum()
    await sum()
    const first = await sum()
    writeFileSync(join(folder, 'srv/f3'), 'fixed meanwhile')
    expect(await sum()).toBe(first)
    now = 10_001
    expect(await sum()).not.toBe(first)
    expect(asks).toBe(2)
  })
})
