// Repositories on a web server, queried repeatedly over one connection of git.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { PASSWORD, type Running, serveHttp, USER } from '../../test/conformance/gitfs/servers.ts'
import { type GitMirror, mirrorOf, plainRemote } from './mod.ts'

let root = ''
let backend: Running
let front: Server
let url = ''
const requests: string[] = []
let isOld = false
let garbage: string | undefined

/** Forward requests to the server with a password, and record them. */
function pass(request: IncomingMessage, response: ServerResponse): void {
  requests.push(`${request.method} ${request.url!.replace(/^\/\w+\.git\//, '').replace(/\?.*/, '')}`)
  if (garbage !== undefined && request.method === 'POST') {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end(garbage)
    return
  }
  const headers = { ...request.headers }
  if (isOld) delete headers['git-protocol']
  const onward = httpRequest({ port: backend.port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  request.pipe(onward)
}

const git = (...words: string[]): string =>
  execFileSync('git', ['-C', join(root, 'one.git'), ...words], {
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a',
    },
  }).trim()

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

function commit(text: string): string {
  const id = git('commit-tree', EMPTY_TREE, '-m', text)
  git('update-ref', 'refs/heads/master', id)
  return id
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'brine-watch-'))
  execFileSync('git', ['init', '-q', '--bare', '-b', 'master', join(root, 'one.git')])
  execFileSync('git', ['-C', join(root, 'one.git'), 'mktree'], { input: '' })
  backend = await serveHttp(root, true)
  front = createServer(pass)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/one.git`
})
beforeEach(() => {
  isOld = false
  garbage = undefined
})
afterAll(async () => {
  front.closeAllConnections()
  front.close()
  await backend.stop()
  rmSync(root, { recursive: true })
})

let count = 0
const mirrorHere = (password = PASSWORD): GitMirror =>
  mirrorOf(join(root, `cache${++count}`), { ...plainRemote(url), user: USER, password })

async function asked(mirror: GitMirror): Promise<{ isChanged: boolean; requests: string[] }> {
  requests.length = 0
  return { isChanged: await mirror.update(), requests: [...requests] }
}

test('A repeated query of a repository costs one request, and changes are detected', async () => {
  commit('one')
  git('tag', '-a', 'v1', '-m', 'v1', 'master')
  const mirror = mirrorHere()
  expect((await asked(mirror)).isChanged).toBe(true)
  // the first question over the connection makes it
  expect((await asked(mirror)).isChanged).toBe(false)
  expect(await asked(mirror)).toEqual({ isChanged: false, requests: ['POST git-upload-pack'] })
  const two = commit('two')
  expect((await asked(mirror)).isChanged).toBe(true)
  expect((await mirror.refs())!.branch('master')!.commit).toBe(two)
  expect(await asked(mirror)).toEqual({ isChanged: false, requests: ['POST git-upload-pack'] })
  mirror.clear()
})

test("A new password is used, and a wrong one is reported in git's words", async () => {
  commit('three')
  const mirror = mirrorHere()
  for (let round = 0; round < 3; round++) await mirror.update()
  mirror.takeCredentials({ ...plainRemote(url), user: USER, password: 'wrong' })
  await expect(mirror.update()).rejects.toMatchObject({ code: 'LoginRefused' })
  mirror.takeCredentials({ ...plainRemote(url), user: USER, password: PASSWORD })
  commit('four')
  expect(await mirror.update()).toBe(true)
  expect(mirror.status().error).toBe(null)
  mirror.clear()
})

test('A server without protocol 2, an unreachable one, and one with invalid answers are left to git', async () => {
  isOld = true
  commit('five')
  const mirror = mirrorHere()
  for (let round = 0; round < 3; round++) await mirror.update()
  commit('six')
  expect(await mirror.update()).toBe(true)
  mirror.clear()
  isOld = false
  const other = mirrorHere()
  for (let round = 0; round < 3; round++) await other.update()
  const kept = (await other.refs())!.branch('master')!.commit
  for (const answer of [
    'nonsense',
    '0006x',
    '00',
    `0031${'a'.repeat(40)} refs/x\n`,
    `003d${'z'.repeat(40)} refs/heads/m\n00000002`,
    // more than an answer may have, in lines that are right
    `003d${'a'.repeat(40)} refs/heads/m\n`.repeat(1_200_000),
  ]) {
    garbage = answer
    await other.update().catch((error: Error) => error)
    expect((await other.refs())!.branch('master')!.commit).toBe(kept)
    garbage = undefined
    expect(await other.update()).toBe(false)
  }
  const last = commit('seven')
  expect(await other.update()).toBe(true)
  expect((await other.refs())!.branch('master')!.commit).toBe(last)
  other.clear()
})
