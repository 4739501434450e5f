// Upgrades of a real minion beside its running version, with versions that work, fail and hang.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isGone } from '../../src/base/mod.ts'
import type { Plain } from '../../src/data/mod.ts'
import { GpgHome, noGpg } from '../gpg.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

const DIST = join(import.meta.dirname, '..', '..', 'dist')

let site: TestSite
let master: TestMaster
let prefix: string
let config: string
let gpg: GpgHome
const hashes = new Map<string, string>()

/** A package of a version; `program` is written in place of the minion. */
function makePackage(version: string, program?: string): void {
  const folder = join(site.root, `package-${version}`)
  const dist = join(folder, 'package', 'dist')
  mkdirSync(dist, { recursive: true })
  if (program !== undefined) writeFileSync(join(dist, 'salt-minion.js'), program)
  const release = JSON.parse(readFileSync(join(DIST, 'release.json'), 'utf8')) as object
  writeFileSync(join(dist, 'release.json'), JSON.stringify({ ...release, version }))
  const file = join(site.root, 'srv', `brine-${version}.tar`)
  execFileSync('tar', ['-C', folder, '-cf', file, 'package'])
  const others = [
    '--exclude=dist/release.json',
    '--exclude=dist/types',
    '--exclude=dist/console',
    '--transform=s,^,package/,',
  ]
  if (program === undefined) execFileSync('tar', ['-C', join(DIST, '..'), ...others, '-rf', file, 'dist'])
  if (noGpg === undefined) gpg.sign('own@example.com', file)
  hashes.set(version, createHash('sha256').update(readFileSync(file)).digest('hex'))
}

let minion: ChildProcess
const started: number[] = []

function startMinion(): void {
  minion = spawn(process.execPath, [join(prefix, 'current', 'dist', 'salt-minion.js'), '-c', config], {
    stdio: 'ignore',
  })
  started.push(minion.pid!)
}

const pid = (): number => Number(readFileSync(join(site.root, 'web1', 'var', 'run', 'salt-minion.pid'), 'utf8'))

beforeAll(async () => {
  site = await TestSite.open()
  master = await site.master()
  prefix = join(site.root, 'opt')
  gpg = new GpgHome(join(site.root, 'gpg'))
  const keyring = noGpg === undefined ? gpg.makeKey('own@example.com') : ''
  makePackage('0.1.1')
  makePackage('0.2.0')
  makePackage('0.3.0', "console.error('boom: a part is missing'); process.exit(3)")
  makePackage('0.4.0', 'setInterval(() => undefined, 1000)')
  const package1 = join(site.root, 'srv', 'brine-0.1.1.tar')
  const program = join(DIST, 'brine.js')
  const out = execFileSync(process.execPath, [program, 'install', package1, '--prefix', prefix], { encoding: 'utf8' })
  expect(out).toContain('leads to version 0.1.1')
  config = join(site.minionConfig('web1', { package_keyring: keyring }), '..')
  startMinion()
  await master.event(/^salt\/minion\/web1\/start$/)
})

afterAll(async () => {
  for (const number of [...started, existsSync(join(site.root, 'web1', 'var', 'run', 'salt-minion.pid')) ? pid() : 0]) {
    if (number > 0 && !isGone(number)) process.kill(number, 'SIGKILL')
  }
  gpg.close()
  await site.close()
})

const upgrade = (version: string, hash = hashes.get(version)!, seconds = 60, id = 'web1'): Promise<Plain> =>
  master.ask(id, 'brine.upgrade', [`salt://brine-${version}.tar`, hash, seconds])

const current = (): string => readlinkSync(join(prefix, 'current'))

it('A package with another hash, or that is not one of Brine, changes nothing', async () => {
  const before = pid()
  expect(await upgrade('0.2.0', '0'.repeat(64))).toContain('is wanted')
  const foreign = join(site.root, 'srv', 'brine-9.9.9.tar')
  execFileSync('tar', ['-C', site.root, '-cf', foreign, 'srv/brine-0.3.0.tar'])
  if (noGpg === undefined) gpg.sign('own@example.com', foreign)
  const hash = createHash('sha256').update(readFileSync(foreign)).digest('hex')
  expect(await upgrade('9.9.9', hash)).toContain('holds no version of Brine')
  expect([pid(), current(), readdirSync(join(prefix, 'versions'))]).toEqual([before, 'versions/0.1.1', ['0.1.1']])
})

it.skipIf(noGpg !== undefined)('A package without a signature of a trusted key changes nothing', async () => {
  const signature = join(site.root, 'srv', 'brine-0.2.0.tar.asc')
  const good = readFileSync(signature)
  const stranger = gpg.makeKey('other@example.com')
  gpg.sign('other@example.com', join(site.root, 'srv', 'brine-0.2.0.tar'))
  expect(await upgrade('0.2.0')).toContain('the signature is not of a trusted key')
  rmSync(signature)
  expect(await upgrade('0.2.0')).toContain('brine-0.2.0.tar.asc was not found, and package_keyring is set')
  writeFileSync(signature, good)
  const words = ['install', join(site.root, 'srv', 'brine-0.2.0.tar'), '--prefix', prefix, '--keyring', stranger]
  const { status, stderr } = spawnSync(process.execPath, [join(DIST, 'brine.js'), ...words], { encoding: 'utf8' })
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('not of a trusted key') })
  expect([current(), readdirSync(join(prefix, 'versions'))]).toEqual(['versions/0.1.1', ['0.1.1']])
})

it('A minion whose new version reports to the master runs it, and keeps the old one', async () => {
  const before = pid()
  expect(await upgrade('0.2.0')).toMatchObject({ result: true, from: '0.1.1', to: '0.2.0' })
  expect(current()).toBe('versions/0.2.0')
  expect(readdirSync(join(prefix, 'versions')).sort()).toEqual(['0.1.1', '0.2.0'])
  expect(await master.ask('web1', 'test.ping')).toBe(true)
  expect(pid()).not.toBe(before)
  expect(isGone(before) || minion.exitCode !== null).toBe(true)
})

it('A minion whose new version ends at once runs the old one again, and reports the reason', async () => {
  expect(await upgrade('0.3.0')).toMatchObject({
    result: false,
    comment: expect.stringContaining('Version 0.2.0 runs again: the new version ended'),
    log: expect.stringContaining('boom: a part is missing'),
  })
  expect([current(), await master.ask('web1', 'test.ping')]).toEqual(['versions/0.2.0', true])
  expect(readdirSync(join(prefix, 'versions')).sort()).toEqual(['0.2.0', '0.3.0'])
})

it('A minion whose new version hangs runs the old one again when the time is over', async () => {
  expect(await upgrade('0.4.0', undefined, 5)).toMatchObject({
    result: false,
    comment: expect.stringContaining('did not report to its master within 5 seconds'),
  })
  expect([current(), await master.ask('web1', 'test.ping')]).toEqual(['versions/0.2.0', true])
})

it('A machine that goes down in the middle of an upgrade comes up with the old version, which says so', async () => {
  const jid = await master.publish('web1', 'brine.upgrade', ['salt://brine-0.4.0.tar', hashes.get('0.4.0')!, 600])
  const folder = join(prefix, 'upgrades', jid)
  await until('the new version was started', () => existsSync(join(folder, 'process')))
  const trial = Number.parseInt(readFileSync(join(folder, 'process'), 'utf8'), 10)
  const supervisor = execFileSync('pgrep', ['-f', `supervise-upgrade ${folder}`], { encoding: 'utf8' })
  for (const number of [Number(supervisor), trial]) process.kill(number, 'SIGKILL')
  rmSync(join(site.root, 'web1', 'var', 'run', 'salt-minion.pid'), { force: true })
  startMinion()
  const { data } = await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
  expect(data.get('success')).toBe(false)
  expect([current(), await master.ask('web1', 'test.ping')]).toEqual(['versions/0.2.0', true])
})

it('A minion below run-minion is upgraded and returns to its old version, while the process of the service stays', async () => {
  const own = join(site.root, 'service')
  const package1 = join(site.root, 'srv', 'brine-0.1.1.tar')
  execFileSync(process.execPath, [join(DIST, 'brine.js'), 'install', package1, '--prefix', own])
  const words = [join(own, 'current', 'dist', 'brine.js'), 'run-minion', '-c', join(site.minionConfig('web2'), '..')]
  const service = spawn(process.execPath, words, { stdio: 'ignore' })
  started.push(service.pid!)
  await master.event(/^salt\/minion\/web2\/start$/)
  expect(await upgrade('0.2.0', undefined, 60, 'web2')).toMatchObject({ result: true, to: '0.2.0' })
  expect(await upgrade('0.3.0', undefined, 60, 'web2')).toMatchObject({
    result: false,
    comment: expect.stringContaining('Version 0.2.0 runs again'),
    log: expect.stringContaining('boom'),
  })
  expect([readlinkSync(join(own, 'current')), await master.ask('web2', 'test.ping')]).toEqual(['versions/0.2.0', true])
  expect(service.exitCode).toBe(null)
  service.kill('SIGTERM')
  await until('the service has ended', () => service.exitCode !== null)
  expect(
    isGone(
      Number(
        readFileSync(join(own, 'upgrades', readdirSync(join(own, 'upgrades')).sort()[0]!, 'process'), 'utf8').split(
          ':',
        )[0],
      ),
    ),
  ).toBe(true)
})
