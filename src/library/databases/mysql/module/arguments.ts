// How functions of `mysql` are declared: their own parameters, then any keywords that say how to connect.
import type { Value } from '../../../../data/mod.ts'
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
import type { Connection } from './client.ts'

export type Given = Readonly<Record<string, Value>>

type Parameters = Readonly<Record<string, Arg<Value>>>

export const required = (doc: string): Arg<Value> => arg.any(doc)
export const optional = (doc: string): Arg<Value> => arg.any(doc, { optional: true })
export const flag = (doc: string, fallback = false): Arg<Value> => arg.any(doc, { default: fallback })
export const secret = (doc: string): Arg<Value> => arg.any(doc, { optional: true, secret: true })
export const local: Arg<Value> = arg.any('The host that the user connects from', { default: 'localhost' })

type Body<R extends Result> = (ctx: FunctionContext, given: Given, connection: Connection) => Promise<NoInfer<R>>

const declare =
  (effect: FunctionDeclaration['effect']) =>
  <R extends Result = Result>(
    doc: string,
    parameters: Parameters,
    example: string,
    run: Body<R>,
    returns?: Returns<R>,
  ): FunctionDeclaration =>
    fn({
      doc,
      args: { ...parameters, connection_args: arg.open('How to connect: connection_host, connection_user, …') },
      returns: returns ?? ret.any('What the server tells'),
      examples: [`salt '*' mysql.${example}`],
      effect,
      run: (ctx, given) => {
        // an error of an earlier call says nothing about this one
        ctx.memory.delete('mysql.error')
        const { connection_args, ...own } = given as unknown as Given & { connection_args: Connection }
        return run(ctx, own, connection_args)
      },
    })

/** A function that asks, and one that changes. */
export const asking = declare('read')
export const changing = declare('change')
