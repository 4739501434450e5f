import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { FileServer } from '../file-server.ts'
import { KnownHashes } from '../known-hashes.ts'
import { parseTreeAddress } from './address.ts'

const host = new LocalHost()
let root = ''
let count = 0
let cachedir = ''
let lines: string[] = []
const log: Log = (level, text) => void lines.push(`${level}: ${text}`)

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-svnfs-'))
})
beforeEach(() => {
  cachedir = join(root, `cache${++count}`)
  lines = []
})
afterAll(() => rmSync(root, { recursive: true }))

/** A repository with a working copy of all of it. */
class Repository {
  readonly folder = join(root, `svn${count}`)
  readonly work = join(root, `svn${count}.work`)

  constructor(folders: readonly string[] = ['trunk', 'branches', 'tags']) {
    execFileSync('svnadmin', ['create', this.folder])
    execFileSync('svn', ['checkout', '-q', this.url, this.work])
    for (const folder of folders) mkdirSync(join(this.work, folder))
    this.commit()
  }

  get url(): string {
    return `file://${this.folder}`
  }

  write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(this.work, path, '..'), { recursive: true })
      writeFileSync(join(this.work, path), text)
    }
    this.commit()
  }

  commit(): void {
    execFileSync('svn', ['add', '-q', '--force', '.'], { cwd: this.work })
    execFileSync('svn', ['commit', '-q', '-m', 'c'], { cwd: this.work })
  }
}

const serverFor = (given: Record<string, Plain>): FileServer => {
  const all = { __role: 'master', cachedir, fileserver_backend: ['svn'], hash_type: 'sha256', ...given }
  const opts: Dict = new Map<Value, Value>(Object.entries(all).map(([name, value]) => [name, fromPlain(value)]))
  return new FileServer(opts, host, log)
}

const quiet = (): undefined => undefined

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

/** Wait until a server listens on a port. */
async function reachable(port: number): Promise<void> {
  const isOpen = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  for (let tries = 0; tries < 200 && !(await isOpen()); tries++) await new Promise((next) => setTimeout(next, 50))
}

describe('svnfs', () => {
  test('serves trunk, branches and tags as environments, and changes of them', async () => {
    const repository = new Repository()
    repository.write({ 'trunk/web/init.sls': 'one\n', 'branches/dev x/a@b': 'two\n', 'tags/v1/f': 'three\n' })
    const server = serverFor({ svnfs_remotes: [repository.url], fileserver_events: true })
    const told: Plain[] = []
    const update = (): Promise<void> => server.update((tag, data) => told.push([tag, toPlain(data)]))
    await update()
    expect(lines).toEqual([])
    expect(await server.envs()).toEqual(['base', 'dev x', 'v1'])
    const found = (await server.find('web/init.sls', 'base'))!
    expect(Buffer.from(await host.read(found.path)).toString()).toBe('one\n')
    expect(found).toMatchObject({ back: 'svnfs', rel: 'web/init.sls', stat: { mode: 0o644, size: 4 } })
    expect(statSync(join(cachedir, 'svnfs', readdirSync(join(cachedir, 'svnfs'))[0]!)).mode & 0o077).toBe(0)
    expect(await server.list('dev x')).toMatchObject({ files: ['a@b'], dirs: [] })
    expect((await server.list('base')).dirs).toEqual(['web'])
    const hashes = new KnownHashes(host)
    const before = await hashes.of(found.path, 'sha256', found)
    repository.write({ 'trunk/web/init.sls': 'four\n' })
    await update()
    await update()
    const changed = (await server.find('web/init.sls', 'base'))!
    expect(await hashes.of(changed.path, 'sha256', changed)).not.toBe(before)
    expect(existsSync(found.path)).toBe(true)
    const event = (isChanged: boolean): Plain => [
      'salt/fileserver/svnfs/update',
      { changed: isChanged, backend: 'svnfs' },
    ]
    expect(told).toEqual([event(true), event(true), event(false)])
  })

  test('takes paths, root, mountpoint and lists of environments', async () => {
    const repository = new Repository(['main', 'b', 'tags'])
    repository.write({ 'main/states/x': 'x', 'b/dev/states/y': 'y', 'b/old/states/z': 'z' })
    const parameters = [{ trunk: 'main' }, { branches: 'b/' }, { root: 'states' }, { mountpoint: 'salt://m/n' }]
    const server = serverFor({
      svnfs_remotes: [{ [repository.url]: parameters }],
      svnfs_saltenv_blacklist: ['o*'],
    })
    await server.update(quiet)
    expect(await server.envs()).toEqual(['base', 'dev'])
    expect(await server.list('base')).toMatchObject({ files: ['m/n/x'], dirs: ['m/n'] })
    expect((await server.find('m/n/y', 'dev'))?.rel).toBe('m/n/y')
    expect(await server.find('y', 'dev')).toBe(undefined)
    expect(await server.find('m/n/z', 'old')).toBe(undefined)
    expect(await server.folder('m', 'base')).toEqual([{ name: 'n', path: 'm/n', kind: 'folder', size: null }])
    expect(await server.folder('m/n', 'base')).toEqual([{ name: 'x', path: 'm/n/x', kind: 'file', size: 1 }])
  })

  test('keeps serving while a remote fails, and reports the failure and the recovery once each', async () => {
    const repository = new Repository()
    repository.write({ 'trunk/f': 'x' })
    const server = serverFor({ svnfs_remotes: [repository.url] })
    const events: string[] = []
    const update = () => server.update((tag) => events.push(tag), null, { isQuiet: true })
    await update()
    renameSync(repository.folder, `${repository.folder}.away`)
    await update()
    await update()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`error: Error occurred fetching svnfs remote '${repository.url}': svn: E`)
    expect((await serverFor({ svnfs_remotes: [repository.url] }).list('base')).files).toEqual(['f'])
    const [status] = (await server.backends()[0]!.status!()).map((one) => toPlain(one) as Record<string, Plain>)
    expect(status).toMatchObject({ url: repository.url, refs: 1, update_interval: 60 })
    expect(status!['last_error']).toContain('Unable to')
    renameSync(`${repository.folder}.away`, repository.folder)
    await update()
    expect(events).toEqual(['salt/fileserver/svnfs/failed', 'salt/fileserver/svnfs/recovered'])
  })

  test('serves nothing outside a tree, for any paths and links', async () => {
    writeFileSync(join(root, 'secret'), 'secret')
    const repository = new Repository()
    mkdirSync(join(repository.work, 'trunk/in'))
    writeFileSync(join(repository.work, 'trunk/in/f'), 'f')
    writeFileSync(join(repository.work, 'trunk/run'), '#!/bin/sh\n')
    chmodSync(join(repository.work, 'trunk/run'), 0o755)
    symlinkSync(join(root, 'secret'), join(repository.work, 'trunk/out'))
    symlinkSync('../../../../../../../../../..', join(repository.work, 'trunk/up'))
    symlinkSync('in/f', join(repository.work, 'trunk/good'))
    symlinkSync(root, join(repository.work, 'branches/env'))
    repository.commit()
    const server = serverFor({ svnfs_remotes: [repository.url] })
    await server.update(quiet)
    expect(await server.envs()).toEqual(['base'])
    expect(await server.list('base')).toMatchObject({ files: ['good', 'in/f', 'run'], dirs: ['in'] })
    for (const path of ['out', `up${root}/secret`, '../../../../secret', 'in/../../x', `${root}/secret`])
      expect(await server.find(path, 'base')).toBe(undefined)
    expect(await server.find('secret', 'env')).toBe(undefined)
    expect((await server.find('good', 'base'))?.stat.size).toBe(1)
    expect((await server.find('run', 'base'))?.stat.mode).toBe(0o755)
    // a root that is such a link is removed too
    const linked = serverFor({ svnfs_remotes: [{ [repository.url]: [{ root: 'up' }] }] })
    expect((await linked.list('base')).files).toEqual([])
  })

  test('holds updates back while a lock is set', async () => {
    const repository = new Repository()
    repository.write({ 'trunk/f': 'x' })
    const server = serverFor({ svnfs_remotes: [repository.url] })
    const locks = server.backends()[0]!.locks!()
    expect(locks.set('*nothing*')).toEqual([])
    expect(locks.set(null)).toEqual([`Set lock for ${repository.url}`])
    await server.update(quiet)
    expect(await server.envs()).toEqual([])
    expect(lines[0]).toContain(`warning: Update lockfile is present for svnfs remote ${repository.url}, skipping.`)
    expect(locks.clear(null)).toEqual([`Removed lock for ${repository.url}`])
    await server.update(quiet)
    expect(await server.envs()).toEqual(['base'])
  })

  test('forgets remotes that are no longer configured, and all of its cache when told', async () => {
    const repository = new Repository()
    repository.write({ 'trunk/f': 'x' })
    await serverFor({ svnfs_remotes: [repository.url] }).update(quiet)
    const server = serverFor({ svnfs_remotes: [{ [repository.url]: [{ trunk: 'nope' }] }] })
    await server.update(quiet)
    expect(lines).toEqual([
      `error: svnfs trunk path 'nope' does not exist in repo ${repository.url}, no base environment will be provided by this remote`,
    ])
    expect(readdirSync(join(cachedir, 'svnfs'))).toHaveLength(2)
    server.backends()[0]!.clearCache!()
    expect(existsSync(join(cachedir, 'svnfs'))).toBe(false)
    expect(await server.envs()).toEqual([])
  })

  test('refuses a wrong configuration by name', () => {
    const check = (given: Record<string, Plain>) => () => serverFor(given).check()
    expect(check({ svnfs_remotes: [{ 'file:///x': [{ color: 'red' }] }] })).toThrow(
      'Failed to load svn fileserver backend',
    )
    expect(lines[0]).toContain("Invalid configuration parameter 'color' for remote file:///x. Valid parameters are: ")
    expect(check({ svnfs_remotes: ['file:///x'], svnfs_trunk: '/etc' })).toThrow('Failed to load')
    expect(check({ svnfs_remotes: ['file:///x'], svnfs_root: 'a/../../..' })).toThrow('Failed to load')
    expect(check({ svnfs_remotes: [{ 'file:///x': null }] })).toThrow('Failed to load')
  })

  test('logs in to a server with the password of the address', async () => {
    const repository = new Repository()
    repository.write({ 'trunk/f': 'x' })
    const settings = '[general]\nanon-access = none\nauth-access = read\npassword-db = passwd\n'
    writeFileSync(join(repository.folder, 'conf/svnserve.conf'), settings)
    writeFileSync(join(repository.folder, 'conf/passwd'), '[users]\nme = pass word\n')
    const port = await freePort()
    const words = ['--daemon', '--foreground', '--listen-host', '127.0.0.1', '--listen-port', `${port}`]
    const daemon = spawn('svnserve', [...words, '--root', repository.folder], { stdio: 'ignore' })
    try {
      await reachable(port)
      const server = serverFor({ svnfs_remotes: [`svn://me:pass%20word@127.0.0.1:${port}`] })
      await server.update(quiet)
      expect(lines).toEqual([])
      expect((await server.list('base')).files).toEqual(['f'])
      const refused = serverFor({ svnfs_remotes: [`svn://me:other@127.0.0.1:${port}/`] })
      await refused.update(quiet)
      expect(lines[0]).toContain('Authentication error')
      expect(lines[0]).not.toContain('other')
    } finally {
      daemon.kill()
    }
  })

  test('hides a password, and refuses addresses that svn would take for something else', async () => {
    const secret = 'tokentokentoken'
    const server = serverFor({ svnfs_remotes: [`http://me:${secret}@127.0.0.1:1/x`, '--config-dir=/tmp', 'ext://x/y'] })
    await server.update(quiet)
    const status = await Promise.all(server.backends().map((backend) => backend.status!()))
    const map = await host.read(join(cachedir, 'svnfs', 'remote_map.txt'))
    expect(lines).toHaveLength(3)
    expect(lines.join('\n')).toContain("The address '--config-dir=/tmp' of a repository is not valid")
    expect(lines.join('\n')).toContain("The address 'ext://x/y' of a repository must begin with one of file://")
    expect(`${lines} ${JSON.stringify(toPlain(status))} ${Buffer.from(map)}`).not.toContain(secret)
    expect(() => parseTreeAddress('svn+ssh://-oProxyCommand=x/y', ['svn+ssh'])).toThrow('names no server')
    expect(() => parseTreeAddress('svn+ssh://-oA@host/y', ['svn+ssh'])).toThrow('names no server')
    expect(parseTreeAddress('https://me:p%40w@host/a', ['https'])).toEqual({
      url: 'https://host/a',
      user: 'me',
      password: 'p@w',
    })
  })
})
