import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ownRelease } from './release.ts'
import { stageVersion } from './versions.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-versions-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('A package', () => {
  it('is read once, so that the unpacked bytes are the hashed ones', async () => {
    const dist = join(folder, 'package', 'dist')
    mkdirSync(dist, { recursive: true })
    writeFileSync(join(dist, 'salt-minion.js'), '')
    writeFileSync(join(dist, 'release.json'), JSON.stringify({ ...ownRelease(), version: '9.9.9' }))
    const [file, pipe, prefix] = ['brine.tar', 'pipe', 'opt'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    execFileSync('tar', ['-C', folder, '-cf', file, 'package'])
    // a pipe gives its bytes once
    execFileSync('mkfifo', [pipe])
    const write = () => createReadStream(file).pipe(createWriteStream(pipe))
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
    write()
    await expect(
      stageVersion(prefix, pipe, { inUse: [], proof: { sha256: '0'.repeat(64), keyring: undefined } }),
    ).rejects.toThrow('is wanted')
    expect(readdirSync(join(prefix, 'versions'))).toEqual([])
    write()
    expect((await stageVersion(prefix, pipe, { inUse: [], proof: { sha256, keyring: undefined } })).version).toBe(
      '9.9.9',
    )
    expect(readdirSync(join(prefix, 'versions'))).toEqual(['9.9.9'])
  })
})
