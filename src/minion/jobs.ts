// Running jobs of this minion. Each has a file in `cachedir/proc` while it runs, for other programs, and its own host,
// so that ending the job ends its processes.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  isJid,
  isLogged,
  jobLog,
  type Log,
  namedLog,
  namingErrors,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  StorageError,
  type Storing,
  shownText,
  toError,
} from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { handReturn, type ReturnerOutcome, returnerNames } from '../daemon/mod.ts'
import { type Dict, dictFrom, encodeMsgpack, isDict, isList, SaltError, str, type Value } from '../data/mod.ts'
import { endingHost, loggedHost } from '../host/mod.ts'
import { loggerName, type Registry } from '../loader/mod.ts'
import { type DaemonAccess, HintList, publishedLists } from '../sdk/mod.ts'
import { functionLabel, readTraceparent, type Tracer } from '../telemetry/mod.ts'
import { leftJobs, leftReturn, noteOf, publisherOf } from './left-jobs.ts'
import type { MinionMetrics } from './metrics.ts'
import { type JobOutcome, runFunction } from './run-job.ts'
import { TakenJobs } from './taken-jobs.ts'

export interface JobsOptions {
  opts: Dict
  log: Log
  /** How files of running jobs are written. */
  storing?: Storing
  /** Counts jobs, where metrics are switched on. */
  metrics?: MinionMetrics
  /** Sends the spans of jobs. */
  tracer?: Tracer | undefined
}

/** The source of a job and the destination of its return. */
export interface JobHome {
  /** The functions at the time when a job begins. */
  functions(): Promise<Registry>
  /** Takes the finished return. */
  finished(ret: Dict): void
  /** The master that published the job. */
  master?: string
  /** The message for an unknown function, if it differs from the minion's. */
  unknown?(fun: string): string
  /** Called when everything about the job is done. */
  ended?(): Promise<void>
}

/** The keywords about resources that Salt passes to functions when a job targets no resource. */
const UNMANAGED: ReadonlyArray<[Value, Value]> = [
  ['resource_targets', []],
  ['pure_resource_target', false],
  ['minion_is_target', true],
]

/** Whether a name is a job id, or a word in place of one: the master is to choose it, or not to keep the return. */
export const isReturnJid = (jid: string): boolean => isJid(jid) || jid === 'req' || jid === 'nocache'

/** The logger of commands; in Salt, `cmd` runs all of them. */
const COMMANDS = loggerName('module', 'cmd')

/** How long a returner may delay the return to the master, in milliseconds. */
const HEAD_START = 1000

interface Running {
  load: Dict
  ending: AbortController
  /** The processes that it started and that still run; the job itself runs in the daemon. */
  processes: Set<number>
  done: Promise<void>
}

function withFields(ret: Dict, load: Dict, names: readonly string[]): Dict {
  for (const name of names) if (load.has(name)) ret.set(name, load.get(name)!)
  return ret
}

export class Jobs {
  private readonly options: JobsOptions
  private readonly running = new Map<string, Running>()
  private readonly folder: string
  private readonly queue: Array<() => void> = []
  private left: Dict[]
  private readonly taken: TakenJobs
  /** Jobs whose returns another process of this minion sends. */
  private readonly handedOver = new Set<string>()
  /** The scheduled jobs that an earlier life did not end. */
  readonly leftScheduled: readonly string[]

  constructor(options: JobsOptions) {
    this.options = options
    this.folder = join(option(options.opts, 'cachedir'), 'proc')
    this.left = leftJobs(this.folder, options.log)
    const { opts, log, storing = namingErrors } = options
    this.taken = new TakenJobs(
      join(option(opts, 'cachedir'), 'taken-jobs'),
      option(opts, 'minion_jid_queue_hwm'),
      storing,
      log,
    )
    this.leftScheduled = this.left.flatMap((note) => (note.has('schedule') ? [str(note.get('schedule')!)] : []))
    mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER })
    for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { recursive: true, force: true })
  }

  /** Take a job that a master published; false when it was taken before. */
  take(jid: string): boolean {
    return this.taken.take(jid)
  }

  /** The returns of jobs that an earlier life did not end, once; each with the master that published it, if that is known. */
  takeLeft(isWanted: (master: string | undefined) => boolean): Array<{ ret: Dict; master: string | undefined }> {
    const wanted = this.left.filter((note) => isWanted(publisherOf(note)))
    this.left = this.left.filter((note) => !wanted.includes(note))
    return wanted.map((note) => ({ ret: leftReturn(note), master: publisherOf(note) }))
  }

  get count(): number {
    return this.running.size
  }

  /** Begin a job, when there is room for one more: once for each home, which is the minion or one of its resources. */
  begin(load: Dict, ...homes: JobHome[]): void {
    const work = async (signal: AbortSignal): Promise<void> => {
      await Promise.all(homes.map((home) => this.finish(load, home, signal).finally(() => home.ended?.())))
    }
    this.hold(load, work, homes[0]?.master)
  }

  /** Carry out a job in a span below the span of its publication, and send the return in it. */
  private finish(load: Dict, home: JobHome, signal: AbortSignal): Promise<void> {
    const { tracer } = this.options
    if (!tracer) return this.finishNow(load, home, signal)
    const fun = functionLabel(load.get('fun') ?? '')
    const attributes = { 'salt.fun': fun, 'salt.jid': str(load.get('jid')!) }
    const parent = readTraceparent(load.get('traceparent'))
    return tracer.span({ name: `salt.minion.exec.${fun}`, attributes, parent }, () =>
      this.finishNow(load, home, signal),
    )
  }

  private async finishNow(load: Dict, home: JobHome, signal: AbortSignal): Promise<void> {
    const { metrics } = this.options
    const began = performance.now()
    const ret = labelled(await this.answer(load, home, signal).catch((error) => this.notRun(load, error)), load)
    if (this.handedOver.delete(str(load.get('jid')!))) return
    metrics?.ran(ret, performance.now() - began)
    const wanted = [load.get('ret'), this.options.opts.get('return')].flatMap(returnerNames)
    if (wanted.length === 0) return home.finished(ret)
    const whole = withFields(new Map(ret), load, ['ret_config', 'ret_kwargs'])
    const tell = metrics && ((name: string, outcome: ReturnerOutcome) => metrics.handed(name, outcome))
    const hints = new HintList()
    const { ctx } = (await home.functions()).with({ hint: (hint) => hints.add(hint) })
    const handed = handReturn(ctx, wanted, whole, tell)
    await Promise.race([handed, sleep(HEAD_START, undefined, { ref: false })])
    home.finished(hints.addTo(ret))
    await handed
  }

  /** Notes that something runs under a job id until it is done, and lets it be ended by that id, which becomes a file name. */
  hold(load: Dict, work: (signal: AbortSignal) => Promise<void>, master?: string): void {
    const jid = str(load.get('jid')!)
    if (this.running.has(jid)) return
    if (!isReturnJid(jid)) {
      this.options.log('error', `Refused to run a job, because ${shownText(jid)} is not a job id`)
      return
    }
    const ending = new AbortController()
    const done = this.room()
      .then(() => this.noted(noteOf(load, master), () => work(ending.signal)))
      .catch((error: unknown) => this.options.log('error', `Job ${jid} failed: ${toError(error).stack ?? ''}`))
      .finally(() => {
        this.running.delete(jid)
        this.queue.shift()?.()
      })
    this.running.set(jid, { load, ending, processes: new Set(), done })
  }

  /** The jobs that run now, but for one. */
  list(except?: Value): Dict[] {
    const others = [...this.running].filter(([jid]) => jid !== except)
    return others.map(([, { load, processes }]) => {
      const [pid = process.pid] = processes
      return new Map<Value, Value>([['pid', pid], ...describedJob(load)])
    })
  }

  /** Signal a job and its processes; return false if the job is not running. Signal 0 only tests. */
  signal(jid: string, signal: number): boolean {
    const job = this.running.get(jid)
    if (!job) return false
    if (signal !== 0) job.ending.abort(new SaltError('CommandExecutionError', `The job was ended by signal ${signal}`))
    return true
  }

  /** Waits until all have ended. */
  async settle(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ done }) => done))
  }

  private async room(): Promise<void> {
    const most = option(this.options.opts, 'process_count_max')
    if (most > 0 && this.running.size >= most) await new Promise<void>((done) => this.queue.push(done))
  }

  /**
   * Do work with a file about it on disk. The job also runs if the file cannot be written: freeing a full disk may need
   * a job. The job still runs only once, because its publication was counted before; but a minion that is killed
   * meanwhile cannot report it.
   */
  private async noted(note: Dict, work: () => Promise<void>): Promise<void> {
    const { log, storing = namingErrors } = this.options
    const jid = str(note.get('jid')!)
    const file = join(this.folder, jid)
    try {
      storing(file, () => writeFileSync(file, encodeMsgpack(note, 'bus'), { mode: PRIVATE_FILE }))
    } catch (error) {
      const level = error instanceof StorageError ? 'debug' : 'warning'
      log(level, `Job ${jid} runs without a note of it on disk: ${toError(error).message}`)
    }
    try {
      await work()
    } finally {
      rmSync(file, { force: true })
    }
  }

  private async answer(load: Dict, home: JobHome, signal: AbortSignal): Promise<Dict> {
    const all = await home.functions()
    const { host, daemon } = all.ctx
    const jid = load.get('jid')!
    const hints = new HintList()
    const log = jobLog(all.ctx.log, str(jid))
    const functions = all.with({
      memory: new Map(),
      hint: (hint) => hints.add(hint),
      log,
      host: loggedHost(endingHost(host, signal, this.running.get(str(jid))?.processes), namedLog(log, COMMANDS)),
      // a job does not see itself
      ...(daemon && {
        daemon: {
          ...daemon,
          running: () => this.list(jid),
          progress: this.progressOf(daemon, jid),
          ...this.upgradeBy(daemon, load),
        },
      }),
    })
    const fun = load.get('fun') ?? ''
    const refusal = isList(fun) || functions.has(str(fun)) ? undefined : home.unknown?.(str(fun))
    const ret: Dict =
      refusal !== undefined
        ? refused(refusal)
        : isList(fun)
          ? await this.several(functions, fun, load)
          : await this.single(functions, load)
    return hints.addTo(ret)
  }

  /** A job that upgrades the minion leaves its return to the next start. */
  private upgradeBy({ upgrade }: DaemonAccess, job: Dict): Pick<DaemonAccess, 'upgrade'> {
    if (!upgrade) return {}
    return {
      upgrade: async (request) => {
        const begun = await upgrade({ ...request, job })
        this.handedOver.add(str(job.get('jid')!))
        return begun
      },
    }
  }

  /** The return of a job that could not begin, for example because no file could be opened. */
  private notRun(load: Dict, error: unknown): Dict {
    const { message, stack } = toError(error)
    this.options.log('error', `Job ${str(load.get('jid')!)} could not run: ${stack ?? message}`)
    return refused(`The minion could not run the job: ${message}`)
  }

  /** The progress reporter of a job, for functions that return results piece by piece. */
  private progressOf({ askMaster }: DaemonAccess, jid: Value): NonNullable<DaemonAccess['progress']> {
    const id = option(this.options.opts, 'id')
    return (index, value) =>
      askMaster(
        new Map<Value, Value>([
          ['id', id],
          ['cmd', '_minion_event'],
          ['pretag', null],
          ['tag', `salt/job/${str(jid)}/prog/${str(id)}/${index}`],
          ['data', new Map([['return', value]])],
        ]),
      )
  }

  private async call(functions: Registry, fun: string, args: readonly Value[], load: Dict): Promise<JobOutcome> {
    const log = jobLog(this.options.log, str(load.get('jid')!))
    const user = shownText(str(load.get('user') ?? 'root'))
    log('info', `User ${user} Executing command ${shownText(fun)} with jid ${str(load.get('jid')!)}`)
    const began = performance.now()
    const outcome = await runFunction(functions, { fun, args, published: describedJob(load) }, log)
    if (isLogged(log, 'debug')) {
      const end = `ended with ${str(outcome.retcode)} after ${Math.round(performance.now() - began)} ms`
      log('debug', `Function ${shownText(fun)} of job ${str(load.get('jid')!)} ${end}`)
    }
    return outcome
  }

  private async single(functions: Registry, load: Dict): Promise<Dict> {
    const [[fun, args]] = publishedLists(load.get('fun')!, load.get('arg') ?? []) as [[string, readonly Value[]]]
    const outcome = await this.call(functions, fun, args, load)
    const ret: Dict = dictFrom({ success: outcome.success, return: outcome.value, retcode: outcome.retcode })
    return outcome.out === undefined ? ret : (ret.set('out', outcome.out) as Dict)
  }

  /** A job of several functions answers for each, by name or, with `multifunc_ordered`, in order. */
  private async several(functions: Registry, funs: readonly Value[], load: Dict): Promise<Dict> {
    const isOrdered = option(this.options.opts, 'multifunc_ordered')
    const outcomes: JobOutcome[] = []
    for (const [fun, args] of publishedLists(funs as Value, load.get('arg') ?? []))
      outcomes.push(await this.call(functions, fun, args, load))
    const gathered = (part: (outcome: JobOutcome) => Value): Value =>
      isOrdered ? outcomes.map(part) : new Map(outcomes.map((outcome, index) => [str(funs[index]!), part(outcome)]))
    return new Map<Value, Value>([
      ['return', gathered(({ value }) => value)],
      ['retcode', gathered(({ retcode }) => retcode)],
      ['success', gathered(({ success }) => success)],
    ])
  }
}

/** Put on a return which job it is of. */
function labelled(ret: Dict, load: Dict): Dict {
  ret.set('jid', load.get('jid')!)
  ret.set('fun', load.get('fun') ?? '')
  ret.set('fun_args', load.get('arg') ?? [])
  if (load.has('user')) ret.set('user', load.get('user')!)
  return withFields(ret, load, ['master_id', 'metadata'])
}

/** A job as functions see it. */
const describedJob = (load: Dict): Dict => new Map([...load, ...UNMANAGED.filter(([name]) => !load.has(name))])

const refused = (text: string): Dict =>
  new Map<Value, Value>([['success', false]]).set('return', text).set('retcode', 1).set('out', 'nested')

/** Whether a publication is a complete job. Its id becomes a file name and part of tags, so anything else is refused. */
export function isJob(load: Dict, log: Log): boolean {
  if (!isDict(load) || !['tgt', 'jid', 'fun', 'arg'].every((name) => load.has(name))) return false
  const jid = load.get('jid')!
  if (isJid(jid)) return true
  log('error', `Dropped a publication, because ${shownText(str(jid))} is not a job id`)
  return false
}
