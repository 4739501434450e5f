// Containers: creation, changes of state, commands in them.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, failure, float, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { attempt, docker, inspect, jsonLines, lines, program, said, stateOf, within } from './cli.ts'
import { pull, resolveId } from './images.ts'
import { createWords } from './options.ts'

/** Return containers by ID, with the columns of `docker ps`. */
export async function list(ctx: FunctionContext, all: boolean, filters: Dict | null): Promise<Dict> {
  const words = ['container', 'ls', '--no-trunc', ...(all ? ['--all'] : [])]
  for (const [key, value] of filters ?? []) words.push('--filter', `${str(key)}=${str(value)}`)
  const found: Dict = new Map()
  for (const row of await jsonLines(ctx, ...words)) {
    const id = row.get('ID') ?? null
    row.delete('ID')
    row.set('Names', str(row.get('Names') ?? '').split(','))
    found.set(id, row)
  }
  return found
}

export async function names(ctx: FunctionContext, all: boolean): Promise<string[]> {
  const words = ['container', 'ls', '--format', '{{.Names}}', ...(all ? ['--all'] : [])]
  return (await lines(ctx, ...words)).flatMap((line) => line.split(',')).sort()
}

type Options = ReadonlyMap<string, Value>

/** Options about the call, not about the container. */
const CALL_OPTIONS = [
  'skip_translate',
  'ignore_collisions',
  'validate_ip_addrs',
  'client_timeout',
  'start',
  'networks',
  'name',
  'image',
  'bg',
  'replace',
  'force',
  'inspect',
  'saltenv',
]

export async function create(
  ctx: FunctionContext,
  image: string,
  name: string | null,
  options: Options,
): Promise<Dict> {
  const own = new Map([...options].filter(([key]) => !CALL_OPTIONS.includes(key)))
  const { flags, command, unknown } = createWords(own)
  if (unknown.length > 0)
    ctx.log('warning', `The following arguments were ignored because they are not recognized: ${unknown.join(', ')}`)
  const started = ctx.host.now()
  const named = name === null ? [] : [`--name=${name}`]
  const id = (await said(ctx, 'create', ...named, ...flags, image, ...command)).split('\n').at(-1) ?? ''
  const shown = name === null ? str(within(await inspect(ctx, 'container', id), 'Name')).replace(/^\//, '') : name
  return dictFrom({ Id: id, Name: shown, Warnings: null, Time_Elapsed: float(ctx.host.now() - started) })
}

function changed(result: boolean, old: string, now: string | null, comment?: string): Dict {
  const state: Dict = dictFrom({ old, new: now })
  const outcome: Dict = dictFrom({ result, state })
  return comment === undefined ? outcome : outcome.set('comment', comment)
}

/** Run a command that should bring a container into a state. */
export async function change(ctx: FunctionContext, name: string, words: string[], expected: string): Promise<Dict> {
  const before = await stateOf(ctx, name)
  if (words[0] !== 'restart' && before === expected) {
    return changed(false, expected, expected, `Container '${name}' already ${expected}`)
  }
  await docker(ctx, [...words, name])
  const after = (await attempt(() => stateOf(ctx, name))) ?? null
  return changed(after === expected, before, after)
}

export async function start(ctx: FunctionContext, name: string): Promise<Dict> {
  const before = await stateOf(ctx, name)
  if (before !== 'paused') return change(ctx, name, ['start'], 'running')
  return changed(false, before, before, `Container '${name}' is paused, cannot start`)
}

export async function stop(ctx: FunctionContext, name: string, timeout: Value, unpause: boolean): Promise<Dict> {
  const before = await stateOf(ctx, name)
  if (before === 'paused' && !unpause) {
    const advice = `Container '${name}' is paused, run with unpause=True to unpause before stopping`
    return changed(false, before, before, advice)
  }
  if (before === 'paused') await change(ctx, name, ['unpause'], 'running')
  const outcome = await change(ctx, name, ['stop', ...(timeout === null ? [] : [`--time=${str(timeout)}`])], 'stopped')
  const state = outcome.get('state') ?? null
  if (isDict(state)) state.set('old', before)
  return outcome
}

interface Removal {
  force: boolean
  volumes: boolean
  stop: boolean
  timeout: Value
}

/** Remove a container, and return its ID. */
export async function remove(ctx: FunctionContext, name: string, removal: Removal): Promise<Value[]> {
  const running = (await stateOf(ctx, name)) === 'running'
  if (running && !removal.force && !removal.stop) {
    throw failure(`Container '${name}' is running, use force=True to forcibly remove this container`)
  }
  const facts = await inspect(ctx, 'container', name)
  const vanishes = removal.stop && !removal.force && within(facts, 'HostConfig', 'AutoRemove') === true
  if (removal.stop && !removal.force) await stop(ctx, name, removal.timeout, false)
  const flags = [...(removal.force ? ['--force'] : []), ...(removal.volumes ? ['--volumes'] : [])]
  if (!vanishes) await docker(ctx, ['rm', ...flags, name])
  return [facts.get('Id') ?? null]
}

interface RunRequest {
  image: string
  name: string | null
  bg: boolean
  replace: boolean
  force: boolean
  networks: Value
}

/** Create a container and start it; unless in the background, wait for it and return its output and exit code. */
export async function run(ctx: FunctionContext, request: RunRequest, options: Options): Promise<Dict> {
  const { image, name, bg, replace, force, networks } = request
  if ((await resolveId(ctx, image)) === false) await pull(ctx, image)
  const there = name === null ? undefined : await attempt(() => stateOf(ctx, name))
  if (there === 'running' && !(replace && force)) {
    throw failure(
      `Container '${name}' exists and is running. Run with replace=True and force=True to force removal of the existing container.`,
    )
  }
  if (there !== undefined && !replace) {
    throw failure(`Container '${name}' exists. Run with replace=True to remove the existing container`)
  }
  const removed =
    name === null || there === undefined
      ? []
      : await remove(ctx, name, { force, volumes: false, stop: false, timeout: null })
  const started = ctx.host.now()
  const outcome = await create(ctx, image, name, options)
  if (removed.length > 0) outcome.set('Replaces', removed)
  const id = str(outcome.get('Id') ?? '')
  for (const [network, settings] of isDict(networks) ? networks : [])
    await connect(ctx, id, str(network), isDict(settings) ? settings : new Map())
  await start(ctx, id)
  if (!bg) {
    outcome.set('ExitCode', Number(await said(ctx, 'wait', id)))
    const { stdout, stderr } = await docker(ctx, ['logs', id])
    outcome.set('Logs', `${stdout}${stderr}`)
  }
  return outcome.set('Time_Elapsed', float(ctx.host.now() - started))
}

const ENDPOINT: Readonly<Record<string, string>> = lookup({
  ipv4_address: '--ip',
  ipv6_address: '--ip6',
  links: '--link',
  aliases: '--alias',
})

export async function connect(
  ctx: FunctionContext,
  container: string,
  network: string,
  settings: ReadonlyMap<Value, Value>,
): Promise<boolean> {
  const flags = [...settings].flatMap(([key, value]) => {
    const flag = ENDPOINT[str(key)]
    if (flag === undefined || !truthy(value)) return []
    const values = Array.isArray(value) ? value.map(str) : str(value).split(',')
    return values.map((each) => `${flag}=${each}`)
  })
  await docker(ctx, ['network', 'connect', ...flags, network, container])
  return true
}

/** Run a command in a container; return the result of cmd.run_all. */
export async function exec(ctx: FunctionContext, name: string, cmd: Value, options: Options): Promise<Dict> {
  if ((await stateOf(ctx, name)) !== 'running') throw failure(`Container '${name}' is not running`)
  const flags = ['user', 'workdir'].flatMap((name) => {
    const value = options.get(name) ?? null
    return truthy(value) ? [`--${name}=${str(value)}`] : []
  })
  const stdin = options.get('stdin') ?? null
  const words = Array.isArray(cmd) ? cmd.map(str) : ['sh', '-c', str(cmd)]
  const argv = [...(await program(ctx)), 'exec', ...(stdin === null ? [] : ['--interactive']), ...flags, name, ...words]
  return ctx.call('cmd.run_all', [argv], {
    python_shell: false,
    stdin,
    ignore_retcode: truthy(options.get('ignore_retcode') ?? null),
  })
}
