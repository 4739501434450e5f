import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Dict, decodeMsgpack, encodeMsgpack, str, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { FileServer } from './file-server.ts'
import { KnownHashes } from './known-hashes.ts'
import { ManifestBuilder } from './manifest.ts'
import { PackBuilder } from './packs.ts'
import { type AskMaster, RemoteFileClient } from './remote-client.ts'

const COUNT = 100

let folder: string
let asked: string[]
let packed: string[][]
let manifests: ManifestBuilder
let packs: PackBuilder

const source = (name: string): string => join(folder, 'srv', name)
const names = Array.from({ length: COUNT }, (_, i) => `f${i}`)

const opts = (): Dict =>
  new Map<Value, Value>([
    ['file_roots', new Map([['base', [join(folder, 'srv')]]])],
    ['fileserver_backend', ['roots']],
  ])

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-packs-'))
  mkdirSync(join(folder, 'srv'))
  for (const name of names) writeFileSync(source(name), `content of ${name}`)
  asked = []
  packed = []
  const host = new LocalHost({ cache: '' })
  const [server, hashes] = [new FileServer(opts(), host), new KnownHashes(host)]
  manifests = new ManifestBuilder(server, hashes, 'sha256')
  packs = new PackBuilder(server, hashes, host, 'sha256')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function answerOf(load: Dict): Promise<unknown> {
  const text = (name: string): string => str(load.get(name) ?? '')
  const file = source(text('path'))
  switch (text('cmd')) {
    case '_file_hash':
      if (!existsSync(file)) return ''
      return new Map(
        Object.entries({ hsum: await new LocalHost({ cache: '' }).hash(file, 'sha256'), hash_type: 'sha256' }),
      )
    case '_serve_file':
      return new Map([['data', existsSync(file) ? readFileSync(file).subarray(Number(load.get('loc'))) : '']])
    case '_file_manifest':
      return manifests.answer('base', text('known'))
    default:
      packed.push(text('paths').split('\n'))
      return new Map(Object.entries(await packs.answer('m1', text('saltenv'), text('paths'), text('sums'))))
  }
}

/** A master that answers through the wire encoding, and records its requests. */
async function master(load: Dict, { raw = false }: { raw?: boolean } = {}): Promise<Value> {
  asked.push(str(load.get('cmd')!))
  return decodeMsgpack(encodeMsgpack(await answerOf(load), 'wire'), { dialect: raw ? 'raw' : 'wire' })
}

const client = (isBrine = true, ask: AskMaster = master): RemoteFileClient =>
  new RemoteFileClient(new Map([['cachedir', join(folder, 'cache')]]), new LocalHost({ cache: '' }), { ask, isBrine })

const expected = names.map((path) => ({ path, saltenv: 'base' }))

const fetchAll = async (files: RemoteFileClient): Promise<string[]> => {
  const found: string[] = []
  for (const name of names)
    found.push(readFileSync(String(await files.fetch(`salt://${name}`, { saltenv: 'base' })), 'utf8'))
  return found
}

const contents = (): string[] => names.map((name) => readFileSync(source(name), 'utf8'))
const count = (cmd: string): number => asked.filter((name) => name === cmd).length

describe('packs of files', () => {
  it('bring expected files in few requests', async () => {
    const files = client()
    const end = files.expect(expected)
    expect(await fetchAll(files)).toEqual(contents())
    end()
    expect(count('_serve_file')).toBe(1)
    expect(count('_file_hash')).toBe(2)
    expect(count('_file_manifest')).toBe(1)
    expect(count('_file_pack')).toBeLessThan(8)
  })

  it('bring nothing for files that the minion has', async () => {
    const files = client()
    const end = files.expect(expected)
    await fetchAll(files)
    for (const name of ['f40', 'f60', 'f80']) writeFileSync(source(name), `another ${name}`)
    packed = []
    files.noteChange()
    expect(await fetchAll(files)).toEqual(contents())
    end()
    expect(packed.flat().sort()).toEqual(['f40', 'f60', 'f80'])
  })

  it('ask for about as much in advance as was needed', async () => {
    const files = client()
    const end = files.expect(expected)
    for (const name of names.slice(0, 5)) await files.fetch(`salt://${name}`, { saltenv: 'base' })
    end()
    expect(packed.flat().length).toBeLessThan(12)
  })

  it('have a content once, however many files have it', async () => {
    for (const name of names) writeFileSync(source(name), 'the same')
    const files = client()
    const end = files.expect(expected)
    expect(await fetchAll(files)).toEqual(contents())
    end()
    expect(packed).toEqual([['f1']])
  })

  it('go to the places where the caller wants the files', async () => {
    const files = client()
    const place = (name: string): string => join(folder, 'dest', name)
    const end = files.expect(names.map((path) => ({ path, saltenv: 'base', dest: place(path) })))
    for (const name of names)
      await files.fetch(`salt://${name}`, { saltenv: 'base', dest: place(name), makedirs: true })
    end()
    expect(names.map((name) => readFileSync(place(name), 'utf8'))).toEqual(contents())
    expect(count('_serve_file')).toBe(1)
  })

  it('lack a file that was changed or removed after the manifest, which is fetched as it is now', async () => {
    const files = client()
    const change = (): void => {
      for (const name of names.slice(50)) writeFileSync(source(name), `changed ${name}`)
      rmSync(source('f99'))
    }
    const end = files.expect(expected)
    for (const name of names.slice(0, 20)) await files.fetch(`salt://${name}`, { saltenv: 'base' })
    change()
    for (const name of names.slice(0, 99)) {
      const fetched = await files.fetch(`salt://${name}`, { saltenv: 'base' })
      expect(readFileSync(String(fetched), 'utf8')).toBe(readFileSync(source(name), 'utf8'))
    }
    expect(await files.fetch('salt://f99', { saltenv: 'base' })).toBe(false)
    end()
  })

  it('are read once for all minions, as long as the file has the same content', async () => {
    let reads = 0
    class CountingHost extends LocalHost {
      override read(...args: Parameters<LocalHost['read']>): ReturnType<LocalHost['read']> {
        reads++
        return super.read(...args)
      }
      // a file that changed a moment ago is read for its hash each time
      override now(): number {
        return super.now() + 10
      }
    }
    const host = new CountingHost({ cache: '' })
    const served = new FileServer(opts(), host)
    const builder = new PackBuilder(served, new KnownHashes(host), host, 'sha256')
    const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex')
    const contentFor = async (minion: string, sum: string): Promise<string | undefined> => {
      const { contents } = await builder.answer(minion, 'base', 'f1', sum)
      return contents[0] ? Buffer.from(contents[0]).toString() : undefined
    }
    const first = sumOf('content of f1')
    expect(await contentFor('m1', first)).toBe('content of f1')
    reads = 0
    for (const minion of ['m2', 'm3']) expect(await contentFor(minion, first)).toBe('content of f1')
    expect(reads).toBe(0)
    writeFileSync(source('f1'), 'another')
    expect(await contentFor('m1', first)).toBeUndefined()
    expect(await contentFor('m1', sumOf('another'))).toBe('another')
  })

  it('are verified: a content with another hash is fetched by itself', async () => {
    const lying: AskMaster = async (load, options) => {
      const answer = await master(load, options)
      if (load.get('cmd') !== '_file_pack') return answer
      const forged = packed.at(-1)!.map((_, index) => (index % 2 === 0 ? new Uint8Array(8) : 'text'))
      return new Map<Value, Value>([['contents', forged]])
    }
    const files = client(true, lying)
    const end = files.expect(expected)
    expect(await fetchAll(files)).toEqual(contents())
    end()
    expect(count('_serve_file')).toBe(COUNT)
  })

  it('are not requested again from a master that has none', async () => {
    for (const refuse of [
      () => new Map<Value, Value>(),
      () => {
        throw new Error('no such command')
      },
    ]) {
      asked = []
      rmSync(join(folder, 'cache'), { recursive: true, force: true })
      const old: AskMaster = async (load, options) => {
        if (load.get('cmd') !== '_file_pack') return master(load, options)
        asked.push('_file_pack')
        return refuse()
      }
      const files = client(true, old)
      const end = files.expect(expected)
      expect(await fetchAll(files)).toEqual(contents())
      end()
      expect(count('_file_pack')).toBe(1)
      expect(count('_serve_file')).toBe(COUNT)
    }
  })

  it('are not requested from a master of Salt', async () => {
    const files = client(false)
    const end = files.expect(expected)
    expect(await fetchAll(files)).toEqual(contents())
    end()
    expect(count('_file_pack') + count('_file_manifest')).toBe(0)
  })

  it('serve states that change something one after the other, each with its own look at the master', async () => {
    const files = client()
    const endRun = files.beginRun()
    const end = files.expect(expected)
    for (const name of names) {
      await files.hash(`salt://${name}`, 'base')
      await files.fetch(`salt://${name}`, { saltenv: 'base' })
      files.noteChange()
    }
    end()
    endRun()
    expect(count('_file_hash')).toBe(COUNT)
    expect(count('_serve_file')).toBe(1)
    expect(count('_file_pack')).toBeLessThan(8)
  })

  it('are not requested for large files, nor in an environment without a manifest', async () => {
    for (const name of names.slice(0, 5)) writeFileSync(source(name), Buffer.alloc((1 << 20) + 1, name))
    const files = client()
    const end = files.expect(expected.slice(0, 5))
    for (const name of names.slice(0, 5)) await files.fetch(`salt://${name}`, { saltenv: 'base' })
    end()
    expect(readFileSync(join(folder, 'cache/files/base/f4'))).toEqual(readFileSync(source('f4')))
    expect(count('_file_pack')).toBe(0)
    const bare = client(true, async (load, options) =>
      load.get('cmd') === '_file_manifest' ? new Map() : master(load, options),
    )
    const endBare = bare.expect(expected)
    expect(await fetchAll(bare)).toHaveLength(COUNT)
    endBare()
    expect(count('_file_pack')).toBe(0)
  })

  it('may be wanted by several callers at the same time', async () => {
    const files = client()
    const end = files.expect(expected)
    await Promise.all(names.map((name) => files.fetch(`salt://${name}`, { saltenv: 'base' })))
    end()
    expect(names.map((name) => readFileSync(join(folder, 'cache/files/base', name), 'utf8'))).toEqual(contents())
    expect(packed.flat()).toEqual([...new Set(packed.flat())])
  })

  it('are read no further once the work that expected them has ended', async () => {
    const files = client()
    files.expect(expected)()
    await fetchAll(files)
    expect(count('_file_pack')).toBe(0)
  })
})
