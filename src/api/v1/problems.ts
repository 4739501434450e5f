// Errors as in RFC 9457: `application/problem+json`. They contain neither a stack trace nor a path of the machine.
import { STATUS_CODES } from 'node:http'
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { shownText, toError } from '../../base/mod.ts'
import { SaltError } from '../../data/mod.ts'
import { mayBeTooLong } from '../body-bytes.ts'
import { HttpError } from '../errors.ts'
import { TooManyRequests } from '../limits.ts'
import type { ApiService } from '../service.ts'

export interface FieldError {
  field: string
  reason: string
}

/** A refusal with the fields of the request that are wrong. */
export class BadFields extends HttpError {
  readonly errors: FieldError[]

  constructor(errors: FieldError[], status = 400) {
    super(status, `The request has ${errors.length === 1 ? 'a field' : `${errors.length} fields`} that cannot be used`)
    this.errors = errors
  }
}

const ProblemSchema = z
  .object({
    type: z.string().openapi({ description: 'The kind of the problem, a URN', example: 'urn:brine:problem:forbidden' }),
    title: z.string().openapi({ description: 'The name of the status', example: 'Forbidden' }),
    status: z.int().openapi({ example: 403 }),
    detail: z.string().openapi({ description: 'What is wrong with this request' }),
    errors: z
      .array(z.object({ field: z.string(), reason: z.string() }))
      .optional()
      .openapi({ description: 'The fields of the request that are wrong' }),
  })
  .openapi('Problem')

const problemContent = { 'application/problem+json': { schema: ProblemSchema } }

type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 500 | 503 | 504

const MEANINGS: Readonly<Record<Status, string>> = {
  400: 'The request cannot be read, or a field is wrong',
  401: 'The request has no valid session or token',
  403: 'The caller has no right for this',
  404: 'There is no such resource',
  405: 'The resource does not have this method',
  409: 'The request contradicts another one',
  413: 'The body is longer than allowed',
  415: 'The body is not JSON',
  422: 'The request can be read and not carried out',
  500: 'The server failed',
  503: 'The master cannot be reached',
  504: 'The function did not end in time',
}

interface ProblemResponse {
  description: string
  content: typeof problemContent
}

/** The responses of a route that refuse a request. */
export const refusals = <S extends Status>(...statuses: S[]): Record<S, ProblemResponse> =>
  Object.fromEntries(
    statuses.map((status) => [status, { description: MEANINGS[status], content: problemContent }]),
  ) as Record<S, ProblemResponse>

/** Return whether a response of the OpenAPI document is one of `refusals`. */
export const isRefusalResponse = (response: { content?: object }): boolean =>
  Object.keys(response.content ?? {}).join() === Object.keys(problemContent).join()

const LONGEST_DETAIL = 1000

const slug = (title: string): string => title.toLowerCase().replace(/[^a-z]+/g, '-')

/** Return the answer of a problem. */
export function problem(status: number, detail: string, errors?: FieldError[]): Response {
  const title = STATUS_CODES[status] ?? 'Error'
  const body = {
    type: `urn:brine:problem:${slug(title)}`,
    title,
    status,
    detail: detail.slice(0, LONGEST_DETAIL),
    ...(errors && { errors }),
  }
  const headers = new Headers({ 'Content-Type': 'application/problem+json' })
  if (status === 401) headers.set('WWW-Authenticate', 'Bearer')
  if (status === 413) headers.set('Connection', 'close')
  return new Response(JSON.stringify(body), { status, headers })
}

/** Return the answer for a failed request; an unexpected error is only logged. */
export function problemOf(error: unknown, c: Context, service: ApiService): Response {
  const answer = refusalOf(error, c, service)
  // the rest of a body that is refused does not come
  if (mayBeTooLong(c.req.raw, service.settings.maxBody)) answer.headers.set('Connection', 'close')
  return answer
}

function refusalOf(error: unknown, c: Context, { log }: ApiService): Response {
  if (error instanceof BadFields) return problem(error.status, error.message, error.errors)
  if (error instanceof HTTPException) {
    const { status } = error
    return problem(status, status === 415 ? 'The body must be application/json' : 'The body is not valid JSON')
  }
  if (error instanceof TooManyRequests) {
    const answer = problem(error.status, error.message)
    answer.headers.set('Retry-After', String(error.retryAfter))
    return answer
  }
  if (error instanceof HttpError && error.status < 500) return problem(error.status, error.message)
  const path = shownText(new URL(c.req.url).pathname)
  const known = error instanceof HttpError ? error : undefined
  if (error instanceof SaltError && error.code === 'SaltInvocationError') return problem(400, error.message)
  log('error', `Request for ${path} failed: ${shownText(toError(known?.cause ?? error).message)}`)
  // the master's own error message may contain file names
  const text = known?.refusal === undefined ? known?.message : `The master failed: ${known.refusal}`
  return problem(known?.status ?? 500, text || 'An unexpected error occurred')
}

const MOST_ERRORS = 20
const LONGEST_REASON = 200

/** Return the fields that a schema refuses, each with the first reason. */
export function fieldErrors(error: z.ZodError, place: string): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const { path, message, ...issue } of error.issues) {
    const keys = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys : []
    const field = [...path, ...keys.slice(0, 1)].map(String).join('.').slice(0, LONGEST_REASON) || place
    if (!errors.has(field)) errors.set(field, { field, reason: message.slice(0, LONGEST_REASON) })
    if (errors.size === MOST_ERRORS) break
  }
  return [...errors.values()]
}
