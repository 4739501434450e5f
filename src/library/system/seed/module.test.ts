import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Trial, tryFunction } from '../../../sdk/mod.ts'
import { linkInside } from './inside.ts'
import seed from './module.ts'

/** The head of a program for a processor. */
const program = (machine: number, more = ''): string => {
  const head = Buffer.alloc(64)
  head.write('\x7fELF', 'latin1')
  head[5] = 1
  head.writeUInt16LE(machine, 18)
  return head.toString('latin1') + more
}

const X86_64 = 0x3e
const HERE = dirname(process.argv[1]!)
/** The installation that runs the tests, as far as `seed` looks. */
const OWN = {
  [process.argv[1]!]: '',
  [join(HERE, 'salt-minion.js')]: 'minion',
  [join(HERE, 'salt-call.js')]: 'call',
  [join(HERE, 'parts/one.js')]: 'one',
  [process.execPath]: program(X86_64),
}
const PUBLIC = '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----\n'
const PRIVATE = '-----BEGIN RSA PRIVATE KEY-----\nxyz\n-----END RSA PRIVATE KEY-----\n'
const KEYS = { pub_key: PUBLIC, priv_key: '/keys/web1.pem' }
const FILES = { '/keys/web1.pem': PRIVATE, '/root1/bin/sh': program(X86_64), '/root1/etc/systemd/system/': '' }
const OPTS = fromPlain({ master: 'salt.example.com', keysize: 2048 }) as Map<Value, Value>

async function machine(files: Parameters<typeof MemoryHost.with>[0]['files'] = {}) {
  const host = await MemoryHost.with({ files: { ...FILES, ...files } })
  const call = (fun: string, kwargs: Record<string, Value>, more: Trial = {}) =>
    tryFunction(seed, fun, { host, kwargs, opts: OPTS, ...more })
  const text = async (path: string): Promise<string> => Buffer.from(await host.read(path)).toString()
  return { host, call, text }
}

describe('seed.apply', () => {
  test('writes configuration and keys into a root that has a minion', async () => {
    const { host, call, text } = await machine({ '/root1/usr/bin/salt-minion': 'x' })
    expect(
      await call('apply', { path: '/root1', id_: 'web1', config: fromPlain({ log_level: 'debug' }), ...KEYS }),
    ).toBe(true)
    expect(await text('/root1/etc/salt/minion')).toBe('id: web1\nlog_level: debug\nmaster: salt.example.com\n')
    expect(await text('/root1/etc/salt/pki/minion/minion.pub')).toBe(PUBLIC)
    expect(await text('/root1/etc/salt/pki/minion/minion.pem')).toBe(PRIVATE)
    expect((await host.stat('/root1/etc/salt/pki/minion/minion.pem'))?.mode).toBe(0o400)
    expect(await host.stat('/root1/usr/local/bin/salt-minion')).toBeUndefined()
  })

  test('installs this minion if there is none, to start at boot', async () => {
    const { host, call, text } = await machine(OWN)
    expect(await call('apply', { path: '/root1', ...KEYS })).toBe(true)
    expect(await text('/root1/opt/brine/dist/salt-minion.js')).toBe('minion')
    expect(await text('/root1/opt/brine/dist/parts/one.js')).toBe('one')
    expect((await host.stat('/root1/opt/brine/dist/node'))?.mode).toBe(0o755)
    expect(await text('/root1/usr/local/bin/salt-minion')).toContain(
      '/opt/brine/dist/node /opt/brine/dist/salt-minion.js',
    )
    const wanted = '/root1/etc/systemd/system/multi-user.target.wants/salt-minion.service'
    expect(await host.readLink(wanted)).toBe('/etc/systemd/system/salt-minion.service')
    // the second time, a minion is already installed
    await host.write('/root1/usr/local/bin/salt-minion', 'as it was')
    expect(await call('apply', { path: '/root1', ...KEYS })).toBe(true)
    expect(await text('/root1/usr/local/bin/salt-minion')).toBe('as it was')
  })

  test.each([
    ['another processor', { '/root1/bin/sh': program(0x28) }, 'for processors of ARM, and this minion is for x86_64'],
    ['another C library', { '/root1/bin/sh': program(X86_64, '/lib/ld-musl-x86_64.so.1') }, 'The image has musl'],
    ['no root', { '/root1/bin/sh': 'text' }, 'is no root directory of Linux'],
  ])('refuses to install into %s', async (_what, files, reason) => {
    const { host, call } = await machine({ ...OWN, ...files })
    await expect(call('apply', { path: '/root1', ...KEYS })).rejects.toThrow(reason)
    expect(await host.stat('/root1/etc/salt/minion')).toBeUndefined()
  })

  test('reports missing parts', async () => {
    const { call } = await machine({ [process.argv[1]!]: '' })
    expect(await call('apply', { path: '/nowhere' })).toBe('/nowhere does not exist')
    await expect(call('apply', { path: '/root1', install: false })).rejects.toThrow(
      'has no minion, and install is False',
    )
    await expect(call('apply', { path: '/root1', ...KEYS })).rejects.toThrow('does not run from an installation')
    const there = await machine({ '/root1/usr/bin/salt-minion': 'x' })
    await expect(there.call('apply', { path: '/root1', ...KEYS, pub_key: '/keys/none' })).rejects.toThrow(
      '/keys/none is neither a key nor a file of one',
    )
  })

  test('follows links of the image inside of it', async () => {
    const { host, call, text } = await machine({
      '/root1/usr/bin/salt-minion': 'x',
      '/root1/etc/salt': { link: '/../../../srv/conf' },
      '/etc/salt/minion': 'of this machine',
    })
    await call('apply', { path: '/root1', id_: 'web1', ...KEYS })
    expect(await text('/root1/srv/conf/minion')).toContain('id: web1')
    expect(await text('/etc/salt/minion')).toBe('of this machine')
    await host.symlink('/loop', '/root1/loop')
    await expect(linkInside({ host } as never, '/root1', 'x', '/loop/a')).rejects.toThrow('too many links')
  })

  test('mounts a raw image by a loop device, and leaves nothing mounted', async () => {
    const { host, call, text } = await machine({ '/web1.img': 'raw' })
    const log: string[] = []
    const others: Trial['others'] = {
      'cmd.run_all': ([words]) => {
        log.push((words as Value[]).join(' '))
        return fromPlain({ pid: 1, retcode: 0, stdout: '/dev/loop7\n', stderr: '' })
      },
      'cmd.run': () => '/dev/loop7 \n/dev/loop7p1 vfat\n/dev/loop7p2 ext4\n/dev/loop7p3 ext4',
      'mount.mount': async ([root, device]) => {
        log.push(`mount ${device}`)
        if (device === '/dev/loop7p3')
          for (const at of ['etc', 'usr/bin']) await host.makeDirectory(`${root}/${at}`, { parents: true })
        if (device === '/dev/loop7p3') await host.write(`${root}/usr/bin/salt-minion`, 'x')
        return true
      },
      'mount.umount': async ([root]) => {
        log.push('umount')
        const seeded = `${root}/etc/salt/minion`
        if (await host.stat(seeded)) await host.write('/seeded', await host.read(seeded))
        for (const name of await host.list(String(root)))
          await host.removeDirectory(`${root}/${name}`, { recursive: true })
        return true
      },
    }
    expect(await call('apply', { path: '/web1.img', id_: 'web1', ...KEYS }, { others })).toBe(true)
    expect(await text('/seeded')).toContain('id: web1')
    expect(log).toEqual([
      'losetup --find --show --partscan /web1.img',
      ...['mount /dev/loop7p2', 'umount', 'mount /dev/loop7p3', 'umount'],
      'losetup --detach /dev/loop7',
    ])
  })

  test('mounts other images by guestmount only', async () => {
    const { host, call } = await machine({ '/web1.qcow2': 'QFI\u00fb'.slice(0, 3) })
    await host.write('/web1.qcow2', Buffer.from('514649fb00000003', 'hex'))
    await expect(call('apply', { path: '/web1.qcow2' })).rejects.toThrow(
      'format qcow2, which needs the program guestmount',
    )
    await host.makeDirectory('/usr/bin', { parents: true })
    await host.write('/usr/bin/guestmount', '', { mode: 0o755 })
    const log: string[] = []
    const others: Trial['others'] = {
      'cmd.run_all': async ([words]) => {
        const argv = (words as Value[]).map(String)
        log.push(argv[0]!)
        const root = argv.at(-1)!
        if (argv[0] === 'guestmount') await host.makeDirectory(`${root}/usr/bin`, { parents: true })
        if (argv[0] === 'guestmount') await host.write(`${root}/usr/bin/salt-minion`, 'x')
        return fromPlain({ pid: 1, retcode: 0, stdout: '', stderr: '' })
      },
    }
    expect(await call('apply', { path: '/web1.qcow2', mount_point: '/mnt/web1', ...KEYS }, { others })).toBe(true)
    expect(log).toEqual(['guestmount', 'guestunmount'])
    expect(Buffer.from(await host.read('/mnt/web1/etc/salt/minion')).toString()).toContain('master: salt.example.com')
  })
})

describe('seed.mkconfig', () => {
  test('makes keys, and says whether the master took them', async () => {
    const { host, call, text } = await machine()
    const hints: string[] = []
    const context = { hint: ({ text: said }: { text: string }) => void hints.push(said) }
    const asked: unknown[] = []
    const others = (isAccepted: boolean): NonNullable<Trial['others']> => ({
      'pillar.ext': ([given]) => {
        asked.push(toPlain(given!))
        return fromPlain({ virtkey: { web1: isAccepted } })
      },
    })
    const made = toPlain(await call('mkconfig', { id_: 'web1', tmp: '/tmp' }, { others: others(true), context }))
    expect(made).toEqual({ config: '/tmp/minion', pubkey: '/tmp/minion.pub', privkey: '/tmp/minion.pem' })
    expect(await text('/tmp/minion.pem')).toContain('PRIVATE KEY')
    expect((await host.stat('/tmp/minion.pem'))?.mode).toBe(0o600)
    expect(asked).toEqual([{ virtkey: ['web1', await text('/tmp/minion.pub')] }])
    expect(hints).toEqual([])
    await call('mkconfig', { id_: 'web1', tmp: '/tmp' }, { others: others(false), context })
    expect(hints).toEqual([expect.stringContaining('run salt-key -a web1')])
    await call('mkconfig', { id_: 'web1', approve_key: false, config: fromPlain({ master: 'other' }) }, { context })
    expect(hints).toHaveLength(1)
  })
})

test('seed.prep_bootstrap copies this minion with a script beside it', async () => {
  const { host, call, text } = await machine(OWN)
  const [script, folder] = toPlain(await call('prep_bootstrap', { mpt: '/root1' })) as string[]
  expect(script).toBe(`/root1${folder}/bootstrap-salt.sh`)
  expect((await host.stat(dirname(script!)))?.mode).toBe(0o700)
  expect(await text(`/root1${folder}/dist/salt-minion.js`)).toBe('minion')
  expect(await text(script!)).toContain('/usr/local/bin')
  await expect(call('prep_bootstrap', { mpt: '/nowhere' })).rejects.toThrow('/nowhere is no directory')
})
