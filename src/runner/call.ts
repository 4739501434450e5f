// One call of a runner or wheel function: an event before and one after it, and its outcome as Salt's clients give it.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  BrineError,
  guarded,
  jobLog,
  makeOwnFolder,
  namedLog,
  namingErrors,
  newJid,
  PASSABLE_FOLDER,
  StorageError,
  toError,
  withHint,
} from '../base/mod.ts'
import type { Origin } from '../bus/mod.ts'
import { ClientError } from '../client/mod.ts'
import { option } from '../config/mod.ts'
import {
  type Dict,
  dictFrom,
  EncodedDict,
  encodeMsgpack,
  HIDDEN,
  isCredential,
  isDict,
  maskMarked,
  PyError,
  readValue,
  SaltError,
  statesSucceeded,
  str,
  type Value,
} from '../data/mod.ts'
import { loggerName } from '../loader/mod.ts'
import { type MasterContext, type MasterOutcome, signatureOf } from '../sdk/mod.ts'
import type { JobReturn } from '../store/mod.ts'
import { inSpan } from '../telemetry/mod.ts'
import type { MasterAccess } from './access.ts'
import { announce, type CallIdentity, masterContext } from './context.ts'
import type { MasterFamily } from './functions.ts'

export interface MasterCall {
  family: MasterFamily
  fun: string
  args: readonly Value[]
  kwargs: ReadonlyMap<string, Value>
  user: string
  /** The caller, if it is not the master itself. */
  caller?: Origin
  jid?: string
  masked?: boolean
  /** Whether the call is usually short; the file that shows it as running is then written only after a delay. */
  isBrief?: boolean
  print?: CallIdentity['print']
  onProgress?: CallIdentity['onProgress']
}

export interface MasterCallResult extends MasterOutcome {
  /** The outputter that the function requests. */
  out?: string
  /** Whether it ended by an exception. */
  raised?: boolean
}

/** Run a function of the master. Return how it ended, with a value that the caller may change. */
export async function runMasterFunction(access: MasterAccess, call: MasterCall): Promise<MasterCallResult> {
  const result = await performed(access, call)
  return { ...result, value: readValue(result.value) }
}

/** Run a function of the master for callers that read an `EncodedDict` by its entries. Return how it ended. */
export async function runForEntries(access: MasterAccess, call: MasterCall): Promise<MasterCallResult> {
  const result = await performed(access, call)
  const { value } = result
  return value instanceof EncodedDict ? result : { ...result, value: readValue(value) }
}

/** Run a function of the master for callers that wait for its last event. */
export async function beginMasterFunction(access: MasterAccess, call: MasterCall): Promise<void> {
  await performed(access, call)
}

/** Run a function of the master. The value of the result may be an `Encoded`. */
function performed(access: MasterAccess, call: MasterCall): Promise<MasterCallResult> {
  const failure = ({ success }: MasterCallResult): string | undefined => (success ? undefined : 'the function failed')
  const attributes = { 'salt.fun': call.fun }
  return inSpan(
    () => ({ name: `salt.${call.family}.${call.fun}`, attributes, failure }),
    () => performedNow(access, call),
  )
}

async function performedNow(access: MasterAccess, call: MasterCall): Promise<MasterCallResult> {
  const { family, fun, args, kwargs, user } = call
  const jid = call.jid ?? newJid()
  const tag = `salt/${family === 'runner' ? 'run' : 'wheel'}/${jid}`
  const registry = access.functions.of(family)
  const [module = ''] = fun.split('.')
  const described: Dict = dictFrom({ fun: `${family}.${fun}`, jid, user, fun_args: await toldArguments(access, call) })
  await announce(access, `${tag}/new`, new Map(described))
  const { masked, caller, print, onProgress } = call
  const origin = caller && { caller }
  const ctx = masterContext(
    access,
    {
      jid,
      user,
      tag,
      ...origin,
      log: namedLog(jobLog(access.log, jid), loggerName(family === 'runner' ? 'runners' : family, module)),
      ...(masked !== undefined && { masked }),
      ...(print && { print }),
      ...(onProgress && { onProgress }),
    },
    (kind, { name, ...inner }) => runMasterFunction(access, { family: kind, fun: name, ...inner, ...origin }),
  )
  const note = new Note(access, described, call.isBrief ?? false)
  let result: MasterCallResult
  try {
    await access.functions.refreshFor(family, fun)
    const value = await registry.callEncoded(ctx, fun, args, kwargs)
    const retcode = Number(ctx.memory.get('retcode') ?? 0)
    const chosen = ctx.memory.get('outputter')
    const outputter = typeof chosen === 'string' ? chosen : (await registry.find(fun)).outputter
    result = { jid, value, retcode, success: succeeded(value, retcode), ...(outputter && { out: outputter }) }
  } catch (error) {
    if (error instanceof BrineError && error.hint !== undefined)
      access.log('warning', withHint(error.reason, error.hint))
    result = { jid, ...(await failure(access, error, call)) }
  } finally {
    note.remove()
  }
  await access.stores.settled()
  const isSecret = (await declarationOf(access, call))?.isSecret === true
  const told = isSecret ? HIDDEN : maskMarked(withoutKeys(result.value))
  const ended = new Map(described).set('return', told).set('success', result.success)
  if (result.raised) ended.set('retcode', result.retcode)
  if (family === 'runner') remember(access, jid, ended)
  await announce(access, `${tag}/ret`, ended)
  return result
}

/** Return a context outside of a call: functions of the master that it calls are runs of their own. */
export function callingContext(access: MasterAccess, identity: CallIdentity): MasterContext {
  return masterContext(access, identity, (family, { name, ...call }) =>
    runMasterFunction(access, { family, fun: name, ...call }),
  )
}

/**
 * Return the arguments for the events of a call, without credentials, because others read the events. As in Salt, the
 * arguments of a wheel function that were all given by name appear bound: those without a default by position, the
 * others by name.
 */
async function toldArguments(access: MasterAccess, call: MasterCall): Promise<Value[]> {
  const { family, fun, args, kwargs } = call
  const declaration = await declarationOf(access, call)
  const parameters = Object.entries(declaration?.args ?? {})
  const isSecret = (name: string): boolean => isCredential(name) || declaration?.args[name]?.secret === true
  const withoutSecrets = (named: ReadonlyMap<string, Value>): Dict =>
    new Map([...named].map(([name, value]): [Value, Value] => [name, isSecret(name) ? HIDDEN : value]))
  const placed = args.map((value, index) => (parameters[index]?.[1].secret ? HIDDEN : value))
  const asGiven = (): Value[] => [...placed, ...(kwargs.size > 0 ? [withoutSecrets(kwargs)] : [])]
  if (family !== 'wheel' || args.length > 0 || !declaration) return asGiven()
  const { positional, required, rest, open } = signatureOf(declaration, fun)
  const names = positional.slice(0, required)
  if (rest || open || !names.every((name) => kwargs.has(name))) return asGiven()
  const named = positional.slice(required)
  if (kwargs.size > names.length + named.filter((name) => kwargs.has(name)).length) return asGiven()
  const values = new Map(named.map((name) => [name, kwargs.get(name) ?? defaultOf(declaration.args[name])]))
  return [...names.map((name) => kwargs.get(name)!), ...(values.size > 0 ? [withoutSecrets(values)] : [])]
}

/** Return the declaration of a function; undefined if it cannot be loaded. The call itself reports the error. */
async function declarationOf({ functions, log }: MasterAccess, { family, fun }: MasterCall) {
  const registry = functions.of(family)
  if (!registry.has(fun)) return undefined
  try {
    return await registry.find(fun)
  } catch (error) {
    log('debug', `${family} ${fun} cannot be loaded: ${toError(error).message}`)
    return undefined
  }
}

const defaultOf = (parameter: { default?: unknown } | undefined): Value => (parameter?.default ?? null) as Value

const PRIVATE_KEY = /^-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/

/** Return the result of a call without private keys, which only the caller may see. */
function withoutKeys(value: Value): Value {
  if (!isDict(value) || ![...value.values()].some(isPrivateKey)) return value
  return new Map([...value].map(([name, item]): [Value, Value] => [name, isPrivateKey(item) ? HIDDEN : item]))
}

const isPrivateKey = (value: Value): boolean => typeof value === 'string' && PRIVATE_KEY.test(value)

const BRIEF_MS = 20

/** A file that shows other programs that the call is running. */
class Note {
  private readonly file: string
  private readonly timer: NodeJS.Timeout | undefined
  private isWritten = false

  constructor({ opts, log }: MasterAccess, described: Dict, isBrief: boolean) {
    const folder = join(option(opts, 'cachedir'), 'proc')
    this.file = join(folder, str(described.get('jid')!))
    const note = (): void => {
      makeOwnFolder(dirname(folder), PASSABLE_FOLDER)
      makeOwnFolder(folder)
      writeFileSync(this.file, encodeMsgpack(new Map(described).set('pid', process.pid), 'bus'), { mode: 0o600 })
      this.isWritten = true
    }
    const write = guarded(log, `Noting that ${str(described.get('fun')!)} runs`, () => {
      try {
        namingErrors(this.file, note)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        // if the call itself needs the disk, the call fails and says so
        log('debug', error.message)
      }
    })
    if (isBrief) this.timer = setTimeout(write, BRIEF_MS)
    else write()
  }

  remove(): void {
    clearTimeout(this.timer)
    if (this.isWritten) rmSync(this.file, { force: true })
  }
}

function remember({ stores, opts, log }: MasterAccess, jid: string, ended: Dict): void {
  const ret = runnerReturn(option(opts, 'id'), ended)
  guarded(log, `Keeping the return of ${jid}`, () => stores.jobs.saveReturn(ret))()
}

/** A call of the master is a job too, and its return is the content of its last event. */
export function runnerReturn(id: string, ended: Dict): JobReturn {
  const { jid: job, fun, user } = Object.fromEntries(ended as Map<string, Value>)
  const jid = str(job ?? '')
  const load = dictFrom({ fun: fun ?? '', arg: [], tgt: id, tgt_type: 'list', jid, user: user ?? '' })
  const { return: value, success, _stamp, ...rest } = Object.fromEntries(ended as Map<string, Value>)
  const whole = new Map<Value, Value>([
    ...Object.entries(rest),
    ['_stamp', _stamp ?? new Date().toISOString().replace(/Z$/, '000+00:00')],
    ['return', value ?? null],
    ['success', success ?? false],
  ])
  return { jid, id, data: new Map<Value, Value>([['return', whole]]), job: { jid, load, minions: [] } }
}

/** Whether a return succeeded; a return with `data` is one of states, and succeeds if all of them did. */
function succeeded(value: Value, retcode: number): boolean {
  const data = isDict(value) ? value.get('data') : undefined
  return data === undefined ? retcode === 0 : statesSucceeded(data)
}

/** Errors that Salt reports as wrong arguments, whichever code raised them. */
const isMisuse = (error: unknown): boolean =>
  (error instanceof PyError && error.code === 'TypeError') ||
  (error instanceof SaltError && error.code === 'SaltInvocationError')

/** The text and the exit status when the function needs a master and none runs. */
const MASTER_IS_GONE = { value: 'The salt master could not be contacted. Is master running?', retcode: 2 }

async function failure({ functions }: MasterAccess, error: unknown, { family, fun }: MasterCall) {
  const { message } = toError(error)
  if (error instanceof BrineError && error.code === 'BusUnreachable')
    return { ...MASTER_IS_GONE, success: false, raised: true }
  if (error instanceof StorageError || (error instanceof ClientError && error.code === 'StorageError'))
    return { value: message, success: false, retcode: 1, raised: true }
  if (isMisuse(error)) {
    const registry = functions.of(family)
    const usage = registry.has(fun) ? (await registry.find(fun)).doc : ''
    const value = `\nPassed invalid arguments: ${message}\n\nUsage:\n${usage || 'None'}`
    return { value, success: true, retcode: 0, misused: true }
  }
  const { traceback } = await import('../render/mod.ts')
  const text = `Exception occurred in ${family} ${fun}: ${traceback(error)}`
  return { value: text, success: false, retcode: 1, raised: true }
}
