// Requests about one bucket of S3.
import { createHash } from 'node:crypto'
import { type Dict, decodeBytes, isDict, isList, loadJson, misuse, type Value } from '../../../data/mod.ts'
import { arg, type Bound, type FunctionContext, optionalText } from '../../../sdk/mod.ts'
import { AwsCaller, type RestAnswer } from '../common/caller.ts'
import type { Parameters } from '../common/form.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { dictOfDocument, documentOf } from './document.ts'

export const BUCKET = { Bucket: arg.text('Name of the bucket'), ...LOGIN }

export type BucketArgs = Bound<typeof BUCKET>

/** Parameters that are headers of requests. */
export const GRANTS = {
  GrantFullControl: optionalText('Who has all rights, such as `id="…"` or `uri="…"`'),
  GrantRead: optionalText('Who may list objects'),
  GrantReadACP: optionalText('Who may read the access list'),
  GrantWrite: optionalText('Who may write objects'),
  GrantWriteACP: optionalText('Who may write the access list'),
}

export const ACL = optionalText('A named access list, such as `private` or `public-read`')

export const MFA = {
  MFA: optionalText('Serial number and code of a device for multi-factor authentication'),
  RequestPayer: optionalText('`requester` confirms that the caller pays'),
}

const HEADERS: Readonly<Record<string, string>> = {
  ACL: 'x-amz-acl',
  GrantFullControl: 'x-amz-grant-full-control',
  GrantRead: 'x-amz-grant-read',
  GrantReadACP: 'x-amz-grant-read-acp',
  GrantWrite: 'x-amz-grant-write',
  GrantWriteACP: 'x-amz-grant-write-acp',
  MFA: 'x-amz-mfa',
  RequestPayer: 'x-amz-request-payer',
}

/** Return the headers for parameters with these names. */
export function headersOf(given: Readonly<Record<string, string | null>>): Record<string, string> {
  const set = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null)
  if (set.some(([, value]) => /[\r\n]/.test(value))) throw misuse('A header cannot have more than one line')
  return Object.fromEntries(set.map(([name, value]) => [HEADERS[name]!, value]))
}

export interface BucketRequest {
  action: string
  method?: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD'
  query?: Parameters
  headers?: Record<string, string>
  /** Name of the root and content of the document. */
  document?: [root: string, content: Dict]
  body?: string
}

const s3Of = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 's3', login)

/** Send a request about a bucket, which is in the host name at Amazon and in the path elsewhere. */
export async function send(ctx: FunctionContext, bucket: BucketArgs, request: BucketRequest): Promise<RestAnswer> {
  const { Bucket: name, ...login } = bucket
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(name)) throw misuse(`'${name}' is no name of a bucket`)
  const s3 = s3Of(ctx, login)
  const { action, method = 'GET', query = {}, headers = {}, document } = request
  const inHost = !(await s3.place()).isOwn && /^[a-z0-9-]+$/.test(name)
  const body = document ? documentOf(...document) : (request.body ?? '')
  const described = {
    'content-md5': createHash('md5').update(body).digest('base64'),
    'content-type': document ? 'application/xml' : 'application/json',
  }
  return s3.rest({
    action,
    method,
    path: inHost ? '/' : `/${name}`,
    ...(inHost && { subdomain: name }),
    query,
    headers: { ...headers, ...(body !== '' && described) },
    body,
  })
}

export async function read(ctx: FunctionContext, bucket: BucketArgs, request: BucketRequest): Promise<Dict> {
  const { body } = await send(ctx, bucket, request)
  return body.length === 0 ? new Map() : dictOfDocument(decodeBytes(body))
}

/** Return the buckets of the account. */
export async function listBuckets(ctx: FunctionContext, login: AwsLogin): Promise<Dict> {
  const { body } = await s3Of(ctx, login).rest({ action: 'ListBuckets', method: 'GET', path: '/' })
  return dictOfDocument(decodeBytes(body))
}

const MOST_PAGES = 10_000

/** Return the entries of lists over all pages. */
export async function pages(
  ctx: FunctionContext,
  bucket: BucketArgs,
  request: BucketRequest,
  { lists, tokens }: { lists: string[]; tokens: Record<string, string> },
): Promise<Record<string, Value[]>> {
  const found: Record<string, Value[]> = Object.fromEntries(lists.map((list) => [list, []]))
  let next: Parameters = {}
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await read(ctx, bucket, { ...request, query: { ...request.query, ...next } })
    for (const list of lists) found[list]!.push(...((answer.get(list) as Value[] | undefined) ?? []))
    if (answer.get('IsTruncated') !== true) return found
    next = Object.fromEntries(Object.entries(tokens).map(([at, into]) => [into, answer.get(at) as string]))
  }
  throw misuse(`The bucket ${bucket.Bucket} does not come to an end after ${MOST_PAGES} pages`)
}

/** Return a parameter that may be JSON in a text. */
export const parsed = (value: Value): Value => (typeof value === 'string' ? loadJson(value) : value)

/** Return a parameter that is a list, or JSON of one. */
export function listOf(value: Value, name: string): Value[] {
  const list = parsed(value)
  if (list !== null && !isList(list)) throw misuse(`'${name}' must be a list`)
  return list ?? []
}

/** Return a parameter that is a dict, or JSON of one. */
export function dictOf(value: Value, name: string): Dict {
  const dict = parsed(value)
  if (!isDict(dict)) throw misuse(`'${name}' must be a dict`)
  return dict
}
