// States of processes that supervisord controls.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Where = Bound<typeof where>

/** Answers that are marked as errors but mean success. */
const FINE = ['already started', 'not running', 'process group already active']

const isError = (answer: string): boolean => answer.includes('ERROR') && !FINE.some((text) => answer.includes(text))

const STOPPED = ['STOPPED', 'STOPPING', 'EXITED', 'FATAL', 'BACKOFF']

interface Seen {
  states: Map<string, string>
  groups: Set<string>
}

async function look(ctx: StateContext, where: Where): Promise<Seen> {
  const all = await ctx.call('supervisord.status', [], where)
  const states = new Map([...all].map(([name, entry]) => [str(name), str((entry as Dict).get('state')!)]))
  const grouped = [...states.keys()].filter((name) => name.includes(':'))
  return { states, groups: new Set(grouped.map((name) => name.slice(0, name.indexOf(':') + 1))) }
}

/** Return the processes that a name means, with their states. */
function meant(name: string, { states, groups }: Seen): Map<string, string> {
  if (states.has(name)) return new Map([[name, states.get(name)!]])
  if (!groups.has(name)) return new Map()
  return new Map([...states].filter(([program]) => program.startsWith(name)))
}

function forecast(name: string, programs: Map<string, string>): [boolean | null, string] {
  const isGroup = name.endsWith(':')
  if (programs.size === 0) {
    return [null, `${isGroup ? `Group '${name}'` : `Service ${name}`} will be added and started`]
  }
  const idle = [...programs].filter(([, state]) => state.toLowerCase() !== 'running').map(([program]) => program)
  if (idle.length === 0) {
    return [
      true,
      isGroup ? `All services in group '${name}' are already running` : `Service ${name} is already running`,
    ]
  }
  if (!isGroup) return [null, `Service ${name} will be started`]
  if (idle.length === programs.size) return [null, `All services in group '${name}' will be started`]
  return [null, `The following services will be started: ${idle.join(' ')}`]
}

interface Request extends Where {
  name: string
  restart: boolean
  update: boolean
}

async function running(ctx: StateContext, request: Request): Promise<StateReturn> {
  const { restart, update, name: given, ...where } = request
  const name = given.replace(/:\*$/, ':')
  const ret = reportOn(name)
  const seen = await look(ctx, where)
  const programs = meant(name, seen)
  if (ctx.test) return ret(...forecast(name, programs))
  const done: string[] = []
  let [result, comment] = [true, '']
  const judge = (answer: Value, success: string): void => {
    const failed = isError(str(answer))
    if (failed) result = false
    comment = failed ? str(answer) : success
  }
  let wasUpdated = false
  if (update) {
    const answer = await ctx.call('supervisord.update', [], where)
    judge(answer, 'Updating supervisor')
    wasUpdated = str(answer).includes(`${name}: updated`)
  } else if (programs.size === 0) {
    await ctx.call('supervisord.reread', [], where)
    judge(await ctx.call('supervisord.add', [name], where), `Adding service: ${name}`)
    done.push(`Adding service: ${name}`)
  }
  const kind = seen.groups.has(name) ? ' group' : seen.states.has(name) ? ' service' : ''
  const isRunning = kind !== '' && ![...programs.values()].some((state) => STOPPED.includes(state))
  const act = async (fun: 'start' | 'restart', what: string): Promise<void> => {
    done.push(`${what}${kind}: ${name}`)
    judge(await ctx.call(`supervisord.${fun}`, [name], where), done.at(-1)!)
  }
  if (!isRunning && !wasUpdated) await act('start', 'Starting')
  else if (isRunning && restart && !wasUpdated) await act('restart', 'Restarting')
  else if (isRunning) comment = `Not starting ${wasUpdated ? 'updated' : 'already running'}${kind}: ${name}`
  return ret(result, comment, result && done.length > 0 ? { [name]: done.join(' ') } : {})
}

async function dead(ctx: StateContext, name: string, where: Where): Promise<StateReturn> {
  const ret = reportOn(name)
  if (ctx.test) return ret(null, `Service ${name} is set to be stopped`)
  const programs = meant(name, await look(ctx, where))
  if (programs.size === 0) return ret(true, `Service ${name} doesn't exist`)
  if ([...programs.values()].every((state) => STOPPED.includes(state))) {
    return ret(true, `Service ${name} is not running`)
  }
  const answer = str(await ctx.call('supervisord.stop', [name], where))
  if (isError(answer)) return ret(false, answer)
  return ret(true, `Stopping service: ${name}`, { [name]: `Stopping service: ${name}` })
}

const name = arg.string('Process, or a group with a colon')
const where = {
  user: arg.text('User that runs supervisorctl', { optional: true }),
  conf_file: arg.text('Path of the configuration of supervisord', { optional: true }),
  bin_env: arg.text('Path of supervisorctl, or of a virtual environment with it', { optional: true }),
}
const kwargs = arg.ignored()
const parameters = (restart: boolean) => ({
  name,
  restart: arg.flag('Whether to restart a running process', { default: restart }),
  update: arg.flag('Whether to update the configuration of supervisord first', { default: false }),
  ...where,
  kwargs,
})
const run = (ctx: StateContext, { kwargs: _, ...request }: Request & { kwargs: unknown }) => running(ctx, request)

export default defineState({
  name: 'supervisord',
  doc: 'Manage processes of supervisord.',
  functions: {
    running: state({ doc: 'Ensure that a process or group is running.', args: parameters(false), run }),
    dead: state({
      doc: 'Ensure that a process or group is not running.',
      args: { name, ...where, kwargs },
      run: (ctx, { name, kwargs: _, ...place }) => dead(ctx, name, place),
    }),
    mod_watch: state({
      doc: 'Restart a process or group because a watched state changed.',
      args: parameters(true),
      run,
    }),
  },
})
