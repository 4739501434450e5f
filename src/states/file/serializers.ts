// The formats of `serialize`: those all functions know, and some that only files have.
import {
  type Dict,
  decodeMsgpack,
  encodeMsgpack,
  isDict,
  PyError,
  qualifiedTypeName,
  str,
  textOf,
  type Value,
} from '../../data/mod.ts'
import { deserialize, loadToml, SerializerError, serialize } from '../../sdk/mod.ts'
import { writeToml } from './toml.ts'

type Options = ReadonlyMap<string, Value>

export interface Serializer {
  write(value: Value, options: Options): Promise<string | Uint8Array>
  /** Absent where files of the format are only written. */
  read?(bytes: Uint8Array, options: Options): Promise<Value>
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const shared = (name: string): Serializer => ({
  write: (value, options) => serialize(name, value, options),
  read: (bytes) => deserialize(name, text(bytes)),
})

/** INI as Python's configparser writes it: keys in lower case, values as they are. */
function writeIni(value: Value): string {
  if (!isDict(value)) {
    throw new PyError(
      'TypeError',
      `configparser can only serialize dictionaries, not <class '${qualifiedTypeName(value)}'>`,
    )
  }
  const sections = [...(value as Dict)].sort(([a], [b]) => Number(b === 'DEFAULT') - Number(a === 'DEFAULT'))
  let out = ''
  for (const [section, keys] of sections) {
    if (!isDict(keys))
      throw new PyError('AttributeError', `'${qualifiedTypeName(keys)}' object has no attribute 'items'`)
    if (section === 'DEFAULT' && keys.size === 0) continue
    out += `[${str(section)}]\n`
    const lowered = new Map(Array.from(keys, ([key, each]) => [str(key).toLowerCase(), each]))
    for (const [key, each] of lowered) {
      checkInterpolation(each)
      out += `${key} = ${str(each).replaceAll('\n', '\n\t')}\n`
    }
    out += '\n'
  }
  return out
}

function checkInterpolation(value: Value): void {
  if (value === null) {
    throw new PyError('TypeError', 'option values must be strings')
  }
  const shown = str(value)
  const left = shown.replaceAll('%%', '').replace(/%\([^)]+\)s/g, '')
  if (left.includes('%')) {
    throw new PyError(
      'ValueError',
      `invalid interpolation syntax in ${JSON.stringify(shown)} at position ${left.indexOf('%')}`,
    )
  }
}

/** Sections with their keys; those of DEFAULT are in each. */
function readIni(source: string): Dict {
  const sections: Dict = new Map()
  const defaults: Dict = new Map()
  let at: Dict | undefined
  let last: Value = null
  for (const line of source.split('\n')) {
    if (/^\s*([#;].*)?$/.test(line)) continue
    const section = /^\[([^\]]+)\]/.exec(line)
    const pair = /^([^\s=:][^=:]*?)\s*(?:[=:]\s*(.*?)\s*)?$/.exec(line)
    if (section) {
      at = section[1] === 'DEFAULT' ? defaults : new Map()
      if (at !== defaults) sections.set(section[1]!, at)
    } else if (/^\s/.test(line) && at && last !== null) {
      at.set(last, `${str(at.get(last)!)}\n${line.trim()}`)
    } else if (pair && at) {
      last = pair[1]!.toLowerCase()
      at.set(last, pair[2] ?? null)
    } else {
      throw new PyError(
        'ValueError',
        `File contains no section headers.\nfile: '<???>', line: 1\n${JSON.stringify(`${line}\n`)}`,
      )
    }
  }
  for (const [name, keys] of sections) sections.set(name, new Map([...defaults, ...(keys as Dict)]))
  return sections
}

const SERIALIZERS: ReadonlyMap<string, Serializer> = new Map<string, Serializer>([
  ['json', shared('json')],
  ['yaml', shared('yaml')],
  ['yamlex', shared('yamlex')],
  [
    'msgpack',
    {
      write: async (value) => encodeMsgpack(value, 'bus'),
      read: async (bytes) => decodeMsgpack(bytes, { dialect: 'bus' }),
    },
  ],
  ['toml', { write: async (value) => writeToml(value), read: async (bytes) => loadToml(text(bytes)) }],
  ['configparser', { write: async (value) => writeIni(value), read: async (bytes) => readIni(text(bytes)) }],
])

export function serializerOf(name: string): Serializer | undefined {
  const plain = SERIALIZERS.get(name)
  return (
    plain && {
      write: (value, options) => plain.write(value, options).catch(rethrow('SerializationError')),
      ...(plain.read && {
        read: (bytes: Uint8Array, options: Options) =>
          plain.read!(bytes, options).catch(rethrow('DeserializationError')),
      }),
    }
  )
}

const rethrow =
  (code: SerializerError['code']) =>
  (cause: unknown): never => {
    throw new SerializerError(code, cause)
  }

/** Options given as a dict, or as a list of dicts. */
export function optionsOf(value: Value): Map<string, Value> {
  const entries = Array.isArray(value) ? (value as Value[]).filter(isDict).flatMap((each) => [...each]) : []
  const pairs = isDict(value) ? [...value] : entries
  return new Map(pairs.map(([key, option]) => [textOf(key) ?? str(key), option]))
}
