// Edge cases of programs: unknown jobs, pending keys, input that ends, interrupted commands, and masters that lack a
// command.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { salt, saltCall, saltRun } from '../../src/cli/mod.ts'
import { LocalClient } from '../../src/client/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import { openTransport } from '../../src/wire/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

let site: TestSite

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

interface Ended {
  status: number | null
  out: string
  err: string
}

type Program = (argv: readonly string[], streams: Parameters<typeof salt>[1]) => Promise<number>

async function run(program: Program, words: string[]): Promise<Ended> {
  let [out, err] = ['', '']
  const streams = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    terminal: false,
  }
  const status = await program(words, streams)
  return { status, out, err }
}

type Running = ChildProcessByStdio<null, Readable, Readable>

/** Start a program as a separate process without input. */
function start(program: string, words: string[]): { child: Running; printed: () => string; ended: Promise<Ended> } {
  const file = join(import.meta.dirname, `../../dist/${program}.js`)
  const argv = [file, ...words]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  const ended = new Promise<Ended>((done) => child.once('close', (status) => done({ status, out, err })))
  return { child, printed: () => out, ended }
}

test('salt-run reports that a job is not known, or that there is no return', async () => {
  const master = await site.master()
  const looked = await run(saltRun, ['-c', master.config, 'jobs.lookup_jid', '20000101000000000000'])
  expect(looked).toMatchObject({ status: 0, out: '' })
  expect(looked.err).toContain('Job 20000101000000000000 is not known')
  const printed = await run(saltRun, ['-c', master.config, 'jobs.print_job', '20000101000000000000'])
  expect(printed).toMatchObject({ status: 0, out: expect.stringContaining('no job with this jid') })
  expect(printed.err).toContain('Job 20000101000000000000 is not known')
  const minion = await site.minion('web1')
  await minion.close()
  const jid = await master.publish('web1', 'test.ping')
  const silent = await run(saltRun, ['-c', master.config, 'jobs.lookup_jid', jid])
  expect(silent).toMatchObject({ status: 0, out: '' })
  expect(silent.err).toContain(`No minion has returned job ${jid}, which was published for web1`)
})

test('saltutil.kill_job names the process of the job', async () => {
  const master = await site.master()
  await site.minion('web1')
  const file = join(site.root, 'pid')
  const jid = await master.publish('web1', 'cmd.run', [`echo $$ > ${file}.new; mv ${file}.new ${file}; sleep 600`])
  await until('the process of the job', () => existsSync(file))
  const pid = readFileSync(file, 'utf8').trim()
  expect(await master.ask('web1', 'saltutil.kill_job', [jid])).toBe(`Signal 9 sent to job ${jid} at pid ${pid}`)
})

test.each([
  ['a job', ['--show-jid'], (jid: string) => [`salt-run jobs.lookup_jid ${jid}`, `saltutil.kill_job ${jid}`]],
  ['a batch', ['-b', '1'], (jid: string) => [`salt-run batch.status ${jid}`, `salt-run batch.stop ${jid}`]],
])('Ctrl-C says that %s goes on, and how to follow and to stop it', async (_, words, told) => {
  const master = await site.master()
  await site.minion('web1')
  const go = join(site.root, 'go')
  const held = `until [ -e ${go} ]; do sleep 0.1; done`
  const { child, printed, ended } = start('salt', ['-c', master.config, ...words, 'web1', 'cmd.run', held])
  await until('the job', () => /^jid: \d+$|^Executing run on/m.test(printed()))
  const isHeld = ({ data }: { data: Map<unknown, unknown> }): boolean => data.get('fun') === 'cmd.run'
  const jid = master.seen.find(isHeld)!.tag.split('/')[2]!
  child.kill('SIGINT')
  const { status, err } = await ended
  writeFileSync(go, '')
  await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
  expect(status).toBe(1)
  expect(err).toContain(`This job's jid is: ${jid}`)
  for (const line of told(jid)) expect(err).toContain(line)
})

test.each([
  ['salt-call', ['--local', 'cmd.run']],
  ['salt-run', ['salt.cmd', 'cmd.run', 'python_shell=True']],
])('Ctrl-C ends %s and its command', async (program, words) => {
  const master = await site.master()
  const config = program === 'salt-run' ? master.config : dirname(site.minionConfig('web1'))
  const [begun, done] = [join(site.root, 'begun'), join(site.root, 'done')]
  const held = `echo $$ > ${begun}.new; mv ${begun}.new ${begun}; sleep 600; touch ${done}`
  const { child, ended } = start(program, ['-c', config, ...words, held])
  await until('the command', () => existsSync(begun))
  const pid = readFileSync(begun, 'utf8').trim()
  child.kill('SIGINT')
  expect(await ended).toEqual({ status: 1, out: '', err: '\nExiting gracefully on Ctrl-c\n' })
  await until('the end of the command', () => !existsSync(`/proc/${pid}`))
  expect(existsSync(done)).toBe(false)
})

test('salt-call with a key that is not accepted ends with 2', async () => {
  await site.master('master', '127.0.0.1', { auto_accept: false })
  const config = dirname(site.minionConfig('web1'))
  const { status, out } = await run(saltCall, ['-c', config, 'test.ping'])
  expect({ status, out }).toEqual({
    status: 2,
    out: 'Minion failed to authenticate with the master, has the minion key been accepted?\n',
  })
})

describe('external authentication', () => {
  test('uses the token that salt -T has kept, and asks for nothing', async () => {
    const { master, token } = await withUsers()
    await site.minion('web1')
    const who = ['--username', 'ops', '--password', 'secret']
    const first = await run(salt, ['-c', master.config, '-T', '-a', 'file', ...who, 'web1', 'test.ping', '--out=json'])
    expect(first).toMatchObject({ status: 0, out: expect.stringContaining('"web1": true') })
    expect(statSync(token).mode & 0o777).toBe(0o600)
    const words = ['-c', master.config, '-a', 'file', 'web1', 'test.ping', '--out=json']
    expect(await start('salt', words).ended).toEqual({
      status: 0,
      out: expect.stringContaining('"web1": true'),
      err: '',
    })
  })

  test.each([
    [[], 'username'],
    [['--username', 'ops'], 'password'],
  ])('ends with an error when the input ends before it was answered: %j', async (who, field) => {
    const { master } = await withUsers()
    const { status, out, err } = await start('salt', ['-c', master.config, '-a', 'file', ...who, '*', 'test.ping'])
      .ended
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(err).toContain(`ERROR: Authentication failed: standard input ended before a ${field} came`)
  })

  async function withUsers() {
    const users = join(site.root, 'users')
    writeFileSync(users, 'ops:secret\n')
    const token = join(site.root, 'token')
    const external_auth = { file: { '^filename': users, ops: ['test.*'] } }
    return { master: await site.master('master', '127.0.0.1', { external_auth, token_file: token }), token }
  }
})

test('A batch of a master without batches fails with a message', async () => {
  const master = await site.master()
  const transport = await openTransport('zeromq')
  const endpoint = { host: '127.0.0.1', port: await freePort() }
  // as Salt's master answers a command that it does not know
  const other = await transport.listen(endpoint, () => new Map())
  site.atEnd(() => other.close())
  const opts = await masterConfig({ path: join(master.config, 'master') })
  const client = await LocalClient.open(opts.set('ret_port', endpoint.port) as typeof opts, silentLog)
  await expect(client.beginBatch(new Map()).finally(() => client.close())).rejects.toThrow(/does no batches/)
})
