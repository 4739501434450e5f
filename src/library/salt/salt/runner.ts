// Functions of minions from the master: on its own machine, or on minions.
import { BrineError } from '../../../base/mod.ts'
import { type Dict, isDict, isList, numberOf, str, textOf, type Value } from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, type MinionReturn, masterFn, unreturnedText } from '../../../sdk/mod.ts'

async function onMaster(ctx: MasterContext, fun: string, args: Value[], kwargs: Map<string, Value>): Promise<Value> {
  const own = new Map([...kwargs].filter(([name]) => name !== 'with_pillar' && !name.startsWith('__')))
  try {
    return await ctx.function(fun, args, own)
  } catch (error) {
    if (error instanceof BrineError && error.code === 'FunctionUnknown') return `'${fun}' is not available.`
    throw error
  }
}

interface Execution {
  tgt: Value
  fun: Value
  arg: Value
  timeout: Value
  tgt_type: Value
  ret: Value
  jid: Value
  kwarg: Value
  kwargs: Map<string, Value>
}

const returned = (answer: MinionReturn): Value =>
  answer.data ? (answer.data.get('return') ?? null) : unreturnedText(answer)

async function onMinions(ctx: MasterContext, request: Execution): Promise<Dict> {
  const { tgt, fun, arg, timeout, tgt_type, ret, jid, kwarg, kwargs } = request
  const seconds = numberOf(timeout)
  const number = textOf(jid) ?? ''
  const found: Dict = new Map()
  const keywords: Dict = new Map([...kwargs, ...(isDict(kwarg) ? kwarg : [])])
  const job = {
    tgt,
    tgtType: str(tgt_type),
    fun,
    arg: isList(arg) ? [...arg] : [arg],
    kwarg: keywords,
    ret: str(ret),
    ...(number !== '' && { jid: number }),
    ...(seconds !== undefined && seconds > 0 && { timeout: seconds }),
  }
  for await (const answer of ctx.run(job)) found.set(answer.id, returned(answer))
  return found
}

export default defineRunner({
  name: 'salt',
  doc: 'Functions of minions from the master.',
  functions: {
    cmd: masterFn({
      doc: "Calls a function as a minion on the master's machine would.",
      args: {
        fun: arg.text('The function'),
        args: arg.rest('Its arguments'),
        kwargs: arg.open('Its keywords; with_pillar makes a pillar first'),
      },
      examples: ['salt-run salt.cmd test.ping'],
      run: (ctx, { fun, args, kwargs }) => onMaster(ctx, fun, args, kwargs),
    }),
    execute: masterFn({
      doc: 'Has minions call a function, and gives what each answered.',
      args: {
        tgt: arg.any('Which minions'),
        fun: arg.any('The function'),
        arg: arg.any('Its arguments, as a list', { default: [] }),
        timeout: arg.any('Seconds to wait', { optional: true }),
        tgt_type: arg.text('How the minions are meant', { default: 'glob' }),
        ret: arg.text('A returner', { default: '' }),
        jid: arg.any("The job's number", { default: '' }),
        kwarg: arg.any('Its keywords, as a dict', { optional: true }),
        kwargs: arg.open('More of its keywords'),
      },
      examples: ["salt-run salt.execute '*' cmd.run 'whoami'"],
      run: (ctx, request) => onMinions(ctx, request),
    }),
  },
})
