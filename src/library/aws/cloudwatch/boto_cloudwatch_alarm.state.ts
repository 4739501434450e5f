// Alarms of CloudWatch as states.
import { type Dict, isDict, isList, numberOf, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, defineState, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { unordered } from '../common/unordered.ts'

const NAME = arg.text('Name of the alarm')
const ACTIONS = ['alarm_actions', 'insufficient_data_actions', 'ok_actions']

async function ask(ctx: StateContext, fun: string, login: AwsLogin, given: Record<string, Value>): Promise<Value> {
  return (await ctx.call(`boto_cloudwatch.${fun}`, [], { ...given, ...loginOf(login) })) as Value
}

/** Return dimensions with a list of values for each name. */
const spread = (value: Value): Value =>
  isDict(value) ? new Map([...value].map(([name, one]) => [name, isList(one) ? one : [one]])) : value

function isSame(wanted: Value, present: Value): boolean {
  const [one, other] = [numberOf(wanted), numberOf(present)]
  if (one !== undefined && other !== undefined) return one === other
  return unordered(spread(wanted)) === unordered(spread(present))
}

function differences(wanted: Dict, present: Dict): string[] {
  return [...wanted].flatMap(([name, value]) => {
    if (!present.has(name)) return [`${str(name)}=${str(value)} (new)`]
    const now = present.get(name)!
    return isSame(value, now) ? [] : [`${str(name)}='${str(value)}' was: '${str(now)}'`]
  })
}

/** Return the attributes with actions as ARNs. */
async function wantedOf(ctx: StateContext, attributes: Dict, login: AwsLogin): Promise<Dict> {
  const wanted = new Map(attributes)
  for (const name of ACTIONS) {
    const actions = wanted.get(name) ?? null
    const arns = typeof actions === 'string' ? actions.split(',') : actions
    if (isList(arns)) wanted.set(name, await ask(ctx, 'convert_to_arn', login, { arns }))
  }
  return wanted
}

interface Gap {
  wanted: Dict
  diff: string[] | undefined
}

export default defineState({
  name: 'boto_cloudwatch_alarm',
  doc: 'Manage alarms of CloudWatch.',
  functions: {
    present: state({
      doc: 'Ensure that an alarm exists, with the given attributes.',
      args: {
        name: NAME,
        attributes: arg.dict('Parameters of `boto_cloudwatch.create_or_update_alarm`'),
        ...LOGIN,
      },
      run: (ctx, { name, attributes, ...login }) =>
        ensure<Gap>(ctx, {
          name,
          look: async () => {
            const present = await ask(ctx, 'get_alarm', login, { name })
            const wanted = await wantedOf(ctx, attributes, login)
            if (!isDict(present)) return { wanted, diff: undefined }
            const diff = differences(wanted, present)
            return diff.length === 0 ? settled(`alarm ${name} present and matching`) : { wanted, diff }
          },
          foresee: () => `alarm ${name} is to be created/updated.`,
          act: async ({ wanted, diff }) => {
            const given = Object.fromEntries([...wanted].map(([key, value]) => [str(key), value]))
            if (!truthy(await ask(ctx, 'create_or_update_alarm', login, { ...given, name })))
              return failed(`Failed to create ${name} alarm`)
            return changed('', diff === undefined ? { new: wanted } : { diff })
          },
        }),
    }),
    absent: state({
      doc: 'Ensure that an alarm does not exist.',
      args: { name: NAME, ...LOGIN },
      run: (ctx, { name, ...login }) =>
        ensure(ctx, {
          name,
          look: async () =>
            truthy(await ask(ctx, 'get_alarm', login, { name }))
              ? 'there'
              : settled(`${name} does not exist in ${str(login.region)}.`),
          foresee: () => `alarm ${name} is set to be removed.`,
          act: async () =>
            truthy(await ask(ctx, 'delete_alarm', login, { name }))
              ? changed('', { old: name, new: null })
              : failed(`Failed to delete ${name} alarm.`),
        }),
    }),
  },
})
