import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { FileService } from './file-service.ts'

const MIB = 1 << 20
const MOST_PACKED = 500

let folder: string
let files: FileService

const sumOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-files-'))
  for (const name of ['srv', 'dev', 'minions']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'srv/a'), 'one')
  writeFileSync(join(folder, 'srv/b'), 'two')
  writeFileSync(join(folder, 'dev/a'), 'of dev')
  writeFileSync(join(folder, 'secret'), 'secret')
  const roots = [
    ['base', [join(folder, 'srv')]],
    ['dev', [join(folder, 'dev')]],
  ] as const
  const opts = new Map<Value, Value>([
    ['file_roots', new Map(roots) as unknown as Value],
    ['fileserver_backend', ['roots']],
    ['fileserver_followsymlinks', false],
    ['file_ignore_glob', ['*.key']],
  ])
  files = new FileService(opts, new LocalHost({ cache: '' }), silentLog)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

type Wanted = ReadonlyArray<readonly [path: string, content: string | Uint8Array]>

async function packed(wanted: Wanted, further: ReadonlyArray<[Value, Value]> = []): Promise<Value[]> {
  const paths = wanted.map(([path]) => path).join('\n')
  const sums = wanted.map(([, content]) => sumOf(content)).join('')
  const load = new Map<Value, Value>([['paths', paths], ['sums', sums], ['saltenv', 'base'], ...further])
  const contents = (await files.pack('m1', load)).get('contents') as (Uint8Array | null)[]
  return contents.map((content) => content && Buffer.from(content).toString())
}

describe('a pack of files', () => {
  it('has the contents that still have the wanted hash, in the order of the request', async () => {
    expect(
      await packed([
        ['b', 'two'],
        ['a', 'before'],
        ['none', 'x'],
        ['a', 'one'],
      ]),
    ).toEqual(['two', null, null, 'one'])
    expect(files.sentBytes).toBe(6)
  })

  it('has files of the environment that is asked for, and of no other', async () => {
    expect(await packed([['a', 'of dev']], [['saltenv', 'dev']])).toEqual(['of dev'])
    for (const saltenv of ['none', '../base', '..', 5, null, ['dev']])
      expect(await packed([['a', 'of dev']], [['saltenv', saltenv]])).toEqual([null])
  })

  it('has nothing outside of the roots, and nothing that the file server hides', async () => {
    symlinkSync(join(folder, 'secret'), join(folder, 'srv/link'))
    writeFileSync(join(folder, 'srv/own.key'), 'secret')
    const paths = ['../secret', join(folder, 'secret'), 'x/../../secret', 'link', 'own.key', '|../secret', 'secret\0']
    expect(await packed(paths.map((path) => [path, 'secret']))).toEqual(paths.map(() => null))
  })

  it('has no more bytes than its bound, and at least one file', async () => {
    const large = Buffer.alloc(MIB, 'x')
    const small = Buffer.alloc(MIB / 4, 'y')
    const beyond = Buffer.alloc(MIB + 1, 'z')
    for (const [name, content] of [
      ['large', large],
      ['small', small],
      ['beyond', beyond],
    ] as const)
      writeFileSync(join(folder, 'srv', name), content)
    const lengths = async (wanted: Wanted) => (await packed(wanted)).map((text) => (text as string | null)?.length)
    expect(
      await lengths([
        ['large', large],
        ['a', 'one'],
      ]),
    ).toEqual([MIB])
    expect(await lengths(Array(9).fill(['small', small]))).toEqual(Array(4).fill(MIB / 4))
    // a minion that names wrong hashes does not get more work done
    expect(await lengths(Array(9).fill(['small', 'other']))).toHaveLength(4)
    expect(
      await lengths([
        ['beyond', beyond],
        ['a', 'one'],
      ]),
    ).toEqual([undefined, 3])
  })

  it('is empty for a request that names too many files, or hashes that do not fit', async () => {
    const many = (count: number): Wanted => Array(count).fill(['a', 'one'])
    expect(await packed(many(MOST_PACKED))).toHaveLength(MOST_PACKED)
    expect(await packed(many(MOST_PACKED + 1))).toEqual([])
    expect(await packed(many(3), [['sums', sumOf('one')]])).toEqual([])
    expect(await packed(many(1), [['sums', '']])).toEqual([null])
    const odd: Value[] = [null, 5, [], ['a'], new Map(), Uint8Array.of(1, 2), '\n'.repeat(MOST_PACKED * 10)]
    for (const paths of odd)
      for (const sums of odd) {
        const contents = await packed(
          [],
          [
            ['paths', paths],
            ['sums', sums],
          ],
        )
        expect(contents.filter((content) => content !== null)).toEqual([])
      }
  })
})
