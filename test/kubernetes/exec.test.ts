// Commands in pods and copies into them and out of them, against the small API server, which speaks the subprotocols of a kubelet.
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Dict,
  fromPlain,
  type Plain,
  type TarEntry,
  tarHead,
  tarPadding,
  toPlain,
  type Value,
} from '../../src/data/mod.ts'
import { moduleTable, Registry } from '../../src/loader/mod.ts'
import { ApiServer } from './api-server.ts'
import type { AnyObject } from './client.ts'
import type { ExecOptions } from './exec-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-exec-'))
/** The folder in place of the containers' file system. */
const inside = join(folder, 'inside')
const outside = join(folder, 'outside')
const file = (name: string): string => join(folder, name)

const spec = (...names: string[]): AnyObject => ({ containers: names.map((name) => ({ name, image: 'busybox' })) })
const TOKENS = new Map([
  ['token-of-ann', 'ann'],
  ['token-of-bob', 'bob'],
])

async function start(exec: Partial<ExecOptions> = {}): Promise<ApiServer> {
  const server = await ApiServer.start({
    tokens: TOKENS,
    exec: { folder: inside, forbidden: new Set(['bob']), ...exec },
  })
  server.put('pods', 'web', { spec: spec('main') }, 'default')
  server.put('pods', 'pair', { spec: spec('main', 'side') }, 'default')
  return server
}

type Call = (fun: string, args?: Plain[], kwargs?: Record<string, Plain>) => Promise<AnyObject>

const callerOf =
  (server: ApiServer, token = 'token-of-ann'): Call =>
  async (fun, args = [], kwargs = {}) => {
    const { ctx } = new Registry(moduleTable, {
      opts: fromPlain({ 'kubernetes.host': server.url, 'kubernetes.api_key': token }) as Dict,
      grains: new Map(),
      pillar: new Map(),
    })
    const given = Object.entries(kwargs).map(([name, value]): [string, Value] => [name, fromPlain(value)])
    return toPlain((await ctx.call(`kubernetes.${fun}`, args.map(fromPlain), Object.fromEntries(given))) as Value)
  }

let newer: ApiServer
let older: ApiServer
beforeAll(async () => {
  newer = await start()
  older = await start({ protocols: ['v4.channel.k8s.io', 'channel.k8s.io'] })
})
beforeEach(() => {
  for (const path of [inside, outside]) {
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path)
  }
})
afterAll(async () => {
  await newer.stop()
  await older.stop()
  rmSync(folder, { recursive: true })
})

describe.each([
  ['v5', () => newer],
  ['v4', () => older],
])('exec over %s', (_protocol, server) => {
  const call: Call = (...args) => callerOf(server())(...args)

  test('returns output and exit codes of lines and of lists', async () => {
    expect(await call('exec', ['web', 'echo out; echo err >&2; exit 3'])).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      retcode: 3,
    })
    writeFileSync(join(inside, 'a b'), 'grüße')
    expect(await call('exec', ['web', ['cat', 'a b'], 'default', 'main'])).toEqual({
      stdout: 'grüße',
      stderr: '',
      retcode: 0,
    })
    expect(server().requests.at(-1)).toBe(
      'GET /api/v1/namespaces/default/pods/web/exec?container=main&command=cat&command=a+b&stdin=false&stdout=true&stderr=true&tty=false',
    )
    expect((await call('exec', ['web', 'head -c 3000000 /dev/zero'])).stdout).toHaveLength(3_000_000)
  })

  test('gives stdin to a command, which may end before it has read all', async () => {
    const stdin = 'x'.repeat(100_000)
    expect(await call('exec', ['web', 'head -c 100000 | wc -c'], { stdin })).toMatchObject({ stdout: '100000\n' })
    expect(await call('exec', ['web', 'true'], { stdin: 'x'.repeat(5_000_000) })).toMatchObject({ retcode: 0 })
  })

  test('returns the output so far at the time limit', async () => {
    expect(await call('exec', ['web', 'echo start; exec sleep 60'], { timeout: 1 })).toEqual({
      stdout: 'start\n',
      stderr: '\nexec timed out after 1s; command may still be running in the pod.\n',
      retcode: -1,
    })
  })

  test('fails when a command cannot run', async () => {
    await expect(call('exec', ['web', ['no-such-program']])).rejects.toThrow(
      /^Cannot run 'no-such-program' in pod default\/web: .*executable file not found in \$PATH/,
    )
    await expect(call('exec', ['gone', 'true'])).rejects.toThrow('Pod gone not found in default')
    await expect(call('exec', ['pair', 'true'])).rejects.toThrow('choose one of: [main side]')
    await expect(call('exec', ['web', 'true'], { container: 'side' })).rejects.toThrow(
      'status 400: container side is not valid for pod web',
    )
    await expect(callerOf(server(), 'token-of-bob')('exec', ['web', 'true'])).rejects.toThrow(
      /User "bob" cannot get resource "pods\/exec".* need the verbs get and create for pods\/exec$/,
    )
    await expect(callerOf(server(), 'stale')('exec', ['web', 'true'])).rejects.toThrow('status 401')
    await expect(call('exec', ['web', []])).rejects.toThrow('The command is empty')
    await expect(call('exec', ['..', 'true'])).rejects.toThrow('cannot be the name of a Pod')
  })
})

describe('exec', () => {
  test('ends stdin over v5, and says that v4 cannot', async () => {
    expect(await callerOf(newer)('exec', ['web', 'cat'], { stdin: 'all of it' })).toMatchObject({
      stdout: 'all of it',
      retcode: 0,
    })
    const { stdout, stderr } = await callerOf(older)('exec', ['web', 'cat'], { stdin: 'all of it', timeout: 1 })
    expect(stdout).toBe('all of it')
    expect(stderr).toContain('cannot tell a command that stdin is complete')
  })

  test('joins the outputs of a terminal', async () => {
    await callerOf(newer)('exec', ['web', 'true'], { tty: true })
    expect(newer.requests.at(-1)).toMatch(/stderr=false&tty=true$/)
  })

  test('fails when the output exceeds the limit of a return', async () => {
    await expect(callerOf(newer)('exec', ['web', 'cat /dev/zero'])).rejects.toThrow('prints more than 16777216 bytes')
  })

  const TAKEN: [string, ExecOptions['take'], string | RegExp][] = [
    ['cut', (socket) => socket.terminate(), /ended before the command 'true' did: The connection was cut$/],
    ['closed', (socket) => socket.close(1000), 'the API server closed the connection'],
    ['ended with no object', (socket) => socket.send(Buffer.from('\x03nonsense')), 'a status that is no object'],
    ['ended without end', (socket) => socket.send(Buffer.from(`\x03${'x'.repeat(70_000)}`)), /no object: x{300}$/],
    [
      'refused within',
      (socket) => socket.send(Buffer.from('\x03{"status":"Failure","message":"no"}')),
      /pod default\/web: no$/,
    ],
    ['flooded', (socket) => socket.send(Buffer.alloc(17 * 1024 * 1024)), 'Max payload size exceeded'],
  ]
  test.each(TAKEN)('fails when the connection is %s', async (_what, take, message) => {
    const server = await start({
      take: (socket) => {
        take?.(socket)
        socket.close()
      },
    })
    try {
      await expect(callerOf(server)('exec', ['web', ['true']])).rejects.toThrow(message)
    } finally {
      await server.stop()
    }
  })

  test('is refused in time by a server that does not answer', async () => {
    const faults = [{ status: 429, headers: { 'Retry-After': '30' } }]
    const server = await ApiServer.start({ faults, exec: { folder: inside, take: () => undefined } })
    try {
      server.put('pods', 'web', { spec: spec('main') }, 'default')
      expect(await callerOf(server)('exec', ['web', ['true']], { timeout: 1 })).toMatchObject({ retcode: -1 })
    } finally {
      await server.stop()
    }
  })
})

/** Make a tree with all that a copy keeps. */
function makeTree(path: string): void {
  mkdirSync(join(path, 'empty'), { recursive: true })
  mkdirSync(join(path, 'd'.repeat(90), 'e'.repeat(90)), { recursive: true })
  writeFileSync(join(path, 'd'.repeat(90), 'e'.repeat(90), 'long.txt'), 'long')
  writeFileSync(join(path, 'big'), Buffer.alloc(3_000_000, 'ab'))
  writeFileSync(join(path, 'run me'), '#!/bin/sh\n')
  chmodSync(join(path, 'run me'), 0o755)
  writeFileSync(join(path, 'none'), '')
  symlinkSync('../big', join(path, 'empty', 'up'))
  symlinkSync('run me', join(path, 'beside'))
}

function expectTree(path: string): void {
  expect(readdirSync(path).sort()).toEqual(['beside', 'big', 'd'.repeat(90), 'empty', 'none', 'run me'])
  expect(readFileSync(join(path, 'big')).equals(Buffer.alloc(3_000_000, 'ab'))).toBe(true)
  expect(readFileSync(join(path, 'd'.repeat(90), 'e'.repeat(90), 'long.txt'), 'utf8')).toBe('long')
  expect(statSync(join(path, 'run me')).mode & 0o777).toBe(0o755)
  expect(readlinkSync(join(path, 'empty', 'up'))).toBe('../big')
  expect(readlinkSync(join(path, 'beside'))).toBe('run me')
}

describe.each([
  ['v5', () => newer],
  ['v4', () => older],
])('copies over %s', (_protocol, server) => {
  const call: Call = (...args) => callerOf(server())(...args)

  test('keep files, directories, modes, links and long names', async () => {
    makeTree(join(outside, 'site'))
    expect(await call('cp_to', ['web', join(outside, 'site'), inside])).toEqual({ retcode: 0 })
    expectTree(join(inside, 'site'))
    mkdirSync(file('outside/back'))
    expect(await call('cp_from', ['web', join(inside, 'site/'), file('outside/back')])).toEqual({ retcode: 0 })
    expectTree(file('outside/back/site'))
    expect(readdirSync(file('outside/back'))).toEqual(['site'])
    expect(await call('cp_from', ['web', join(inside, 'site/big'), file('outside/back')])).toEqual({ retcode: 0 })
    expect(statSync(file('outside/back/big')).size).toBe(3_000_000)
  })

  test("fail with tar's error", async () => {
    await expect(call('cp_to', ['web', file('nothing'), inside])).rejects.toThrow('Local source path does not exist')
    writeFileSync(file('outside/one'), '1')
    await expect(call('cp_to', ['web', file('outside/one'), join(inside, 'missing')])).rejects.toThrow(
      /^cp_to failed \(retcode=2\); pod stderr: .*missing/s,
    )
    await expect(call('cp_from', ['web', join(inside, 'missing'), outside])).rejects.toThrow(
      /^cp_from failed \(retcode=2\); pod stderr: .*missing/s,
    )
    await expect(call('cp_from', ['web', inside, file('nothing')])).rejects.toThrow(
      'Local destination must be a directory',
    )
    await expect(call('cp_from', ['web', '/', outside])).rejects.toThrow('must end in the name of a file or directory')
    expect(readdirSync(outside)).toEqual(['one'])
  })
})

test('Copies from a container merge into a directory, replace links, and stop at what is in the way', async () => {
  const call = callerOf(newer)
  mkdirSync(join(inside, 'site/conf'), { recursive: true })
  writeFileSync(join(inside, 'site/conf/a'), 'new')
  writeFileSync(join(inside, 'site/b'), 'new')
  mkdirSync(file('outside/site/conf'), { recursive: true })
  writeFileSync(file('outside/site/conf/kept'), 'kept')
  writeFileSync(file('outside/victim'), 'victim')
  symlinkSync('../victim', file('outside/site/b'))
  await call('cp_from', ['web', join(inside, 'site'), outside])
  expect(readFileSync(file('outside/site/conf/a'), 'utf8')).toBe('new')
  expect(readFileSync(file('outside/site/conf/kept'), 'utf8')).toBe('kept')
  expect(readFileSync(file('outside/victim'), 'utf8')).toBe('victim')
  expect(lstatSync(file('outside/site/b')).isFile()).toBe(true)
  rmSync(file('outside/site/conf'), { recursive: true })
  symlinkSync('..', file('outside/site/conf'))
  writeFileSync(join(inside, 'site/b'), 'newer')
  await expect(call('cp_from', ['web', join(inside, 'site'), outside])).rejects.toThrow(
    'outside/site/conf is in the way: it is no directory',
  )
  // nothing is copied when something is in the way
  expect(readFileSync(file('outside/site/b'), 'utf8')).toBe('new')
})

const DAMAGED = 'evil.tar'
interface Member extends Partial<Omit<TarEntry, 'kind'>> {
  type?: string
  body?: string
}

/** Return an archive with members of any type. */
function archive(...members: Member[]): Buffer {
  const blocks = members.flatMap(({ type = '0', body = '', path = 'app', mode = 0o644, mtime = 0, link = '' }) => {
    const size = body.length
    const head = tarHead({ path, kind: 'file', size, mode, mtime, link })
    head.write(type, 156, 'latin1')
    head.fill(' ', 148, 156)
    const sum = head.reduce((total, byte) => total + byte, 0)
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    return [head, Buffer.from(body), Buffer.alloc(tarPadding(size))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

describe('an archive of a hostile container', () => {
  let server: ApiServer
  beforeAll(async () => {
    const bin = file('bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'tar'), `#!/bin/sh\nexec /bin/cat ${file(DAMAGED)}\n`, { mode: 0o755 })
    server = await start({ path: bin })
  })
  afterAll(() => server.stop())

  const directory: Member = { path: 'app/', type: '5', mode: 0o755 }
  const HOSTILE: [string, Buffer, string][] = [
    ['a way up', archive({ path: 'app/../../evil' }), 'is outside of app'],
    ['an absolute path', archive({ path: '/tmp/evil' }), 'is outside of app'],
    ['another name', archive({ path: 'other', body: 'x' }), 'names "other", which is outside of app'],
    ['a name with a zero byte', archive({ path: 'app/a\0b', type: 'x' }, { path: '' }), 'outside of app'],
    ['an absolute link', archive(directory, { path: 'app/l', type: '2', link: '/etc' }), 'leads out of the copy'],
    ['a link up', archive(directory, { path: 'app/l', type: '2', link: '../x' }), 'leads out of the copy'],
    [
      'a link that goes up later',
      archive(directory, { path: 'app/l', type: '2', link: 'a/../../..' }),
      'out of the copy',
    ],
    ['a link of the same name', archive({ path: 'app', type: '2', link: '..' }), 'leads out of the copy'],
    [
      'a file through a link',
      archive(directory, { path: 'app/l', type: '2', link: 'd' }, { path: 'app/l/evil', body: 'x' }),
      'exists',
    ],
    ['a hard link outside', archive(directory, { path: 'app/h', type: '1', link: '/etc/passwd' }), 'outside of app'],
    ['a hard link to nothing', archive(directory, { path: 'app/h', type: '1', link: 'app/g' }), 'no file before it'],
    ['a device', archive({ path: 'app', type: '3' }), 'no file, directory or link'],
    ['too many bytes', archive({ path: 'app', body: 'x'.repeat(5000) }), 'larger than max_size'],
    ['half a file', archive({ path: 'app', body: 'x'.repeat(900) }).subarray(0, 1024), 'cut short'],
    ['nothing', archive(), 'The archive is empty'],
    ['no archive', Buffer.alloc(2048, 'x'), 'damaged'],
  ]
  test.each(HOSTILE)('with %s is refused, and nothing is written', async (_what, bytes, message) => {
    writeFileSync(file(DAMAGED), bytes)
    const before = readdirSync(folder).sort()
    await expect(callerOf(server)('cp_from', ['web', '/app', outside], { max_size: 4000 })).rejects.toThrow(message)
    expect(readdirSync(outside)).toEqual([])
    expect(readdirSync(folder).sort()).toEqual(before)
  })

  test('keeps from others what a directory keeps from them', async () => {
    const closed: Member = { path: 'app/closed/', type: '5', mode: 0o700 }
    const open: Member = { path: 'app/open/', type: '5', mode: 0o2777 }
    writeFileSync(file(DAMAGED), archive(directory, closed, { path: 'app/closed/f', body: 'x' }, open))
    expect(await callerOf(server)('cp_from', ['web', '/app', outside])).toEqual({ retcode: 0 })
    const modes = ['app', 'app/closed', 'app/open'].map((name) => statSync(join(outside, name)).mode & 0o7777)
    expect(modes).toEqual([0o755, 0o700, 0o755])
  })

  test('gets no rights of other users', async () => {
    const hard: Member = { path: 'app/h', type: '1', link: 'app/f' }
    writeFileSync(file(DAMAGED), archive(directory, { path: './app/f', mode: 0o6777, body: 'x' }, hard))
    expect(await callerOf(server)('cp_from', ['web', '/app', outside])).toEqual({ retcode: 0 })
    expect(statSync(file('outside/app/f')).mode & 0o7777).toBe(0o755)
    expect(readFileSync(file('outside/app/h'), 'utf8')).toBe('x')
  })
})

test('Copies need tar in the container', async () => {
  const bin = file('no-tar')
  mkdirSync(bin)
  symlinkSync('/bin/sh', join(bin, 'sh'))
  symlinkSync('/usr/bin/head', join(bin, 'head'))
  writeFileSync(file('outside/one'), '1')
  for (const protocols of [undefined, ['v4.channel.k8s.io']]) {
    const server = await start({ path: bin, ...(protocols && { protocols }) })
    try {
      const call = callerOf(server)
      await expect(call('cp_to', ['web', file('outside/one'), inside])).rejects.toThrow(/cp_to needs the program.* tar/)
      await expect(call('cp_from', ['web', inside, outside])).rejects.toThrow('cp_from needs the program tar')
    } finally {
      await server.stop()
    }
  }
})

test('A copy ends when its time is over', async () => {
  const server = await start({ take: () => undefined })
  writeFileSync(file('outside/one'), '1')
  try {
    const call = callerOf(server)
    const timeout = { timeout: 1 }
    await expect(call('cp_to', ['web', file('outside/one'), inside], timeout)).rejects.toThrow(
      'cp_to timed out after 1s',
    )
    await expect(call('cp_from', ['web', inside, outside], timeout)).rejects.toThrow('cp_from timed out after 1s')
  } finally {
    await server.stop()
  }
})

const KUBECTL = '/usr/bin/kubectl'

test.skipIf(!existsSync(KUBECTL))('kubectl runs commands and copies over the same server', async () => {
  const server = await ApiServer.start({ exec: { folder: inside } })
  server.put('pods', 'web', { spec: spec('main') }, 'default')
  const args = ['--server', server.url, '--cache-dir', file('cache')]
  const kubectl = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)(KUBECTL, [...args, ...words], { env: { ...process.env, HOME: folder } })).stdout
  try {
    expect(await kubectl('exec', 'web', '--', 'echo', 'hello')).toBe('hello\n')
    await expect(kubectl('exec', 'web', '--', 'sh', '-c', 'exit 7')).rejects.toMatchObject({ code: 7 })
    makeTree(join(outside, 'site'))
    await kubectl('cp', join(outside, 'site'), `web:${inside}/site`)
    expectTree(join(inside, 'site'))
    expect(server.requests.filter((request) => request.includes('/exec?'))).not.toHaveLength(0)
  } finally {
    await server.stop()
  }
})
