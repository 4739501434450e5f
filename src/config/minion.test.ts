import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromPlain, toPlain } from '../data/mod.ts'
import { minionConfig } from './minion.ts'

let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-config-'))
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

async function read(request: Parameters<typeof minionConfig>[0] = {}) {
  const log = (level: string, text: string) => {
    if (level !== 'debug') lines.push(`${level}: ${text}`)
  }
  return minionConfig({ path: join(folder, 'minion'), env: {}, id: 'm1', log, ...request })
}

describe('a minion configuration', () => {
  test('has the defaults where no file says otherwise', async () => {
    const opts = await read()
    expect(opts.get('master')).toBe('salt')
    expect(toPlain(opts.get('file_roots')!)).toEqual({ base: ['/srv/salt', '/srv/spm/salt'] })
    expect(opts.get('conf_file')).toBe('/etc/salt/minion')
    expect(lines).toEqual([])
  })

  test('reads the main file, then minion.d in order, then includes', async () => {
    write('minion', 'master: a\ngrains: {x: 1}\ninclude: more.inc\nlog_level: info\n')
    write('minion.d/10.conf', 'master: b\ngrains: {y: 1}\nuser: me\n')
    write('minion.d/20.conf', 'master: c\ngrains: {z: 1}\n')
    write('minion.d/.hidden.conf', 'user: nobody\n')
    write('more.inc', 'log_level: debug\n')
    const opts = await read()
    expect(opts.get('master')).toBe('c')
    expect(toPlain(opts.get('grains')!)).toEqual({ y: 1, z: 1 })
    expect(opts.get('user')).toBe('me')
    expect(opts.get('log_level')).toBe('debug')
  })

  test('puts paths below root_dir, but no log address', async () => {
    write('minion', 'root_dir: /r\npki_dir: pki\ncachedir: /r/cache\nlog_file: udp://host:1\n')
    const opts = await read()
    expect(opts.get('pki_dir')).toBe('/r/pki')
    expect(opts.get('cachedir')).toBe('/r/cache')
    expect(opts.get('pidfile')).toBe('/r/var/run/salt-minion.pid')
    expect(opts.get('log_file')).toBe('udp://host:1')
  })

  test('appends the domain to an id that lacks it, and takes numbers for ids', async () => {
    write('minion', 'id: 12\nappend_domain: example.com\n')
    expect((await read()).get('id')).toBe('12.example.com')
  })

  test('remembers an id that was found, and finds it again', async () => {
    write('minion', `root_dir: ${folder}\nid_function: {test.name: {a: 1}}\nminion_id_lowercase: true\n`)
    const callFunction = (name: string) => `${name}.EXAMPLE`
    const opts = await read({ id: undefined, rememberId: true, callFunction })
    expect(opts.get('id')).toBe('test.name.example')
    expect(readFileSync(join(folder, 'etc/salt/minion_id'), 'utf8')).toBe('test.name.example')
    expect((await read({ id: undefined })).get('id')).toBe('test.name.example')
  })

  test('warns of a value with a wrong type in the words of Salt, with its place', async () => {
    write('minion', 'master: [a]\n\nsource_ret_port: {a: 1}\nmine_interval: true\n')
    await read()
    const place = (line: number) => ` (set in ${folder}/minion, line ${line})`
    const text = (name: string, value: string, type: string, wanted: string) =>
      `warning: Config option '${name}' with value ${value} has an invalid type of ${type}, a ${wanted} is required for this option`
    expect(lines).toEqual([
      text('source_ret_port', "{'a': 1}", 'dict', 'str or int') + place(3),
      text('mine_interval', 'True', 'bool', 'int') + place(4),
    ])
  })

  test('warns of a name that looks like a slip, and of old names; other names are free', async () => {
    write('minion', 'file_root:\n  base: [/x]\nmy_company: {a: 1}\nclient_acl: {}\n')
    const opts = await read()
    expect(lines).toEqual([
      `warning: Unknown option 'file_root' in ${folder}/minion, line 1; did you mean 'file_roots'?`,
      `warning: Option 'client_acl' in ${folder}/minion, line 4 is now called 'publisher_acl'`,
    ])
    expect(opts.get('publisher_acl')).toEqual(fromPlain({}))
  })

  test('refuses a main file that is no mapping, or no YAML', async () => {
    write('minion', '- a\n')
    await expect(read()).rejects.toThrow(
      `Error parsing configuration file: ${folder}/minion - conf should be a document, not <class 'list'>.`,
    )
    write('minion', 'a: [\n')
    await expect(read()).rejects.toMatchObject({ code: 'ConfigFileInvalid', at: { file: `${folder}/minion` } })
  })

  test('of a proxy minion has its own files after the common ones, and before includes', async () => {
    const path = write('proxy', 'include: more.inc\n')
    write('proxy.d/all.conf', 'tcp_keepalive_cnt: 1\nacceptance_wait_time: 1\n')
    write('proxy.d/p1/own.conf', 'tcp_keepalive_cnt: 2\nacceptance_wait_time: 2\n')
    write('more.inc', 'tcp_keepalive_cnt: 3\n')
    const opts = await minionConfig({ path, env: {}, proxyId: 'p1' })
    expect([opts.get('tcp_keepalive_cnt'), opts.get('acceptance_wait_time')]).toEqual([3, 2])
  })

  test('goes on without an included file that is broken', async () => {
    write('minion.d/bad.conf', 'a: [\n')
    write('minion.d/good.conf', 'master: b\n')
    expect((await read()).get('master')).toBe('b')
    expect(lines[0]).toContain(`Error parsing configuration file: ${folder}/minion.d/bad.conf - `)
  })

  test('refuses values it cannot begin with, naming file and line', async () => {
    write('minion', 'id: a\nhash_type: 5\n')
    await expect(read()).rejects.toThrow(`Option 'hash_type' in ${folder}/minion, line 2 holds 5 (int); text is wanted`)
  })

  test.each(['recon_default: 1000', 'recon_max: 10000', 'recon_randomize: true', 'tcp_reconnect_backoff: 1'])(
    "keeps Salt's pauses before a minion connects again where %s is written",
    async (line) => {
      expect((await read()).get('__quick_reconnect')).toBe(true)
      write('minion', `${line}\n`)
      expect((await read()).has('__quick_reconnect')).toBe(false)
    },
  )

  test('refuses files that include each other', async () => {
    write('minion', 'include: a.inc\n')
    write('a.inc', 'include: b.inc\n')
    write('b.inc', 'include: a.inc\n')
    await expect(read()).rejects.toThrow('include each other')
  })
})
