// Our side of the bench `gitfs`: does the work of `python/gitfs_peer.py` with our file server, and prints what each part cost.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../src/base/mod.ts'
import { fromPlain, type Value } from '../src/data/mod.ts'
import { FileServer, KnownHashes } from '../src/fileserver/mod.ts'
import { LocalHost } from '../src/host/mod.ts'

interface Task {
  cachedir: string
  remotes: string[]
  /** A bare repository, and the commits that its master branch is moved to. */
  repository: string
  commits: string[]
  updates: number
  /** Measure updates and nothing else. */
  isUpdatesOnly: boolean
}

const task = JSON.parse(process.argv[2]!) as Task
const host = new LocalHost()
const settings = {
  __role: 'master',
  cachedir: task.cachedir,
  gitfs_remotes: task.remotes,
  fileserver_backend: ['gitfs'],
}
const opts = new Map<Value, Value>(
  Object.entries({ ...settings, hash_type: 'sha256' }).map(([name, value]) => [name, fromPlain(value)]),
)
const server = new FileServer(opts, host, silentLog)
const hashes = new KnownHashes(host)
const TICK_MS = 10

/** CPU milliseconds of this process and all its children, including running ones. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  const ended = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const running = children.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
  const sum = running.reduce((all, one) => all + one, 0)
  return (user + system) / 1000 + (Number(ended[13]) + Number(ended[14])) * TICK_MS + sum
}

async function cost(what: string, work: (count: number) => Promise<unknown>, times = 1): Promise<void> {
  const [cpu, wall] = [cpuMs(), performance.now()]
  for (let count = 0; count < times; count++) await work(count)
  const line = { what, cpuMs: (cpuMs() - cpu) / times, wallMs: (performance.now() - wall) / times }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const update = (): Promise<void> => server.update(() => undefined, 'gitfs')

/** Move the master branch as git does, without a program that would be counted. */
function move(commit: string): void {
  const path = join(task.repository, 'refs', 'heads', 'master')
  writeFileSync(`${path}.lock`, `${commit}\n`)
  renameSync(`${path}.lock`, path)
}

/** Updates of a master that has run for a while. */
const REPEATED = task.isUpdatesOnly ? 30 : 300
const NEW_COMMITS = 20

async function hashAll(): Promise<void> {
  for (const path of (await server.list('base')).files) {
    const found = await server.look(path, 'base')
    await hashes.of(found!.path, 'sha256', found)
  }
}

async function listAll(): Promise<void> {
  for (const env of await server.envs()) await server.list(env)
}

/** Return the used memory after a garbage collection. */
function heldMiB(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

const rssMiB = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024

await cost('update, cold', update)
// a repository that changed a moment ago is looked at more closely
await sleep(2500)
await update()
await cost('update, nothing new', update, REPEATED)
const followed = (count: number): Promise<void> => {
  move(task.commits[count]!)
  return update()
}
await cost('update, one new commit', followed, NEW_COMMITS)
if (task.isUpdatesOnly) process.exit()
await cost('lists of all environments', listAll)
await cost('lists of all environments, again', listAll, REPEATED)
await cost('hashes of all files', hashAll)
await cost('hashes of all files, again', hashAll)
await sleep(2500)
await update()
await cost('update, nothing new, after serving', update, 5)
let first = 0
for (let count = 1; count <= task.updates; count++) {
  if (count % 10 === 0) move(task.commits[(NEW_COMMITS + count / 10) % task.commits.length]!)
  await update()
  if (count === Math.ceil(task.updates / 10)) first = heldMiB()
}
process.stdout.write(
  `${JSON.stringify({ what: 'memory', firstMiB: first, lastMiB: heldMiB(), rssMiB: rssMiB(), updates: task.updates })}\n`,
)
