// Repositories and servers of attackers.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog, withoutLogin } from '../base/mod.ts'
import { checkOut, type GitMirror, mirrorOf, plainRemote } from './mod.ts'

let root = ''
const servers: Server[] = []

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-hostile-'))
})
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(root, { recursive: true })
})

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Return the arguments of a process, which every user can read; empty for an ended one. */
function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** A repository whose objects are written individually, to build invalid ones. */
class Hostile {
  readonly folder: string

  constructor(name: string) {
    this.folder = join(root, `${name}.git`)
    execFileSync('git', ['init', '-q', '--bare', this.folder])
  }

  private git(words: string[], input: string | Buffer = ''): string {
    const env = {
      ...process.env,
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a',
    }
    const { stdout, stderr, status } = spawnSync('git', words, { cwd: this.folder, input, env })
    if (status !== 0) throw new Error(String(stderr))
    return String(stdout).trim()
  }

  blob(content: string | Buffer): string {
    return this.git(['hash-object', '-w', '--stdin'], content)
  }

  tree(entries: ReadonlyArray<readonly [mode: string, name: string, id: string]>): string {
    const bytes = entries.map(([mode, name, id]) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    )
    return this.git(['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], Buffer.concat(bytes))
  }

  async mirror(tree: string): Promise<GitMirror> {
    const commit = this.git(['commit-tree', '-m', 'x', tree])
    this.git(['update-ref', 'refs/heads/master', commit])
    const mirror = mirrorOf(join(root, 'cache'), plainRemote(`file://${this.folder}`))
    await mirror.update()
    return mirror
  }
}

describe('a hostile server', () => {
  test('does not get the login by leading to another server', async () => {
    const seen: string[] = []
    const thief = await listening((request, response) => {
      if (request.headers.authorization) seen.push(request.headers.authorization)
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end()
    })
    const first = await listening((request, response) => {
      response.writeHead(302, { Location: `${thief}${request.url}` }).end()
    })
    const remote = { ...plainRemote(`${first}/repo.git`), user: 'joe', password: 'hunter2-secret' }
    await expect(mirrorOf(join(root, 'cache'), remote).update()).rejects.toThrow()
    expect(seen).toEqual([])
  })

  test('gets the login when it asks for it itself', async () => {
    const seen: string[] = []
    const url = await listening((request, response) => {
      if (request.headers.authorization) seen.push(request.headers.authorization)
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end()
    })
    const remote = { ...plainRemote(`${url}/repo.git`), user: 'joe', password: 'hunter2-secret' }
    await expect(mirrorOf(join(root, 'cache'), remote).update()).rejects.toThrow()
    expect(seen[0]).toBe(`Basic ${Buffer.from('joe:hunter2-secret').toString('base64')}`)
  })

  test('cannot make the login visible to other users while it keeps git waiting', async () => {
    let came: () => void = () => {}
    const asked = new Promise<void>((resolve) => (came = resolve))
    const url = await listening((request, response) => {
      if (request.headers.authorization) came()
      else response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end()
    })
    const remote = plainRemote(`${url.replace('//', '//joe:hunter2-secret@')}/repo.git`)
    const abort = new AbortController()
    const update = mirrorOf(join(root, 'cache'), remote).update({ signal: abort.signal })
    await asked
    const commands = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => wordsOf(pid))
    abort.abort()
    await expect(update).rejects.toThrow()
    expect(commands.some((words) => words.includes(url))).toBe(true)
    expect(commands.filter((words) => words.includes('hunter2-secret'))).toEqual([])
  })

  test('writes no control characters into errors', async () => {
    const url = await listening((_, response) => {
      const text = 'ERR \x1b[2Jyou are fine'
      const line = `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
      response
        .writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' })
        .end(`001e# service=git-upload-pack\n0000${line}`)
    })
    const error = await mirrorOf(join(root, 'cache'), plainRemote(`${url}/repo.git`))
      .update()
      .catch((thrown: Error) => thrown)
    expect((error as Error).message).toContain('you are fine')
    expect((error as Error).message).not.toMatch(/[\x00-\x1f]/)
  })
})

test('a login with @ in its password is not shown', () => {
  expect(withoutLogin('https://joe:p@ss@host/x.git')).toBe('https://host/x.git')
  expect(withoutLogin('master https://joe:p@ss@host/x.git')).toBe('master https://host/x.git')
  expect(withoutLogin('ssh://git@host/x@y.git')).toBe('ssh://git@host/x@y.git')
})

describe('a hostile repository', () => {
  test('cannot make a walk endless with folders that contain each other many times', async () => {
    const repository = new Hostile('bomb')
    let tree = repository.tree([])
    const names = Array.from({ length: 10 }, (_, at) => `d${at}`)
    for (let level = 0; level < 9; level++) tree = repository.tree(names.map((name) => ['40000', name, tree]))
    const mirror = await repository.mirror(tree)
    await expect(mirror.trees.walk(tree, () => {})).rejects.toThrow(/more than \d+ files and folders/)
  })

  test('with missing objects leaves the last fetched state', async () => {
    const repository = new Hostile('rotten')
    const good = repository.blob('good')
    // an object that git dislikes is no damage of the copy
    const tree = repository.tree([
      ['100644', '.git', good],
      ['100644', 'a', good],
    ])
    const mirror = await repository.mirror(tree)
    const missing = repository.tree([['100644', 'b', '1'.repeat(40)]])
    await expect(repository.mirror(missing)).rejects.toThrow(/corrupt|bad object|unable to read/)
    expect((await mirror.refs())?.branch('master')?.tree).toBe(tree)
    expect((await mirror.trees.resolve(tree, 'a'))?.entry.kind).toBe('file')
  })

  test('with another kind of ids leaves the last fetched state', async () => {
    const repository = new Hostile('other')
    const tree = repository.tree([['100644', 'a', repository.blob('good')]])
    const mirror = await repository.mirror(tree)
    rmSync(repository.folder, { recursive: true })
    execFileSync('git', ['init', '-q', '--bare', '--object-format=sha256', repository.folder])
    await expect(repository.mirror(repository.tree([]))).rejects.toThrow('ids of another kind')
    expect((await mirror.refs())?.branch('master')?.tree).toBe(tree)
    mirror.objects.close()
    expect((await mirror.objects.look(tree))?.type).toBe('tree')
  })

  test('cannot fill the memory with links to large files', async () => {
    const repository = new Hostile('links')
    const large = repository.blob(Buffer.alloc(1 << 20, 97))
    const tree = repository.tree([['120000', 'link', large]])
    const mirror = await repository.mirror(tree)
    expect(await mirror.trees.linkTarget(large)).toBe('')
    expect(await mirror.trees.resolve(tree, 'link')).toBe(undefined)
  })

  test('puts no repository into a checkout', async () => {
    const repository = new Hostile('inner')
    const config = repository.blob('[core]\n\tfsmonitor = touch /tmp/owned\n')
    const inner = repository.tree([['100644', 'config', config]])
    const tree = repository.tree([
      ['40000', '.GIT', inner],
      ['40000', '.git', inner],
      [
        '40000',
        'sub',
        repository.tree([
          ['100644', '.git', config],
          ['100644', 'a', config],
        ]),
      ],
    ])
    const mirror = await repository.mirror(tree)
    const target = join(root, 'checkout')
    await checkOut(mirror, tree, { target, mark: join(root, 'mark'), log: silentLog })
    expect(existsSync(join(target, 'sub', 'a'))).toBe(true)
    for (const path of ['.git', '.GIT', 'sub/.git']) expect(existsSync(join(target, path))).toBe(false)
  })
})

describe('the reader of objects', () => {
  test('answers a question that comes while the program ends', async () => {
    const repository = new Hostile('ending')
    const id = repository.blob('content')
    const { objects } = await repository.mirror(repository.tree([['100644', 'a', id]]))
    expect((await objects.read(id))?.content.toString()).toBe('content')
    objects.close()
    expect((await objects.read(id))?.content.toString()).toBe('content')
  })

  test('hands nothing more to a taker that failed: its file is closed, and another may have its number', async () => {
    const repository = new Hostile('failing')
    const id = repository.blob(Buffer.alloc(4 << 20, 97))
    const { objects } = await repository.mirror(repository.tree([['100644', 'a', id]]))
    let heard = 0
    const failing = objects.copy(id, () => {
      heard++
      throw new Error('disk full')
    })
    await expect(failing).rejects.toThrow('disk full')
    // the next answer comes behind all of the first one
    expect((await objects.read(id))?.content.length).toBe(4 << 20)
    expect(heard).toBe(1)
  })
})
