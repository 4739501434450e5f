// What this minion has other minions do, through the master, as far as `peer` and `peer_run` of the master let it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dict, isDict, isList, numberOf, SaltError, str, textOf, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, option, readArgument, ret } from '../../../sdk/mod.ts'

const INTERVAL = 0.3

/** Arguments as one value, a list of them, or the text of either. */
function argumentsOf(given: Value): Value[] {
  const text = textOf(given)
  const value = text === undefined ? given : readArgument(text)
  if (value === null) return []
  return isList(value) ? [...value] : [value]
}

interface Publication {
  tgt: Value
  fun: Value
  arg: Value
  tgt_type: Value
  returner: Value
  timeout: Value
}

function ask(ctx: FunctionContext, load: Record<string, Value>): Promise<Value> {
  const own = { id: option(ctx.opts, 'id'), no_parse: ctx.opts.get('no_parse') ?? [] }
  return ctx.daemon!.askMaster(new Map<Value, Value>(Object.entries({ ...load, ...own })))
}

/** What came back until all that are meant have returned, or time is up. */
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

async function publish(ctx: FunctionContext, request: Publication, form: 'clean' | 'full'): Promise<Value> {
  const { fun, timeout, returner, tgt, tgt_type } = request
  if (!ctx.daemon) {
    ctx.log('error', 'Cannot run publish commands without a connection to a salt master. No command sent.')
    return new Map()
  }
  if (str(fun).startsWith('publish.')) {
    ctx.log('info', 'Cannot publish publish calls. Returning {}')
    return new Map()
  }
  const arg = argumentsOf(request.arg)
  const published = await ask(ctx, { cmd: 'minion_pub', fun, arg, tgt, tgt_type, ret: returner, tmo: timeout, form })
  if (!isDict(published) || published.size === 0) return new Map()
  const minions = published.get('minions')
  const meant = minions !== undefined && isList(minions) ? minions : []
  const found = await returnsOf(ctx, published.get('jid') ?? 0, meant, numberOf(timeout) ?? 5)
  if (found === null || form === 'full') return found
  return new Map([...found].map(([id, one]) => [id, isDict(one) ? (one.get('ret') ?? null) : one]))
}

function viaMaster(ctx: FunctionContext, name: string | null): void {
  if (!name) return
  const masters = option(ctx.opts, 'master')
  if (!isList(masters)) {
    throw new SaltError(
      'SaltInvocationError',
      'Could not find list of masters in minion configuration but `via_master` was specified.',
    )
  }
  if (masters.some((master) => str(master).split(':')[0] === name)) return
  throw new SaltError(
    'SaltInvocationError',
    `Could not find match for ${name} in list of configured masters ${str(masters)} when using \`via_master\` option`,
  )
}

const common = {
  tgt: arg.any('Which minions'),
  fun: arg.any('The function'),
  arg: arg.any('Its arguments, as a list', { optional: true }),
  tgt_type: arg.any('How the minions are meant', { default: 'glob' }),
  returner: arg.any('A returner', { default: '' }),
  timeout: arg.any('Seconds to wait for returns', { default: 5 }),
}

export default defineModule({
  name: 'publish',
  doc: 'Has other minions do something.',
  functions: {
    publish: changes({
      doc: 'Has minions do something, and gives what each answered.',
      args: { ...common, via_master: arg.text('The master that publishes it, of several', { optional: true }) },
      returns: ret.any('Answers by minion; nothing when it is not allowed'),
      examples: ["salt system.example.com publish.publish '*' cmd.run 'ls -la /tmp'"],
      run: (ctx, { via_master, ...request }) => {
        viaMaster(ctx, via_master)
        return publish(ctx, request, 'clean')
      },
    }),
    full_data: changes({
      doc: 'Has minions do something, and gives all that is known of what each answered.',
      args: common,
      returns: ret.any('By minion, `ret` with the answer'),
      examples: ["salt system.example.com publish.full_data '*' cmd.run 'ls -la /tmp'"],
      run: (ctx, request) => publish(ctx, request, 'full'),
    }),
    runner: changes({
      doc: 'Has the master run one of its own functions.',
      args: {
        fun: arg.any('The runner function'),
        arg: arg.any('Its arguments, as a list', { optional: true }),
        timeout: arg.any('Seconds to wait', { default: 5 }),
      },
      returns: ret.any('What it answered; nothing when it is not allowed'),
      examples: ['salt publish.runner manage.down'],
      run: async (ctx, { fun, arg, timeout }) => {
        if (!ctx.daemon) return 'No access to master. If using salt-call with --local, please remove.'
        return ask(ctx, { cmd: 'minion_runner', fun, arg: argumentsOf(arg), tmo: timeout })
      },
    }),
  },
})
