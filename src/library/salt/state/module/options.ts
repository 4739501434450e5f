// Options of one state run: those of the minion, changed by the arguments of the call.
import { type Dict, decodeBytes, failure, isDict, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  CommandError,
  type FunctionContext,
  isTrue,
  option,
  rawOption,
  type StateRun,
  type StateRunRequest,
} from '../../../../sdk/mod.ts'
import { PILLAR_FAILURE } from './retcode.ts'

export type Further = ReadonlyMap<string, Value>

/** The differences of a run from the configuration of the minion. */
export interface RunChoice {
  kwargs: Further
  test?: Value
  stateEvents?: Value
  /** Whether `saltenv` defaults to `base`. */
  fallsBackToBase?: boolean
  jid?: string | null
  /** Whether the keyword `pillar` has an effect; some functions that show states ignore it. */
  takesPillar?: boolean
  /** Whether the keyword `mock` has an effect: states are then not called. */
  mocks?: boolean
  /** Whether the keywords `localconfig`, `saltenv` and `pillarenv` have an effect. */
  takesOptions?: boolean
  /** Data of a packed run, which replaces the minion's. */
  own?: { roots: Dict; pillar: Value; grains?: Dict }
}

export async function openRun(ctx: FunctionContext, choice: RunChoice): Promise<StateRun> {
  return ctx.openStates(await runRequest(ctx, choice))
}

async function runRequest(ctx: FunctionContext, choice: RunChoice): Promise<StateRunRequest> {
  const { kwargs, takesPillar = true } = choice
  const opts = new Map(ctx.opts)
  if (choice.takesOptions ?? true) await applyChoices(ctx, opts, kwargs)
  if (choice.test !== undefined) opts.set('test', await testValue(ctx, choice.test, kwargs))
  if (choice.stateEvents !== undefined && choice.stateEvents !== null) opts.set('state_events', choice.stateEvents)
  const parallel = kwargs.get('orchestrate_parallel') ?? null
  if (parallel !== null) opts.set('orchestrate_parallel', parallel)
  if (choice.own) opts.set('file_roots', choice.own.roots)
  if (choice.fallsBackToBase && option(opts, 'saltenv') === null) opts.set('saltenv', 'base')
  return {
    opts,
    pillar: takesPillar ? pillarOverride(kwargs) : null,
    pillarEncoding: takesPillar ? (kwargs.get('pillar_enc') ?? null) : null,
    jid: choice.jid ?? null,
    mocked: (choice.mocks ?? false) && truthy(kwargs.get('mock') ?? false),
    ...(choice.own && { pillar: choice.own.pillar, pillarEncoding: null, ownRoots: true }),
    ...(choice.own?.grains && { grains: choice.own.grains }),
  }
}

async function applyChoices(ctx: FunctionContext, opts: Map<Value, Value>, kwargs: Further): Promise<void> {
  if (kwargs.has('localconfig')) await applyFile(ctx, opts, kwargs.get('localconfig')!)
  else applyEnvironments(opts, kwargs)
}

/** Merge a configuration file over the options of this run. */
async function applyFile(ctx: FunctionContext, opts: Map<Value, Value>, path: Value): Promise<void> {
  // states of a machine over SSH are rendered here, and the file is on that machine
  if (ctx.host.remote) throw failure('Options of a run over SSH cannot come from a file of the target (localconfig)')
  if ((await ctx.host.stat(str(path))) === undefined) return
  const text = decodeBytes(await ctx.host.read(str(path)))
  const data = await ctx.render({ text, path: str(path), renderer: 'yaml', saltenv: 'base' })
  if (isDict(data)) for (const [name, value] of data) opts.set(name, value)
}

function applyEnvironments(opts: Map<Value, Value>, kwargs: Further): void {
  const saltenv = kwargs.get('saltenv') ?? null
  if (saltenv !== null) {
    if (option(opts, 'lock_saltenv') && str(saltenv) !== opts.get('saltenv')) {
      throw failure('lock_saltenv is enabled, saltenv cannot be changed')
    }
    opts.set('saltenv', str(saltenv))
  }
  if (!kwargs.has('pillarenv') && !option(opts, 'pillarenv_from_saltenv')) return
  const pillarenv = kwargs.get('pillarenv') ?? kwargs.get('saltenv') ?? null
  opts.set('pillarenv', pillarenv === null ? null : str(pillarenv))
}

function pillarOverride(kwargs: Further): Value {
  const pillar = kwargs.get('pillar') ?? null
  if (pillar !== null && !isDict(pillar) && (kwargs.get('pillar_enc') ?? null) === null) {
    throw misuse('Pillar data must be formatted as a dictionary, unless pillar_enc is specified.')
  }
  return pillar
}

/** Return whether this is a dry run: any value but False means yes; None means the configuration. */
async function testValue(ctx: FunctionContext, test: Value, kwargs: Further): Promise<Value> {
  if (test !== null) return test !== false
  for (const [name, value] of kwargs) if (name.toLowerCase() === 'test' && isTrue(value)) return true
  if (ctx.has('config.get') && (await ctx.call('config.get', ['test'], { omit_opts: true })) === true) return true
  return rawOption(ctx.opts, 'test')
}

/** Return the job id of a call. */
export function jobId(kwargs: Further): string | null {
  const jid = kwargs.get('__pub_jid') ?? null
  return jid === null ? null : str(jid)
}

/** Return the errors of the pillar, which prevent states from running unless `force` is given. */
export function pillarErrors(run: StateRun, kwargs: Further): Value[] {
  const errors = run.pillar.get('_errors')
  return Array.isArray(errors) && !truthy(kwargs.get('force') ?? false) ? errors : []
}

/** Raise the errors of the pillar, if there are any. */
export function needPillar(ctx: FunctionContext, run: StateRun, kwargs: Further): void {
  const errors = pillarErrors(run, kwargs)
  if (errors.length === 0) return
  ctx.memory.set('retcode', PILLAR_FAILURE)
  throw new CommandError('Pillar failed to render', errors)
}

/** Return names from a list, or from text with commas. */
export function splitInput(value: Value): Value[] {
  if (Array.isArray(value)) return [...value]
  return str(value)
    .split(',')
    .map((part) => part.trim())
}
