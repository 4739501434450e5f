// Calls execution functions from the master: on its own machine, or on minions.
import { BrineError, recover } from '../../../base/mod.ts'
import { type Dict, isDict, numberOf, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  defineRunner,
  type MasterContext,
  type MinionReturn,
  masterFn,
  unreturnedText,
} from '../../../sdk/mod.ts'

async function onMaster(ctx: MasterContext, fun: string, args: Value[], kwargs: Map<string, Value>): Promise<Value> {
  const own = new Map([...kwargs].filter(([name]) => name !== 'with_pillar' && !name.startsWith('__')))
  return recover(
    (error) => error instanceof BrineError && error.code === 'FunctionUnknown',
    `'${fun}' is not available.`,
    () => ctx.function(fun, args, own),
  )
}

const executeArgs = {
  tgt: arg.textOrList('Target: text, or a list of minion ids'),
  fun: arg.textOrList('Function; a list of functions for a compound command'),
  arg: arg.any('Arguments of the function: a list, or one value', { default: [] }),
  timeout: arg.textOrNumber('Seconds to wait: a number above 0; other values mean the option `timeout`', {
    optional: true,
  }),
  tgt_type: arg.text('Kind of the target', { default: 'glob' }),
  ret: arg.text('Returner', { default: '' }),
  jid: arg.text('Job id. Default: a new one', { default: '' }),
  kwarg: arg.any('Dict of keyword arguments of the function; other types are ignored', { optional: true }),
  kwargs: arg.open('Further keyword arguments of the function'),
}

const returned = (answer: MinionReturn): Value =>
  answer.data ? (answer.data.get('return') ?? null) : unreturnedText(answer)

async function onMinions(ctx: MasterContext, request: Bound<typeof executeArgs>): Promise<Dict> {
  const { tgt, fun, arg, timeout, tgt_type, ret, jid, kwarg, kwargs } = request
  const seconds = numberOf(timeout)

  const found: Dict = new Map()
  const keywords: Dict = new Map([...kwargs, ...(isDict(kwarg) ? kwarg : [])])
  const job = {
    tgt,
    tgtType: tgt_type,
    fun,
    arg: Array.isArray(arg) ? [...arg] : [arg],
    kwarg: keywords,
    ret,
    ...(jid !== '' && { jid }),
    ...(seconds !== undefined && seconds > 0 && { timeout: seconds }),
  }
  for await (const answer of ctx.run(job)) found.set(answer.id, returned(answer))
  return found
}

export default defineRunner({
  name: 'salt',
  doc: 'Call execution functions from the master.',
  functions: {
    cmd: masterFn({
      doc: 'Call an execution function on the machine of the master.',
      args: {
        fun: arg.text('Function'),
        args: arg.rest('Arguments of the function'),
        kwargs: arg.open('Keyword arguments of the function; `with_pillar` is ignored'),
      },
      examples: ['salt-run salt.cmd test.ping'],
      run: (ctx, { fun, args, kwargs }) => onMaster(ctx, fun, args, kwargs),
    }),
    execute: masterFn({
      doc: 'Run a function on minions and return their results.',
      args: executeArgs,
      examples: ["salt-run salt.execute '*' cmd.run 'whoami'"],
      run: onMinions,
    }),
  },
})
