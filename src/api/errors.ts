// Why a request to the API is refused: a status of HTTP and a message for the caller.
import { BrineError } from '../base/mod.ts'
import { type Dict, isDict, str, type Value } from '../data/mod.ts'

export class HttpError extends BrineError<'HttpError'> {
  readonly status: number
  /** The name of the refusal, where the master refused. */
  refusal?: string

  constructor(status: number, message: string, cause?: unknown) {
    super('HttpError', message, cause === undefined ? {} : { cause })
    this.status = status
  }
}

/** The statuses that Salt's API gives to refusals of the master. */
const STATUSES: Readonly<Record<string, number>> = {
  AuthenticationError: 401,
  AuthorizationError: 401,
  EauthAuthenticationError: 401,
  TokenAuthenticationError: 401,
  UserAuthenticationError: 401,
  SaltInvocationError: 400,
  StorageError: 507,
}

/** Throw the refusal that an answer of the master carries. */
export function mindRefusal(answer: Value): void {
  const refusal = isDict(answer) ? answer.get('error') : undefined
  if (refusal === undefined || !isDict(refusal)) return
  const name = str(refusal.get('name') ?? '')
  const error = new HttpError(STATUSES[name] ?? 500, str(refusal.get('message') ?? ''))
  error.refusal = name
  throw error
}

/** Return an answer of the master as a dict, or throw its refusal. */
export function answered(answer: Value): Dict {
  mindRefusal(answer)
  if (!isDict(answer)) throw new HttpError(502, 'The master gave an answer that cannot be read')
  return answer
}

/** A chunk lacks a field, for which Salt answers with status 500 and JSON in place of a page. */
export class MissingField extends TypeError {}

/** Throw if a chunk lacks one of the fields that its client needs. */
export function needFields(low: Dict, fields: readonly string[]): void {
  const missing = fields.find((field) => !low.has(field))
  if (missing === undefined) return
  const client = str(low.get('client') ?? 'local')
  const text = `The client ${client} needs the field ${missing}`
  throw client === 'local' || client === 'local_async' ? new MissingField(text) : new HttpError(400, text)
}
