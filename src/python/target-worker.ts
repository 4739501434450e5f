// The worker on a target. It belongs to one connection and is never used for another one. Users' files are sent to it
// before a call that needs them, and again after a change.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, WITHHELD_OPTIONS } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { RemotePrograms } from '../host/mod.ts'
import { WorkerError } from './errors.ts'
import { type FamilyName, moduleFolders } from './folders.ts'
import type { WorkerSettings } from './launch.ts'
import { launchOnTarget } from './launch-on-target.ts'
import { Worker, type WorkerCall } from './worker.ts'

/** Families that run on a target. */
const FAMILIES: readonly FamilyName[] = ['modules', 'states', 'grains', 'utils', 'sdb', 'queues', 'returners']

/** Calls that reload users' files. */
const READING: ReadonlySet<string> = new Set(['load', 'grains'])

const MOST_BYTES = 64 << 20

/** Limits for messages of a target, which is not trusted. */
const LIMITS = { frame: 128 << 20, asks: 256, withheld: WITHHELD_OPTIONS }

const workers = new WeakMap<RemotePrograms, TargetWorker>()

export function targetWorker(remote: RemotePrograms, settings: WorkerSettings, log: Log): TargetWorker {
  const worker = workers.get(remote) ?? new TargetWorker(remote, settings)
  workers.set(remote, worker)
  worker.log = log
  return worker
}

export class TargetWorker {
  private readonly worker: Worker
  /** The marks of the files that the process has, by path. */
  private sent = new Map<string, string>()
  private sending: Promise<void> = Promise.resolve()
  private missing: WorkerError | undefined

  constructor(remote: RemotePrograms, settings: WorkerSettings) {
    const launch = async () => {
      const launched = await launchOnTarget(remote, settings)
      this.sent = new Map()
      return launched
    }
    this.worker = new Worker({ launch, name: 'The Python worker on the target', limits: LIMITS })
  }

  set log(log: Log) {
    this.worker.log = log
  }

  async call(call: WorkerCall, opts: Dict): Promise<Value> {
    const before = this.sending
    this.sending = before.catch(() => {}).then(() => this.prepare(call, opts))
    await this.sending
    return this.worker.call(call)
  }

  /** Start the process if there is none, and send it users' files. */
  private async prepare({ method, signal, timeout }: WorkerCall, opts: Dict): Promise<void> {
    if (this.missing) throw this.missing
    try {
      await this.worker.ready()
    } catch (error) {
      if (error instanceof WorkerError && error.code === 'PythonMissing') this.missing = error
      throw error
    }
    if (this.sent.size > 0 && !READING.has(method)) return
    const marks = userFiles(opts)
    const changed: Dict = new Map()
    for (const [path, mark] of marks) if (this.sent.get(path) !== mark) changed.set(path, readFileSync(path))
    const gone = [...this.sent.keys()].filter((path) => !marks.has(path))
    if (changed.size === 0 && gone.length === 0) return
    await this.worker.call({
      method: 'files',
      facts: () => new Map(),
      params: [changed, gone],
      ask: () => null,
      what: 'the sending of modules',
      timeout,
      signal,
    })
    this.sent = marks
  }
}

/** Return the Python files of users' folders, each with a mark that changes with the file. */
function userFiles(opts: Dict): Map<string, string> {
  const marks = new Map<string, string>()
  let size = 0
  for (const folder of new Set(FAMILIES.flatMap((family) => moduleFolders(opts, family)))) {
    const found = statSync(folder, { throwIfNoEntry: false })
    if (!found?.isDirectory()) continue
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.py')) continue
      const path = join(entry.parentPath, entry.name)
      const stat = statSync(path, { bigint: true })
      size += Number(stat.size)
      marks.set(path, `${stat.mtimeNs}:${stat.size}:${stat.ino}`)
    }
  }
  if (size > MOST_BYTES)
    throw new RangeError(`The modules take ${size} bytes; at most ${MOST_BYTES} can be sent to a target`)
  return marks
}
