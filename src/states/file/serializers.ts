// The formats of `serialize`: those all functions know, and some that only files have.
import { decodeMsgpack, encodeMsgpack, isDict, str, textOf, type Value } from '../../data/mod.ts'
import { deserialize, SerializerError, serialize } from '../../sdk/mod.ts'

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
  ['toml', shared('toml')],
  ['configparser', shared('configparser')],
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
