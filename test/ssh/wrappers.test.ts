// Functions that Salt has for targets of salt-ssh only: modules that a user wrote for them, scripts of the file server, and the outputters of
// answers that differ from those of minions.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    // what it needs would send an execution module to the target
    put(
      '_wrapper/both.py',
      'import os\n\ndef run():\n    return ["wrapper", os.getpid(), __salt__["grains.get"]("id")]\n',
    )
    put('script.sh', '#!/bin/sh\necho {{ pillar.get("word", "none") }} "$@"\n')
    put('noted.sls', 'foo:\n  test.nop: []\n')
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
})
