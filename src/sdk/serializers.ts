// Values to text and back in a named format, with the options users write for Python's libraries. A format's code is
// imported when it is first used.
import { BrineError, toError } from '../base/mod.ts'
import {
  type DumpJsonOptions,
  decodeBytes,
  decodeMsgpack,
  dumpJson,
  encodeMsgpack,
  failure,
  loadJson,
  PyError,
  str,
  textOf,
  truthy,
  type Value,
} from '../data/mod.ts'
import type { DumpOptions } from '../yaml/mod.ts'

export type SerializerOptions = ReadonlyMap<string, Value>

/** A format that cannot hold the data, or data that is not in the format. */
export class SerializerError extends BrineError<'SerializationError' | 'DeserializationError'> {
  constructor(code: 'SerializationError' | 'DeserializationError', cause: unknown) {
    super(code, toError(cause).message, { cause })
    this.name = code
  }
}

interface Serializer {
  serialize(value: Value, options: SerializerOptions): string | Uint8Array | Promise<string>
  deserialize(text: string | Uint8Array): Value | Promise<Value>
}

const json: Serializer = {
  serialize: async (value, options) => dumpJson(value, jsonOptions(options)),
  deserialize: (text) => loadJson(text),
}

const JSON_OPTIONS = new Set([
  'skipkeys',
  'ensure_ascii',
  'check_circular',
  'allow_nan',
  'indent',
  'separators',
  'default',
  'sort_keys',
])

function jsonOptions(options: SerializerOptions): DumpJsonOptions {
  const odd = [...options.keys()].find((name) => !JSON_OPTIONS.has(name))
  if (odd !== undefined) {
    throw new PyError('TypeError', `JSONEncoder.__init__() got an unexpected keyword argument '${odd}'`)
  }
  const flag = (name: string, otherwise: boolean): boolean => truthy(options.get(name) ?? otherwise)
  const indent = options.get('indent') ?? null
  const separators = options.get('separators')
  return {
    indent: typeof indent === 'number' ? indent : (textOf(indent) ?? null),
    sortKeys: flag('sort_keys', false),
    ensureAscii: flag('ensure_ascii', false),
    allowNan: flag('allow_nan', true),
    skipKeys: flag('skipkeys', false),
    ...(Array.isArray(separators) && { separators: [str(separators[0] ?? ', '), str(separators[1] ?? ': ')] as const }),
  }
}

/** The options of Python's `yaml.dump`. */
const YAML_OPTIONS = new Set(
  (
    'default_style default_flow_style canonical indent width allow_unicode line_break encoding explicit_start ' +
    'explicit_end version tags sort_keys Dumper stream'
  ).split(' '),
)

const yaml: Serializer = {
  serialize: async (value, options) => {
    const odd = [...options.keys()].find((name) => !YAML_OPTIONS.has(name))
    if (odd !== undefined) throw new PyError('TypeError', `dump_all() got an unexpected keyword argument '${odd}'`)
    const { serializeYaml } = await import('../yaml/mod.ts')
    return serializeYaml(value, Object.fromEntries(options) as DumpOptions)
  },
  deserialize: async (text) => (await import('../yaml/mod.ts')).deserializeYaml(text),
}

const yamlex: Serializer = {
  serialize: async (value, options) => {
    const { serializeYamlex } = await import('../yaml/mod.ts')
    return serializeYamlex(value, Object.fromEntries(options) as DumpOptions)
  },
  deserialize: async (text) => (await import('../yaml/mod.ts')).deserializeYamlex(text),
}

const asText = (text: string | Uint8Array): string => (typeof text === 'string' ? text : decodeBytes(text))

const toml: Serializer = {
  serialize: async (value) => (await import('./toml-text.ts')).writeToml(value),
  deserialize: async (text) => (await import('../render/mod.ts')).loadToml(asText(text)),
}

const configparser: Serializer = {
  serialize: async (value) => (await import('./ini-text.ts')).writeIni(value),
  deserialize: async (text) => (await import('./ini-text.ts')).readIni(asText(text)),
}

const msgpack: Serializer = {
  serialize: (value) => encodeMsgpack(value, 'bus'),
  deserialize(bytes) {
    if (typeof bytes === 'string') throw new PyError('TypeError', "a bytes-like object is required, not 'str'")
    return decodeMsgpack(bytes, { dialect: 'bus' })
  },
}

const SERIALIZERS: ReadonlyMap<string, Serializer> = new Map([
  ['json', json],
  ['toml', toml],
  ['configparser', configparser],
  ['msgpack', msgpack],
  ['yaml', yaml],
  ['yamlex', yamlex],
])

export const SERIALIZER_NAMES: readonly string[] = [...SERIALIZERS.keys()]

function serializer(name: string): Serializer {
  const found = SERIALIZERS.get(name)
  if (!found) throw failure(`Serializer '${name}' not found.`)
  return found
}

/** Read YAML as SLS and configuration files are read. */
export async function loadYaml(text: string): Promise<Value> {
  return (await import('../yaml/mod.ts')).load(text)
}

/** Read YAML with aggregations (`!aggregate`, `!reset`). */
export async function loadYamlex(text: string): Promise<Value> {
  return (await import('../yaml/mod.ts')).deserializeYamlex(text)
}

/** Serialize to text. */
export async function serialize(name: string, value: Value, options: SerializerOptions = new Map()): Promise<string> {
  return asText(await serialized(name, value, options))
}

/** Serialize to text, or to bytes for a binary format. */
export async function serialized(
  name: string,
  value: Value,
  options: SerializerOptions = new Map(),
): Promise<string | Uint8Array> {
  const writer = serializer(name)
  try {
    return await writer.serialize(value, options)
  } catch (error) {
    throw failing('SerializationError', error)
  }
}

export async function deserialize(name: string, source: Value): Promise<Value> {
  const reader = serializer(name)
  const text = textOf(source) ?? (source instanceof Uint8Array ? source : undefined)
  if (text === undefined) throw new PyError('AttributeError', `${str(source)} is neither text nor bytes`)
  try {
    return await reader.deserialize(text)
  } catch (error) {
    throw failing('DeserializationError', error)
  }
}

const failing = (code: SerializerError['code'], error: unknown): Error =>
  toError(error).name === code ? toError(error) : new SerializerError(code, error)

/** Return the output of `salt.utils.yaml.safe_dump`. */
export async function dumpYaml(value: Value, options: DumpOptions = {}): Promise<string> {
  return (await import('../yaml/mod.ts')).dump(value, options)
}
