// Commands that salt-ssh sent together: those that have not begun run no more after an interrupt, and after the loss of the connection.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import { noSshd, startSshd, type TestSshd } from './sshd.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'salt-ssh.js')

/** Prints the processes above this one that are shells: among them is the one that commands are sent to. */
const SHELLS = 'p=$$; while p=$(ps -o ppid= -p $p); p=$((p)); [ "$(ps -o comm= -p $p)" = sh ]; do echo $p; done'

describe.skipIf(noSshd !== undefined)('commands that were sent together', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-ssh-upcoming-'))
  const at = (name: string): string => join(root, 'target', name)
  let sshd: TestSshd

  beforeAll(async () => {
    sshd = await startSshd()
    for (const name of ['tree', 'etc']) mkdirSync(join(root, name))
    const { port, identity, knownHosts } = sshd
    const user = userInfo().username
    writeFileSync(
      join(root, 'etc', 'master'),
      JSON.stringify({ root_dir: root, file_roots: { base: [join(root, 'tree')] }, user }),
    )
    const entry = { host: '127.0.0.1', port, user, priv: identity, ssh_options: [`UserKnownHostsFile=${knownHosts}`] }
    writeFileSync(join(root, 'etc', 'roster'), JSON.stringify({ web: entry }))
  })
  afterAll(async () => {
    await sshd?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  /** Start the states; resolve with the exit status. */
  function apply(second: string): { pid: number; ended: Promise<number | null> } {
    rmSync(at(''), { recursive: true, force: true })
    mkdirSync(at(''))
    const lines = [`${SHELLS} > ${at('shells')}`, second, `touch ${at('third')}`, `touch ${at('fourth')}`]
    const sls = lines.map((name, i) => [`s${i}`, { 'cmd.run': [{ name }, { unless: `test -e ${at(`no${i}`)}` }] }])
    writeFileSync(join(root, 'tree', 'tree.sls'), JSON.stringify(Object.fromEntries(sls)))
    const child = spawn(process.execPath, [PROGRAM, '-c', join(root, 'etc'), 'web', 'state.apply', 'tree'], {
      stdio: 'ignore',
    })
    return { pid: child.pid!, ended: new Promise((done) => child.once('close', done)) }
  }

  const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)

  async function shellsEnded(): Promise<void> {
    const shells = readFileSync(at('shells'), 'utf8').trim().split('\n').map(Number)
    expect(shells.length).toBeGreaterThan(0)
    await until('the shell of the commands ends', () => !shells.some(isRunning))
  }

  test('run no more after an interrupt, which ends the present one', async () => {
    const { pid, ended } = apply(`touch ${at('second')}; sleep 600; touch ${at('over')}`)
    await until('the second command runs', () => existsSync(at('second')))
    process.kill(pid, 'SIGINT')
    expect(await ended).not.toBe(0)
    await shellsEnded()
    expect(['over', 'third', 'fourth'].filter((name) => existsSync(at(name)))).toEqual([])
  })

  test('run no more after the loss of the connection', async () => {
    const { ended } = apply(
      `touch ${at('second')}; while ! [ -e ${at('go')} ]; do sleep 0.1; done; touch ${at('over')}`,
    )
    await until('the second command runs', () => existsSync(at('second')))
    sshd.cut()
    expect(await ended).not.toBe(0)
    writeFileSync(at('go'), '')
    await until('the second command ends', () => existsSync(at('over')))
    await shellsEnded()
    expect(['third', 'fourth'].filter((name) => existsSync(at(name)))).toEqual([])
  })
})
