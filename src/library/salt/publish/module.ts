// Runs functions on other minions through the master, within the limits of the master's options `peer` and `peer_run`.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, dictFrom, isDict, isList, misuse, numberOf, str, textOf, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  option,
  readArgument,
  ret,
} from '../../../sdk/mod.ts'

const INTERVAL = 0.3

/** Return the arguments from one value, a list, or the text of either. */
function argumentsOf(given: Value): Value[] {
  const text = textOf(given)
  const value = text === undefined ? given : readArgument(text)
  if (value === null) return []
  return isList(value) ? [...value] : [value]
}

const common = {
  tgt: arg.textOrList('Target: text, or a list of minion ids'),
  fun: arg.text('Function'),
  arg: arg.any('Arguments: a list, one value, or the text of either', { optional: true }),
  tgt_type: arg.text('Kind of the target', { default: 'glob' }),
  returner: arg.text('Returner', { default: '' }),
  timeout: arg.number('Seconds to wait for returns', { default: 5 }),
}

function ask(ctx: FunctionContext, load: Record<string, Value>): Promise<Value> {
  const own = { id: option(ctx.opts, 'id'), no_parse: ctx.opts.get('no_parse') ?? [] }
  return ctx.daemon!.askMaster(dictFrom({ ...load, ...own }))
}

/** Return the returns of the minions when all have returned or the time is over. */
async function returnsOf(
  ctx: FunctionContext,
  jid: Value,
  minions: readonly Value[],
  seconds: number,
): Promise<Dict | null> {
  if (minions.length === 0) return null
  for (let waited = 0; ; waited += INTERVAL) {
    const found = await ask(ctx, { cmd: 'pub_ret', jid })
    const returned: Dict = isDict(found) ? found : new Map()
    if (minions.every((id) => returned.has(id)) || waited > seconds) return returned
    await sleep(INTERVAL * 1000)
  }
}

async function publish(ctx: FunctionContext, request: Bound<typeof common>, form: 'clean' | 'full'): Promise<Value> {
  const { fun, timeout, returner, tgt, tgt_type } = request
  if (!ctx.daemon) {
    ctx.log('error', 'Cannot run publish commands without a connection to a salt master. No command sent.')
    return new Map()
  }
  if (fun.startsWith('publish.')) {
    ctx.log('info', 'Cannot publish publish calls. Returning {}')
    return new Map()
  }
  const arg = argumentsOf(request.arg)
  const published = await ask(ctx, { cmd: 'minion_pub', fun, arg, tgt, tgt_type, ret: returner, tmo: timeout, form })
  if (!isDict(published) || published.size === 0) return new Map()
  const minions = published.get('minions')
  const targeted = minions !== undefined && isList(minions) ? minions : []
  const found = await returnsOf(ctx, published.get('jid') ?? 0, targeted, numberOf(timeout) ?? 5)
  if (found === null || form === 'full') return found
  return new Map([...found].map(([id, answer]) => [id, isDict(answer) ? (answer.get('ret') ?? null) : answer]))
}

function checkMaster(ctx: FunctionContext, name: string | null): void {
  if (!name) return
  const masters = option(ctx.opts, 'master')
  if (!isList(masters)) {
    throw misuse('Could not find list of masters in minion configuration but `via_master` was specified.')
  }
  if (masters.some((master) => str(master).split(':')[0] === name)) return
  throw misuse(
    `Could not find match for ${name} in list of configured masters ${str(masters)} when using \`via_master\` option`,
  )
}

export default defineModule({
  name: 'publish',
  doc: 'Run functions on other minions through the master.',
  functions: {
    publish: changes({
      doc: 'Run a function on minions and return their results.',
      args: {
        ...common,
        via_master: arg.text('Master that publishes the job, if there are several', { optional: true }),
      },
      returns: ret.any('Results by minion id; empty if the master does not allow the call'),
      examples: ["salt system.example.com publish.publish '*' cmd.run 'ls -la /tmp'"],
      run: (ctx, { via_master, ...request }) => {
        checkMaster(ctx, via_master)
        return publish(ctx, request, 'clean')
      },
    }),
    full_data: changes({
      doc: 'Run a function on minions and return the full data of their returns.',
      args: common,
      returns: ret.any('Returns by minion id, with the result in `ret`'),
      examples: ["salt system.example.com publish.full_data '*' cmd.run 'ls -la /tmp'"],
      run: (ctx, request) => publish(ctx, request, 'full'),
    }),
    runner: changes({
      doc: 'Call a runner function of the master.',
      args: {
        fun: arg.text('Runner function'),
        arg: common.arg,
        timeout: common.timeout,
      },
      returns: ret.any('Result of the function; empty if the master does not allow the call'),
      examples: ['salt publish.runner manage.down'],
      run: async (ctx, { fun, arg, timeout }) => {
        if (!ctx.daemon) return 'No access to master. If using salt-call with --local, please remove.'
        return ask(ctx, { cmd: 'minion_runner', fun, arg: argumentsOf(arg), tmo: timeout })
      },
    }),
  },
})
