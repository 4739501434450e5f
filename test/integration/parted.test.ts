// Partitions of an image file, with the real parted and sfdisk. Only the look at the device is replaced: the image counts as a
// block device.
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { type FileStat, LocalHost } from '../../src/host/mod.ts'
import { type Minion, minion } from './minion.ts'
import { canServe } from './servers.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-parted-'))
const image = join(folder, 'disk image')

class ImageHost extends LocalHost {
  override async stat(path: string): Promise<FileStat | undefined> {
    const found = await super.stat(path)
    return found && path === image ? ({ ...found, type: 'block' } as FileStat) : found
  }
}

describe.runIf(canServe('parted', '/sbin/parted', '/sbin/sfdisk'))('partition', () => {
  let salt: Minion
  const call = (fun: string, ...args: Plain[]): Promise<Plain> => salt.call(fun, args as never)
  /** Parted calls udevadm, which a container may lack. */
  const lines = async (...given: [string, ...Plain[]]): Promise<string[]> =>
    ((await call(...given)) as string[]).filter((line) => !line.includes('udevadm'))
  const partitions = async (): Promise<Plain> =>
    ((await call('partition.list', image)) as { partitions: Plain }).partitions

  beforeAll(() => {
    const file = openSync(image, 'w')
    ftruncateSync(file, 64 * 1024 * 1024)
    closeSync(file)
    salt = minion({}, new ImageHost())
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('a table with partitions on a device whose path has a space', async () => {
    expect(await call('partition.exists', image)).toBe(true)
    expect(await call('partition.exists', join(folder, 'none'))).toBe(false)
    expect(await lines('partition.mklabel', image, 'msdos')).toEqual([])
    expect(await lines('partition.mkpart', image, 'primary', 'ext2', '1MiB', '20MiB')).toEqual([])
    expect(await lines('partition.mkpartfs', image, 'primary', 'ext2', '20MiB', '40MiB')).toEqual([])
    expect(await partitions()).toMatchObject({ 1: { start: '1049kB', flags: '' }, 2: { end: '41.9MB' } })
    expect(await lines('partition.align_check', image, 'minimal', 1)).toEqual(['1 aligned'])
  })

  test('flags are set and toggled', async () => {
    await call('partition.set', image, 1, 'boot', 'on')
    expect(await partitions()).toMatchObject({ 1: { flags: 'boot' } })
    await call('partition.toggle', image, 1, 'boot')
    expect(await partitions()).toMatchObject({ 1: { flags: '' } })
  })

  test('system ids are read and changed', async () => {
    expect(await call('partition.system_types')).toMatchObject({ 83: 'Linux', 82: 'Linux' })
    expect(((await call('partition.get_id', image, 1)) as string[]).at(-1)).toBe('83')
    await call('partition.set_id', image, 1, '82')
    expect(((await call('partition.get_id', image, 1)) as string[]).at(-1)).toBe('82')
    await expect(call('partition.set_id', image, 1, 'zz')).rejects.toThrow(
      'Invalid system_id passed to partition.set_id',
    )
  })

  test('flags of the disk are toggled', async () => {
    await call('partition.mklabel', image, 'gpt')
    expect(await partitions()).toEqual({})
    await call('partition.disk_toggle', image, 'pmbr_boot')
    expect(await call('partition.list', image)).toMatchObject({ info: { 'disk flags': 'pmbr_boot' } })
  })

  test('parted 3 shows its usage for commands that it no longer has', async () => {
    const [usage] = await lines('partition.check', image, 1)
    expect(usage).toMatch(/^Usage: parted/)
    expect((await lines('partition.cp', image, 1, 2))[0]).toBe(usage)
    expect(await lines('partition.resize', image, 1, '1MiB', '10MiB')).toEqual([
      'Error: The resize command has been removed in parted 3.0',
    ])
  })

  test('devices are devices, and no options', async () => {
    await expect(call('partition.mklabel', '-l', 'gpt')).rejects.toThrow('A device cannot begin with a hyphen')
    await expect(call('partition.mkfs', join(folder, 'none'), 'ext2')).rejects.toThrow('Invalid device passed')
    await expect(call('partition.mkfs', image, 'zfs')).rejects.toThrow('Invalid fs_type passed to partition.mkfs')
    await expect(call('partition.probe', `${image} ${image}`)).rejects.toThrow('Invalid device passed')
    expect(Array.isArray(await call('partition.get_block_device'))).toBe(true)
  })
})
