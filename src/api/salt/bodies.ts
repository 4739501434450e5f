// Bodies of requests: JSON, YAML, forms, and plain text that holds JSON, which is how SaltGUI sends everything.
import { toError } from '../../base/mod.ts'
import { type Dict, isDict, isList, loadJson, type Value } from '../../data/mod.ts'
import { readArgument } from '../../sdk/mod.ts'
import { load } from '../../yaml/mod.ts'
import { utf8 } from '../body-bytes.ts'
import { HttpError } from '../errors.ts'

export interface Body {
  /** The received text. */
  raw: string
  /** The parsed data; None without a body. */
  data: Value
}

export const NO_BODY: Body = { raw: '', data: null }

/** Most fields of a form. */
const MOST_FIELDS = 10_000

/** Reads a body; `isStranger`: its caller has no session. */
type Reader = (text: string, isStranger: boolean) => Value

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['application/json', readJson],
  ['application/x-www-form-urlencoded', readForm],
  ['application/x-yaml', readYaml],
  ['text/yaml', readYaml],
  ['text/plain', readText],
])

/** Characters of YAML in a body from a caller without a session: to read YAML takes forty times as long as JSON. */
const MOST_YAML_OF_STRANGERS = 64 << 10

function checkYaml(length: number, isStranger: boolean): void {
  if (!isStranger || length <= MOST_YAML_OF_STRANGERS) return
  throw new HttpError(413, `Without a session, YAML has at most ${MOST_YAML_OF_STRANGERS} characters. Send JSON`)
}

/** Read a body by its content type. */
export function readBody(bytes: Buffer, contentType: string | null, isStranger: boolean): Body {
  if (bytes.length === 0) return NO_BODY
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  const reader = READERS.get(type)
  if (!reader) throw new HttpError(406, 'Content type not supported')
  const raw = utf8(bytes)
  const data = reader(raw, isStranger)
  checkSize(data, { left: Math.max(raw.length, USUAL_SIZE) + SPARE_VALUES }, 0)
  return { raw, data }
}

/** Characters and values that aliases may make of a short body. */
const USUAL_SIZE = 1_000_000

/** Values of a body beyond one for each of its characters. */
const SPARE_VALUES = 1000

/** The same nesting limit as for values that the master sends. */
const DEEPEST = 400

/**
 * Throw for data much larger than its text: a YAML alias of a few characters repeats everything below its anchor. Text
 * counts by its length.
 */
function checkSize(value: Value, size: { left: number }, depth: number): void {
  size.left -= typeof value === 'string' ? value.length : 1
  if (size.left < 0) throw new HttpError(400, 'The aliases of the body stand for too much data')
  if (depth > DEEPEST) throw new HttpError(400, `The body is nested more than ${DEEPEST} levels deep`)
  if (isList(value)) for (const item of value) checkSize(item, size, depth + 1)
  else if (isDict(value)) {
    for (const [key, item] of value) {
      checkSize(key, size, depth + 1)
      checkSize(item, size, depth + 1)
    }
  }
}

function readJson(text: string): Value {
  try {
    return loadJson(text)
  } catch (error) {
    throw new HttpError(400, 'Invalid JSON document', error)
  }
}

function readYaml(text: string, isStranger: boolean): Value {
  checkYaml(text.length, isStranger)
  try {
    return load(text)
  } catch (error) {
    throw new HttpError(500, '', error)
  }
}

function readText(text: string): Value {
  try {
    return loadJson(text)
  } catch (error) {
    // other text stays text, which most resources refuse
    toError(error)
    return text
  }
}

/** Fields that come several times are lists; `arg` and `kwarg` are read as on a command line. */
function readForm(text: string, isStranger: boolean): Value {
  const fields: Dict = new Map()
  let [count, yaml] = [0, 0]
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > MOST_FIELDS) throw new HttpError(400, `A form has at most ${MOST_FIELDS} fields`)
    if (name === 'arg' || name === 'kwarg') yaml += value.length
    if (value === '') continue
    const before = fields.get(name)
    if (before === undefined) fields.set(name, value)
    else if (Array.isArray(before)) before.push(value)
    else fields.set(name, [before, value])
  }
  checkYaml(yaml, isStranger)
  const [arg, kwarg] = [fields.get('arg'), fields.get('kwarg')]
  if (arg !== undefined) fields.set('arg', (Array.isArray(arg) ? arg : [arg]).map(argument))
  if (kwarg !== undefined) fields.set('kwarg', argument(kwarg))
  return fields
}

const argument = (value: Value): Value => (typeof value === 'string' ? readArgument(value) : value)
