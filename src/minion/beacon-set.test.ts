import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../test/until.ts'
import { silentLog } from '../base/mod.ts'
import { fromPlain, type Plain, toPlain, type Value } from '../data/mod.ts'
import { LocalHost } from '../host/mod.ts'
import { beaconTable, type Registry } from '../loader/mod.ts'
import { beaconOptions } from '../sdk/mod.ts'
import { BeaconSet } from './beacon-set.ts'

let folder: string
let beacons: BeaconSet

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-beacons-'))
  beacons = new BeaconSet(silentLog)
})
afterEach(() => {
  beacons.closeAll()
  rmSync(folder, { recursive: true, force: true })
})

const has = (program: string): boolean => spawnSync('which', [program]).status === 0

/** Return a function that polls a beacon as a minion does, on this machine. */
function looking(name: string, config: Plain, others: Record<string, () => Plain> = {}) {
  const call = (fun: string): Value => fromPlain(others[fun]!())
  const opts = fromPlain({ proxy: { url: 'http://device/' } })
  const functions = { ctx: { call, has: () => true, grains: new Map(), opts, host: new LocalHost() } }
  const ctx = beacons.context(name, functions as unknown as Registry)
  return async (): Promise<Array<Record<string, string>>> => {
    const { default: beacon } = await beaconTable[name]!()
    const told = await beacon.beacon(ctx, beaconOptions(fromPlain(config)))
    return told.map((event) => toPlain(event) as Record<string, string>)
  }
}

test('watchdog reports files that are created, changed, moved and deleted, and each time their directory', async () => {
  writeFileSync(join(folder, 'old'), 'a')
  mkdirSync(join(folder, 'sub'))
  const look = looking('watchdog', [{ directories: { [folder]: {} } }])
  const told: string[] = []
  const tell = async (what: string): Promise<void> => {
    told.length = 0
    await until(what, async () => {
      const events = await look()
      told.push(...events.map(({ path, change }) => `${change} ${path?.slice(folder.length + 1)}`))
      return told.join() === what
    })
  }
  await look()
  writeFileSync(join(folder, 'new'), 'content')
  await tell('created new,modified ,modified new,modified ')
  renameSync(join(folder, 'new'), join(folder, 'other'))
  await tell('moved new,modified ')
  rmSync(join(folder, 'other'))
  await tell('deleted other,modified ')
  rmSync(join(folder, 'sub'), { recursive: true })
  await tell('deleted sub,modified ')
})

test('watchdog reports only events in its mask', async () => {
  const file = join(folder, 'known')
  writeFileSync(file, 'content')
  const look = looking('watchdog', [{ directories: { [folder]: { mask: ['delete'] } } }])
  await look()
  writeFileSync(join(folder, 'new'), 'content')
  rmSync(file)
  const told: unknown[] = []
  await until('the deletion', async () => told.push(...(await look())) > 0)
  expect(told).toEqual([{ tag: 'watchdog', path: file, change: 'deleted' }])
})

test.skipIf(!has('inotifywait'))('inotify reports opening, reading and closing of a file', async () => {
  const file = join(folder, 'f')
  writeFileSync(file, 'content')
  const look = looking('inotify', [{ files: { [folder]: { mask: ['open', 'access', 'close_nowrite'] } } }])
  const told: string[] = []
  await until('all three', async () => {
    readFileSync(file)
    told.push(...(await look()).map(({ path, change }) => `${path} ${change}`))
    return ['IN_OPEN', 'IN_ACCESS', 'IN_CLOSE_NOWRITE'].every((kind) => told.includes(`${file} ${kind}`))
  })
})

test.skipIf(!has('strace'))('sh reports the commands that a shell runs, until it ends', async () => {
  const shell = spawn('sh', { cwd: folder })
  const pid = String(shell.pid)
  const look = looking('sh', [], {
    'cmd.shells': () => ['/bin/bash', '/bin/sh'],
    'status.procs': () =>
      shell.exitCode === null ? { [pid]: { cmd: '-sh', user: 'joe' }, 1: { cmd: '/sbin/init' } } : {},
  })
  const told: Array<Record<string, unknown>> = []
  await until('a command', async () => {
    shell.stdin.write('/bin/echo one "two three" > /dev/null\n')
    told.push(...(await look()))
    return told.length > 0
  })
  expect(told[0]).toEqual({ args: ['/bin/echo', 'one', 'two three'], tag: pid, cmd: '/bin/echo', user: 'joe' })
  const ended = new Promise((done) => shell.once('exit', done))
  shell.stdin.end()
  await ended
  await until('the end', async () => (await look()).length === 0)
})

test("proxy_example reports the answer of a device's page", async () => {
  const look = looking('proxy_example', [{ endpoint: 'beacon' }], { 'http.query': () => ({ dict: { fan: 'off' } }) })
  expect(await look()).toEqual([{ fan: 'off' }])
})
