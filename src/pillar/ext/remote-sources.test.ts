import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../base/mod.ts'
import { type Dict, dumpJson, fromPlain, type Plain, toPlain } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import { compilePillar } from '../compile.ts'
import { updateGitPillars, type WantedRemotes } from './git-remote.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'brine-pillar-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function compile(extPillar: Plain, more: Record<string, Plain> = {}, host = new LocalHost()): Promise<string> {
  const opts = { id: 'web1', cachedir: join(dir, 'cache'), pillar_roots: {}, ext_pillar: extPillar, ...more }
  const input = { opts: fromPlain(opts) as Dict, grains: fromPlain({ os: 'Debian' }) as Dict, minionId: 'web1' }
  return dumpJson((await compilePillar({ ...input, host })).pillar)
}

function commit(files: Record<string, string>, branch: string): void {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: join(dir, 'repo') })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, 'repo', path)), { recursive: true })
    writeFileSync(join(dir, 'repo', path), text)
  }
  git('init', '--quiet', '.')
  git('checkout', '--quiet', '-B', branch)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'change')
}

describe('pillar from a Git repository', () => {
  const remote = (more: Plain = []) => [{ git: [{ [`master file://${dir}/repo`]: more }] }]

  test('is what the SLS files of a branch say', async () => {
    commit({ 'top.sls': "base: {'*': [a]}", 'a.sls': 'os: {{ grains.os }}\ninclude: [b]', 'b.sls': 'b: 1' }, 'master')
    expect(await compile(remote())).toBe('{"b": 1, "os": "Debian"}')
  })

  test('lies below the root of the remote, and follows its changes', async () => {
    commit({ 'sub/top.sls': "base: {'*': [a]}", 'sub/a.sls': 'a: 1' }, 'master')
    const role = { __role: 'minion' }
    expect(await compile(remote([{ root: 'sub' }]), role)).toBe('{"a": 1}')
    commit({ 'sub/a.sls': 'a: 2' }, 'master')
    expect(await compile(remote([{ root: 'sub' }]), role)).toBe('{"a": 2}')
  })

  test('of the environment that is asked for comes from the branch of that name', async () => {
    commit({ 'top.sls': "base: {'*': [a]}", 'a.sls': 'a: 1' }, 'master')
    commit({ 'top.sls': "dev: {'*': [a]}", 'a.sls': 'a: dev' }, 'dev')
    const remotes = [{ git: [`__env__ file://${dir}/repo`] }]
    expect(await compile(remotes)).toBe('{"a": 1}')
    expect(await compile(remotes, { pillarenv: 'dev' })).toBe('{"a": "dev"}')
  })

  test.each([
    ['options', (port: number) => ({ [`master http://127.0.0.1:${port}/`]: [{ user: 'me' }, { password: 'p@ss' }] })],
    ['the URL', (port: number) => `master http://me:p%40ss@127.0.0.1:${port}/`],
  ])('is had with a login from %s that is in no words of a command', async (_, remoteAt) => {
    commit({ 'top.sls': "base: {'*': [a]}", 'a.sls': 'a: 1' }, 'master')
    execFileSync('git', ['update-server-info'], { cwd: join(dir, 'repo') })
    const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
    const server = createServer((request, response) => {
      const file = join(dir, 'repo/.git', request.url!.replace(/\?.*/, ''))
      if (request.headers.authorization !== login) response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
      else if (existsSync(file)) response.end(readFileSync(file))
      else response.writeHead(404).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const words: string[] = []
    const host = new LocalHost()
    const run = host.run.bind(host)
    host.run = (command) => {
      words.push(...command.argv)
      return run(command)
    }
    try {
      expect(await compile([{ git: [remoteAt((server.address() as AddressInfo).port)] }], {}, host)).toBe('{"a": 1}')
      expect(words).toContain('fetch')
      expect(words.filter((word) => /p(@|%40)ss/.test(word))).toEqual([])
    } finally {
      server.close()
    }
  })

  test('that cannot be had is an error of the pillar', async () => {
    expect(await compile([{ git: [`master file://${dir}/none`] }])).toContain(
      `Failed to load ext_pillar git: There is no branch, tag or commit 'master' in file://${dir}/none`,
    )
  })
})

test('Pillar from a web server is what it answers for the minion', async () => {
  const server = createServer((request, response) => {
    response.end(request.url === '/web1/Debian.json' ? '{"a": [1]}' : `b: "${request.url}"`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const sources = [
      { http_json: { url: `${url}/%s/<os>.json`, with_grains: true, namespace: 'n' } },
      { http_yaml: { url: `${url}/%s` } },
    ]
    expect(await compile(sources)).toBe('{"n": {"a": [1]}, "b": "/web1"}')
  } finally {
    server.close()
  }
})

describe('pillar from a sheet', () => {
  test.each<[Plain, string, string]>([
    [{}, 'id,role,site\ndb1,db,a\nweb1,"web, front",b\n', '{"id": "web1", "role": "web, front", "site": "b"}'],
    [{ namespace: 'sheet', idkey: 'host' }, 'host,role\nweb1,web\n', '{"sheet": {"host": "web1", "role": "web"}}'],
    [
      { fieldnames: ['id', 'role'], restkey: 'more' },
      'web1,web,x,y\n',
      '{"id": "web1", "role": "web", "more": ["x", "y"]}',
    ],
    [{ dialect: 'excel-tab', restval: '-' }, 'id\trole\nweb1\n', '{"id": "web1", "role": "-"}'],
    [{}, 'id,role\ndb1,db\n', '{}'],
  ])('is the row of the minion: %j', async (more, text, shown) => {
    const path = join(dir, 'sheet.csv')
    writeFileSync(path, text)
    expect(await compile([{ csv: { path, ...(more as object) } }])).toBe(shown)
  })
})

describe('news of Git repositories', () => {
  const update = async (wanted: Partial<WantedRemotes> = {}): Promise<Plain> => {
    const remotes = [
      `master file://${dir}/repo`,
      { [`dev file://${dir}/repo`]: [{ name: 'second' }] },
      `x file://${dir}/none`,
    ]
    const opts = fromPlain({ cachedir: join(dir, 'cache'), ext_pillar: [{ git: remotes }] }) as Dict
    const surroundings = { opts, host: new LocalHost(), log: silentLog }
    return toPlain(await updateGitPillars(surroundings, { branch: null, repo: null, ...wanted })) as Plain
  }

  test('are told for each remote', async () => {
    commit({ 'a.sls': 'a: 1' }, 'master')
    const [first, second, none] = [`master file://${dir}/repo`, `dev file://${dir}/repo`, `x file://${dir}/none`]
    expect(await update()).toEqual({ [first]: true, [second]: true, [none]: false })
    expect(await update()).toEqual({ [first]: null, [second]: null, [none]: false })
    commit({ 'a.sls': 'a: 2' }, 'master')
    expect(await update({ repo: 'second' })).toEqual({ [second]: true })
    expect(await update({ branch: 'master' })).toEqual({ [first]: null })
    expect(await update({ repo: 'other' })).toEqual({})
  })
})
