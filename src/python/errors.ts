// Errors between Brine and users' Python.
import { BrineError, type ErrorDetails } from '../base/mod.ts'
import {
  isDict,
  isInt,
  isList,
  PyError,
  type PyErrorType,
  SaltError,
  type SaltErrorCode,
  str,
  type Value,
} from '../data/mod.ts'

export type WorkerErrorCode =
  /** No Python interpreter was found on this machine. */
  | 'PythonMissing'
  /** The worker ended while it was at work. */
  | 'WorkerDied'
  /** A call took longer than it may. */
  | 'CallTimedOut'
  /** A value has no form outside of Python. */
  | 'Unserializable'

export class WorkerError extends BrineError<WorkerErrorCode> {
  constructor(code: WorkerErrorCode, message: string, details?: ErrorDetails) {
    super(code, message, details)
    this.name = 'WorkerError'
  }
}

/** An exception that users' Python raised, with the trace that Python shows. */
export class PythonFailure extends PyError {
  /** `Traceback (most recent call last): …` with the exception's own line at the end. */
  readonly trace: string
  /** The module of the exception's class. */
  readonly module: string

  constructor(type: string, message: string, more: { trace: string; module: string } & ErrorDetails) {
    super(type as PyErrorType, message, more)
    this.trace = more.trace
    this.module = more.module
  }
}

interface FailureFacts {
  type: string
  module?: string
  bases?: string[]
  message: string
  trace?: string
  line?: [file: string, line: number] | null
}

/** Return the facts in a worker's report of an exception. */
export function failureFacts(value: Value): FailureFacts {
  const facts = isDict(value) ? value : new Map<Value, Value>()
  const [bases, line] = [facts.get('bases') ?? null, facts.get('line') ?? null]
  const module = facts.get('module') ?? null
  return {
    type: str(facts.get('type') ?? 'Exception'),
    message: str(facts.get('message') ?? ''),
    trace: str(facts.get('trace') ?? ''),
    bases: isList(bases) ? bases.map(str) : [],
    ...(module !== null && { module: str(module) }),
    line: isList(line) && isInt(line[1]!) ? [str(line[0]!), Number(line[1])] : null,
  }
}

/** Salt's exceptions that the code distinguishes. */
const SALT_CODES: ReadonlySet<string> = new Set<SaltErrorCode>([
  'SaltInvocationError',
  'CommandExecutionError',
  'CommandNotFoundError',
  'ArgumentValueError',
  'MinionError',
  'TimedProcTimeoutError',
  'SaltException',
])

/** The error that a failure in Python is on this side. */
export function errorOf(facts: FailureFacts, what: string): Error {
  const { type, message, bases = [], trace = '', module = 'builtins' } = facts
  if (type === 'Unserializable') {
    return new WorkerError('Unserializable', `${what} gives what cannot be passed on: ${message}`)
  }
  const at = facts.line ? { file: facts.line[0], line: facts.line[1] } : undefined
  const salt = [type, ...bases].find((name) => SALT_CODES.has(name))
  if (salt !== undefined && salt !== 'SaltException') {
    return Object.assign(new SaltError(salt as SaltErrorCode, message), { trace })
  }
  const known = type === 'TypeError' || !bases.includes('TypeError') ? type : 'TypeError'
  // for these two errors Salt shows the usage of the function
  return new PythonFailure(known, message, { trace, module, at: known === 'TypeError' ? undefined : at })
}

/** Return the report of an error for Python. */
export function failureOf(error: unknown): Map<string, string> {
  if (error instanceof PythonFailure) {
    return new Map([
      ['type', error.code],
      ['module', error.module],
      ['message', error.message],
    ])
  }
  if (error instanceof BrineError) {
    const type = error instanceof PyError || error instanceof SaltError ? error.code : 'CommandExecutionError'
    return new Map([
      ['type', type],
      ['message', error.message],
    ])
  }
  return new Map([
    ['type', 'CommandExecutionError'],
    ['message', error instanceof Error ? error.message : String(error)],
  ])
}
