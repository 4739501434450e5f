import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saltCall } from './main.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-call-'))
  for (const name of ['conf', 'pillar', 'root']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'conf/minion'), `root_dir: ${folder}/root\nid: m1\ngrains: {role: [web]}\n`)
  writeFileSync(join(folder, 'pillar/top.sls'), "base: {'*': [a]}\n")
  writeFileSync(join(folder, 'pillar/a.sls'), "who: {{ grains.id }} {{ salt['test.echo']('x') }}\n")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  status: number
  out: string
  err: string
}

async function call(...argv: string[]): Promise<Ended> {
  const ended: Ended = { status: 0, out: '', err: '' }
  ended.status = await saltCall(['-c', join(folder, 'conf'), ...argv], {
    out: (text) => {
      ended.out += text
    },
    err: (text) => {
      ended.err += text
    },
    terminal: false,
  })
  return ended
}

describe('salt-call --local', () => {
  test('reaches the device of a proxy minion that the configuration alone names, and reports one that is lost', async () => {
    const ofProxy = async (proxy: string): Promise<Ended> => {
      writeFileSync(join(folder, 'conf/proxy'), `root_dir: ${folder}/root\nproxy: {proxytype: dummy${proxy}}\n`)
      return call('--local', '--proxyid=p1', 'service.list')
    }
    expect((await ofProxy('')).out).toContain('apache')
    const { err, status } = await ofProxy(', raise_commandexec_error: true')
    expect(err).toContain('Proxymodule dummy could not reach its device: Raising A CommandExecutionError.')
    expect(status).not.toBe(0)
  })

  test('prints the result of a function', async () => {
    expect(await call('--local', 'test.ping')).toEqual({ status: 0, out: 'local:\n    True\n', err: '' })
  })

  test('knows configured grains and compiles the pillar', async () => {
    const roots = ['--local', '--out=json', '--pillar-root', join(folder, 'pillar')]
    const { out } = await call(
      ...roots,
      'slsutil.renderer',
      'string={{ pillar.who }} {{ grains.role[0] }}',
      'default_renderer=jinja',
    )
    expect(JSON.parse(out)).toEqual({ local: 'm1 x web' })
  })

  test('reports missing roots on the command line', async () => {
    const { err, status } = await call(
      '--local',
      '--file-root',
      '/nonexistent/salt',
      '--pillar-root',
      folder,
      'state.apply',
    )
    expect([status, err]).toEqual([1, 'Warning: --file-root: there is no directory /nonexistent/salt\n'])
  })

  test('passes the return code on when asked', async () => {
    expect((await call('--local', '-l', 'quiet', '--retcode-passthrough', 'cmd.run', 'exit 3')).status).toBe(3)
    expect((await call('--local', '-l', 'quiet', 'cmd.run', 'exit 3')).status).toBe(1)
  })

  test('writes to a file, and takes another id', async () => {
    const file = join(folder, 'out')
    writeFileSync(file, 'old\n')
    await call('--local', '--out-file', file, '--out=txt', '--id=other', 'config.get', 'id')
    expect(readFileSync(file, 'utf8')).toBe('local: other\n')
  })

  test('suggests a similar function', async () => {
    const { status, err } = await call('--local', 'tset.ping')
    expect([status, err]).toEqual([255, "Did you mean 'test.ping'?\n'tset.ping' is not available.\n"])
  })

  test('says why a module cannot serve this minion', async () => {
    const { status, err } = await call('--local', 'ntp.get_servers')
    const why = "'ntp' __virtual__ returned False: "
    expect([status, err.slice(0, why.length)]).toEqual([255, why])
  })

  test.each([
    ['file.read', '/no/such', "FileNotFoundError: [Errno 2] No such file or directory: '/no/such'"],
    ['test.cross_test', 'no.such', "KeyError: 'no.such'"],
    ['grains.setvals', 'x', 'salt.exceptions.SaltException: setvals grains must be a dictionary.'],
  ])('ends with the last line of a Python traceback: %s %s', async (fun, argument, last) => {
    const { status, err } = await call('--local', fun, argument)
    expect([status, err.trimEnd().split('\n').at(-1)]).toEqual([1, last])
  })

  test.each([
    [['--out=key', 'test.ping'], "TypeError: 'bool' object is not iterable"],
    [['--out-file=/no/such', 'test.ping'], "FileNotFoundError: [Errno 2] No such file or directory: '/no/such'"],
  ])('ends with one line where %j cannot be shown', async (argv, last) => {
    const { status, err } = await call('--local', ...argv)
    expect([status, err.trimEnd().split('\n').at(-1)]).toEqual([1, last])
  })

  test('lists all functions without a name, if they support this minion', async () => {
    const { status, out } = await call('--local', '')
    expect(status).toBe(1)
    expect(out).toContain("    :\n        '' is not available.\n")
    expect(out).not.toContain('ntp.get_servers')
  })

  test('ends where the user it should run as does not exist', async () => {
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other/minion'), `root_dir: ${folder}/root\nid: m1\nuser: no-such-user\n`)
    const { status, err } = await call('-c', join(folder, 'other'), '--local', 'test.ping')
    const why = 'Failed to prepare the Salt environment for user no-such-user. The user is not available.\n'
    expect([status, err]).toEqual([67, why])
  })

  test('explains bad usage', async () => {
    const { status, out, err } = await call('--local')
    expect(status).toBe(64)
    expect(out).toContain('Usage: salt-call [options] <function> [arguments]\n')
    expect(err).toContain('salt-call: error: Requires function, --grains or --doc\n')
  })

  test('ends with one line for a configuration that cannot be read', async () => {
    const conf = join(folder, 'broken')
    mkdirSync(conf)
    writeFileSync(join(conf, 'minion'), 'a: [\n')
    const { status, err } = await call('-c', conf, '--local', 'test.ping')
    expect(status).toBe(1)
    expect(err).toContain(`[ERROR   ] Error parsing configuration file: ${conf}/minion - `)
    expect(err).toContain('line 2, column 1')
  })
})
