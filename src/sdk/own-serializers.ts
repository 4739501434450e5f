// Serializers by name for functions and states: users' own and those of extensions first, then built-in ones.
import { type Dict, failure, type Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'
import { deserialize, SERIALIZER_NAMES, type SerializerOptions, serialized } from './serializers.ts'

export interface NamedSerializer {
  /** Return text, or bytes for a binary format. */
  serialize?(value: Value, options: SerializerOptions): Promise<Value>
  deserialize?(source: Value, options: SerializerOptions): Promise<Value>
}

const asDict = (options: SerializerOptions): Dict => new Map<Value, Value>(options)

/** Return the serializer; undefined if it does not exist. */
export async function serializerFor(
  ctx: Pick<FunctionContext, 'ownPlugin'>,
  name: string,
): Promise<NamedSerializer | undefined> {
  const own = await ctx.ownPlugin('serializers', name)
  if (own) {
    const asked = (fun: string) => (value: Value, options: SerializerOptions) => own.call(fun, [value], asDict(options))
    return {
      ...(own.has('serialize') && { serialize: asked('serialize') }),
      ...(own.has('deserialize') && { deserialize: asked('deserialize') }),
    }
  }
  if (!SERIALIZER_NAMES.includes(name)) return undefined
  return {
    serialize: (value, options) => serialized(name, value, options),
    deserialize: (source) => deserialize(name, source),
  }
}

/** Call a function of a serializer; throw if the serializer or the function does not exist. */
export async function callSerializer(
  ctx: Pick<FunctionContext, 'ownPlugin'>,
  [name, fun]: readonly [name: string, fun: 'serialize' | 'deserialize'],
  value: Value,
  options: SerializerOptions,
): Promise<Value> {
  const serializer = await serializerFor(ctx, name)
  if (!serializer) throw failure(`Serializer '${name}' not found.`)
  const work = serializer[fun]
  if (!work) throw failure(`Serializer '${name}' does not implement ${fun}.`)
  return work(value, options)
}
