// Functions that Salt has for targets of salt-ssh only: modules that a user wrote for them, scripts of the file server, and the outputters of
// answers that differ from those of minions.
import { spawn, spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import { noSshd, startSshd, type TestSshd } from './sshd.ts'

const DIST = join(import.meta.dirname, '..', '..', 'dist')

describe.skipIf(noSshd !== undefined)('functions for targets of salt-ssh', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-ssh-wrap-'))
  let sshd: TestSshd

  beforeAll(async () => {
    for (const name of ['tree/_modules', 'tree/_wrapper', 'etc']) mkdirSync(join(root, name), { recursive: true })
    sshd = await startSshd()
    const put = (name: string, text: string): void => writeFileSync(join(root, 'tree', name), text)
    put('_modules/both.py', 'def run():\n    return "module"\n\ndef other():\n    return "other"\n')
    // its requirements would send an execution module to the target
    put(
      '_wrapper/both.py',
      'import os\n\ndef run():\n    return ["wrapper", os.getpid(), __salt__["grains.get"]("id")]\n',
    )
    put('script.sh', '#!/bin/sh\necho {{ pillar.get("word", "none") }} "$@"\n')
    put('noted.sls', 'foo:\n  test.nop: []\n')
    put('linked.sls', 'foo:\n  test.nop:\n    - require_in:\n      - file.managed: absent\n')
    put('usage.sls', 'foo:\n  test.show_notification:\n    - text: {{ salt["disk.usage"]("c") }}\n')
    put('slow.sls', 'foo:\n  module.run:\n    - name: test.sleep\n    - length: 20\n')
    const { port, identity, knownHosts } = sshd
    const user = userInfo().username
    const options = { root_dir: root, file_roots: { base: [join(root, 'tree')] }, user }
    writeFileSync(join(root, 'etc', 'master'), JSON.stringify(options))
    const entry = { host: '127.0.0.1', port, user, priv: identity, ssh_options: [`UserKnownHostsFile=${knownHosts}`] }
    writeFileSync(join(root, 'etc', 'roster'), JSON.stringify({ web: entry }))
  })
  afterAll(async () => {
    await sshd?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  const run = (program: string, ...words: string[]): string => {
    const argv = [join(DIST, `${program}.js`), '-c', join(root, 'etc'), ...words]
    return spawnSync(process.execPath, argv, { encoding: 'utf8', timeout: 60_000 }).stdout
  }

  test('a wrapper that the master synchronised serves in place of the execution module, on the controller', () => {
    expect(run('salt-ssh', 'web', 'both.run')).toBe('web:\n    module\n')
    expect(run('salt-run', 'saltutil.sync_wrapper')).toContain('wrapper.both')
    const shown = JSON.parse(run('salt-ssh', 'web', 'both.run', '--out=json')) as { web: unknown[] }
    expect(shown.web).toEqual(['wrapper', expect.any(Number), 'web'])
  })

  test('a script of the file server runs, rendered with further pillar', () => {
    const words = ['cmd.script', 'salt://script.sh?saltenv=base', 'a b', 'template=jinja', 'pillar={"word": "x"}']
    expect(JSON.parse(run('salt-ssh', 'web', ...words, '--out=json'))).toMatchObject({
      web: { stdout: 'x a b', retcode: 0 },
    })
  })

  test('answers are printed in their own form', () => {
    expect(run('salt-ssh', 'web', 'state.high', '{"a": {"test": ["nop"]}}')).toContain('Succeeded: 1')
    run('salt-ssh', 'web', 'state.request', 'noted')
    expect(run('salt-ssh', 'web', 'state.check_request')).toContain('default:')
  })

  const answer = (...words: string[]): unknown =>
    (JSON.parse(run('salt-ssh', 'web', ...words, '--out=json')) as { web: unknown }).web

  test('functions that show states check them, and errors of the pillar are a list', () => {
    for (const fun of ['state.show_sls', 'state.show_low_sls'])
      expect(answer(fun, 'linked')).toEqual(
        expect.arrayContaining([expect.stringContaining('Invalid requisite in require: file.managed')]),
      )
    const pillar = join(root, 'pillar')
    mkdirSync(pillar)
    writeFileSync(join(pillar, 'top.sls'), 'base: {"*": [wrong]}')
    writeFileSync(join(pillar, 'wrong.sls'), 'a: {{ nothing }}')
    mkdirSync(join(root, 'etc', 'master.d'))
    writeFileSync(join(root, 'etc', 'master.d', 'pillar.conf'), JSON.stringify({ pillar_roots: { base: [pillar] } }))
    expect(answer('state.show_lowstate')).toEqual([
      'Pillar failed to render with the following messages:',
      expect.stringContaining("Rendering SLS 'wrong' failed"),
    ])
    rmSync(join(root, 'etc', 'master.d'), { recursive: true })
  })

  test('state.single takes pillar, and a function that fails in a template is named', () => {
    expect(answer('state.single', 'test.check_pillar', 'x', 'present=word', 'pillar={"word": "y"}')).toMatchObject({
      'test_|-x_|-x_|-check_pillar': { result: true },
    })
    expect(answer('state.apply', 'usage')).toEqual([
      expect.stringContaining("Error running 'disk.usage': Invalid flag passed to disk.usage"),
    ])
  })

  test('a cached file has one path', () => {
    const cached = answer('cp.cache_file', 'salt://noted.sls')
    expect(answer('cp.convert_cache_path', String(cached))).toBe(cached)
  })

  test('a state run refuses to begin while another program is at one', async () => {
    const argv = [join(DIST, 'salt-ssh.js'), '-c', join(root, 'etc'), 'web', 'state.apply', 'slow']
    const other = spawn(process.execPath, argv, { stdio: 'ignore' })
    const ended = new Promise((done) => other.once('close', done))
    const runs = (): unknown[] => answer('state.running') as unknown[]
    await until('the run is seen', () => runs().length === 1)
    expect(runs()).toEqual([expect.stringContaining('The function "state.pkg" is running as PID')])
    expect(answer('state.apply', 'noted')).toEqual([expect.stringContaining('state.pkg')])
    other.kill('SIGKILL')
    await ended
    expect(runs()).toEqual([])
    expect(answer('state.apply', 'noted')).toMatchObject({ 'test_|-foo_|-foo_|-nop': { result: true } })
  }, 120_000)

  test('the states of a certificate that a minion signs come with its key, which is new only with it', () => {
    const key = join(root, 'new.key')
    const asked = ['x509.certificate_managed_wrapper', '/c.crt', 'ca_server=ca', 'signing_policy=www', 'mode=0400']
    const managed = `private_key_managed=${JSON.stringify({ name: key, new: true })}`
    const certificate = {
      '/c.crt_crt': {
        'x509.certificate_managed_ssh': [
          ...[{ name: '/c.crt' }, { ca_server: 'ca' }, { signing_policy: 'www' }],
          ...[{ private_key: key }, { mode: 400 }],
        ],
      },
    }
    const keyState = (requisite: string) => ({
      [`${key}_key`]: {
        'x509.private_key_managed_ssh': [{ name: key }, { new: true }, { [requisite]: [{ x509: '/c.crt_crt' }] }],
      },
    })
    expect(answer(...asked, managed)).toEqual({ ...keyState('require_in'), ...certificate })
    writeFileSync(key, 'a key')
    expect(answer(...asked, managed)).toEqual({ ...keyState('prereq'), ...certificate })
  })

  test('a private key for a target is never written through a link', () => {
    const [key, link] = [join(root, 'own.key'), join(root, 'link.key')]
    writeFileSync(key, 'kept')
    symlinkSync(key, link)
    const make = (...more: string[]): unknown =>
      Object.values(answer('state.single', 'x509.private_key_managed_ssh', link, 'algo=ed25519', ...more) as object)[0]
    expect(make()).toMatchObject({ result: false, comment: expect.stringContaining('pass overwrite: true') })
    expect(make('overwrite=true', 'test=true')).toMatchObject({ result: null, changes: { removed_link: link } })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(make('overwrite=true')).toMatchObject({ result: true, changes: { removed_link: link, created: link } })
    expect(lstatSync(link).isFile()).toBe(true)
    expect(readFileSync(key, 'utf8')).toBe('kept')
  })

  test('a terminal shows the working target, also a terminal that does not report its width', () => {
    const line = `${process.execPath} ${join(DIST, 'salt-ssh.js')} -c ${join(root, 'etc')} web cmd.run 'sleep 3'`
    const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
      encoding: 'utf8',
      input: '',
      timeout: 60_000,
    })
    expect(stdout).toMatch(/\r0\/1 +0 % +0:0\d +web: running/)
  })
})
