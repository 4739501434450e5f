// The list of secret names, and the masking of secret values.
import { repr, str } from './repr.ts'
import { isDict, isList, isNumeric, textOf, type Value } from './value.ts'

export const HIDDEN = '**********'

const SECRET_NAME =
  /pass(w(or)?d|phrase)?s?$|pwd|secret|token|credential|private|(^|[_\-.])(api)?_?keys?$|apikey|dsn$|pw$|\.(web)?hook$|^authorization$|^cookie$/i

/** Whether a value of this name is a secret, as `db_password` and `api_key` are. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

/** Arguments and fields of requests that authenticate the caller. */
const CREDENTIALS: ReadonlySet<string> = new Set(['password', 'sharedsecret', 'token'])

/** Whether an argument of a function is a credential, which events and jobs must not show. */
export const isCredential = (name: Value): boolean => CREDENTIALS.has(textOf(name) ?? '')

/** Whether a field of a request is a credential; there, `key` is the content of a user's key file. */
export const isProof = (field: Value): boolean => field === 'key' || isCredential(field)

/** Names of headers that hold credentials, as `Authorization`, `Cookie`, `X-Auth-Token` and `X-Api-Key` do. */
const SECRET_HEADER = /auth|cookie|token|secret|passw|credential|key$/i

export const isSecretHeader = (name: string): boolean => SECRET_HEADER.test(name)

/** Return a copy of a value in which all values under secret names are masked. */
export function maskSecrets(value: Value): Value {
  if (isDict(value)) {
    return new Map([...value].map(([key, item]) => [key, isSecretName(str(key)) ? HIDDEN : maskSecrets(item)]))
  }
  return isList(value) ? value.map(maskSecrets) : value
}

/** Minimum length of masked texts: shorter ones, such as port numbers and `base`, would hide too much else. */
const LEAST_CHARACTERS = 6
const LEAST_OF_SECRETS = 4

/** Return the values of nested data, line by line, as texts to look for. Keys are no values. */
export function* secretTexts(value: Value, isSecret = false): Generator<string> {
  if (isDict(value)) {
    for (const [key, item] of value) yield* secretTexts(item, isSecret || isSecretName(str(key)))
  } else if (isList(value)) {
    for (const item of value) yield* secretTexts(item, isSecret)
  } else {
    const text = textOf(value) ?? (isNumeric(value) && typeof value !== 'boolean' ? str(value) : '')
    for (const line of text.split('\n')) {
      const shown = line.trim()
      if (shown.length >= (isSecret ? LEAST_OF_SECRETS : LEAST_CHARACTERS)) yield* forms(shown)
    }
  }
}

/** Return a text and its escaped forms in JSON and in Python. */
const forms = (text: string): Set<string> => new Set([text, JSON.stringify(text).slice(1, -1), repr(text).slice(1, -1)])
