import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../base/mod.ts'
import { type Dict, fromPlain, type Plain, toPlain, type Value } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { FileServer } from '../file-server.ts'

const host = new LocalHost()
let root = ''
let count = 0
let cachedir = ''
let lines: string[] = []
const log: Log = (level, text) => void lines.push(`${level}: ${text}`)

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-hgfs-'))
})
beforeEach(() => {
  cachedir = join(root, `cache${++count}`)
  lines = []
})
afterAll(() => rmSync(root, { recursive: true }))

class Repository {
  readonly folder = join(root, `hg${count}`)

  constructor() {
    execFileSync('hg', ['init', this.folder])
  }

  hg(...words: string[]): void {
    execFileSync('hg', words, { cwd: this.folder, env: { ...process.env, HGUSER: 'a', HGPLAIN: '1' }, stdio: 'pipe' })
  }

  commit(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(this.folder, path, '..'), { recursive: true })
      writeFileSync(join(this.folder, path), text)
    }
    this.hg('commit', '-q', '-A', '-m', 'c')
  }
}

const serverFor = (given: Record<string, Plain>): FileServer => {
  const all = { __role: 'master', cachedir, fileserver_backend: ['hgfs'], hash_type: 'sha256', ...given }
  const opts: Dict = new Map<Value, Value>(Object.entries(all).map(([name, value]) => [name, fromPlain(value)]))
  return new FileServer(opts, host, log)
}

const quiet = (): undefined => undefined

async function textOf(server: FileServer, path: string, saltenv: string): Promise<string | undefined> {
  const found = await server.find(path, saltenv)
  return found && Buffer.from(await host.read(found.path)).toString()
}

describe('hgfs', () => {
  test('serves branches, bookmarks and tags by the method, without a working copy', async () => {
    const repository = new Repository()
    repository.commit({ 'web/init.sls': 'one\n' })
    repository.hg('tag', 'v1')
    repository.hg('branch', '-q', 'feature/x')
    repository.commit({ 'web/init.sls': 'two\n' })
    repository.hg('update', '-q', 'default')
    repository.hg('bookmark', 'mark')
    const url = `file://${repository.folder}`
    const byBranches = serverFor({ hgfs_remotes: [url] })
    await byBranches.update(quiet)
    expect(lines).toEqual([])
    expect(await byBranches.envs()).toEqual(['base', 'feature/x', 'v1'])
    const [folder = ''] = readdirSync(join(cachedir, 'hgfs')).filter((name) => name !== 'remote_map.txt')
    expect(readdirSync(join(cachedir, 'hgfs', folder)).sort()).toEqual([
      'hg',
      'hgrc',
      'hgrc-remote',
      'status.json',
      'trees.json',
    ])
    expect(readdirSync(join(cachedir, 'hgfs', folder, 'hg'))).toEqual(['.hg'])
    expect(statSync(join(cachedir, 'hgfs', folder, 'hgrc-remote')).mode & 0o777).toBe(0o600)
    expect(await textOf(byBranches, 'web/init.sls', 'feature/x')).toBe('two\n')
    expect(await textOf(byBranches, 'web/init.sls', 'v1')).toBe('one\n')
    expect((await byBranches.list('base')).files).toEqual(['.hgtags', 'web/init.sls'])
    const method = (name: string): FileServer =>
      serverFor({ hgfs_remotes: [{ [url]: [{ branch_method: name }, { base: 'mark' }] }] })
    const byBookmarks = method('bookmarks')
    await byBookmarks.update(quiet)
    expect(await byBookmarks.envs()).toEqual(['base', 'v1'])
    const mixed = method('mixed')
    await mixed.update(quiet)
    expect(await mixed.envs()).toEqual(['base', 'default', 'feature/x', 'v1'])
    // a bookmark that was deleted is no environment any more, and a new one is
    repository.hg('bookmark', '--delete', 'mark')
    repository.hg('bookmark', 'other')
    await mixed.update(quiet)
    expect(await mixed.envs()).toEqual(['default', 'feature/x', 'other', 'v1'])
  })

  test('takes a path, root, mountpoint and lists of environments, and follows changes', async () => {
    const repository = new Repository()
    repository.commit({ 'states/x': 'x', y: 'y' })
    repository.hg('branch', '-q', 'dev')
    repository.commit({ 'states/z': 'z' })
    const server = serverFor({
      hgfs_remotes: [repository.folder],
      hgfs_root: 'states',
      hgfs_mountpoint: 'salt://m',
      hgfs_saltenv_whitelist: ['dev'],
    })
    await server.update(quiet)
    expect(await server.envs()).toEqual(['dev'])
    expect(await server.list('dev')).toMatchObject({ files: ['m/x', 'm/z'], dirs: ['m'] })
    expect(await server.find('m/x', 'base')).toBe(undefined)
    repository.commit({ 'states/z': 'changed' })
    await server.update(quiet)
    expect(await textOf(server, 'm/z', 'dev')).toBe('changed')
  })

  test('keeps serving while a remote fails, also files that were not requested before', async () => {
    const repository = new Repository()
    repository.commit({ f: 'x' })
    const server = serverFor({ hgfs_remotes: [repository.folder] })
    const events: string[] = []
    const update = () => server.update((tag) => events.push(tag), null, { isQuiet: true })
    await update()
    renameSync(repository.folder, `${repository.folder}.away`)
    await update()
    await update()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`error: Error occurred fetching hgfs remote '${repository.folder}': abort: repository`)
    expect(await textOf(server, 'f', 'base')).toBe('x')
    renameSync(`${repository.folder}.away`, repository.folder)
    await update()
    expect(events).toEqual(['salt/fileserver/hgfs/failed', 'salt/fileserver/hgfs/recovered'])
  })

  test('logs in to a web server with the password of the address', async () => {
    const repository = new Repository()
    repository.commit({ f: 'x' })
    const daemon = spawn('hg', ['serve', '--address', '127.0.0.1', '--port', '0', '--print-url'], {
      cwd: repository.folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    // hg itself knows no logins: a web server before it does
    const asked: string[] = []
    const web = createServer((question, answer) => {
      asked.push(question.headers.authorization ?? '')
      if (question.headers.authorization !== `Basic ${Buffer.from('me:pass word').toString('base64')}`)
        return void answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end()
      const { method, headers, url } = question
      const inner = request(`${behind}${url}`, { method, headers }, (reply) => {
        answer.writeHead(reply.statusCode!, reply.headers)
        reply.pipe(answer)
      })
      question.pipe(inner)
    })
    let behind = ''
    try {
      const [said] = (await once(daemon.stdout, 'data')) as [Buffer]
      behind = said
        .toString()
        .trim()
        .replace(/\/$/, '')
        .replace(/\/\/[^:]+:/, '//127.0.0.1:')
      await once(web.listen(0, '127.0.0.1'), 'listening')
      const address = `127.0.0.1:${(web.address() as AddressInfo).port}`
      const server = serverFor({ hgfs_remotes: [`http://me:pass%20word@${address}`], hgfs_branch_method: 'mixed' })
      await server.update(quiet)
      expect(lines).toEqual([])
      expect((await server.list('base')).files).toEqual(['f'])
      expect(asked[0]).toBe('')
      const refused = serverFor({ hgfs_remotes: [`http://me:other@${address}/`] })
      await refused.update(quiet)
      expect(lines[0]).toContain('abort: authorization failed')
    } finally {
      daemon.kill()
      web.closeAllConnections()
      web.close()
    }
  })

  test('serves nothing outside a tree, and hides a login', async () => {
    writeFileSync(join(root, 'secret'), 'secret')
    const repository = new Repository()
    symlinkSync(join(root, 'secret'), join(repository.folder, 'out'))
    symlinkSync(root, join(repository.folder, 'folder'))
    repository.commit({ f: 'x' })
    const secret = 'tokentokentoken'
    const web = `http://me:${secret}@127.0.0.1:1/x`
    const server = serverFor({ hgfs_remotes: [repository.folder, web, 'ssh://-oProxyCommand=touch x/y'] })
    await server.update(quiet)
    expect((await server.list('base')).files).toEqual(['f'])
    expect(await server.find('out', 'base')).toBe(undefined)
    expect(await server.find('folder/secret', 'base')).toBe(undefined)
    expect(lines).toHaveLength(2)
    expect(lines.join('\n')).toContain("remote 'http://127.0.0.1:1/x': abort: ")
    expect(lines.join('\n')).toContain('names no server')
    const status = toPlain(await server.backends()[0]!.status!())
    expect(`${lines} ${JSON.stringify(status)}`).not.toContain(secret)
  })

  test('goes on after a pull that was killed, and leaves out names that lead up', async () => {
    const repository = new Repository()
    repository.commit({ f: 'x' })
    repository.hg('branch', '-q', '../../evil')
    repository.commit({ f: 'y' })
    const server = serverFor({ hgfs_remotes: [repository.folder] })
    await server.update(quiet)
    expect(await server.envs()).toEqual(['base'])
    const [folder = ''] = readdirSync(join(cachedir, 'hgfs')).filter((name) => name !== 'remote_map.txt')
    writeFileSync(join(cachedir, 'hgfs', folder, 'hg/.hg/store/journal'), '')
    repository.hg('update', '-q', 'default')
    repository.commit({ f: 'z' })
    await server.update(quiet)
    expect(lines).toEqual([])
    expect(await textOf(server, 'f', 'base')).toBe('z')
  })

  test('refuses an unknown branch method', () => {
    expect(() => serverFor({ hgfs_remotes: ['/x'], hgfs_branch_method: 'twigs' }).check()).toThrow(
      'Failed to load hg fileserver backend',
    )
    expect(lines[0]).toBe(
      "error: Invalid branch_method 'twigs' of remote /x. Valid branch methods are: branches, bookmarks, mixed.",
    )
  })
})
