import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noSshd, startSshd, type TestSshd } from '../../../test/ssh/sshd.ts'
import { until } from '../../../test/until.ts'
import { silentLog } from '../../base/mod.ts'
import { SshHost } from './ssh-host.ts'
import type { SshTarget } from './target.ts'

if (noSshd) console.log(`SSH is not tested: ${noSshd}`)

describe.skipIf(noSshd)('a shell that waits for the next program', () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd.stop())

  const open = (more: Partial<SshTarget> = {}): Promise<SshHost> =>
    SshHost.open({ ...sshd.target, ...more }, { log: silentLog, runtimeDir: sshd.runtimeDir, leavesShell: true })
  const waiting = (): string[] =>
    readdirSync(sshd.runtimeDir, { recursive: true })
      .map(String)
      .filter((path) => /\/[0-9a-f]+$/.test(path))
  const oneWaits = () => until('a shell waits', () => waiting().length > 0, 20)
  const shellOf = async (host: SshHost): Promise<string> =>
    Buffer.from((await host.run({ argv: ['/bin/sh', '-c', 'echo $PPID; pwd'] })).stdout).toString()

  test('is taken over, once, and answers before anything counts as reached', async () => {
    await (await open()).close()
    await oneWaits()
    const [host, other] = await Promise.all([open(), open()])
    expect(waiting()).toEqual([])
    await Promise.all([host.reached(), other.reached()])
    expect([host.roundTrips, other.roundTrips]).toEqual([1, 1])
    expect(await shellOf(host)).not.toBe(await shellOf(other))
    const path = join(sshd.folder, 'written')
    await host.write(path, 'text')
    expect(Buffer.from(await other.read(path)).toString()).toBe('text')
    expect(Math.abs(host.now() - Date.now() / 1000)).toBeLessThan(5)
    await Promise.all([host.close(), other.close()])
  })

  test('serves no target with other settings', async () => {
    await oneWaits()
    const known = waiting()
    const host = await open({ umask: 0o027 })
    expect(waiting()).toEqual(expect.arrayContaining(known))
    expect(await host.umask()).toBe(0o027)
    await host.close()
  })

  test('is gone when its connection is, and another one is started', async () => {
    await oneWaits()
    sshd.cut()
    await until('no shell waits', () => waiting().length === 0, 20)
    const host = await open()
    expect(await shellOf(host)).toMatch(/^\d+\n/)
    await host.close()
    await oneWaits()
  })

  test('does not outlive the program that took it over', async () => {
    await oneWaits()
    const host = await open()
    await host.reached()
    expect(host.roundTrips).toBe(1)
    const folder = await host.sessionFolder()
    // the shell gets no request to end, as when a program is killed
    host['agents']['agents'][0]!.channel.child.kill('SIGKILL')
    await until('the shell removed its folder', async () => {
      const other = await open({ umask: 0o022 })
      const isThere = (await other.stat(folder)) !== undefined
      await other.close()
      return !isThere
    })
    await host.close()
  })

  test('waits for nobody where a password made the user', async () => {
    sshd.cut()
    await until('no shell waits', () => waiting().length === 0, 20)
    const host = await open({ become: { program: 'sudo', user: 'root', password: 'x' } }).catch(() => undefined)
    await host?.close()
    expect(readdirSync(sshd.runtimeDir, { recursive: true }).filter((path) => String(path).endsWith('note'))).toEqual(
      [],
    )
  })
})
