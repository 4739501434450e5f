import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import mount from './module.ts'

const FSTAB = '# static\n/dev/sda1 / ext4 defaults,noatime 0 1\nnone /proc proc defaults\n\n'
const MOUNTINFO =
  '36 35 98:0 / / rw,noatime shared:1 - ext4 /dev/sda1 rw,uid=app\n37 36 0:3 / /mnt/a\\040b rw - tmpfs tmpfs rw,size=4k\n'

async function machine(fstab = FSTAB) {
  const host = await MemoryHost.with({
    files: { '/etc/fstab': fstab, '/proc/self/mountinfo': MOUNTINFO, '/proc/self/mounts': '/dev/sda1 / ext4 rw 0 0\n' },
  })
  const lines: string[] = []
  const others = {
    'cmd.run_all': ([cmd]: readonly Value[]) => {
      lines.push(String(cmd))
      const stdout = cmd === 'mount -l' ? '/dev/sda1 on / type ext4 (rw) [root]' : ''
      const failed = String(cmd).includes('/dev/none')
      return fromPlain({ retcode: failed ? 32 : 0, stdout, stderr: failed ? 'mount: no such device' : '' })
    },
    'disk.blkid': () => fromPlain({ '/dev/sda1': { UUID: 'AB-1', LABEL: 'root' } }),
    'user.info': () => fromPlain({ uid: 1000 }),
  }
  const run = async (name: string, kwargs: Record<string, Value> = {}) =>
    toPlain(await tryFunction(mount, name, { kwargs, host, others, grains: new Map([['kernel', 'Linux']]) }))
  const text = async () => Buffer.from(await host.read('/etc/fstab')).toString()
  return { run, text, lines }
}

describe('the table of file systems', () => {
  test('is read by mount point', async () => {
    const { run } = await machine()
    expect(await run('fstab')).toEqual({
      '/': { device: '/dev/sda1', fstype: 'ext4', opts: ['defaults', 'noatime'], dump: '0', pass: '1' },
      '/proc': { device: 'none', fstype: 'proc', opts: ['defaults'], dump: '0', pass: '0' },
    })
  })

  test.each<[string, Record<string, Value>, string, string]>([
    [
      'another order of options',
      { name: '/', device: '/dev/sda1', opts: 'noatime,defaults', pass_num: 1 },
      'present',
      FSTAB,
    ],
    [
      'a new entry after a line without an end',
      { name: '/srv', device: '/dev/sdb1' },
      'new',
      `${FSTAB.trimEnd()}\n/dev/sdb1\t\t/srv\text4\tdefaults\t0 0\n`,
    ],
    [
      'other options',
      { name: '/', device: '/dev/sda1', opts: ['ro', 'a\\ b'] },
      'change',
      '# static\n/dev/sda1\t\t/\text4\tro,a\\040b\t0 0\nnone /proc proc defaults\n\n',
    ],
    ['a difference that is let be', { name: '/', device: '/dev/sda1', not_change: true }, 'present', FSTAB],
  ])('takes %s', async (_, kwargs, outcome, wanted) => {
    const { run, text } = await machine(outcome === 'new' ? FSTAB.trimEnd() : FSTAB)
    expect(await run('set_fstab', { fstype: 'ext4', ...kwargs })).toBe(outcome)
    expect(await text()).toBe(wanted)
  })

  test('loses an entry and keeps the rest', async () => {
    const { run, text } = await machine()
    expect(await run('rm_fstab', { name: '/proc', device: 'none' })).toBe(true)
    expect(await text()).toBe('# static\n/dev/sda1 / ext4 defaults,noatime 0 1\n\n')
  })

  test('refuses unknown columns to match on', async () => {
    const { run } = await machine()
    const wish = { name: '/', device: 'x', fstype: 'ext4', match_on: 'nick' }
    await expect(run('set_fstab', wish)).rejects.toThrow('Unrecognized keys in match_on: "nick"')
  })
})

describe('mount', () => {
  test('returns mounts, with users as numbers', async () => {
    const { run } = await machine()
    expect(await run('active', { extended: true })).toMatchObject({
      '/': { device: '/dev/sda1', alt_device: '/dev/sda1', superopts: ['rw', 'uid=1000'], device_uuid: 'ab-1' },
      '/mnt/a\\040b': { fstype: 'tmpfs', device_label: null },
    })
  })

  test.each<[string, Record<string, Value>, unknown, string]>([
    [
      'mount',
      { name: '/m', device: '/dev/x', fstype: 'ext4', opts: ['ro'] },
      true,
      "mount -o ro -t ext4 '/dev/x' '/m' ",
    ],
    ['mount', { name: '/m', device: '/dev/none' }, 'mount: no such device', "mount -o defaults '/dev/none' '/m' "],
    ['remount', { name: '/', device: '/dev/sda1', opts: 'ro' }, true, "mount -o ro,remount '/dev/sda1' '/' "],
    ['umount', { name: '/', lazy: true }, true, "umount -l '/'"],
    ['umount', { name: '/nope' }, '/nope does not have anything mounted', 'mount -l'],
  ])('%s %o answers %o', async (name, kwargs, answer, line) => {
    const { run, lines } = await machine()
    expect(await run(name, kwargs)).toEqual(answer)
    expect(lines.at(-1)).toBe(line)
  })
})

test('the table of AIX is kept in blocks, and is none elsewhere', async () => {
  const config = '/etc/filesystems'
  const block = '/home:\n\tdev\t\t= /dev/hd1\n\tvfstype\t\t= jfs2\n\topts\t\t= rw\n\tmount\t\t= true\n\n'
  const host = await MemoryHost.with({ files: { [config]: block } })
  const run = (name: string, kwargs: Record<string, Value>, kernel = 'AIX') =>
    tryFunction(mount, name, { kwargs, host, grains: new Map([['kernel', kernel]]) })
  const wish = { name: '/home', device: '/dev/hd1', vfstype: 'jfs2', opts: 'rw' }
  expect(await run('set_filesystems', wish)).toBe('present')
  expect(await run('set_filesystems', { ...wish, opts: 'ro' })).toBe('change')
  expect(toPlain(await run('filesystems', {}))).toMatchObject({ '/home': { dev: '/dev/hd1', opts: ['ro'] } })
  expect(await run('rm_filesystems', { name: '/home', device: '/dev/hd1' })).toBe(true)
  expect(await run('set_filesystems', wish, 'Linux')).toBeNull()
})
