// Containers: making them, moving them from state to state, running commands in them.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, float, isDict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { attempt, docker, failure, type Given, inspect, jsonLines, lines, said, stateOf, within } from './cli.ts'
import { pull, resolveId } from './images.ts'
import { createWords } from './options.ts'

/** All containers by ID, as `docker ps` tells them. */
export async function list(ctx: FunctionContext, all: boolean, filters: Value = null): Promise<Dict> {
  const words = ['container', 'ls', '--no-trunc', ...(all ? ['--all'] : [])]
  for (const [key, value] of isDict(filters) ? filters : []) words.push('--filter', `${str(key)}=${str(value)}`)
  const found: Dict = new Map()
  for (const row of await jsonLines(ctx, ...words)) {
    const id = row.get('ID')!
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

/** Options that say how a call is made, and nothing about the container. */
const ABOUT_THE_CALL = [
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

export async function create(ctx: FunctionContext, image: Value, name: Value, options: Options): Promise<Dict> {
  const own = new Map([...options].filter(([key]) => !ABOUT_THE_CALL.includes(key)))
  const { flags, command, unknown } = createWords(own)
  if (unknown.length > 0)
    ctx.log('warning', `The following arguments were ignored because they are not recognized: ${unknown.join(', ')}`)
  const started = ctx.host.now()
  const named = name === null ? [] : [`--name=${str(name)}`]
  const id = (await said(ctx, 'create', ...named, ...flags, str(image), ...command)).split('\n').at(-1)!
  const shown = name === null ? str(within(await inspect(ctx, 'container', id), 'Name')).replace(/^\//, '') : str(name)
  return new Map<Value, Value>([
    ['Id', id],
    ['Name', shown],
    ['Warnings', null],
    ['Time_Elapsed', float(ctx.host.now() - started)],
  ])
}

const changed = (result: boolean, old: string, now: string | null, comment?: string): Dict =>
  new Map<Value, Value>([
    ['result', result],
    [
      'state',
      new Map<Value, Value>([
        ['old', old],
        ['new', now],
      ]),
    ],
    ...(comment === undefined ? [] : ([['comment', comment]] as [Value, Value][])),
  ])

/** Runs a command that should bring a container into a state. */
export async function change(ctx: FunctionContext, name: Value, words: string[], expected: string): Promise<Dict> {
  const before = await stateOf(ctx, name)
  if (words[0] !== 'restart' && before === expected) {
    return changed(false, expected, expected, `Container '${str(name)}' already ${expected}`)
  }
  await docker(ctx, [...words, str(name)])
  const after = (await attempt(() => stateOf(ctx, name))) ?? null
  return changed(after === expected, before, after)
}

export async function start(ctx: FunctionContext, name: Value): Promise<Dict> {
  const before = await stateOf(ctx, name)
  if (before !== 'paused') return change(ctx, name, ['start'], 'running')
  return changed(false, before, before, `Container '${str(name)}' is paused, cannot start`)
}

export async function stop(ctx: FunctionContext, name: Value, timeout: Value, unpause: boolean): Promise<Dict> {
  const before = await stateOf(ctx, name)
  if (before === 'paused' && !unpause) {
    const advice = `Container '${str(name)}' is paused, run with unpause=True to unpause before stopping`
    return changed(false, before, before, advice)
  }
  if (before === 'paused') await change(ctx, name, ['unpause'], 'running')
  const outcome = await change(ctx, name, ['stop', ...(timeout === null ? [] : [`--time=${str(timeout)}`])], 'stopped')
  ;(outcome.get('state') as Dict).set('old', before)
  return outcome
}

interface Removal {
  force: boolean
  volumes: boolean
  stop: boolean
  timeout: Value
}

/** The IDs that are gone. */
export async function remove(ctx: FunctionContext, name: Value, wish: Removal): Promise<Value[]> {
  const running = (await stateOf(ctx, name)) === 'running'
  if (running && !wish.force && !wish.stop) {
    throw failure(`Container '${str(name)}' is running, use force=True to forcibly remove this container`)
  }
  const facts = await inspect(ctx, 'container', name)
  const vanishes = wish.stop && !wish.force && within(facts, 'HostConfig', 'AutoRemove') === true
  if (wish.stop && !wish.force) await stop(ctx, name, wish.timeout, false)
  const flags = [...(wish.force ? ['--force'] : []), ...(wish.volumes ? ['--volumes'] : [])]
  if (!vanishes) await docker(ctx, ['rm', ...flags, str(name)])
  return [facts.get('Id')!]
}

/** Makes a container and starts it; in the foreground its output and exit code are told. */
export async function run(ctx: FunctionContext, given: Given, options: Options): Promise<Dict> {
  const { image = null, name = null, replace = null, force = null, networks = null } = given
  if ((await resolveId(ctx, image)) === false) await pull(ctx, image)
  const there = name === null ? undefined : await attempt(() => stateOf(ctx, name))
  if (there === 'running' && !(truthy(replace) && truthy(force))) {
    throw failure(
      `Container '${str(name)}' exists and is running. Run with replace=True and force=True to force removal of the existing container.`,
    )
  }
  if (there !== undefined && !truthy(replace)) {
    throw failure(`Container '${str(name)}' exists. Run with replace=True to remove the existing container`)
  }
  const removed =
    there === undefined
      ? []
      : await remove(ctx, name, { force: truthy(force), volumes: false, stop: false, timeout: null })
  const started = ctx.host.now()
  const outcome = await create(ctx, image, name, options)
  if (removed.length > 0) outcome.set('Replaces', removed)
  const id = str(outcome.get('Id')!)
  for (const [network, settings] of isDict(networks) ? networks : [])
    await connect(ctx, id, network, isDict(settings) ? settings : new Map())
  await start(ctx, id)
  if (!truthy(given['bg'] ?? null)) {
    outcome.set('ExitCode', Number(await said(ctx, 'wait', id)))
    const { stdout, stderr } = await docker(ctx, ['logs', id])
    outcome.set('Logs', `${stdout}${stderr}`)
  }
  return outcome.set('Time_Elapsed', float(ctx.host.now() - started)) as Dict
}

const ENDPOINT: Readonly<Record<string, string>> = lookup({
  ipv4_address: '--ip',
  ipv6_address: '--ip6',
  links: '--link',
  aliases: '--alias',
})

export async function connect(
  ctx: FunctionContext,
  container: Value,
  network: Value,
  settings: ReadonlyMap<Value, Value>,
): Promise<boolean> {
  const flags = [...settings].flatMap(([key, value]) => {
    const flag = ENDPOINT[str(key)]
    if (flag === undefined || !truthy(value)) return []
    const values = Array.isArray(value) ? (value as Value[]) : str(value).split(',')
    return values.map((each) => `${flag}=${str(each)}`)
  })
  await docker(ctx, ['network', 'connect', ...flags, str(network), str(container)])
  return true
}

/** A command within a container, with the answer of cmd.run_all. */
export async function exec(ctx: FunctionContext, name: Value, cmd: Value, options: Options): Promise<Dict> {
  if ((await stateOf(ctx, name)) !== 'running') throw failure(`Container '${str(name)}' is not running`)
  const flags: string[] = []
  if (truthy(options.get('user') ?? null)) flags.push(`--user=${str(options.get('user')!)}`)
  if (truthy(options.get('workdir') ?? null)) flags.push(`--workdir=${str(options.get('workdir')!)}`)
  const stdin = options.get('stdin') ?? null
  const words = Array.isArray(cmd) ? (cmd as Value[]).map((word) => str(word)) : ['sh', '-c', str(cmd)]
  const program = (await ctx.host.which('docker')) ?? 'docker'
  const argv = [program, 'exec', ...(stdin === null ? [] : ['--interactive']), ...flags, str(name), ...words]
  return ctx.call('cmd.run_all', [argv], {
    python_shell: false,
    stdin,
    ignore_retcode: truthy(options.get('ignore_retcode') ?? null),
  })
}
