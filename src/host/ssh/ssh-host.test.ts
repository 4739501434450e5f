import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import { noSshd, startSshd, type TestSshd } from '../../../test/ssh/sshd.ts'
import { until } from '../../../test/until.ts'
import { silentLog } from '../../base/mod.ts'
import { SshError } from './errors.ts'
import { rawCommand } from './raw-command.ts'
import { SshHost } from './ssh-host.ts'
import type { SshTarget } from './target.ts'

if (noSshd) console.log(`SSH is not tested: ${noSshd}`)

const scratch = mkdtempSync(join(tmpdir(), 'ssh-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const SHELLS = ['/bin/sh', '/bin/dash', '/bin/bash', busyboxShell()].filter((path) => existsSync(path))

const failureOf = async (attempt: Promise<unknown>): Promise<SshError> => {
  const error = await attempt.then(
    () => new Error('no failure'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SshError)) throw error
  return error
}

describe.skipIf(noSshd)('a host over SSH', () => {
  let sshd: TestSshd
  let host: SshHost
  const open = (more: Partial<SshTarget> = {}, server: TestSshd = sshd): Promise<SshHost> =>
    SshHost.open({ ...server.target, ...more }, { log: silentLog, runtimeDir: server.runtimeDir })
  beforeAll(async () => {
    sshd = await startSshd()
    host = await open()
  })
  afterAll(async () => {
    await host.close()
    await sshd.stop()
  })
  const shell = async (line: string): Promise<string> =>
    Buffer.from((await host.run({ argv: ['/bin/sh', '-c', line] })).stdout).toString()

  test('loses no answer whose errors come before its output', async () => {
    // an ssh whose stdout lags behind its stderr, as it may on a busy machine
    const folder = mkdtempSync(join(scratch, 'slow-'))
    writeFileSync(join(folder, 'ssh'), `#!/bin/sh\nPATH='${process.env['PATH']}'\nssh "$@" | { sleep 0.3; cat; }\n`, {
      mode: 0o755,
    })
    const path = process.env['PATH']
    process.env['PATH'] = `${folder}:${path}`
    try {
      const slow = await open()
      expect(await slow.stat('/')).toMatchObject({ type: 'directory' })
      await slow.close()
    } finally {
      process.env['PATH'] = path
    }
  })

  test('asks many things in one round trip', async () => {
    const before = host.roundTrips
    const paths = Array.from({ length: 20 }, (_, i) => `${scratch}/many${i}`)
    await Promise.all(paths.map((path) => host.write(path, path)))
    const read = await Promise.all(paths.map((path) => host.read(path)))
    expect(read.map(String)).toEqual(paths)
    expect(host.roundTrips - before).toBe(2)
  })

  test('asks beforehand for what the last session read', async () => {
    await host.write(`${scratch}/known`, 'x')
    const look = async (over: SshHost): Promise<unknown[]> => [
      (await over.stat(`${scratch}/known`))?.size,
      String(await over.read(`${scratch}/known`)),
      await over.hash(`${scratch}/known`, 'sha256'),
      await over.which('sh'),
      (await over.user('root'))?.uid,
      String(Buffer.from((await over.run({ argv: ['id', '-u'] })).stdout)),
    ]
    const first = await open()
    const seen = await look(first)
    const next = await open()
    await next.prefetch(first.recorded())
    const before = next.roundTrips
    expect(await look(next)).toEqual(seen)
    expect(next.roundTrips).toBe(before)
    await next.write(`${scratch}/known`, 'longer')
    expect((await next.stat(`${scratch}/known`))?.size).toBe(6)
    await Promise.all([first.close(), next.close()])
  })

  test('knows the target by the first answer', async () => {
    const before = host.roundTrips
    const env = await host.env()
    expect(await host.identity()).toEqual({ uid: process.geteuid?.(), gid: process.getegid?.() })
    expect([env.has('PATH'), env.has('_'), Math.abs(host.now() - Date.now() / 1000) < 5]).toEqual([true, false, true])
    expect((await host.hostname()).length).toBeGreaterThan(0)
    expect(host.roundTrips).toBe(before)
  })

  test.each([
    ['text', Buffer.from("it's a \\ text\nwith lines\n\n")],
    ['every byte', Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256))],
    ['nothing', Buffer.alloc(0)],
    ['much that can be compressed', Buffer.alloc(3_000_000, 'abcdefgh')],
    ['much that cannot', Buffer.from(Array.from({ length: 400_000 }, (_, i) => (i * i * 31 + (i >> 3)) % 251))],
  ])('carries content as it is: %s', async (_name, content) => {
    const path = `${scratch}/content`
    await host.write(path, content, { mode: 0o640 })
    expect(readFileSync(path).equals(content)).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(Buffer.from(await host.read(path)).equals(content)).toBe(true)
    const pieces: Uint8Array[] = []
    for await (const piece of host.stream(path)) pieces.push(piece)
    expect(Buffer.concat(pieces).equals(content)).toBe(true)
    const { stdout } = await host.run({ argv: ['cat'], stdin: content })
    expect(Buffer.from(stdout).equals(content)).toBe(true)
  })

  test('takes names of every kind', async () => {
    const folder = `${scratch}/names`
    await host.makeDirectory(folder)
    const names = ['-rf', "it's", 'two\nlines\n', ' $HOME `id` ', '*', '.hidden', 'ümläut', '"']
    for (const name of names) await host.write(`${folder}/${name}`, name)
    expect((await host.list(folder)).sort()).toEqual(readdirSync(folder).sort())
    expect(readdirSync(folder).sort()).toEqual([...names].sort())
    for (const name of names) expect(String(await host.read(`${folder}/${name}`))).toBe(name)
    await host.symlink('-odd', `${folder}/link`)
    expect(await host.readLink(`${folder}/link`)).toBe('-odd')
    expect(await host.list(`${folder}/../names`)).toHaveLength(names.length + 1)
    await host.removeDirectory(folder, { recursive: true })
  })

  test('keeps what commands write to their own pipes out of other answers', async () => {
    const pid = await host.start({ argv: ['/bin/sh', '-c', 'sleep 0.2; echo noise; echo noise >&2'] })
    await until('the command ended', () => !existsSync(`/proc/${pid}`))
    expect(await shell('echo answer')).toBe('answer\n')
  })

  test('answers other requests while a command runs', async () => {
    const control = `${scratch}/go`
    const waiting = shell(`until [ -e ${control} ]; do sleep 0.05; done; echo done`)
    expect(await host.stat(control)).toBeUndefined()
    await host.write(control, '')
    expect(await waiting).toBe('done\n')
  })

  test('ends a command that is aborted', async () => {
    const controller = new AbortController()
    let pid = 0
    const started = (own: number): void => {
      pid = own
      controller.abort(new Error('enough'))
    }
    const command = host.run({ argv: ['sleep', '900'], signal: controller.signal, started })
    await expect(command).rejects.toThrow('enough')
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('runs nothing that the name of a directory says', async () => {
    // a user of the target chooses where links in that user's directories lead
    const [folder, link] = [join(scratch, 'a;>proof-of-a-name;b'), join(scratch, 'plain')]
    mkdirSync(folder)
    symlinkSync(folder, link)
    const large = Buffer.alloc(100_000, 'x')
    await host.write(join(link, 'large'), large)
    expect(readFileSync(join(folder, 'large'))).toEqual(large)
    expect(await shell('if [ -e proof-of-a-name ]; then rm proof-of-a-name; echo run; fi')).toBe('')
  })

  test('passes environment and streams', async () => {
    await host.setEnv('COLOUR', "it's blue")
    expect(await shell('echo "$COLOUR"')).toBe("it's blue\n")
    await host.setEnv('COLOUR', null)
    expect(await shell('echo "${COLOUR-none}"')).toBe('none\n')
    const pieces: string[] = []
    const env = new Map([['odd.name', 'x y']])
    await host.run({ argv: ['env'], env, cleanEnv: true, hear: (piece) => pieces.push(Buffer.from(piece).toString()) })
    expect(pieces.join('')).toBe('odd.name=x y\n')
  })

  test('holds temporary files in memory until a command can see them', async () => {
    const before = host.roundTrips
    const path = await host.tempFile({ content: 'held', directory: scratch })
    expect([String(await host.read(path)), existsSync(path)]).toEqual(['held', false])
    expect(await shell(`cat ${path}`)).toBe('held')
    expect([host.roundTrips - before, statSync(path).mode & 0o777]).toEqual([1, 0o600])
  })

  test('starts a program with streams', async () => {
    const child = await host.spawn(['/bin/sh', '-c', 'read line; echo "got $line"; echo problem >&2'])
    const [out, err] = ['', '']
    const gathered = { out, err }
    child.stdout!.on('data', (piece) => {
      gathered.out += piece
    })
    child.stderr!.on('data', (piece) => {
      gathered.err += piece
    })
    child.stdin!.end('word\n')
    await new Promise((done) => child.once('close', done))
    expect(gathered).toEqual({ out: 'got word\n', err: 'problem\n' })
  })

  test('runs plain lines in the login shell', async () => {
    const { retcode, stdout } = await host.raw('echo plain; exit 3')
    expect([retcode, Buffer.from(stdout).toString()]).toEqual([3, 'plain\n'])
  })

  test('follows no link that another user may have put into a shared folder', async () => {
    const shared = `${scratch}/shared`
    await host.makeDirectory(shared)
    await host.chmod(shared, 0o1777)
    symlinkSync(`${scratch}/through`, `${shared}/own`)
    await host.write(`${shared}/own`, 'own')
    expect(readFileSync(`${scratch}/through`, 'utf8')).toBe('own')
    if (process.geteuid?.() !== 0) return
    symlinkSync(`${scratch}/victim`, `${shared}/trap`)
    execFileSync('chown', ['-h', 'nobody', `${shared}/trap`])
    await expect(host.write(`${shared}/trap`, 'x')).rejects.toThrow('[Errno 13] Permission denied')
    await expect(host.realPath(`${shared}/trap`)).rejects.toThrow('[Errno 13] Permission denied')
    expect(existsSync(`${scratch}/victim`)).toBe(false)
  })

  test('reaches sockets of the target', async () => {
    const server = createServer((socket) => socket.end('hello'))
    const path = `${scratch}/socket`
    for (const address of [{ path }, { host: '127.0.0.1', port: await freePort() }]) {
      await new Promise<void>((done) => server.listen('path' in address ? path : address.port, done))
      const connection = await host.connect(address)
      expect(Buffer.from((await connection.read()) ?? []).toString()).toBe('hello')
      expect(await connection.read()).toBeUndefined()
      connection.close()
      await new Promise((done) => server.close(done))
      await expect(host.connect(address)).rejects.toThrow(/Connection refused|No such file/)
    }
  })

  test('is used again by the next program, but not with other credentials', async () => {
    const logins = (): number => sshd.log().split('Accepted publickey').length
    const before = logins()
    await (await open()).close()
    expect(logins()).toBe(before)
    await (await open({ options: ['LogLevel=ERROR'] })).close()
    expect(logins()).toBe(before + 1)
  })

  test('takes PATH and umask from the target description', async () => {
    const other = await open({ path: `${scratch}/bin:$PATH`, umask: 0o027 })
    const { stdout } = await other.run({ argv: ['/bin/sh', '-c', 'umask; echo "$PATH"'] })
    expect(Buffer.from(stdout).toString()).toMatch(new RegExp(`^0027\n${scratch}/bin:/`))
    expect(await other.umask()).toBe(0o027)
    await other.close()
  })

  test.each(SHELLS)('works through a terminal: %s', async (shell) => {
    const options = { log: silentLog, runtimeDir: sshd.runtimeDir, shell }
    const other = await SshHost.open({ ...sshd.target, tty: true }, options)
    const result = await other.run({ argv: ['/bin/sh', '-c', 'echo out; echo err >&2; exit 4'] })
    expect([String(Buffer.from(result.stdout)), String(Buffer.from(result.stderr)), result.retcode]).toEqual([
      'out\n',
      'err\n',
      4,
    ])
    const content = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256))
    await other.write(`${scratch}/terminal`, content)
    expect(Buffer.from(await other.read(`${scratch}/terminal`)).equals(content)).toBe(true)
    await expect(other.read(`${scratch}/nothing`)).rejects.toThrow('[Errno 2]')
    await other.close()
  })

  test('leaves nothing running and no file when it is closed', async () => {
    const other = await open()
    const running = other.run({ argv: ['sleep', '900'], started: (pid) => void pids.push(pid) })
    const pids: number[] = []
    await until('it runs', () => pids.length > 0)
    running.catch(() => {})
    await other.close()
    expect(() => process.kill(pids[0]!, 0)).toThrow('ESRCH')
  })

  test('tells every request that the connection was lost, and leaves no temporary file', async () => {
    const server = await startSshd()
    const other = await open({}, server)
    const folder = `${scratch}/lost`
    await other.makeDirectory(folder)
    const running = failureOf(other.run({ argv: ['/bin/sh', '-c', `while [ -e ${folder} ]; do sleep 0.1; done`] }))
    const endless = async function* (): AsyncIterable<Uint8Array> {
      for (let i = 0; ; i++) {
        if (i === 40) await server.crash()
        yield Buffer.alloc(10_000, i % 256)
      }
    }
    const writing = failureOf(other.writeStream(`${folder}/file`, endless()))
    expect([(await writing).code, (await running).code]).toEqual(['ConnectionLost', 'ConnectionLost'])
    expect((await failureOf(other.stat('/'))).code).toBe('ConnectionLost')
    await until('the folder is empty', () => readdirSync(folder).length === 0)
    // a command goes on without its connection
    rmSync(folder, { recursive: true })
    await other.close()
    await server.stop()
  })

  describe('that cannot be reached', () => {
    test.each<[string, (server: TestSshd) => Promise<Partial<SshTarget>>, string, RegExp]>([
      [
        'a refused port',
        async () => ({ port: await freePort() }),
        'Unreachable',
        /^ssh: connect to host .* Connection refused/,
      ],
      ['an unknown name', async () => ({ host: 'nosuch.invalid' }), 'Unreachable', /^ssh: Could not resolve hostname/],
      [
        'an unknown host key',
        async () => ({ knownHostsFile: emptyFile() }),
        'HostKeyUnknown',
        /^\s*The authenticity of host '\[127/,
      ],
      [
        'a changed host key',
        async (server) => ({ knownHostsFile: changedKey(server) }),
        'HostKeyChanged',
        /HAS CHANGED/,
      ],
      [
        'a refused key',
        async ({ strangeIdentity }) => ({ identity: strangeIdentity }),
        'LoginRefused',
        /Permission denied \(/,
      ],
      ['a bad host name', async () => ({ host: '-oProxyCommand=x' }), 'Unreachable', /^$/],
    ])('says why: %s', async (_name, more, code, said) => {
      const target = { ...sshd.target, ...(await more(sshd)) }
      const options = { log: silentLog, runtimeDir: sshd.runtimeDir }
      for (const attempt of [() => SshHost.open(target, options), () => rawCommand(target, 'true', options)]) {
        const error = await failureOf(attempt())
        expect(error.code).toBe(code)
        expect(error.said).toMatch(said)
      }
    })

    test.each<[string, string, string, RegExp]>([
      ['no shell', 'ForceCommand /bin/false', 'NoShell', /No POSIX shell can be started on 127.0.0.1/],
      [
        'words of Windows',
        `ForceCommand echo "'exec' is not recognized as an internal or external command" >&2; exit 1`,
        'NoShell',
        /Windows/,
      ],
    ])('says why: %s', async (_name, line, code, message) => {
      const server = await startSshd({ config: [line] })
      const error = await failureOf(open({}, server))
      expect([error.code, message.test(error.message)]).toEqual([code, true])
      await server.stop()
    })

    test('accepts any host key when told so', async () => {
      const file = emptyFile()
      await (await open({ hostKeys: 'ignore', knownHostsFile: file })).close()
      expect(readFileSync(file, 'utf8')).toBe('')
      await (await open({ hostKeys: 'accept', knownHostsFile: file })).close()
      expect(readFileSync(file, 'utf8')).toContain(sshd.hostKey)
    })
  })
})

/** A name by which busybox is a shell. */
function busyboxShell(): string {
  const path = join(scratch, 'sh')
  symlinkSync('/bin/busybox', path)
  return path
}

let files = 0

function emptyFile(): string {
  const path = join(scratch, `known${files++}`)
  writeFileSync(path, '')
  return path
}

function changedKey({ port, folder }: TestSshd): string {
  const path = emptyFile()
  const [type, key] = readFileSync(join(folder, 'strange.pub'), 'utf8').split(' ')
  writeFileSync(path, `[127.0.0.1]:${port} ${type} ${key}\n`)
  return path
}
