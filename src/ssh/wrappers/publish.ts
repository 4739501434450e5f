// `publish` for targets without minions: jobs run on other targets, and on minions if requested.
import { type Dict, isDict, isList, numberOf, textOf, type Value } from '../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  type ModuleDeclaration,
  readArgument,
  ret,
} from '../../sdk/mod.ts'
import { literalWord } from '../mine-function.ts'
import type { NestedCalls } from '../nested.ts'

const common = {
  tgt: arg.textOrList('Target: text, or a list of ids'),
  fun: arg.text('Function'),
  arg: arg.any('Arguments: a list, or one value', { optional: true }),
  tgt_type: arg.text('Kind of the target', { default: 'glob' }),
  returner: arg.text('Returner; used for minions only', { default: '' }),
  timeout: arg.number('Seconds to wait for minions, and for the connection to a target', { default: 5 }),
  roster: arg.text('Roster. Default: that of the call of salt-ssh', { optional: true }),
  ssh_minions: arg.boolean('Run the function on targets of the roster', { default: true }),
  regular_minions: arg.boolean('Run the function on minions', { default: false }),
}

export const publishWrapper = (nested: NestedCalls): ModuleDeclaration =>
  defineModule({
    name: 'publish',
    doc: 'Run functions on other targets, on minions, and on the master.',
    functions: {
      publish: changes({
        doc: 'Run a function and return the results.',
        args: common,
        returns: ret.dict('Results by id'),
        example: "publish.publish '*' cmd.run 'ls -la /tmp'",
        run: (ctx, request) => publish(ctx, nested, request, 'clean'),
      }),
      full_data: changes({
        doc: 'Run a function and return the full answers.',
        args: common,
        returns: ret.dict('Answers by id, with the result in `ret`'),
        example: "publish.full_data '*' cmd.run 'ls -la /tmp'",
        run: (ctx, request) => publish(ctx, nested, request, 'full'),
      }),
      runner: changes({
        doc: 'Call a runner function of the master.',
        args: {
          fun: arg.text('Runner function'),
          arg: common.arg,
          timeout: arg.number('Accepted, and not used', { default: 5 }),
        },
        returns: ret.any('Result of the function'),
        example: 'publish.runner jobs.lookup_jid 20140916125524463507',
        run: (_ctx, { fun, arg }) => nested.runner(fun, argumentsOf(arg)),
      }),
    },
  })

/** Arguments from one value or a list; texts are read as on a command line. */
function argumentsOf(given: Value): Value[] {
  const values = isList(given) ? given : [given]
  const read = values.map((value) => {
    const text = textOf(value)
    return text === undefined ? value : readArgument(text)
  })
  return read.length === 1 && read[0] === null ? [] : read
}

async function publish(
  ctx: FunctionContext,
  nested: NestedCalls,
  request: Bound<typeof common>,
  form: 'clean' | 'full',
): Promise<Dict> {
  const { tgt, fun, tgt_type, returner, timeout, roster, ssh_minions, regular_minions } = request
  const found: Dict = new Map()
  if (fun.startsWith('publish.')) {
    ctx.log('info', 'Cannot publish publish calls. Returning {}')
    return found
  }
  const words = argumentsOf(request.arg)
  if (regular_minions) {
    const load = { tgt, fun, tgt_type, form, arg: words, ret: returner, tmo: timeout }
    const answers = await nested.onMinions(new Map<Value, Value>(Object.entries(load)))
    for (const [id, answer] of answers) if (id !== '__jid__') found.set(id, answer)
  }
  if (!ssh_minions) return found
  if (returner !== '') ctx.log('warning', 'Returners currently not supported in salt-ssh publish')
  const asked = { tgt, tgtType: tgt_type, fun, words: words.map(literalWord), roster, timeout: numberOf(timeout) ?? 5 }
  for (const [id, { full }] of await nested.onTargets(asked))
    found.set(id, form === 'clean' ? cleaned(full) : whole(full))
  return found
}

const cleaned = (full: Value): Value => (isDict(full) && full.has('return') ? full.get('return')! : full)

/** Minions give their result as `ret`. */
const whole = (full: Value): Value =>
  isDict(full) && full.has('return') ? new Map(full).set('ret', full.get('return')!) : full
