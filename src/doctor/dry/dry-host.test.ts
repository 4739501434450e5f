import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { dryHost } from './dry-host.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-dry-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('The host of a tree under test', () => {
  it('shows only the files of the tree, whatever their paths begin with', async () => {
    const tree = join(folder, 'salt')
    mkdirSync(join(tree, 'web'), { recursive: true })
    writeFileSync(join(tree, 'a.txt'), 'inside')
    writeFileSync(join(folder, 'secret'), 'outside')
    const { host, refused } = dryHost([tree])
    const text = async (path: string): Promise<string> => Buffer.from(await host.read(path)).toString()
    expect(await text(`${tree}/web/../a.txt`)).toBe('inside')
    expect(refused()).toBe(0)
    await expect(text(`${tree}/../secret`)).rejects.toThrow('asks the machine')
    await expect(text(`${tree}/web/../../secret`)).rejects.toThrow('asks the machine')
    await expect(host.list(`${tree}/..`)).rejects.toThrow('asks the machine')
    expect(refused()).toBe(3)
  })
})
