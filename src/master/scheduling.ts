// The schedule of a master: the option `schedule`, whose jobs are runner functions. A running job is recorded on disk.
// After a crash, the next start reports it, and runs it again if the job has `run_missed`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guarded, isAnyError, newJid, recover, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { handScheduled } from '../daemon/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import { type MasterAccess, masterContext, runMasterFunction } from '../runner/mod.ts'
import { diskKeeper, metadataOf, Schedule } from '../schedule/mod.ts'
import { type DueRun, LeasedRuns } from './leased-runs.ts'
import type { MasterParts } from './parts.ts'

type SchedulingParts = Pick<MasterParts, 'opts' | 'log' | 'bus' | 'jobs' | 'cluster'>

interface Note {
  name: string
  jid: string
  fun: string
}

const REASON = 'The master was stopped while it was running the job; outcome unknown'

/** The schedule of a running master. */
export interface MasterSchedule {
  /** Return all jobs with their times. */
  summary(): Dict[]
  close(): void
}

/** Start the schedule of a master with jobs. */
export function openMasterSchedule(parts: SchedulingParts, access: MasterAccess): MasterSchedule {
  const { opts, log } = parts
  const running = new Map<string, number>()
  const notes = new Notes(join(option(opts, 'cachedir'), 'scheduled'))
  const start = (due: DueRun): void => {
    const { name } = due
    running.set(name, (running.get(name) ?? 0) + 1)
    void run(parts, access, notes, due)
      .catch((error: unknown) => log('error', `Scheduled job ${name} failed: ${toError(error).message}`))
      .finally(() => running.set(name, running.get(name)! - 1))
  }
  /** Jobs that run again because this master ended while they ran. */
  const broken = new Set<string>()
  let leased: LeasedRuns | undefined
  const schedule = new Schedule({
    opts,
    log,
    keeper: diskKeeper(opts, log),
    running: (name) => running.get(name) ?? 0,
    run: (fun, job) => {
      const name = str(job.get('name') ?? fun)
      const due = { name, fun, job, moment: schedule.momentOf(name) }
      if (leased && !broken.delete(name)) leased.due(due)
      else start(due)
    },
  })
  const { cluster } = parts
  const ranElsewhere = (name: string, time: number): void => schedule.ranElsewhere(name, time)
  leased = cluster && new LeasedRuns({ cluster, log, start, ranElsewhere })
  for (const note of notes.left()) {
    tellLeft(parts, note)
    if (schedule.brokeOff(note.name)) broken.add(note.name)
  }
  schedule.start()
  const close = (): void => {
    schedule.stop()
    leased?.close()
  }
  return { summary: () => schedule.summary(), close }
}

async function run({ opts, bus }: SchedulingParts, access: MasterAccess, notes: Notes, due: DueRun): Promise<void> {
  const { fun, job, name } = due
  const [args, kwargs] = [job.get('args') ?? null, job.get('kwargs') ?? null]
  const named = new Map(isDict(kwargs) ? [...kwargs].map(([key, value]) => [str(key), value]) : [])
  const positional = isList(args) ? [...args] : []
  const jid = newJid()
  notes.write({ name, jid, fun })
  try {
    const call = { family: 'runner', fun, args: positional, kwargs: named, user: 'root', jid } as const
    const { value, success, retcode } = await runMasterFunction(access, call)
    const metadata = metadataOf(job)
    const ret: Dict = new Map<Value, Value>([
      ['id', option(opts, 'id')],
      ['fun', fun],
      ['fun_args', [...positional, ...(named.size > 0 ? [new Map<Value, Value>(named)] : [])]],
      ['schedule', name],
      ['jid', jid],
      ...(metadata ? [['metadata', metadata] as const] : []),
      ['pid', process.pid],
      ['return', value],
      ['retcode', retcode],
      ['success', success],
    ])
    const hasReturners = [job.get('returner'), opts.get('schedule_returner')].some((names) => truthy(names ?? null))
    if (success && hasReturners) {
      const master = masterContext(access, { jid, user: 'root', tag: `salt/run/${jid}` })
      await handScheduled(await master.functions(), job, ret)
    }
    const kept = job.get('return_job') ?? true
    if (!truthy(kept)) return
    const load = new Map<Value, Value>([['cmd', '_return'], ...ret])
    bus.fire('__schedule_return', hasReturners ? load : load.set('jid', kept === 'nocache' ? kept : 'req'))
  } finally {
    notes.remove(jid)
  }
}

/** A run that will not end any more has its return all the same. */
function tellLeft({ opts, bus, jobs, log }: SchedulingParts, { name, jid, fun }: Note): void {
  log('warning', `Scheduled job ${name} (${fun}) did not end before the master did`)
  const id = option(opts, 'id') || 'master'
  const told = new Map<Value, Value>([
    ['fun', `runner.${fun}`],
    ['jid', jid],
    ['user', 'root'],
    ['fun_args', []],
    ['schedule', name],
    ['return', REASON],
    ['success', false],
    ['retcode', 1],
  ])
  const load = new Map<Value, Value>([['fun', `runner.${fun}`]]).set('arg', []).set('tgt', id).set('tgt_type', 'list')
  jobs.saveJob({ jid, load: load.set('jid', jid).set('user', 'root'), minions: [id] })
  guarded(log, `Keeping the end of job ${jid}`, () => jobs.saveReturn({ jid, id, data: new Map(told) }))()
  bus.fire(`salt/run/${jid}/ret`, told)
}

/** One file for each running job. */
class Notes {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /** Return the records of the last run of the master, once. */
  left(): Note[] {
    return readdirSync(this.folder).flatMap((file) => {
      const text = readFileSync(join(this.folder, file), 'utf8')
      this.remove(file)
      // it was killed while it wrote: nothing had begun
      return recover(isAnyError, [], () => [JSON.parse(text) as Note])
    })
  }

  write(note: Note): void {
    writeFileSync(join(this.folder, note.jid), JSON.stringify(note), { mode: 0o600 })
  }

  remove(jid: string): void {
    rmSync(join(this.folder, jid), { force: true })
  }
}
