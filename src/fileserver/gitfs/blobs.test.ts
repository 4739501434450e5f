import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { GitMirror } from '../../git/mod.ts'
import { BlobFiles } from './blobs.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-blobs-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Write the file of a blob that was last used so many hours ago. */
function blob(blobs: BlobFiles, id: string, bytes: number, hours: number): string {
  const path = blobs.pathOf(id)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'x'.repeat(bytes))
  const used = Date.now() / 1000 - hours * 3600
  utimesSync(path, used, used)
  return path
}

test('Files that were not used for longest go when all together are too large, but none that may still be read', () => {
  const blobs = new BlobFiles(folder, 'sha256', 1000)
  const oldest = blob(blobs, 'aa01', 400, 20)
  const older = blob(blobs, 'bb02', 400, 10)
  const recent = blob(blobs, 'cc03', 400, 5)
  const inUse = blob(blobs, 'dd04', 400, 0)
  expect(blobs.reapSometimes()).toBe(true)
  expect([oldest, older, recent, inUse].map((path) => existsSync(path))).toEqual([false, false, true, true])
  expect(blobs.reapSometimes()).toBe(false)
})

test('Files that were not used for days are removed, whatever their size', () => {
  const blobs = new BlobFiles(folder, 'sha256')
  const [old, recent] = [blob(blobs, 'aa01', 1, 100), blob(blobs, 'bb02', 1, 20)]
  blobs.reapSometimes()
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true])
})

test('A blob with concurrent requests is read once, and new files bring the next clean-up forward', async () => {
  let reads = 0
  const objects = {
    copy: async (_id: string, hear: (piece: Buffer) => void): Promise<number> => {
      reads++
      await new Promise((resolve) => setImmediate(resolve))
      hear(Buffer.alloc(300))
      return 300
    },
  }
  const mirror = { objects } as unknown as GitMirror
  const blobs = new BlobFiles(folder, 'sha256', 1000)
  expect(blobs.reapSometimes()).toBe(true)
  const looks = await Promise.all(Array.from({ length: 50 }, () => blobs.look('aa01', mirror)))
  expect([reads, new Set(looks.map((known) => known!.size))]).toEqual([1, new Set([300])])
  expect(blobs.reapSometimes()).toBe(false)
  await blobs.file('bb02', mirror)
  expect(blobs.reapSometimes()).toBe(true)
})
