// Containers of Docker.
import { lookup } from '../../../base/mod.ts'
import { isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { answered, type Given, report, whenDocker } from './state/report.ts'
import { runOnce } from './state/run-once.ts'
import { keepRunning } from './state/running.ts'

async function stopped(ctx: StateContext, given: Given): Promise<StateReturn> {
  const { name = null, containers = null, shutdown_timeout = null, unpause = null } = given
  if (!truthy(name) && !truthy(containers))
    return report(name, false, "One of 'name' and 'containers' must be provided")
  if (containers !== null && !isList(containers)) return report(name, false, 'containers must be a list')
  const targets = (isList(containers) ? containers : [name]).map(str)
  const states = new Map<string, string[]>()
  for (const target of targets) {
    const answer = await answered(() => ctx.call('docker.state', [target]))
    const found = 'refusal' in answer ? 'absent' : str(answer.value)
    states.set(found, [...(states.get(found) ?? []), target])
  }
  const of = (kind: string): string[] => states.get(kind) ?? []
  const errors: string[] = []
  if (truthy(given['error_on_absent']!) && of('absent').length > 0) {
    errors.push(`The following container(s) are absent: ${of('absent').join(', ')}`)
  }
  if (!truthy(unpause) && of('paused').length > 0) {
    errors.push(`The following container(s) are paused: ${of('paused').join(', ')}`)
  }
  if (errors.length > 0) return report(name, false, errors.join('. '))
  const active = [...of('running'), ...of('paused')]
  if (active.length === 0) {
    const subject = targets.length === 1 ? `Container '${targets[0]}' is` : 'All specified containers are'
    return report(name, true, `${subject} ${of('absent').length > 0 ? 'absent or ' : ''}not running`)
  }
  if (ctx.test) return report(name, null, `The following container(s) will be stopped: ${active.join(', ')}`)
  return stopAll(ctx, name, active, { unpause, ...(truthy(shutdown_timeout) && { timeout: shutdown_timeout }) })
}

async function stopAll(
  ctx: StateContext,
  name: Value,
  active: string[],
  keywords: Record<string, Value>,
): Promise<StateReturn> {
  const changes: Record<string, Value> = {}
  const errors: string[] = []
  for (const target of active) {
    const outcome = await ctx.call('docker.stop', [target], keywords)
    if (outcome.get('result') === true) changes[target] = outcome
    else errors.push(str(outcome.get('comment') ?? `Failed to stop container '${target}'`))
  }
  if (errors.length > 0) return report(name, false, errors.join('; '), changes)
  return report(name, true, `The following container(s) were stopped: ${active.join(', ')}`, changes)
}

const names = async (ctx: StateContext): Promise<Value[]> => await ctx.call('docker.list_containers', [], { all: true })

async function absent(ctx: StateContext, name: string, force: boolean): Promise<StateReturn> {
  if (!(await names(ctx)).includes(name)) return report(name, true, `Container '${name}' does not exist`)
  const before = await ctx.call('docker.state', [name])
  if (before !== 'stopped' && !force) {
    return report(name, false, 'Container is running, set force to True to forcibly remove it')
  }
  if (ctx.test) return report(name, null, `Container '${name}' will be removed`)
  const answer = await answered(() => ctx.call('docker.rm', [name], { force }))
  if ('refusal' in answer) return report(name, false, `Failed to remove container '${name}': ${answer.refusal}`)
  const changes = { removed: answer.value }
  if ((await names(ctx)).includes(name)) return report(name, false, `Failed to remove container '${name}'`, changes)
  const how = force && before !== 'stopped' ? 'Forcibly' : 'Successfully'
  return report(name, true, `${how} removed container '${name}'`, changes)
}

const shared = {
  skip_translate: arg.any('Ignored', { optional: true }),
  ignore_collisions: arg.flag('Ignored', { default: false }),
  validate_ip_addrs: arg.flag('Ignored', { default: true }),
  client_timeout: arg.any('Ignored', { default: 60 }),
}
const options = arg.open('Options of the container: binds, environment, port_bindings, restart_policy and so on')
const image = arg.text('Image, with its tag', { optional: true })
const networks = arg.any('Networks: a list or a text with commas, or dicts of their settings by name', {
  optional: true,
})
const timeout = arg.text('Seconds until the container is killed', { optional: true })

const running = {
  name: arg.text('Name of the container'),
  image,
  ...shared,
  force: arg.flag('Whether the container is replaced in any case', { default: false }),
  watch_action: arg.text('What to do after a change of a watched state: `force` to replace, or a signal to send', {
    default: 'force',
  }),
  start: arg.flag('Whether the container is started', { default: true }),
  shutdown_timeout: timeout,
  networks,
  kwargs: options,
}

const stopping = {
  name: arg.text('Name of the container', { optional: true }),
  containers: arg.any('List of containers instead of the name; anything else is an error', { optional: true }),
  shutdown_timeout: timeout,
  unpause: arg.flag('Whether a paused container is resumed first', { default: false }),
  error_on_absent: arg.flag('Whether a missing container is a failure', { default: true }),
  kwargs: arg.ignored(),
}

const once = {
  name: arg.text('Name of the container', { optional: true }),
  image,
  bg: arg.flag('Whether the container runs in the background', { default: false }),
  failhard: arg.flag('Whether an exit code other than 0 is a failure', { default: true }),
  replace: arg.flag('Whether a container of that name is removed first', { default: false }),
  force: arg.flag('Whether a running container may be removed', { default: false }),
  ...shared,
  networks,
  kwargs: options,
}

type Body = (ctx: StateContext, given: Given, options: Map<string, Value>) => Promise<StateReturn>

const BODIES: Readonly<Record<string, Body>> = lookup({ running: keepRunning, stopped, run: runOnce })

const calling = (body: Body) => (ctx: StateContext, args: object) => {
  const { kwargs, ...given } = args as Given & { kwargs: Map<string, Value> }
  return body(ctx, given as Given, kwargs)
}

export default defineState({
  name: 'docker_container',
  doc: 'Manage containers of Docker.',
  when: whenDocker,
  functions: {
    running: state({
      doc: 'Ensure that a container runs with the given configuration.',
      args: running,
      run: calling(keepRunning),
    }),
    stopped: state({ doc: 'Ensure that containers do not run.', args: stopping, run: calling(stopped) }),
    absent: state({
      doc: 'Ensure that a container does not exist.',
      args: {
        name: arg.text('Name of the container'),
        force: arg.flag('Whether a running container may be removed', { default: false }),
      },
      run: (ctx, { name, force }) => absent(ctx, name, force),
    }),
    run: state({ doc: 'Run a container.', args: once, run: calling(runOnce) }),
    mod_watch: state({
      doc: 'Replace or signal a container after a change of a watched state.',
      args: {
        name: arg.text('Name of the container', { optional: true }),
        sfun: arg.text('Function of the watching state', { optional: true }),
        kwargs: options,
      },
      run: (ctx, { name, sfun, kwargs }) => {
        const body = BODIES[str(sfun)]
        if (!body) return report(name, false, `watch requisite is not implemented for ${str(sfun)}`)
        const force = sfun === 'running' && (kwargs.get('watch_action') ?? 'force') === 'force'
        const signals = sfun === 'running' && !force
        const given = { error_on_absent: true, start: true, failhard: true, ...Object.fromEntries(kwargs), name }
        // arguments of the state are no options of the container
        const own = sfun === 'running' ? running : sfun === 'run' ? once : stopping
        const rest = new Map([...kwargs].filter(([name]) => !(name in own)))
        return body(ctx, { ...given, ...(sfun === 'running' && { force, send_signal: signals }) }, rest)
      },
    }),
  },
})
