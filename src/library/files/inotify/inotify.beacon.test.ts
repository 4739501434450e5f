import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../../../test/until.ts'
import { silentLog } from '../../../base/mod.ts'
import { fromPlain, toPlain } from '../../../data/mod.ts'
import { LocalHost } from '../../../host/mod.ts'
import { type BeaconContext, beaconOptions } from '../../../sdk/mod.ts'
import inotify from './inotify.beacon.ts'

let folder: string
const closings: Array<() => void> = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-inotify-'))
  mkdirSync(join(folder, 'd/sub'), { recursive: true })
  writeFileSync(join(folder, 'd/f'), 'a\n')
  writeFileSync(join(folder, 'd/h'), 'b\n')
})
afterEach(() => {
  for (const close of closings.splice(0)) close()
  rmSync(folder, { recursive: true, force: true })
})

function looking(mask: string[]): () => Promise<string[]> {
  const ctx = {
    host: new LocalHost(),
    log: silentLog,
    memory: new Map(),
    watch: (path: string, hear: (name: string | null) => void) => {
      const watcher = watch(path, (_event, name) => hear(name))
      closings.push(() => watcher.close())
      return true
    },
    unwatch: () => undefined,
  } as unknown as BeaconContext
  const config = beaconOptions(fromPlain([{ files: { [join(folder, 'd')]: { mask } } }]))
  return async () => {
    const told = toPlain(await inotify.beacon(ctx, config)) as Array<{ path: string; change: string }>
    return told.map(({ path, change }) => `${path.slice(folder.length + 1)} ${change}`)
  }
}

test('A file counts as closed when no process writes it any more', async () => {
  const look = looking(['close_write'])
  await look()
  const writer = spawn('sh', ['-c', 'exec 3> d/up; echo half >&3; echo; read go; echo rest >&3'], { cwd: folder })
  closings.push(() => writer.kill())
  await new Promise((done) => writer.stdout.once('data', done))
  await new Promise((done) => setTimeout(done, 100))
  expect(await look()).toEqual([])
  expect(await look()).toEqual([])
  writer.stdin.end('go\n')
  const told: string[] = []
  await until('IN_CLOSE_WRITE', async () => told.push(...(await look())) > 0)
  expect(told).toEqual(['d/up IN_CLOSE_WRITE'])
})

test.each([
  ['a new file that is written', 'echo x > d/a', ['create', 'modify', 'close_write'], 'd/a IN_CREATE,d/a IN_MODIFY'],
  ['a new directory', 'mkdir d/n', ['create'], 'd/n IN_CREATE|IN_ISDIR'],
  ['a directory that is removed', 'rmdir d/sub', ['delete'], 'd/sub IN_DELETE|IN_ISDIR'],
  ['a file that gets another name', 'mv d/f d/g', ['moved_from', 'moved_to'], 'd/f IN_MOVED_FROM,d/g IN_MOVED_TO'],
  ['a file in the place of another', 'mv d/f d/h', ['moved_from', 'moved_to'], 'd/f IN_MOVED_FROM,d/h IN_MOVED_TO'],
  ['other rights', 'chmod 600 d/f', ['attrib'], 'd/f IN_ATTRIB'],
  ['the end of what is watched', 'rm -r d', ['delete_self'], 'd IN_DELETE_SELF,d IN_IGNORED'],
])('Of files %s is reported', async (_name, command, mask, wanted) => {
  const look = looking(mask)
  await look()
  execFileSync('sh', ['-c', command], { cwd: folder })
  const told: string[] = []
  await until(wanted, async () => {
    told.push(...(await look()))
    return wanted.split(',').every((event) => told.includes(event))
  })
})
