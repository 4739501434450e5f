// A minion of Debian packages on a whole host: `brine bootstrap` installs signed packages, and jobs upgrade them, with a way back from
// versions that end at once, that hang, and that a power cut interrupts.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GpgHome } from '../../../test/gpg.ts'
import { makePackages } from '../../../tools/package/make.ts'
import { Controller } from '../../agentless.ts'
import { ask, DAEMON_MOUNTS, startDaemon } from '../../fleet.ts'
import type { Host } from '../../host.ts'
import { Lab } from '../../lab.ts'
import { MOUNTS } from '../../root.ts'
import { STOCK } from '../../stock.ts'

const PATIENCE = { interval: 1000 }
const ID = 'deb1'
const NAMES = ['brine', 'brine-minion'] as const
type Name = (typeof NAMES)[number]
const KEYRING = '/etc/salt/packages.asc'

const work = mkdtempSync(join(tmpdir(), 'brine-lab-upgrade-'))
const gpg = new GpgHome(join(work, 'gpg'))
let lab: Lab
let master: Host
let target: Host
let folder: string

const fileOf = (name: Name, revision: number): string =>
  `${name}_0.1.0-${revision}_${name === 'brine' ? 'amd64' : 'all'}.deb`

/** Make the packages of another revision, whose minion is the program. */
function makeBroken(revision: number, program: string): void {
  for (const name of NAMES) {
    const tree = join(work, `broken-${name}`)
    execFileSync('dpkg-deb', ['--raw-extract', join(folder, fileOf(name, 2)), tree])
    const control = join(tree, 'DEBIAN/control')
    writeFileSync(control, readFileSync(control, 'utf8').replaceAll('0.1.0-2', `0.1.0-${revision}`))
    if (name === 'brine') writeFileSync(join(tree, 'usr/lib/brine/dist/salt-minion.js'), program)
    const out = join(folder, fileOf(name, revision))
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, out])
    rmSync(tree, { recursive: true })
  }
}

beforeAll(async () => {
  folder = join(work, 'debs')
  mkdirSync(folder)
  const say = (): void => undefined
  await makePackages(join(import.meta.dirname, '../../..'), {
    ...{ architecture: 'amd64', formats: ['deb'], revisions: ['1', '2'], compression: 'quick', out: folder, say },
  })
  const start = '#!/usr/lib/brine/bin/node\n'
  makeBroken(3, `${start}console.error('boom: a part is missing'); process.exit(3)\n`)
  makeBroken(4, `${start}setInterval(() => undefined, 1000)\n`)
  copyFileSync(gpg.makeKey('own@example.com'), join(work, 'own.asc'))
  gpg.makeKey('other@example.com')
  for (const revision of [1, 2, 3, 4])
    for (const name of NAMES) gpg.sign('own@example.com', join(folder, fileOf(name, revision)))
  lab = await Lab.open({ stock: STOCK, mounts: DAEMON_MOUNTS })
  const [control] = await lab.boot('control')
  const [bare] = await lab.bootBare('target')
  ;[master, target] = [control!, bare!]
  await target.run(['sh', '-ec', 'rm -f /usr/local/bin/*'])
  for (const host of [master, target]) host.copyIn(join(work, 'own.asc'), KEYRING)
  await startDaemon(master, 'master', { timeout: 60, package_keyring: KEYRING })
  await (await Controller.on(master)).meet(target)
  master.copyIn(folder, '/srv/salt')
  await master.run(['ln', '-sf', `${MOUNTS.program}/dist/brine.js`, '/usr/local/bin/brine'])
  target.write('/etc/salt/minion.d/keys.conf', `package_keyring: ${KEYRING}\n`)
})

afterAll(async () => {
  gpg.close()
  await lab?.close()
  rmSync(work, { recursive: true, force: true })
})

const bootstrap = (...files: string[]) =>
  master.attempt([
    ...['brine', 'bootstrap', target.address, '--id', ID, '--master', master.address],
    ...files.flatMap((file) => ['--package', file]),
  ])

const hash = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex')

const words = (revision: number, seconds: number, names: readonly Name[] = NAMES): string[] => {
  const files = names.map((name) => fileOf(name, revision))
  const sources = files.map((file) => `salt://${file}`).join(',')
  return [ID, 'brine.upgrade', sources, `source_hash=${files.map(hash).join(',')}`, `timeout=${seconds}`]
}

const upgrade = async (revision: number, seconds: number, names?: readonly Name[]): Promise<unknown> =>
  ((await ask(master, 'salt', '-t', '600', ...words(revision, seconds, names))) as Record<string, unknown>)[ID]

const version = (): Promise<string> => target.run(['dpkg-query', '-W', '-f', '${Version} ', ...NAMES])

const ping = (): Promise<unknown> => ask(master, 'salt', ID, 'test.ping')

describe('a host with Debian packages', () => {
  it('gets them by brine bootstrap, if they are signed', async () => {
    const files = NAMES.map((name) => `/srv/salt/${fileOf(name, 1)}`)
    await master.run(['mv', `${files[1]}.asc`, '/root/kept.asc'])
    expect(await bootstrap(...files)).toMatchObject({ code: 1, stderr: expect.stringContaining('has no signature') })
    await master.run(['mv', '/root/kept.asc', `${files[1]}.asc`])
    expect(await bootstrap(...files)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /: minion deb1 answers \(configuration written, key accepted, package installed\)\n$/,
      ),
    })
    expect(await version()).toBe('0.1.0-1 0.1.0-1 ')
    expect((await bootstrap(...files)).stdout).toContain('answers (nothing to do)')
  })

  it('refuses packages that do not fit, and changes nothing', async () => {
    expect(await upgrade(2, 60, ['brine'])).toContain('brine-minion of this machine would keep the old one')
    expect(await upgrade(1, 60)).toContain('Version 0.1.0-1 runs here already')
    await master.run(['cp', `/srv/salt/${fileOf('brine', 1)}.asc`, `/srv/salt/${fileOf('brine', 2)}.asc`])
    expect(await upgrade(2, 60)).toContain('the package was changed')
    master.copyIn(join(folder, `${fileOf('brine', 2)}.asc`), `/srv/salt/${fileOf('brine', 2)}.asc`)
    expect([await version(), await ping()]).toEqual(['0.1.0-1 0.1.0-1 ', { [ID]: true }])
  })

  it('is upgraded by a job', async () => {
    expect(await upgrade(2, 240)).toMatchObject({ result: true, from: '0.1.0-1', to: '0.1.0-2' })
    expect([await version(), await ping()]).toEqual(['0.1.0-2 0.1.0-2 ', { [ID]: true }])
    await expect
      .poll(() => target.attempt(['ls', '/etc/systemd/system/brine-upgrade.service']), PATIENCE)
      .toMatchObject({ stdout: '' })
    expect(await target.run(['ls', '/var/lib/brine/packages/before'])).toBe('brine-minion.deb\nbrine.deb\n')
  })

  it('returns from a version that ends at once', async () => {
    expect(await upgrade(3, 240)).toMatchObject({
      result: false,
      comment: 'Version 0.1.0-2 runs again: the new version ended before it had reported to its master',
      log: expect.stringContaining('boom: a part is missing'),
    })
    expect([await version(), await ping()]).toEqual(['0.1.0-2 0.1.0-2 ', { [ID]: true }])
  })

  it('returns from a version that hangs', async () => {
    expect(await upgrade(4, 60)).toMatchObject({
      result: false,
      comment: 'Version 0.1.0-2 runs again: the new version did not report to its master within 60 seconds',
    })
    expect([await version(), await ping()]).toEqual(['0.1.0-2 0.1.0-2 ', { [ID]: true }])
  })

  it('returns after a power cut in the middle', async () => {
    const started = await master.run(['salt', '--async', ...words(4, 120)])
    const jid = /\b\d{20}\b/.exec(started)![0]
    const folderOf = `/var/lib/brine/upgrades/${jid}`
    await expect
      .poll(() => target.attempt(['test', '-e', `${folderOf}/installed`]), PATIENCE)
      .toMatchObject({ code: 0 })
    await target.crash()
    await target.start()
    const lookup = () => ask(master, 'salt-run', 'jobs.lookup_jid', jid)
    await expect
      .poll(lookup, { interval: 5000, timeout: 900_000 })
      .toMatchObject({ [ID]: { result: false, comment: expect.stringContaining('Version 0.1.0-2 runs again') } })
    expect([await version(), await ping()]).toEqual(['0.1.0-2 0.1.0-2 ', { [ID]: true }])
  })

  it('can return by hand to the packages before', async () => {
    await target.run(['sh', '-ec', 'dpkg -i /var/lib/brine/packages/before/*.deb'])
    expect(await version()).toBe('0.1.0-1 0.1.0-1 ')
    await expect.poll(ping, PATIENCE).toEqual({ [ID]: true })
  })
})
