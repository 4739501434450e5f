// States for the beacons of the minion.
import { contains, type Dict, equals, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Given = ReadonlyMap<string, Value>

async function beacons(ctx: StateContext, given: Given): Promise<Value> {
  return ctx.call('beacons.list', [], new Map<string, Value>([['return_yaml', false], ...given]))
}

/** Call a function that returns `result` and `comment`; in a dry run with `test=True`. */
async function act(ctx: StateContext, fun: string, args: readonly Value[], given: Given): Promise<Dict> {
  const keywords = new Map(ctx.test ? [...given, ['test', true] as const] : given)
  return (await ctx.call(`beacons.${fun}`, args, keywords)) as Dict
}

/** Report an answer: with its comment in a dry run or after a failure, else with the comment `done`. */
function reported(
  ctx: StateContext,
  name: string,
  answer: Dict,
  done: string,
  changes: Value = new Map(),
): StateReturn {
  const comment = answer.get('comment') as string | string[]
  if (ctx.test) return { name, result: true, changes, comment }
  if (truthy(answer.get('result') ?? false)) return { name, result: true, changes, comment: done }
  return { name, result: false, changes: {}, comment }
}

/** Save the beacons if `save` is set, and add that to the comment. */
async function saved(ctx: StateContext, outcome: StateReturn, save: boolean): Promise<StateReturn> {
  if (!save || outcome.result === false) return outcome
  if (!ctx.test) await ctx.call('beacons.save')
  const note = `Beacon ${outcome.name as string} ${ctx.test ? 'would be saved' : 'saved'}`
  return { ...outcome, comment: `${outcome.comment as string}\n${note}` }
}

async function present(ctx: StateContext, name: string, save: boolean, given: Given): Promise<StateReturn> {
  const current = await beacons(ctx, given)
  const data = [...given].map(([key, value]) => new Map([[key, value]]))
  if (!contains(current, name)) {
    const answer = await act(ctx, 'add', [name, data], given)
    return saved(ctx, reported(ctx, name, answer, `Adding ${name} to beacons`), save)
  }
  if (current instanceof Map && equals(current.get(name)!, data)) {
    return saved(ctx, { name, result: true, changes: {}, comment: `Job ${name} in correct state` }, save)
  }
  const answer = await act(ctx, 'modify', [name, data], given)
  const changes = answer.get('changes')
  const done = changes === undefined ? (answer.get('comment') as string) : `Modifying ${name} in beacons`
  return saved(ctx, reported(ctx, name, answer, done, changes ?? new Map()), save)
}

async function absent(ctx: StateContext, name: string, save: boolean, given: Given): Promise<StateReturn> {
  const outcome = contains(await beacons(ctx, given), name)
    ? reported(ctx, name, await act(ctx, 'delete', [name], given), `Removed ${name} from beacons`)
    : { name, result: true, changes: {}, comment: `${name} not configured in beacons` }
  return saved(ctx, outcome, save)
}

async function switched(ctx: StateContext, name: string, given: Given, on: boolean): Promise<StateReturn> {
  if (!contains(await beacons(ctx, given), name)) {
    const comment = on ? `${name} not a configured beacon` : `Job ${name} is not configured.`
    return { name, result: true, changes: {}, comment }
  }
  const answer = await act(ctx, on ? 'enable_beacon' : 'disable_beacon', [name], given)
  return reported(ctx, name, answer, on ? `Enabled ${name} from beacons` : `Disabled beacon ${name}.`)
}

const name = arg.string('Name of the beacon')
const save = arg.boolean('Save all beacons to a configuration file', { default: false })
const kwargs = arg.open('Arguments of the functions of `beacons`')

export default defineState({
  name: 'beacon',
  doc: 'Manage the beacons of the minion.',
  functions: {
    present: state({
      doc: 'Ensure that a beacon is configured.',
      args: { name, save, kwargs: arg.open('Configuration of the beacon') },
      run: (ctx, { name, save, kwargs }) => present(ctx, name, save, kwargs),
    }),
    absent: state({
      doc: 'Ensure that a beacon is not configured.',
      args: { name, save, kwargs },
      run: (ctx, { name, save, kwargs }) => absent(ctx, name, save, kwargs),
    }),
    enabled: state({
      doc: 'Ensure that a beacon is enabled.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => switched(ctx, name, kwargs, true),
    }),
    disabled: state({
      doc: 'Ensure that a beacon is disabled.',
      args: { name, kwargs },
      run: (ctx, { name, kwargs }) => switched(ctx, name, kwargs, false),
    }),
  },
})
