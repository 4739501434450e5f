// Scheduled jobs on a minion: built-in jobs, the run of a job, and its return as an event on the bus.
import { type Log, newJid, toError } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { handScheduled } from '../daemon/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../data/mod.ts'
import { endingHost } from '../host/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { diskKeeper, manageSchedule, metadataOf, Schedule } from '../schedule/mod.ts'
import { type ProxyAccess, signatureOf } from '../sdk/mod.ts'
import { assertNoBlackout } from './executing.ts'
import type { Jobs } from './jobs.ts'

export interface SchedulingParts {
  opts: Dict
  log: Log
  bus: EventBus
  jobs: Jobs
  functions(): Promise<Registry>
}

const RAISED = 254

const RETURN_TAG = '__schedule_return'

/** Returns of scheduled jobs that are held until a master is reached. */
const MOST_HELD = 1000

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

/** Open the schedule of a minion; return it and a function that closes it. */
export function openMinionSchedule(parts: SchedulingParts): { schedule: Schedule; close: () => void } {
  const { opts, log, bus, jobs } = parts
  const schedule: Schedule = new Schedule({
    opts,
    log,
    keeper: diskKeeper(opts, log),
    running: (name) => jobs.list().filter((job) => job.get('schedule') === name).length,
    run: (fun, job) => runScheduled(parts, fun, job),
  })
  for (const name of [...schedule.own.keys()]) if (str(name).startsWith('__master_')) schedule.own.delete(name)
  const stop = bus.listen(
    ({ data }) => {
      try {
        const answer = manageSchedule(schedule, data)
        if (answer) bus.fire(answer.tag, answer.data)
      } catch (error) {
        log('error', toError(error).message)
      }
    },
    (tag) => tag.startsWith('manage_schedule'),
  )
  for (const name of jobs.leftScheduled) schedule.brokeOff(name)
  schedule.start()
  return {
    schedule,
    close: () => {
      stop()
      schedule.stop()
    },
  }
}

/** Let the schedule update the mine, as `mine_enabled` and `mine_interval` say. */
export function addMineJob(schedule: Schedule, opts: Dict): void {
  if (!option(opts, 'mine_enabled')) {
    schedule.own.delete('__mine_interval')
    schedule.save()
    return
  }
  const job = dict({
    function: 'mine.update',
    minutes: option(opts, 'mine_interval'),
    jid_include: true,
    maxrunning: 2,
    run_on_start: true,
    return_job: option(opts, 'mine_return_job'),
    enabled: true,
  })
  schedule.own.set('__mine_interval', job)
  schedule.save()
  schedule.look()
}

/** `proxy_keep_alive`: let the schedule check whether the device of a proxy minion is reachable. */
export function keepDevice(schedule: Schedule, opts: Dict, proxy: ProxyAccess): void {
  if (proxy.has('alive') && option(opts, 'proxy_keep_alive')) {
    const job = dict({
      function: 'status.proxy_reconnect',
      minutes: option(opts, 'proxy_keep_alive_interval'),
      jid_include: true,
      maxrunning: 1,
      return_job: false,
      kwargs: dict({ proxy_name: proxy.type }),
      enabled: true,
    })
    schedule.own.set('__proxy_keepalive', job)
  } else schedule.own.delete('__proxy_keepalive')
  schedule.save()
  schedule.look()
}

/** Hold the returns of scheduled jobs until a master can take them; the returned function sends them, once. */
export function holdReturns(bus: EventBus, log: Log): () => void {
  const held: Dict[] = []
  const stop = bus.listen(
    ({ data }) => {
      held.push(data)
      if (held.length <= MOST_HELD) return
      held.shift()
      log('warning', `More than ${MOST_HELD} scheduled jobs ended before a master was reached: a return is lost`)
    },
    (tag) => tag === RETURN_TAG,
  )
  return () => {
    stop()
    for (const data of held.splice(0)) bus.fire(RETURN_TAG, data)
  }
}

/**
 * For `master_alive_interval`, add jobs that check whether the master answers, and whether the first master is back.
 */
export function watchMaster(schedule: Schedule, opts: Dict, master: string, first: string | undefined): void {
  for (const name of [...schedule.own.keys()]) {
    if (str(name).startsWith('__master_alive_') || name === '__master_failback') schedule.own.delete(name)
  }
  const seconds = option(opts, 'master_alive_interval')
  if (opts.get('transport') === 'tcp' || seconds <= 0) return
  const job = (fun: string, every: number, kwargs: Record<string, Value>): Dict =>
    dict({
      function: fun,
      seconds: every,
      jid_include: true,
      maxrunning: 1,
      return_job: false,
      kwargs: dict(kwargs),
      enabled: true,
    })
  schedule.own.set(`__master_alive_${master}`, job('status.master', seconds, { master, connected: true }))
  if (!option(opts, 'master_failback') || first === undefined || first === master) return
  const back = option(opts, 'master_failback_interval') || seconds
  schedule.own.set('__master_failback', job('status.ping_master', back, { master: first }))
}

function runScheduled(parts: SchedulingParts, fun: string, job: Dict): void {
  const { opts, bus, jobs, log } = parts
  const args = job.get('args') ?? null
  const kwargs = job.get('kwargs') ?? null
  const metadata = metadataOf(job)
  const ret: Dict = dict({
    id: option(opts, 'id'),
    fun,
    fun_args: [...(isList(args) ? [...args] : []), ...(isDict(kwargs) ? [kwargs] : [])],
    schedule: job.get('name') ?? '',
    jid: newJid(),
  })
  if (metadata) ret.set('metadata', metadata)
  ret.set('pid', process.pid)
  jobs.hold(new Map(ret), async (signal) => {
    await perform(parts, job, ret, signal)
    if (!truthy(job.get('return_job') ?? true)) return
    const load: Dict = new Map<Value, Value>([['cmd', '_return'], ...ret])
    if (!truthy(job.get('returner') ?? null) && !truthy(opts.get('schedule_returner') ?? null)) {
      load.set('jid', job.get('return_job') === 'nocache' ? 'nocache' : 'req')
    }
    bus.fire(RETURN_TAG, load)
    log('debug', `Scheduled job ${str(ret.get('schedule')!)} returned`)
  })
}

/** Run the function and add the result to the return. */
async function perform(parts: SchedulingParts, job: Dict, ret: Dict, signal: AbortSignal): Promise<void> {
  const fun = str(ret.get('fun')!)
  try {
    const all = await parts.functions()
    const { daemon, host } = all.ctx
    const functions = all.with({
      memory: new Map(),
      host: endingHost(host, signal),
      // a state run refuses to start beside another one, and must not count itself
      ...(daemon && { daemon: { ...daemon, running: () => parts.jobs.list(ret.get('jid')!) } }),
    })
    assertNoBlackout(functions.ctx, fun)
    if (!functions.has(fun)) {
      const text = functions.absence(fun) ?? `'${fun}' is not available.`
      ret.set('return', text)
      throw new RangeError(text)
    }
    ret.set('return', await call(functions, fun, job, ret))
    ret.set('retcode', functions.ctx.memory.get('retcode') ?? 0)
    ret.set('success', true)
    await handScheduled(functions.ctx, job, ret)
  } catch (error) {
    parts.log('error', `Unhandled exception running ${fun}: ${toError(error).message}`)
    if (!ret.has('return')) ret.set('return', `Unhandled exception running ${fun}`)
    ret.set('success', false).set('retcode', RAISED)
  }
}

async function call(functions: Registry, fun: string, job: Dict, ret: Dict): Promise<Value> {
  const [module, name] = [fun.slice(0, fun.indexOf('.')), fun.slice(fun.indexOf('.') + 1)]
  const declaration = (await functions.module(module)).functions[name]
  const args = job.get('args') ?? null
  const kwargs = job.get('kwargs') ?? null
  const named = new Map([...(isDict(kwargs) ? kwargs : [])].map(([key, value]) => [str(key), value]))
  if (declaration && signatureOf(declaration, name).open) {
    for (const [key, value] of ret) named.set(`__pub_${str(key)}`, value)
  }
  return functions.call(fun, isList(args) ? [...args] : [], named)
}
