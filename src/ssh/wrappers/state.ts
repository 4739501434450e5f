// `state.low` for targets without minions: the result is under the tag of the state, as in results of other functions.
import { type Dict, misuse, str, type Value } from '../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, type ModuleDeclaration, ret } from '../../sdk/mod.ts'

export const stateWrapper = (): ModuleDeclaration =>
  defineModule({
    name: 'state',
    doc: 'States on a target without a minion.',
    functions: {
      low: changes({
        doc: 'Call the state of one low chunk.',
        args: {
          data: arg.any('Low chunk: a dict with `state`, `fun` and `name`; `__id__` is the name unless given'),
          kwargs: arg.open('Ignored'),
        },
        returns: ret.any('Result by the tag of the state; a list of errors if the chunk is not valid'),
        example: "state.low '{state: pkg, fun: installed, name: vi}'",
        outputter: 'highstate',
        run: (ctx, { data }) => low(ctx, data),
      }),
    },
  })

async function low(ctx: FunctionContext, data: Value): Promise<Value> {
  if (!(data instanceof Map)) throw misuse('state.low takes a dict')
  const chunk: Dict = new Map<Value, Value>([['__id__', data.get('name') ?? null], ...data])
  const run = await ctx.openStates({ opts: new Map(ctx.opts) })
  const errors = await run.verifyLow(chunk)
  if (errors.length > 0) {
    ctx.memory.set('retcode', 1)
    return errors
  }
  const result = await run.callLow(chunk)
  if (result.get('result') === false) ctx.memory.set('retcode', 2)
  const tag = ['state', '__id__', 'name', 'fun'].map((name) => str(chunk.get(name) ?? '')).join('_|-')
  return new Map<Value, Value>([[tag, result]])
}
