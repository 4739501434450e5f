// The formats of `serialize`.
import { isDict, str, textOf, type Value } from '../../../../data/mod.ts'
import { type StateContext, serializerFor } from '../../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>

export interface Serializer {
  write(value: Value, options: Options): Promise<Value>
  read?(bytes: Uint8Array, options: Options): Promise<Value>
}

/** The built-in binary format; the other formats, and users' own, are text. */
const BINARY = 'msgpack'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export async function serializerOf(ctx: StateContext, name: string): Promise<Serializer | undefined> {
  const found = await serializerFor(ctx, name)
  if (!found?.serialize) return undefined
  const { serialize, deserialize } = found
  return {
    write: serialize,
    ...(deserialize && {
      read: (bytes, options) => deserialize(name === BINARY ? Buffer.from(bytes) : text(bytes), options),
    }),
  }
}

/** Return options given as a list of dicts; other forms are ignored. */
export function optionsOf(value: Value): Map<string, Value> {
  const pairs = Array.isArray(value) ? (value as Value[]).filter(isDict).flatMap((each) => [...each]) : []
  return new Map(pairs.map(([key, option]) => [textOf(key) ?? str(key), option]))
}
