// Requests about the schedule, which functions send over a minion's bus, and the events that answer them.
import { lookup } from '../base/mod.ts'
import { type Dict, deepCopy, dictFrom, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import { datetimeOf } from './moments.ts'
import type { Schedule } from './schedule.ts'

export interface ScheduleAnswer {
  tag: string
  data: Dict
}

interface Request {
  data: Dict
  name: string
  /** Jobs that come with it. */
  given: Dict
  saves: boolean
}

type Command = (schedule: Schedule, request: Request) => ScheduleAnswer | undefined

const FORMAT = '%Y-%m-%dT%H:%M:%S'
const answer = (word: string, data: Record<string, Value>): ScheduleAnswer => ({
  tag: `/salt/minion/minion_schedule_${word}`,
  data: dictFrom({ complete: true, ...data }),
})
const shown = (jobs: Dict): Value => deepCopy(jobs)

/** Sort dicts for output: the bus does not keep the order of the sender. */
function unordered(value: Value): Value {
  if (isList(value)) return value.map(unordered)
  return isDict(value) ? new Map([...value].map(([key, item]) => [key, unordered(item)])) : value
}

/** Change the minion's own jobs, save them if requested, and answer with all jobs. */
const changing =
  (word: string, change: (schedule: Schedule, request: Request) => void): Command =>
  (schedule, request) => {
    change(schedule, request)
    if (request.saves) schedule.save()
    return answer(word, { schedule: shown(schedule.all) })
  }

function switching(on: boolean): (schedule: Schedule, request: Request) => void {
  return (schedule, { name }) => {
    const job = schedule.own.get(name) ?? null
    if (isDict(job)) job.set('enabled', on)
  }
}

function addJobs(schedule: Schedule, { given }: Request): void {
  for (const [name, job] of given) {
    if (!isDict(job) || schedule.ofPillar.has(name)) continue
    if (!job.has('enabled')) job.set('enabled', true)
    schedule.own.set(name, job)
    schedule.forget(str(name))
  }
}

function deleteJob(schedule: Schedule, { name }: Request): void {
  schedule.own.delete(name)
  schedule.forget(name)
}

function modify(schedule: Schedule, request: Request): ScheduleAnswer | undefined {
  const { name, given, saves } = request
  if (!schedule.own.has(name) && schedule.ofPillar.has(name)) return undefined
  deleteJob(schedule, request)
  const gone = answer('delete_complete', { schedule: shown(schedule.all) })
  schedule.own.set(name, given)
  if (saves) schedule.save()
  return gone
}

function append(job: Dict, option: string, data: Dict, field: string): void {
  const list = job.get(option) ?? null
  const format = textOf(data.get('time_fmt') ?? null) ?? FORMAT
  const entry = dictFrom({ time: data.get(field) ?? null, time_fmt: format })
  job.set(option, [...(isList(list) ? list : []), entry])
}

const explicitly =
  (...options: ReadonlyArray<[string, string]>) =>
  (schedule: Schedule, { name, data }: Request): void => {
    const job = schedule.own.get(name) ?? null
    if (isDict(job)) for (const [option, field] of options) append(job, option, data, field)
  }

function list(schedule: Schedule, { data }: Request): ScheduleAnswer {
  const where = data.get('where') ?? null
  const jobs = where === 'pillar' ? schedule.ofPillar : where === 'opts' ? schedule.own : schedule.all
  return answer('list_complete', { schedule: shown(jobs) })
}

function reload(schedule: Schedule, { given }: Request): undefined {
  schedule.forget()
  const inner = given.get('schedule') ?? null
  for (const [name, job] of isDict(inner) ? inner : given) schedule.own.set(name, job)
}

const COMMANDS: Readonly<Record<string, Command>> = lookup({
  add: changing('add_complete', addJobs),
  delete: changing('delete_complete', deleteJob),
  modify,
  enable: changing('enabled_complete', (schedule) => void schedule.own.set('enabled', true)),
  disable: changing('disabled_complete', (schedule) => void schedule.own.set('enabled', false)),
  enable_job: changing('enabled_job_complete', switching(true)),
  disable_job: changing('disabled_job_complete', switching(false)),
  run_job: (schedule, { name }) => {
    schedule.runNow(name)
    return undefined
  },
  postpone_job: changing('postpone_job_complete', explicitly(['skip_explicit', 'time'], ['run_explicit', 'new_time'])),
  skip_job: changing('skip_job_complete', explicitly(['skip_explicit', 'time'])),
  reload,
  list,
  save_schedule: (schedule) => {
    schedule.save()
    return answer('saved', {})
  },
  get_next_fire_time: (schedule, { name }) => {
    const { next } = schedule.timesOf(name)
    const time = next === null ? null : datetimeOf(next).strftime(FORMAT)
    return answer('next_fire_time_complete', { next_fire_time: time })
  },
  job_status: (schedule, { name }) => answer('job_status_complete', { data: schedule.status(name) }),
})

/** Carry out a `manage_schedule` event; undefined if it has no answer. Throw for an unknown request. */
export function manageSchedule(schedule: Schedule, data: Dict): ScheduleAnswer | undefined {
  const func = str(data.get('func') ?? null)
  const command = COMMANDS[func]
  if (!command) throw new RangeError(`Function "${func}" is unavailable in salt.utils.scheduler`)
  const given = unordered(data.get('schedule') ?? null)
  // these two functions never change the file
  const saves = data.get('persist') === true && !['postpone_job', 'skip_job'].includes(func)
  return command(schedule, { data, name: str(data.get('name') ?? ''), given: isDict(given) ? given : new Map(), saves })
}
