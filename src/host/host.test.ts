import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sshHosts } from '../../test/ssh/ssh-hosts.ts'
import type { Host } from './host.ts'
import { LocalHost } from './local/local-host.ts'
import { MemoryHost } from './memory/memory-host.ts'

const text = async (host: Host, path: string): Promise<string> => Buffer.from(await host.read(path)).toString()

const scratch = mkdtempSync(join(tmpdir(), 'host-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const overSsh = sshHosts()
afterAll(overSsh.stop)

const HOSTS: Array<[string, () => Promise<{ host: Host; dir: string; close?(): Promise<void> }>]> = [
  ['this machine', async () => ({ host: new LocalHost(), dir: scratch })],
  ['a simulated machine', async () => ({ host: await MemoryHost.with({ files: { '/work/': '' } }), dir: '/work' })],
  ...overSsh.hosts,
]

describe.each(HOSTS)('the files of %s', (name, make) => {
  let host: Host
  let dir: string
  let close: (() => Promise<void>) | undefined
  beforeAll(async () => {
    ;({ host, dir, close } = await make())
  })
  afterAll(() => close?.())

  test('are written as a whole, and keep mode and times apart', async () => {
    await host.write(`${dir}/a`, 'one', { mode: 0o640 })
    await host.write(`${dir}/a`, 'two')
    await host.setTimes(`${dir}/a`, 5, 6)
    const stat = await host.stat(`${dir}/a`)
    expect([await text(host, `${dir}/a`), stat?.mode, stat?.size, stat?.atime, stat?.mtime, stat?.type]).toEqual([
      'two',
      0o640,
      3,
      5,
      6,
      'file',
    ])
    expect((await host.list(dir)).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  // touch of busybox sets whole seconds
  test.skipIf(name.endsWith('busybox'))('keep fractions of seconds', async () => {
    await host.write(`${dir}/when`, '')
    await host.setTimes(`${dir}/when`, 1.25, 6.5)
    const stat = await host.stat(`${dir}/when`)
    expect([stat?.atime, stat?.mtime]).toEqual([1.25, 6.5])
  })

  test('are new only once when exclusive', async () => {
    await host.write(`${dir}/only`, '', { exclusive: true })
    await expect(host.write(`${dir}/only`, '', { exclusive: true })).rejects.toThrow(
      `[Errno 17] File exists: '${dir}/only'`,
    )
  })

  test('can be appended to, overwritten in part and cut', async () => {
    await host.append(`${dir}/b`, 'abc')
    await host.append(`${dir}/b`, 'def')
    await host.writeAt(`${dir}/b`, 1, Buffer.from('XY'))
    expect(await text(host, `${dir}/b`)).toBe('aXYdef')
    await host.truncate(`${dir}/b`, 2)
    expect(await text(host, `${dir}/b`)).toBe('aX')
    expect(Buffer.from(await host.read(`${dir}/b`, { offset: 1, length: 9 })).toString()).toBe('X')
  })

  test('are written through links, also through dangling ones', async () => {
    await host.symlink('target', `${dir}/link`)
    expect([await host.stat(`${dir}/link`), (await host.lstat(`${dir}/link`))?.type]).toEqual([undefined, 'link'])
    await host.write(`${dir}/link`, 'through')
    expect([await text(host, `${dir}/target`), await host.readLink(`${dir}/link`)]).toEqual(['through', 'target'])
    expect(await host.realPath(`${dir}/link`)).toBe(`${dir}/target`)
    await host.symlink('loop', `${dir}/loop`)
    await expect(host.read(`${dir}/loop`)).rejects.toThrow('[Errno 40] Too many levels of symbolic links')
  })

  test('share content with their hard links', async () => {
    await host.write(`${dir}/h1`, 'x')
    await host.link(`${dir}/h1`, `${dir}/h2`)
    await host.write(`${dir}/h2`, 'y')
    expect([await text(host, `${dir}/h1`), (await host.stat(`${dir}/h1`))?.links]).toEqual(['y', 2])
  })

  test('can be renamed, copied, hashed, streamed and removed', async () => {
    await host.write(`${dir}/r1`, 'content')
    await host.rename(`${dir}/r1`, `${dir}/r2`)
    await host.copy(`${dir}/r2`, `${dir}/r3`)
    expect(await host.hash(`${dir}/r3`, 'md5')).toBe('9a0364b9e99bb480dd25e1f0284c8555')
    await host.writeStream(`${dir}/r4`, host.stream(`${dir}/r3`))
    expect(await text(host, `${dir}/r4`)).toBe('content')
    await host.remove(`${dir}/r2`)
    expect([await host.stat(`${dir}/r1`), await host.stat(`${dir}/r2`)]).toEqual([undefined, undefined])
  })

  test('live in directories', async () => {
    await host.makeDirectory(`${dir}/d/e/f`, { parents: true })
    await host.makeDirectory(`${dir}/d/e/f`, { parents: true })
    await expect(host.makeDirectory(`${dir}/d`)).rejects.toThrow('[Errno 17] File exists')
    await expect(host.removeDirectory(`${dir}/d`)).rejects.toThrow(`[Errno 39] Directory not empty: '${dir}/d'`)
    await host.removeDirectory(`${dir}/d`, { recursive: true })
    expect(await host.lstat(`${dir}/d`)).toBeUndefined()
    await expect(host.list(`${dir}/d`)).rejects.toThrow(`[Errno 2] No such file or directory: '${dir}/d'`)
  })

  test("report errors in Python's words", async () => {
    await host.write(`${dir}/plain`, '')
    await expect(host.read(`${dir}/none`)).rejects.toMatchObject({ name: 'FileNotFoundError', code: 'ENOENT' })
    await expect(host.read(`${dir}/plain/x`)).rejects.toMatchObject({ name: 'NotADirectoryError' })
    await expect(host.read(dir)).rejects.toMatchObject({ name: 'IsADirectoryError' })
    await expect(host.rename(`${dir}/none`, `${dir}/x`)).rejects.toThrow(
      `[Errno 2] No such file or directory: '${dir}/none' -> '${dir}/x'`,
    )
    await expect(host.readLink(`${dir}/plain`)).rejects.toThrow('[Errno 22] Invalid argument')
    expect(await host.stat(`${dir}/plain/x`)).toBeUndefined()
  })

  test('may be temporary, and then only the owner can read it', async () => {
    const file = await host.tempFile({ directory: dir, suffix: '.yml' })
    const directory = await host.tempDirectory({ directory: dir, prefix: 'salt' })
    expect([(await host.stat(file))?.mode, (await host.stat(directory))?.mode]).toEqual([0o600, 0o700])
    expect(file).toMatch(/\/tmp[a-z0-9_]{8}\.yml$/)
  })

  test('are found as programs when they can be run', async () => {
    await host.write(`${dir}/prog`, '', { mode: 0o755 })
    await host.write(`${dir}/data`, '', { mode: 0o644 })
    expect([await host.which(`${dir}/prog`), await host.which(`${dir}/data`)]).toEqual([`${dir}/prog`, undefined])
  })

  test('belong to accounts', async () => {
    expect((await host.user('root'))?.uid).toBe(0)
    expect((await host.user(0))?.name).toBe('root')
    expect((await host.group(0))?.name).toBe('root')
    expect(await host.user('nobody-of-that-name')).toBeUndefined()
  })
})

test('what is made in the cache of a program is closed to others, and what is made elsewhere follows the umask', async () => {
  const root = mkdtempSync(join(tmpdir(), 'host-'))
  const cache = join(root, 'var/cache')
  const host = new LocalHost({ cache })
  const umask = process.umask(0o022)
  try {
    await host.makeDirectory(`${cache}/files/base`, { parents: true })
    for (const folder of [`${cache}/files`, root]) {
      await host.write(`${folder}/written`, 'x')
      await host.append(`${folder}/appended`, 'x')
      await host.writeAt(`${folder}/placed`, 0, Buffer.from('x'))
      await host.copy('/etc/passwd', `${folder}/copied`)
      await host.write(`${folder}/chosen`, 'x', { mode: 0o640 })
    }
    const modes = async (...paths: string[]): Promise<string[]> =>
      Promise.all(paths.map(async (path) => (await host.stat(path))!.mode.toString(8)))
    expect(await modes(join(root, 'var'), cache, `${cache}/files`, `${cache}/files/base`)).toEqual([
      '755',
      '711',
      '700',
      '700',
    ])
    const names = ['written', 'appended', 'placed', 'copied', 'chosen']
    expect(await modes(...names.map((name) => `${cache}/files/${name}`))).toEqual(['600', '600', '600', '600', '640'])
    expect(await modes(...names.map((name) => `${root}/${name}`))).toEqual(['644', '644', '644', '644', '640'])
  } finally {
    process.umask(umask)
    rmSync(root, { recursive: true })
  }
})
