// An answer of AWS that says no.
import { type Dict, SaltError, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'

export interface AwsFault {
  service: string
  action: string
  status: number
  /** AWS's error code, such as `InvalidGroup.NotFound`. */
  code: string
  text: string
}

export class AwsError extends SaltError {
  readonly fault: AwsFault

  constructor(fault: AwsFault) {
    super('CommandExecutionError', `${fault.service} ${fault.action} failed: ${fault.code}: ${fault.text}`)
    this.fault = fault
  }
}

/** Return whether AWS refused with one of the codes; with no codes, whether it refused at all. */
export const isFault = (error: unknown, ...codes: string[]): error is AwsError =>
  error instanceof AwsError && (codes.length === 0 || codes.includes(error.fault.code))

/** Return an error in the shape that Salt's functions return it. */
export function errorDict(error: AwsError): Dict {
  const { status, code, text } = error.fault
  const reason = REASONS[status] ?? `HTTP ${status}`
  return new Map([
    ['message', `${reason}: ${text}`],
    [
      'aws',
      new Map<string, string | number>([
        ['status', status],
        ['reason', reason],
        ['message', text],
        ['code', code],
      ]),
    ],
  ] as [string, string | Dict][])
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Return the result of a call, or something else where AWS refuses with one of the codes (with any, if none are given). */
export async function unlessFault<T, E>(
  call: Promise<T>,
  otherwise: (error: AwsError) => E,
  ...codes: string[]
): Promise<T | E> {
  try {
    return await call
  } catch (error) {
    if (!isFault(error, ...codes)) throw error
    return otherwise(error)
  }
}

/** Return whether AWS accepts a call; an error is logged. */
export async function isAccepted(ctx: Pick<FunctionContext, 'log'>, call: Promise<unknown>): Promise<boolean> {
  const accepted = call.then(() => true)
  return unlessFault(accepted, (error) => {
    ctx.log('error', error.message)
    return false
  })
}

const THROTTLING = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
  'TransactionInProgressException',
])

const BUSY_STATUS = new Set([429, 500, 502, 503, 504])

/** Return whether the same request may succeed after a pause. */
export const isBusy = ({ code, status }: Pick<AwsFault, 'code' | 'status'>): boolean =>
  THROTTLING.has(code) || BUSY_STATUS.has(status)

/** Return an error in the form of Salt's functions that use the newer library. */
export function errorText({ fault: { code, action, text } }: AwsError): Dict {
  return new Map([['message', `An error occurred (${code}) when calling the ${action} operation: ${text}`]])
}

/** Return a result, or `failed` with the error of AWS. */
export const orError = <T extends object>(call: Promise<T>, failed: Record<string, Value> = {}) =>
  unlessFault(call, (error) => ({ ...failed, error: errorText(error) }))
