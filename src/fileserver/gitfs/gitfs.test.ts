import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { FileServer } from '../file-server.ts'
import { KnownHashes } from '../known-hashes.ts'
import { LocalFileClient } from '../local-client.ts'

const host = new LocalHost()
let root = ''
let count = 0
let cachedir = ''
let lines: string[] = []
const log: Log = (level, text) => void lines.push(`${level}: ${text}`)

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-gitfs-'))
})
beforeEach(() => {
  cachedir = join(root, `cache${++count}`)
  lines = []
})
afterAll(() => rmSync(root, { recursive: true }))

class Repository {
  readonly bare: string
  private readonly work: string

  constructor(name: string) {
    this.bare = join(root, `${name}${count}.git`)
    this.work = join(root, `${name}${count}`)
    execFileSync('git', ['init', '-q', '--bare', '-b', 'master', this.bare])
    execFileSync('git', ['init', '-q', '-b', 'master', this.work])
  }

  get url(): string {
    return `file://${this.bare}`
  }

  git(...words: string[]): void {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', '-c', 'advice.detachedHead=false']
    execFileSync('git', [...who, ...words], { cwd: this.work })
  }

  push(branch: string, files: Record<string, string>): void {
    this.git('checkout', '-q', '-B', branch)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(this.work, path, '..'), { recursive: true })
      writeFileSync(join(this.work, path), text)
    }
    this.git('add', '-A')
    this.git('commit', '-q', '-m', 'c')
    this.git('push', '-q', '--force', this.bare, '+refs/heads/*:refs/heads/*')
  }
}

const options = (given: Record<string, Plain>): Dict =>
  new Map<Value, Value>(
    Object.entries({ __role: 'master', cachedir, fileserver_backend: ['gitfs'], hash_type: 'sha256', ...given }).map(
      ([name, value]) => [name, fromPlain(value)],
    ),
  )

describe('gitfs', () => {
  test('serves one snapshot of each branch, in files that other users cannot read', async () => {
    const repository = new Repository('a')
    repository.push('master', { 'web/init.sls': 'one\n' })
    repository.push('dev', { 'web/init.sls': 'two\n' })
    const server = new FileServer(options({ gitfs_remotes: [repository.url] }), host, log)
    await server.update(() => undefined)
    expect(await server.envs()).toEqual(['base', 'dev'])
    const found = (await server.find('web/init.sls', 'dev'))!
    expect(Buffer.from(await host.read(found.path)).toString()).toBe('two\n')
    expect(found.stat).toMatchObject({ mode: 0o644, size: 4 })
    expect(statSync(found.path).mode & 0o777).toBe(0o600)
    expect(statSync(join(cachedir, 'gitfs', 'blobs')).mode & 0o777).toBe(0o700)
    expect(await server.find('../../etc/passwd', 'dev')).toBe(undefined)
    expect(await server.find('web/init.sls', '../dev')).toBe(undefined)
    expect(lines).toEqual([])
  })

  test('works out a hash without a file, and writes the file when it is read', async () => {
    const repository = new Repository('b')
    repository.push('master', { f: 'x\n' })
    const server = new FileServer(options({ gitfs_remotes: [repository.url] }), host, log)
    await server.update(() => undefined)
    const looked = (await server.look('f', 'base'))!
    const hash = await new KnownHashes(host).of(looked.path, 'sha256', looked)
    expect(hash).toBe('73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac')
    expect(existsSync(looked.path)).toBe(false)
    await server.find('f', 'base')
    expect(await host.hash(looked.path, 'sha256')).toBe(hash)
    expect(await new KnownHashes(host).of(looked.path, 'md5', looked)).toBe(await host.hash(looked.path, 'md5'))
  })

  test('keeps serving while a remote fails, and reports the failure and the recovery once each', async () => {
    const repository = new Repository('c')
    repository.push('master', { f: 'x\n' })
    const server = new FileServer(options({ gitfs_remotes: [repository.url] }), host, log)
    const events: string[] = []
    const update = () => server.update((tag) => events.push(tag), null, { isQuiet: true })
    await update()
    renameSync(repository.bare, `${repository.bare}.away`)
    await update()
    await update()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`error: Error occurred fetching gitfs remote '${repository.url}': `)
    expect((await server.list('base')).files).toEqual(['f'])
    const [status] = (await server.backends()[0]!.status!()).map((one) => toPlain(one) as Record<string, Plain>)
    expect(status).toMatchObject({ url: repository.url, name: null, refs: 1 })
    expect(status!['last_error']).toContain('does not')
    renameSync(`${repository.bare}.away`, repository.bare)
    repository.push('master', { g: 'y\n' })
    await update()
    expect((await server.list('base')).files).toEqual(['f', 'g'])
    expect(events).toEqual(['salt/fileserver/gitfs/failed', 'salt/fileserver/gitfs/recovered'])
    const [after] = (await server.backends()[0]!.status!()).map((one) => toPlain(one) as Record<string, Plain>)
    expect(after!['last_error']).toBe(null)
  })

  test('shares lists and files between branches with the same tree', async () => {
    const repository = new Repository('d')
    repository.push('master', { 'a/b': 'x\n', c: 'x\n' })
    repository.push('same', { c: 'x\n', d: 'x\n' })
    repository.git('push', '-q', repository.bare, 'HEAD:refs/heads/twin')
    const server = new FileServer(options({ gitfs_remotes: [repository.url] }), host, log)
    await server.update(() => undefined)
    expect((await server.list('same')).files).toBe((await server.list('twin')).files)
    for (const path of ['a/b', 'c', 'd']) await server.find(path, 'same')
    expect(readdirSync(join(cachedir, 'gitfs', 'blobs'))).toHaveLength(1)
  })

  test('lets a program that serves itself fetch once, and not within a configured interval of a master', async () => {
    const repository = new Repository('e')
    repository.push('master', { f: 'x\n' })
    const opts = options({ gitfs_remotes: [repository.url] })
    const files = new LocalFileClient(opts, host, log)
    expect(await files.files('base')).toEqual(['f'])
    repository.push('master', { g: 'x\n' })
    expect(await new LocalFileClient(opts, host, log).files('base')).toEqual(['f'])
    const hourly = options({ gitfs_remotes: [{ [repository.url]: [{ update_interval: 0 }] }] })
    expect(await new LocalFileClient(hourly, host, log).files('base')).toEqual(['f'])
  })

  test('shows the folders above a mountpoint, and sizes', async () => {
    const repository = new Repository('f')
    repository.push('master', { 'x/y.txt': 'four', top: '' })
    const server = new FileServer(
      options({ gitfs_remotes: [{ [repository.url]: [{ mountpoint: 'salt://m/n' }, { root: 'x' }] }] }),
      host,
      log,
    )
    await server.update(() => undefined)
    expect(await server.folder('', 'base')).toEqual([{ name: 'm', path: 'm', kind: 'folder', size: null }])
    expect(await server.folder('m', 'base')).toEqual([{ name: 'n', path: 'm/n', kind: 'folder', size: null }])
    expect(await server.folder('m/n', 'base')).toEqual([{ name: 'y.txt', path: 'm/n/y.txt', kind: 'file', size: 4 }])
    expect(await server.folder('nope', 'base')).toBe(undefined)
  })

  test('hides a login in logs, in the map of remotes and in the status', async () => {
    const secret = 'tokentokentoken'
    const url = `http://${secret}@127.0.0.1:1/x.git`
    const server = new FileServer(options({ gitfs_remotes: [url] }), host, log)
    await server.update(() => undefined)
    const shown = toPlain((await server.backends()[0]!.status!())[0]!)
    const map = await host.read(join(cachedir, 'gitfs', 'remote_map.txt'))
    expect(lines).toHaveLength(1)
    expect(`${lines} ${JSON.stringify(shown)} ${Buffer.from(map)}`).not.toContain(secret)
  })

  test('warns of the old names of lists, which have no effect', async () => {
    const repository = new Repository('g')
    repository.push('master', { f: 'x\n' })
    const given = { gitfs_remotes: [repository.url], gitfs_env_whitelist: ['none'] }
    const server = new FileServer(options(given), host, log)
    await server.update(() => undefined)
    expect(await server.envs()).toEqual(['base'])
    expect(lines).toEqual([
      "warning: Option 'gitfs_env_whitelist' has no effect, as in Salt: it is now called 'gitfs_saltenv_whitelist'",
    ])
  })
})
