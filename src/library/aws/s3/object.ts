// Requests about one object of S3, with the arguments of boto3 as headers.
import { type Dict, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import { awsEscaped } from '../../../sdk/mod.ts'
import { AwsCaller, type RestAnswer } from '../common/caller.ts'
import type { AwsLogin } from '../common/login.ts'

const CUSTOMER = 'x-amz-server-side-encryption-customer'

/** Arguments of boto3 and their headers. */
const HEADERS: Readonly<Record<string, string>> = {
  ACL: 'x-amz-acl',
  CacheControl: 'cache-control',
  ContentDisposition: 'content-disposition',
  ContentEncoding: 'content-encoding',
  ContentLanguage: 'content-language',
  ContentType: 'content-type',
  Expires: 'expires',
  RequestPayer: 'x-amz-request-payer',
  SSECustomerAlgorithm: `${CUSTOMER}-algorithm`,
  SSECustomerKey: `${CUSTOMER}-key`,
  SSECustomerKeyMD5: `${CUSTOMER}-key-md5`,
  SSEKMSKeyId: 'x-amz-server-side-encryption-aws-kms-key-id',
  ServerSideEncryption: 'x-amz-server-side-encryption',
  StorageClass: 'x-amz-storage-class',
  WebsiteRedirectLocation: 'x-amz-website-redirect-location',
}

/** Arguments that S3 keeps and returns. */
export const STORED: readonly string[] = [
  ...Object.keys(HEADERS).filter((name) => !['ACL', 'RequestPayer', 'SSECustomerKey'].includes(name)),
  'Metadata',
]
/** Arguments that a request for the metadata needs too. */
export const FOR_METADATA: readonly string[] = Object.keys(HEADERS).filter(
  (name) => name.startsWith('SSECustomer') || name === 'RequestPayer',
)

const META = 'x-amz-meta-'

/** Return the headers of arguments; throw for unknown ones, and for values with line ends. */
export function headersOf(args: Dict): Record<string, string> {
  const headers: Record<string, string> = {}
  const set = (name: string, value: Value): void => {
    const text = str(value)
    if (/[\r\n]/.test(text)) throw misuse(`The value of '${name}' cannot have more than one line`)
    headers[name] = text
  }
  for (const [key, value] of args) {
    const name = str(key)
    if (name === 'Metadata' && isDict(value)) {
      for (const [field, text] of value) {
        if (!/^[\w.-]+$/.test(str(field))) throw misuse(`'${str(field)}' is no name of metadata`)
        set(`${META}${str(field).toLowerCase()}`, text)
      }
    } else if (Object.hasOwn(HEADERS, name)) set(HEADERS[name]!, value)
    else throw misuse(`extra_args has '${name}', which is not one of: ${Object.keys(HEADERS).join(', ')}, Metadata`)
  }
  return headers
}

/** Return the metadata of an object by the names of boto3. */
export function metadataOf({ headers }: RestAnswer): Dict {
  const found: Dict = new Map()
  const length = headers.get('content-length')
  if (length !== undefined) found.set('ContentLength', Number(length))
  for (const [name, header] of [
    ...Object.entries(HEADERS),
    ['ETag', 'etag'],
    ['LastModified', 'last-modified'],
  ] as const) {
    const value = headers.get(header!)
    if (value !== undefined) found.set(name!, value)
  }
  const own = [...headers].filter(([name]) => name.startsWith(META))
  return found.set('Metadata', new Map(own.map(([name, value]) => [name.slice(META.length), value])))
}

interface ObjectRequest {
  action: string
  method: 'HEAD' | 'PUT'
  headers: Record<string, string>
  body?: Uint8Array
}

/** Send a request about an object that is named `bucket/key`. */
export async function sendObject(
  ctx: FunctionContext,
  name: string,
  login: AwsLogin,
  { body, ...request }: ObjectRequest,
): Promise<RestAnswer> {
  const [bucket = '', ...keys] = name.split('/')
  const key = keys.join('/')
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket) || key === '')
    throw misuse(`'${name}' must be the name of a bucket, a slash, and the key of an object`)
  const s3 = AwsCaller.of(ctx, 's3', login)
  const inHost = !(await s3.place()).isOwn && /^[a-z0-9-]+$/.test(bucket)
  const place = key.split('/').map(awsEscaped).join('/')
  const at = inHost ? { path: `/${place}`, subdomain: bucket } : { path: `/${bucket}/${place}` }
  return s3.rest({ ...request, ...at, ...(body && { body }) })
}
