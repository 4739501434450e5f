import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
    // an ssh whose stdout lags behind its stderr, as on a busy machine
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

  test('sees what another program did during a pause', async () => {
    const path = `${scratch}/appears`
    expect(await host.stat(path)).toBeUndefined()
    writeFileSync(path, '')
    host.forgetReads()
    expect(await host.stat(path)).toMatchObject({ type: 'file' })
  })

  test('asks many things in one round trip', async () => {
    const before = host.roundTrips
    const paths = Array.from({ length: 20 }, (_, i) => `${scratch}/many${i}`)
    await Promise.all(paths.map((path) => host.write(path, path)))
    const read = await Promise.all(paths.map((path) => host.read(path)))
    expect(read.map(String)).toEqual(paths)
    expect(host.roundTrips - before).toBe(2)
  })

  test('waits for a slow target, and gives up one that starts no other shell', async () => {
    const folder = mkdtempSync(join(scratch, 'hanging-'))
    const [shell, fifo, flag] = ['sh', 'fifo', 'flag'].map((name) => join(folder, name)) as [string, string, string]
    writeFileSync(shell, `#!/bin/sh\n[ -e '${flag}' ] && exec sleep 5\nexec /bin/sh "$@"\n`, { mode: 0o755 })
    execFileSync('mkfifo', [fifo])
    const openWith = (shellTimeout: number): Promise<SshHost> => {
      const options = { log: silentLog, runtimeDir: join(folder, 'run'), shell, requestTimeout: 0.2, shellTimeout }
      return SshHost.open(sshd.target, options)
    }
    const [patient, impatient] = await Promise.all([openWith(60), openWith(0.5)])
    const slow = patient.read(fifo)
    await sleep(1000)
    writeFileSync(fifo, 'late')
    expect(String(await slow)).toBe('late')
    writeFileSync(flag, '')
    const { message } = await failureOf(impatient.read(fifo))
    expect(message).toBe(
      'The connection to 127.0.0.1 was lost: no answer for 0.2 seconds, and no other shell starts there',
    )
    writeFileSync(fifo, '', { flag: 'r+' })
    await Promise.all([patient.close(), impatient.close()])
  })

  test('gives up commands and transfers of a target that hangs, however long others take', async () => {
    const folder = mkdtempSync(join(scratch, 'stuck-'))
    const [shell, flag, fifo] = ['sh', 'flag', 'fifo'].map((name) => join(folder, name)) as [string, string, string]
    writeFileSync(shell, `#!/bin/sh\n[ -e '${flag}' ] && exec sleep 5\nexec /bin/sh "$@"\n`, { mode: 0o755 })
    const options = {
      ...{ log: silentLog, runtimeDir: join(folder, 'run'), shell },
      ...{ requestTimeout: 0.2, shellTimeout: 60 },
    }
    const late = await rawCommand(sshd.target, 'sleep 1; echo late', options)
    expect(String(late.stdout)).toBe('late\n')
    const lost = 'The connection to 127.0.0.1 was lost: no answer for 0.2 seconds, and no other shell starts there'
    const stuck = await SshHost.open(sshd.target, { ...options, shellTimeout: 2 })
    execFileSync('mkfifo', [fifo])
    // behind its first pieces, this file never ends
    const script = `head -c 2000000 /dev/urandom; : > '${fifo}.read'; exec sleep 60`
    const endless = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', openSync(fifo, 'r+'), 'ignore'] })
    const drain = async (): Promise<void> => {
      for await (const _ of stuck.stream(fifo));
    }
    const draining = failureOf(drain())
    await until('the pieces were read', () => existsSync(`${fifo}.read`))
    writeFileSync(flag, '')
    expect((await draining).message).toBe(lost)
    endless.kill()
    await stuck.close().catch(() => {})
    rmSync(flag)
    const connecting = rawCommand(sshd.target, `: > '${flag}'; sleep 60`, { ...options, shellTimeout: 2 })
    expect((await failureOf(connecting)).message).toBe(lost)
  })

  test('requests the reads of the last session in advance', async () => {
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

  test('uses neither a forecast nor an earlier answer after a change', async () => {
    const [file, other, link] = ['plan-file', 'plan-other', 'plan-link'].map((name) => join(scratch, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(file, 'one')
    writeFileSync(other, 'longer than one')
    writeFileSync(link, 'one')
    const line = (text: string): Parameters<SshHost['run']>[0] => ({ argv: ['/bin/sh', '-c', text] })
    const look = async (over: SshHost): Promise<unknown[]> => [
      (await over.stat(link))?.size,
      (await over.lstat(link))?.type,
      String(await over.read(link)),
      await over.realPath(link),
      (await over.run(line(`test -f ${file}`))).retcode,
      (await over.stat(file))?.size,
    ]
    const first = await open()
    expect(await look(first)).toEqual([3, 'file', 'one', link, 0, 3])
    // the path became a link between two runs
    rmSync(link)
    symlinkSync(other, link)
    const next = await open()
    await next.prefetch(first.recorded())
    expect(await look(next)).toEqual([15, 'link', 'longer than one', other, 0, 3])
    // commands change files of the plan, and so does a link to them
    await next.run(line(`echo 'four' > ${file}; ln -sf ${file} ${link}`))
    expect(await look(next)).toEqual([5, 'link', 'four\n', file, 0, 5])
    await next.write(link, 'by the link')
    expect((await next.stat(file))?.size).toBe(11)
    await next.run(line(`rm ${file}`))
    expect([(await next.run(line(`test -f ${file}`))).retcode, await next.stat(file)]).toEqual([1, undefined])
    await Promise.all([first.close(), next.close()])
  })

  test('reports the same for many files as for one', async () => {
    const folder = mkdtempSync(join(scratch, 'many-'))
    const at = (name: string): string => join(folder, name)
    writeFileSync(at("it's\n here"), 'x')
    symlinkSync('nowhere', at('dangling'))
    symlinkSync('loop', at('loop'))
    const names = ["it's\n here", 'dangling', 'absent', 'absent/below', "it's\n here/below", '.']
    const fresh = await open()
    const stats = await Promise.all(names.flatMap((name) => [fresh.stat(at(name)), fresh.lstat(at(name))]))
    expect(stats.map((stat) => stat?.type)).toEqual([
      ...['file', 'file', undefined, 'link', undefined, undefined, undefined, undefined, undefined, undefined],
      ...['directory', 'directory'],
    ])
    await expect(fresh.stat(at('loop'))).rejects.toThrow('Too many levels')
    const sums = await Promise.allSettled([fresh.hash(at("it's\n here"), 'sha256'), fresh.hash(at('absent'), 'sha256')])
    expect(sums.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await fresh.close()
  })

  test('leaves an owner as it is where no part of it is to change', async () => {
    const path = join(mkdtempSync(join(scratch, 'owned-')), 'file')
    await expect(host.chown(path, -1, -1)).rejects.toThrow('No such file')
    await host.write(path, '')
    const { uid, gid } = statSync(path)
    await host.chown(path, -1, -1)
    await host.lchown(path, -1, -1)
    expect(await host.stat(path)).toMatchObject({ uid, gid })
  })

  test.runIf(process.geteuid?.() === 0)('writes in directories of others without following their links', async () => {
    const folder = mkdtempSync(join(scratch, 'theirs-'))
    execFileSync('chown', ['nobody', folder])
    await host.write(join(folder, 'file'), 'text', { mode: 0o754 })
    expect([statSync(join(folder, 'file')).mode & 0o7777, readdirSync(folder)]).toEqual([0o754, ['file']])
    await expect(host.write(join(folder, 'absent', 'file'), 'text')).rejects.toThrow('No such file')
    expect(readdirSync(folder)).toEqual(['file'])
    await host.write(join(folder, 'file'), 'x'.repeat(100_000), { mode: 0o644 })
    expect([statSync(join(folder, 'file')).size, readdirSync(folder)]).toEqual([100_000, ['file']])
  })

  describe.runIf(process.geteuid?.() === 0)('in a directory whose owner swaps the temporary directory', () => {
    test.each([
      ['at once', 0],
      ['while its content arrives', 1],
    ])('puts no large file in place, swapped %s', async (_when, minimum) => {
      const folder = mkdtempSync(join(scratch, 'theirs-'))
      const trap = mkdtempSync(join(scratch, 'trap-'))
      writeFileSync(join(trap, 'content'), 'theirs')
      execFileSync('chown', ['-R', 'nobody', folder, trap])
      const swapping = async function* () {
        yield randomBytes(100_000)
        const written = (): number => {
          const path = join(folder, readdirSync(folder)[0] ?? 'none', 'content')
          return existsSync(path) ? statSync(path).size : -1
        }
        await until('the file is being written', () => written() >= minimum)
        const [name] = readdirSync(folder)
        renameSync(join(folder, name!), join(folder, 'moved'))
        symlinkSync(trap, join(folder, name!))
        yield Buffer.alloc(100_000, 'b')
      }
      await expect(host.writeStream(join(folder, 'file'), swapping(), { mode: 0o4755 })).rejects.toThrow(
        'Permission denied',
      )
      expect(existsSync(join(folder, 'file'))).toBe(false)
      const theirs = statSync(join(trap, 'content'))
      expect([theirs.size, theirs.mode & 0o7777]).toEqual([6, 0o644])
    })
  })

  test('reads files that compress as it reads others, and fails where the file is gone', async () => {
    const path = join(scratch, 'long')
    for (const content of [Buffer.alloc(5 << 20, 'line of a log\n'), randomBytes(3 << 20)]) {
      writeFileSync(path, content)
      const pieces: Uint8Array[] = []
      for await (const piece of host.stream(path)) pieces.push(piece)
      expect(Buffer.concat(pieces).equals(content)).toBe(true)
    }
    writeFileSync(path, Buffer.alloc(5 << 20, 'x'))
    const reading = host.stream(path)[Symbol.asyncIterator]()
    await reading.next()
    rmSync(path)
    await expect(reading.next()).rejects.toThrow('No such file')
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

    test('accepts any host key if configured', async () => {
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
