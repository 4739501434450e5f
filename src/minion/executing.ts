// Runs a function of a job through its `module_executors`, one after the other, until one returns a result. A minion in
// blackout runs only functions of its whitelist.
import { setTimeout as sleep } from 'node:timers/promises'
import { option, withoutTemplateSecrets } from '../config/mod.ts'
import {
  type Dict,
  isDict,
  isList,
  loadJson,
  numberOf,
  SaltError,
  shlexQuote,
  str,
  truthy,
  type Value,
} from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import type { FunctionContext, Keywords } from '../sdk/mod.ts'

export interface Execution {
  functions: Registry
  fun: string
  args: readonly Value[]
  kwargs: Map<string, Value>
  /** The publication. */
  load: Dict
}

/** Undefined passes on to the next. */
type Executor = (execution: Execution) => Promise<Value | undefined>

const BLACKOUT =
  "Minion in blackout mode. Set 'minion_blackout' to False in pillar or grains to resume operations. Only saltutil.refresh_pillar allowed in blackout mode."

export function assertNoBlackout({ pillar, grains }: Pick<FunctionContext, 'pillar' | 'grains'>, fun: string): void {
  for (const source of [pillar, grains]) {
    if (!truthy(source.get('minion_blackout') ?? false)) continue
    const allowed = source.get('minion_blackout_whitelist') ?? []
    const isAllowed = fun === 'saltutil.refresh_pillar' || (isList(allowed) && [...allowed].includes(fun))
    if (!isAllowed) throw new SaltError('SaltInvocationError', BLACKOUT)
  }
}

const HASH_SIZE = 8192

/** A number that stays the same for a minion (Jenkins' one-at-a-time hash). */
function hashOf(id: string): number {
  let hash = 0
  for (const byte of Buffer.from(id)) {
    hash = (hash + byte) >>> 0
    hash = (hash + (hash << 10)) >>> 0
    hash = (hash ^ (hash >>> 6)) >>> 0
  }
  hash = (hash + (hash << 3)) >>> 0
  hash = (hash ^ (hash >>> 11)) >>> 0
  hash = (hash + (hash << 15)) >>> 0
  return (hash & (HASH_SIZE - 1)) >>> 0
}

export const splayOf = (id: string, seconds: number): number => Math.floor((seconds * hashOf(id)) / HASH_SIZE)

async function splay({ functions, load }: Execution): Promise<undefined> {
  const { opts, grains } = functions.ctx
  const given = load.get('executor_opts') ?? null
  const seconds = numberOf((isDict(given) ? given.get('splaytime') : undefined) ?? option(opts, 'splaytime')) ?? 0
  if (seconds <= 0) throw new RangeError('splaytime must be a positive integer')
  await sleep(splayOf(str(grains.get('id') ?? option(opts, 'id')), seconds) * 1000)
}

async function directCall({ functions, fun, args, kwargs }: Execution): Promise<Value> {
  return shownAnswer(fun, await functions.call(fun, args, kwargs))
}

/**
 * Return a result in the form that may leave the minion: functions of `config` return options with secrets, which other
 * modules need unmasked.
 */
export const shownAnswer = (fun: string, answer: Value): Value =>
  fun.startsWith('config.') ? withoutTemplateSecrets(answer) : answer

/** The function as another user, by salt-call. */
async function sudo({ functions, fun, args, kwargs }: Execution): Promise<Value> {
  const { opts, memory } = functions.ctx
  const user = option(opts, 'sudo_user')
  if (['state.sls', 'state.highstate', 'state.apply'].includes(fun)) kwargs.set('concurrent', true)
  const fixed = ['sudo', '-u', user, 'salt-call', '--priv', user, '--out', 'json', '--metadata', '-c']
  const words = [...fixed, option(opts, 'config_dir'), '--', fun, ...args.map((arg) => shlexQuote(str(arg)))]
  for (const [name, value] of kwargs) words.push(shlexQuote(`${name}=${str(value)}`))
  const ran = (await functions.call('cmd.run_all', [words], { use_vt: true, python_shell: false } as Keywords)) as Dict
  const code = ran.get('retcode') ?? 1
  if (code !== 0) {
    memory.set('retcode', code)
    return ran.get('stderr') ?? ''
  }
  const local = (loadJson(str(ran.get('stdout') ?? '')) as Dict).get('local') as Dict
  memory.set('retcode', local.get('retcode') ?? 0)
  return local.get('return') ?? null
}

const EXECUTORS: ReadonlyMap<string, Executor> = new Map<string, Executor>([
  ['direct_call', directCall],
  ['splay', splay],
  ['sudo', sudo],
])

function executorsOf({ opts, proxy }: FunctionContext, load: Dict): string[] {
  const usual = proxy && proxy.executors.length > 0 ? [...proxy.executors] : option(opts, 'module_executors')
  const given = load.get('module_executors') ?? usual
  const list = isList(given) ? [...given].map((name) => str(name)) : typeof given === 'string' ? [given] : []
  if (list.length === 0) {
    throw new SaltError(
      'SaltInvocationError',
      `Wrong executors specification: ${str(given)}. String or non-empty list expected`,
    )
  }
  if (option(opts, 'sudo_user') !== '') list[list.length - 1] = 'sudo'
  return list
}

/** An executor of users' own. */
async function ownExecutorOf(ctx: FunctionContext, name: string): Promise<Executor | undefined> {
  const own = await (await import('../pybridge/mod.ts')).ownExecutor(ctx, name)
  return own && (async ({ fun, args, kwargs, load }) => (await own({ fun, args, kwargs, data: load })) ?? undefined)
}

/** Run a function with the executors that the minion is configured with. */
export async function execute(execution: Execution): Promise<Value> {
  const { functions, fun, load } = execution
  assertNoBlackout(functions.ctx, fun)
  for (const name of executorsOf(functions.ctx, load)) {
    const executor = EXECUTORS.get(name) ?? (await ownExecutorOf(functions.ctx, name))
    if (!executor) throw new SaltError('SaltInvocationError', `Executor '${name}' is not available`)
    const answer = await executor(execution)
    if (answer !== undefined) return answer
  }
  return null
}
