// The formats of `serialize`.
import { isDict, str, textOf, type Value } from '../../../../data/mod.ts'
import { deserialize, serialized } from '../../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>

export interface Serializer {
  write(value: Value, options: Options): Promise<string | Uint8Array>
  read(bytes: Uint8Array, options: Options): Promise<Value>
}

const FORMATS = new Set(['json', 'yaml', 'yamlex', 'msgpack', 'toml', 'configparser'])

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export function serializerOf(name: string): Serializer | undefined {
  if (!FORMATS.has(name)) return undefined
  return {
    write: (value, options) => serialized(name, value, options),
    read: (bytes) => deserialize(name, name === 'msgpack' ? bytes : text(bytes)),
  }
}

/** Options given as a list of dicts; those given otherwise do not count. */
export function optionsOf(value: Value): Map<string, Value> {
  const pairs = Array.isArray(value) ? (value as Value[]).filter(isDict).flatMap((each) => [...each]) : []
  return new Map(pairs.map(([key, option]) => [textOf(key) ?? str(key), option]))
}
