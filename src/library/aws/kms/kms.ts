// Calls of KMS, with answers in the shape of Salt's functions.
import { type Dict, isDict, markSecret, misuse, str, type Value } from '../../../data/mod.ts'
import type { FunctionContext } from '../../../sdk/mod.ts'
import { AwsCaller } from '../common/caller.ts'
import { errorDict, unlessFault } from '../common/errors.ts'
import { request } from '../common/json-request.ts'
import type { AwsLogin } from '../common/login.ts'

export const kmsOf = (ctx: FunctionContext, login: AwsLogin): AwsCaller => AwsCaller.of(ctx, 'kms', login)

/** Return a reply, or AWS's error. */
export const answered = (reply: Promise<Record<string, Value>>): Promise<Record<string, Value>> =>
  unlessFault(reply, (error) => ({ error: errorDict(error) }))

/** Call an action that answers nothing, on a key by its id or alias, and return whether it is done. */
export const done = (
  ctx: FunctionContext,
  login: AwsLogin,
  action: string,
  { KeyId = null, ...parameters }: Record<string, Value>,
): Promise<Record<string, Value>> => {
  const kms = kmsOf(ctx, login)
  const reply = async (): Promise<Record<string, Value>> => {
    const id = KeyId === null ? null : await keyIdOf(kms, str(KeyId))
    await request(kms, action, { KeyId: id, ...parameters })
    return { result: true }
  }
  return unlessFault(reply(), (error) => ({ result: false, error: errorDict(error) }))
}

/** Return the id of a key. Some actions do not know aliases. */
export async function keyIdOf(kms: AwsCaller, name: string): Promise<string> {
  if (!name.startsWith('alias/')) return name
  const metadata = (await request(kms, 'DescribeKey', { KeyId: name })).get('KeyMetadata') ?? null
  return isDict(metadata) ? str(metadata.get('KeyId') ?? '') : ''
}

/** Return all entries of a list over its pages. */
export async function listed(
  kms: AwsCaller,
  action: string,
  field: string,
  parameters: Record<string, Value>,
): Promise<Value[]> {
  const all: Value[] = []
  for (let Marker: Value = parameters['Marker'] ?? null; ; ) {
    const page = await request(kms, action, { ...parameters, Marker })
    all.push(...((page.get(field) ?? []) as Value[]))
    const next = page.get('NextMarker') ?? null
    if (next === null || next === Marker) return all
    Marker = next
  }
}

/** Return bytes for a request: text to encrypt is UTF-8. */
export const plainBytes = (value: Value): string =>
  Buffer.from(value instanceof Uint8Array ? value : str(value)).toString('base64')

/** Return encrypted bytes for a request: bytes, or a text that is base64 already. */
export function cipherBytes(value: Value): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  const text = str(value).trim()
  if (text === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw misuse('The ciphertext must be bytes, or base64 of them')
  return text
}

/** Return bytes of an answer. */
const bytesOf = (value: Value): Uint8Array => new Uint8Array(Buffer.from(str(value), 'base64'))

/** Return an answer with its bytes decoded. Secret bytes are marked. */
export function decoded(answer: Dict): Dict {
  const shown = new Map(answer)
  for (const name of ['CiphertextBlob', 'Plaintext']) {
    const value = answer.get(name) ?? null
    if (value === null) continue
    if (name === 'Plaintext') markSecret(str(value))
    shown.set(name, bytesOf(value))
  }
  return shown
}
