import { describe, expect, test } from 'vitest'
import { MemoryHost } from './memory/memory-host.ts'
import { readOnlyHost } from './read-only.ts'

const machine = () => MemoryHost.with({ files: { '/a': 'text', '/cache/': '' }, commands: [() => 'ran'] })

describe('a read-only host', () => {
  test('reads, and runs commands', async () => {
    const host = readOnlyHost(await machine())
    expect([host.readOnly, Buffer.from(await host.read('/a')).toString(), (await host.stat('/a'))?.size]).toEqual([
      true,
      'text',
      4,
    ])
    expect(Buffer.from((await host.run({ argv: ['x'] })).stdout).toString()).toBe('ran')
  })

  test('refuses changes and says which', async () => {
    const inner = await machine()
    const host = readOnlyHost(inner)
    await expect(host.write('/a', 'new')).rejects.toThrow("A dry run tried to change the machine: write '/a'")
    await expect(host.rename('/a', '/b')).rejects.toThrow("rename '/a', '/b'")
    await expect(host.setEnv('A', 'b')).rejects.toMatchObject({ code: 'ReadOnlyHost' })
    expect(Buffer.from(await inner.read('/a')).toString()).toBe('text')
  })

  test('lets temporary files and named places be changed', async () => {
    const host = readOnlyHost(await machine(), (path) => path.startsWith('/cache/'))
    const directory = await host.tempDirectory()
    await host.write(`${directory}/x`, 'y')
    await host.copy('/a', '/cache/a')
    expect((await host.stat('/cache/a'))?.size).toBe(4)
  })
})
