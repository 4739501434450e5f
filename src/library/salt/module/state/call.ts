// Calls a function with arguments in a list: dicts are keyword arguments, other values are positional.
import { isIterable, iterate, misuse, typeError, typeName, type Value } from '../../../../data/mod.ts'
import { type StateContext, signatureOf } from '../../../../sdk/mod.ts'

export interface Spec {
  /** All positional parameters; those without a default come first. */
  args: readonly string[]
  required: number
  /** Default values by parameter. */
  defaults: ReadonlyMap<string, Value>
  rest: string | undefined
  open: string | undefined
}

/** Return the parameters of a function as in Python. */
export async function specOf(ctx: StateContext, name: string): Promise<Spec> {
  const dot = name.indexOf('.')
  const fun = name.slice(dot + 1)
  const declaration = (await ctx.module(name.slice(0, dot))).functions[fun]!
  const { positional, required } = signatureOf(declaration, fun)
  const ofKind = (kind: string): string | undefined =>
    Object.entries(declaration.args).find(([, parameter]) => parameter.kind === kind)?.[0]
  const defaults = new Map(positional.slice(required).map((arg) => [arg, declaration.args[arg]!.default!]))
  return { args: positional, required, defaults, rest: ofKind('rest'), open: ofKind('open') }
}

export async function callByList(ctx: StateContext, name: string, given: Value): Promise<Value> {
  const spec = await specOf(ctx, name)
  if (given !== null && !isIterable(given)) {
    throw typeError(`Value after * must be an iterable, not ${typeName(given)}`)
  }
  const expected = spec.args.slice(0, spec.required)
  const positional: Value[] = []
  const named = new Map<string, Value>()
  // defaults are passed by name, so a positional argument for one of them is one too many
  const keywords = new Map<string, Value>(spec.defaults)
  for (const item of [...(given === null ? [] : iterate(given))].reverse()) {
    if (!(item instanceof Map)) {
      positional.unshift(item)
      continue
    }
    for (const [key, value] of item as Map<string, Value>) {
      if (expected.includes(key)) named.set(key, value)
      else for (const [other, its] of item as Map<string, Value>) keywords.set(other, its)
    }
  }
  for (const parameter of expected) if (named.has(parameter)) positional.push(named.get(parameter)!)
  checkComplete(spec, positional.length, keywords)
  return ctx.call(name, positional, keywords)
}

function checkComplete({ args, required }: Spec, passed: number, keywords: ReadonlyMap<string, Value>): void {
  if (required <= passed) return
  const missing = args.slice(passed).filter((parameter) => !keywords.has(parameter))
  if (missing.length > 0) {
    throw misuse(`Missing arguments: ${missing.join(', ')}`)
  }
}
