// Attacks on the login systems of `external_auth` that need no server: pam with a service of our own, file, rest, and the
// bound on logins that are judged at the same time.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import type { Dict, Value } from '../../src/data/mod.ts'
import { backend } from '../../src/master/access/backends.ts'
import { canServe } from '../integration/servers.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'brine-logins-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dictOf = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

interface Login {
  username: string
  password: string
}

async function login(
  system: string,
  credentials: Login,
  settings: { opts?: Record<string, Value>; config?: Record<string, Value>; logged?: string[] },
): Promise<boolean> {
  const { opts = {}, config = {}, logged = [] } = settings
  const ctx = { opts: dictOf(opts), config: dictOf(config), log: (_: string, text: string) => void logged.push(text) }
  return (await backend(system, new Map(), silentLog))!.check(dictOf({ ...credentials }), ctx)
}

describe.runIf(canServe('PAM', '/lib/x86_64-linux-gnu/security/pam_exec.so'))('the pam system', () => {
  const service = `brine-test-${process.pid}`
  const marker = join(folder, 'hijacked')
  const seen = join(folder, 'seen')
  const opts = { 'auth.pam.service': service }

  beforeAll(() => {
    const judge = join(folder, 'judge')
    const lines = [
      '#!/bin/sh',
      `if [ "$PAM_TYPE" = account ]; then [ "$PAM_USER" != expired ]; exit; fi`,
      'password=$(tr -d "\\000")',
      `printf '%s' "$PAM_USER" > ${seen}`,
      `cat /proc/$PPID/cmdline /proc/$PPID/environ 2>/dev/null | tr '\\000' '\\n' > ${seen}.process`,
      '[ "$password" = right ]',
    ]
    writeFileSync(judge, `${lines.join('\n')}\n`)
    chmodSync(judge, 0o755)
    const rules = [
      `auth required pam_exec.so quiet expose_authtok ${judge}`,
      `account required pam_exec.so quiet ${judge}`,
    ]
    writeFileSync(`/etc/pam.d/${service}`, `${rules.join('\n')}\n`)
  })
  afterAll(() => rmSync(`/etc/pam.d/${service}`, { force: true }))

  test('admits users whom PAM admits, and reveals the password to none', async () => {
    expect(await login('pam', { username: 'joe', password: 'right' }, { opts })).toBe(true)
    const process = readFileSync(`${seen}.process`, 'utf8')
    expect(process).toContain('python')
    expect(process.split('\n')).not.toContain('right')
  })

  test.each([
    ['joe', 'wrong'],
    ['joe', ''],
    ['joe', 'right\0'],
    ['joe\0', 'right'],
    ['', 'right'],
    ['joe', 'right'.repeat(200_000)],
    ['expired', 'right'],
  ])('keeps %j out', async (username, password) => {
    expect(await login('pam', { username, password }, { opts })).toBe(false)
  })

  test.each(['joe%', 'a:b', 'joe\nroot', '-x', '$(id)'])('gives PAM the name %j as it is', async (username) => {
    expect(await login('pam', { username, password: 'right' }, { opts })).toBe(true)
    expect(readFileSync(seen, 'utf8')).toBe(username)
  })

  test('runs nothing from the working directory or PYTHONPATH', async () => {
    for (const name of ['ctypes', 'struct', 'sitecustomize']) {
      writeFileSync(join(folder, `${name}.py`), `open(${JSON.stringify(marker)}, 'w').close()\n`)
    }
    const [before, path] = [process.cwd(), process.env['PYTHONPATH']]
    process.chdir(folder)
    process.env['PYTHONPATH'] = folder
    try {
      expect(await login('pam', { username: 'joe', password: 'right' }, { opts })).toBe(true)
    } finally {
      process.chdir(before)
      if (path === undefined) delete process.env['PYTHONPATH']
      else process.env['PYTHONPATH'] = path
    }
    expect(existsSync(marker)).toBe(false)
  })

  test('reports it when PAM does not work', async () => {
    const logged: string[] = []
    const broken = { ...opts, 'auth.pam.python': '/nonexistent/python' }
    expect(await login('pam', { username: 'joe', password: 'right' }, { opts: broken, logged })).toBe(false)
    expect(logged.join()).toContain('PAM could not judge a login')
  })
})

describe('the file system', () => {
  const path = join(folder, 'passwords')
  const passwd = (...words: string[]): string =>
    execFileSync('openssl', ['passwd', ...words], { encoding: 'utf8' }).trim()
  const apr1 = passwd('-apr1', '-salt', 'abcdefgh', 'correct horse')
  const sha512 = passwd('-6', '-salt', 'abcdefgh', 'correct horse')
  const sha1 = '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ='

  beforeAll(() => {
    const lines = [`joe:${apr1}`, `ann:${sha512}`, `bob:${sha1}`, 'locked:', 'odd:plain', 'tom:site:0123']
    writeFileSync(path, lines.join('\n'))
  })
  const config = { '^filename': path, '^filetype': 'htpasswd' }

  test.each([
    ['joe', 'correct horse'],
    ['ann', 'correct horse'],
    ['bob', 'secret'],
  ])('knows the htpasswd form of %s', async (username, password) => {
    expect(await login('file', { username, password }, { config })).toBe(true)
    expect(await login('file', { username, password: `${password}r` }, { config })).toBe(false)
  })

  test.each([
    ['joe', apr1],
    ['ann', sha512],
    ['bob', sha1],
    ['odd', 'plain'],
    ['locked', ''],
    ['joe', ''],
    ['', ''],
    ['joe:', apr1],
  ])('takes a stored htpasswd value for no password: %s', async (username, password) => {
    expect(await login('file', { username, password }, { config })).toBe(false)
  })

  test('admits no user with an empty field of a text file', async () => {
    const text = { '^filename': path }
    expect(await login('file', { username: 'odd', password: 'plain' }, { config: text })).toBe(true)
    expect(await login('file', { username: 'locked', password: '' }, { config: text })).toBe(false)
  })

  test.each([
    ['htdigest', '^realm'],
    ['htpaswd', 'filetype'],
  ])('refuses filetype %s with a reason', async (type, reason) => {
    const logged: string[] = []
    const wrong = { '^filename': path, '^filetype': type }
    expect(await login('file', { username: 'odd', password: 'plain' }, { config: wrong, logged })).toBe(false)
    expect(logged.join()).toContain(reason)
  })
})

test('a failed login does not change what a user of rest may do', async () => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    const isRight = new URLSearchParams(body).get('password') === 'right'
    response.writeHead(isRight ? 200 : 401).end(isRight ? '["test.ping"]' : '')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const config = { '^url': `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
    const rest = (await backend('rest', new Map(), silentLog))!
    const rights = (user: string) => rest.list!(user, { opts: new Map(), config: dictOf(config), log: silentLog })
    expect(await login('rest', { username: 'joe', password: 'right' }, { config })).toBe(true)
    expect(await login('rest', { username: 'joe', password: 'wrong' }, { config })).toBe(false)
    expect(rights('joe')).toEqual(['test.ping'])
    // a token from before the master's restart
    expect(rights('unheard')).toEqual([])
  } finally {
    server.close()
  }
})

test('a system judges few logins at the same time and turns away what is beyond the queue', async () => {
  const answers: Array<() => void> = []
  let most = 0
  let running = 0
  const server = createServer((request, response) => {
    request.resume()
    most = Math.max(most, ++running)
    const answer = (): void => {
      running--
      response.writeHead(401).end()
    }
    answers.push(answer)
    if (answers.length > 8) answer()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const logged: string[] = []
  const config = { '^url': `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  const attempts = Array.from({ length: 300 }, (_, at) =>
    login('rest', { username: `u${at}`, password: 'x' }, { config, logged }),
  )
  await expect.poll(() => answers.length).toBe(8)
  await expect.poll(() => logged.filter((text) => text.includes('Too many logins')).length).toBe(300 - 8 - 256)
  for (const answer of answers.slice(0, 8)) answer()
  expect((await Promise.all(attempts)).includes(true)).toBe(false)
  expect(most).toBe(8)
  server.close()
})

describe('logins that keep a system busy', () => {
  /** An authentication system that answers only on command, and its requests. */
  async function slowSystem(): Promise<{
    config: Record<string, Value>
    asked: string[]
    answer(): void
    end(): void
  }> {
    const asked: string[] = []
    const answers: Array<() => void> = []
    let isOpen = false
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const piece of request) body += String(piece)
      const user = new URLSearchParams(body).get('username')!
      asked.push(user)
      const answer = (): void => void response.writeHead(user === 'joe' ? 200 : 401).end('[]')
      if (isOpen) answer()
      else answers.push(answer)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const config = { '^url': `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
    const answer = (): void => {
      isOpen = true
      for (const each of answers) each()
    }
    return { config, asked, answer, end: () => server.close() }
  }

  test.each([
    ['of another host', '192.0.2.7', (at: number) => `u${at}`, '192.0.2.8'],
    ['of another user of the host', '192.0.2.7', () => 'admin', '192.0.2.7'],
  ])('do not delay logins %s, nor have them turned away', async (_whose, flooder, user, host) => {
    const { config, asked, answer, end } = await slowSystem()
    const rest = (await backend('rest', new Map(), silentLog))!
    const judge = async (username: string, from: string): Promise<boolean> =>
      rest.check(dictOf({ username, password: 'x' }), {
        opts: new Map(),
        config: dictOf(config),
        log: silentLog,
        host: from,
      })
    const flood = Array.from({ length: 300 }, (_, at) => judge(user(at), flooder))
    await expect.poll(() => asked.length).toBe(8)
    const login = judge('joe', host)
    answer()
    expect(await login).toBe(true)
    await Promise.all(flood)
    // the places that were taken, and as many turns at most
    expect(asked.indexOf('joe')).toBeLessThan(17)
    end()
  })
})
