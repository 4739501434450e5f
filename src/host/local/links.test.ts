// Links that another user planted: needs root, to make files of other users.
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LocalHost } from './local-host.ts'

const NOBODY = 65_534
const host = new LocalHost()
let [root, shared, target] = ['', '', '']

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-links-'))
  shared = join(root, 'shared')
  target = join(root, 'passwd')
  writeFileSync(target, 'old')
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
})
afterEach(() => rmSync(root, { recursive: true }))

function plant(path: string, owner: number, to = target): string {
  symlinkSync(to, path)
  lchownSync(path, owner, owner)
  return path
}

describe.skipIf(process.getuid?.() !== 0)('a link in a world-writable directory', () => {
  test.each<[string, (path: string) => Promise<unknown>]>([
    ['written to', (path) => host.write(path, 'new')],
    ['streamed to', (path) => host.writeStream(path, host.stream('/etc/hostname'))],
    ['resolved', (path) => host.realPath(path)],
  ])('of another user is not followed when it is %s', async (_, use) => {
    const path = plant(join(shared, 'known-name'), NOBODY)
    await expect(use(path)).rejects.toThrow(`[Errno 13] Permission denied: '${path}'`)
    expect(readFileSync(target, 'utf8')).toBe('old')
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
  })

  test('of another user is not followed to a file that is not there yet, nor on the way to another', async () => {
    const missing = join(root, 'made')
    await expect(host.write(plant(join(shared, 'a'), NOBODY, missing), 'x')).rejects.toThrow('Permission denied')
    expect(lstatSync(missing, { throwIfNoEntry: false })).toBe(undefined)
    const folder = plant(join(shared, 'b'), NOBODY, root)
    await expect(host.realPath(join(folder, 'passwd'))).rejects.toThrow('Permission denied')
    await expect(host.write(plant(join(root, 'own'), 0, join(shared, 'a')), 'x')).rejects.toThrow('Permission denied')
  })

  test('of our own, or of the owner of the directory, is followed', async () => {
    await host.write(plant(join(shared, 'mine'), 0), 'new')
    expect(readFileSync(target, 'utf8')).toBe('new')
    expect(await host.realPath(join(shared, 'mine'))).toBe(await host.realPath(target))
    lchownSync(shared, NOBODY, NOBODY)
    await host.write(plant(join(shared, 'theirs'), NOBODY), 'newer')
    expect(readFileSync(target, 'utf8')).toBe('newer')
  })

  test('is followed as ever where only some may write', async () => {
    chmodSync(shared, 0o755)
    await host.write(plant(join(shared, 'link'), NOBODY), 'new')
    expect(readFileSync(target, 'utf8')).toBe('new')
  })
})
