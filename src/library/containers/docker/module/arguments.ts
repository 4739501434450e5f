// How functions of `docker` are declared.
import { str, type Value } from '../../../../data/mod.ts'
import {
  type Arg,
  arg,
  type FunctionContext,
  type FunctionDeclaration,
  fn,
  type Result,
  type Returns,
  ret,
} from '../../../../sdk/mod.ts'
import type { Given } from './cli.ts'

type Args = Readonly<Record<string, Arg<Value> | Arg<Map<string, Value>>>>

const declare =
  (effect: FunctionDeclaration['effect']) =>
  <R extends Result = Result>(
    doc: string,
    args: Args,
    example: string,
    run: (ctx: FunctionContext, given: Given, further: ReadonlyMap<string, Value>) => Promise<NoInfer<R>>,
    returns?: Returns<R>,
  ): FunctionDeclaration =>
    fn({
      doc,
      args,
      returns: returns ?? ret.any('What Docker tells'),
      examples: [`salt '*' docker.${example}`],
      effect,
      run: (ctx, all) => {
        const { kwargs = new Map(), ...given } = all as unknown as Given & { kwargs?: Map<string, Value> }
        return run(ctx, given as Given, kwargs as Map<string, Value>)
      },
    })

/** A function that asks, and one that changes. */
export const asking = declare('read')
export const changing = declare('change')

export const name = arg.any('The name or ID')
export const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
export const flag = (doc: string, fallback = false): Arg<Value> => arg.any(doc, { default: fallback })
export const further = (doc: string) => arg.open(doc)

/** What was given by that name; null when nothing was. */
export const value = (given: Given, key: string): Value => given[key] ?? null
export const text = (given: Given, key: string): string => str(value(given, key))
