// Formats by name for functions and states: those of users' own files and of extensions, then the built-in ones.
import { type Dict, failure, type Value } from '../data/mod.ts'
import type { FunctionContext } from './context.ts'
import { deserialize, SERIALIZER_NAMES, type SerializerOptions, serialized } from './serializers.ts'

export interface NamedSerializer {
  /** Text, or bytes where the format is made of them. */
  serialize?(value: Value, options: SerializerOptions): Promise<Value>
  deserialize?(source: Value, options: SerializerOptions): Promise<Value>
}

const asDict = (options: SerializerOptions): Dict => new Map<Value, Value>(options)

/** The format of that name; undefined when there is none. */
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

/** Call a function of a format; a format or a function that is not there is an error. */
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
