// A master whose configuration names another user: it runs as that one, and leaves nothing of root behind.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

const DIST = process.env['LIVE_DIST'] ?? join(import.meta.dirname, '../../dist')
const NOBODY = 65_534

/** Root, with built programs that the user nobody can read as well. */
const canTry =
  process.getuid?.() === 0 &&
  existsSync(DIST) &&
  spawnSync('test', ['-r', join(DIST, 'salt-master.js')], { uid: NOBODY, gid: NOBODY }).status === 0

describe.skipIf(!canTry)('a master with another user', () => {
  let [root, config] = ['', '']
  let master: ChildProcess

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'brine-running-as-'))
    config = join(root, 'etc')
    chmodSync(root, 0o755)
    mkdirSync(config)
    const ports = { ret_port: await freePort(), publish_port: await freePort() }
    const options = {
      root_dir: root,
      user: 'nobody',
      interface: '127.0.0.1',
      log_file: join(root, 'log/master'),
      reactor: [{ 'shop/sold': [join(root, 'react.sls')] }],
      ...ports,
    }
    writeFileSync(join(config, 'master'), JSON.stringify(options))
    // a file of an earlier run as root
    mkdirSync(join(root, 'var/cache/salt/master/old'), { recursive: true })
    writeFileSync(join(root, 'var/cache/salt/master/old/file'), '')
    master = spawn(process.execPath, [join(DIST, 'salt-master.js'), '-c', config], { stdio: 'ignore' })
    await until('the master has its key', async () => existsSync(join(root, 'var/cache/salt/master/.nobody_key')))
  })
  afterAll(async () => {
    master.kill()
    if (master.exitCode === null) await once(master, 'exit')
    rmSync(root, { recursive: true })
  })

  it('runs as that user, to whom all it writes belongs', async () => {
    expect(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${master.pid}/status`, 'utf8'))?.[1]).toBe(String(NOBODY))
    const run = (name: string, ...words: string[]): string =>
      execFileSync(process.execPath, [join(DIST, `${name}.js`), '-c', config, ...words], { encoding: 'utf8' })
    expect(run('salt-key', '-L')).toContain('Accepted Keys:')
    expect(run('salt-run', 'reactor.list')).toContain('shop/sold')
    expect(run('salt-run', 'salt.cmd', 'cmd.run', 'id -u').trim()).toBe(String(NOBODY))
    const places = ['var/cache/salt/master', 'var/run/salt/master', 'etc/pki', 'log/master'].map((part) =>
      join(root, part),
    )
    const found = execFileSync('find', [...places.filter(existsSync), '!', '-user', 'nobody'], { encoding: 'utf8' })
    expect(found).toBe('')
  })
})
