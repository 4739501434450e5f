// Parameter groups of RDS as states.
import { type Dict, isDict, isList, misuse, repr, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, ensure, failed, foreseen, type StateContext, state, type Verdict } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { errorOf } from '../common/state-calls.ts'
import { parameterText } from './parameter-functions.ts'
import { TAGS } from './settings.ts'
import { ask } from './state-calls.ts'

/** Return the wanted parameters by name; undefined where none are given. */
function wantedOf(given: Value): Dict | undefined {
  if (given === null) return undefined
  const wanted: Dict = new Map()
  for (const entry of isList(given) ? given : [given]) {
    if (!isDict(entry)) throw misuse(`The parameters must be a list of dicts, and one is ${repr(entry)}`)
    for (const [name, value] of entry) wanted.set(str(name), parameterText(value))
  }
  return wanted
}

interface Group {
  ctx: StateContext
  name: string
  login: AwsLogin
  wanted: Dict | undefined
}

/** Return the wanted parameters that differ in the group; a text is AWS's error. */
async function differing({ ctx, name, login, wanted = new Map() }: Group): Promise<Dict | string> {
  if (wanted.size === 0) return new Map()
  const found = await ask(ctx, 'describe_parameters', login, { name })
  const present = found.get('parameters') ?? null
  // Salt writes so
  if (!isDict(present)) return `Faled to get parameters for group  ${name}.`
  const presentValue = (key: Value): Value => {
    const parameter = present.get(key) ?? null
    return isDict(parameter) ? str(parameter.get('ParameterValue') ?? null) : null
  }
  return new Map([...wanted].filter(([key, value]) => presentValue(key) !== value))
}

const same = ({ name, wanted }: Group): string[] =>
  wanted === undefined ? [] : [`Parameters ${repr(wanted)} for group ${name} are present.`]

const report = (lines: readonly string[]): string => lines.join('\n')

/** Set the parameters that differ, and report with the first line. */
async function setParameters(group: Group, first: string, changes: Dict, apply_method: string): Promise<Verdict> {
  const { ctx, name, login } = group
  const parameters = await differing(group)
  if (typeof parameters === 'string') return failed(report([first, parameters]), changes)
  if (parameters.size === 0) return changed(report([first, ...same(group)]), changes)
  const set = await ask(ctx, 'update_parameter_group', login, { name, parameters, apply_method })
  if (set.has('error')) {
    const lines = [first, `Failed to change parameters ${repr(parameters)} for group ${name}:`, errorOf(set)]
    return failed(report(lines), changes)
  }
  const lines = [first, `Parameters ${repr(parameters)} for group ${name} are changed.`]
  return changed(report(lines), new Map(changes).set('Parameters', parameters))
}

export const parameter_present = state({
  doc: 'Ensure that a parameter group exists, with the given parameters.',
  args: {
    name: arg.text('Name of the parameter group'),
    db_parameter_group_family: arg.text('Family of engines, such as `mysql8.0`'),
    description: arg.text('What it is for'),
    parameters: arg.any('List of dicts of values by name; a truth value is `on` or `off`', { optional: true }),
    apply_method: arg.text('`immediate` or `pending-reboot`', { default: 'pending-reboot' }),
    tags: TAGS,
    ...LOGIN,
  },
  run: (ctx, { name, db_parameter_group_family, description, parameters, apply_method, tags, ...login }) => {
    const group: Group = { ctx, name, login, wanted: wantedOf(parameters) }
    const present = `Parameter group ${name} present.`
    return ensure<'missing' | Dict>(ctx, {
      name,
      look: async () => {
        const found = await ask(ctx, 'parameter_group_exists', login, { name })
        if (found.get('exists') === false) return 'missing'
        if (!truthy(found.get('exists') ?? false))
          return failed(`Failed to look for parameter group ${name}: ${errorOf(found)}.`)
        const rest = await differing(group)
        if (typeof rest === 'string') return failed(report([present, rest]))
        return rest.size === 0 ? changed(report([present, ...same(group)]), {}) : rest
      },
      foresee: (gap) =>
        gap === 'missing'
          ? `Parameter group ${name} is set to be created.`
          : foreseen(report([present, `Parameters ${repr(gap)} for group ${name} are set to be changed.`]), {
              Parameters: gap,
            }),
      act: async (gap) => {
        if (gap !== 'missing') return setParameters(group, present, new Map(), apply_method)
        const made = await ask(ctx, 'create_parameter_group', login, {
          name,
          db_parameter_group_family,
          description,
          tags,
        })
        if (made.has('error')) return failed(`Failed to create ${name} parameter group: ${errorOf(made)}.`)
        const changes: Dict = new Map<Value, Value>([['New Parameter Group', name]])
        return setParameters(group, `Parameter group ${name} created.`, changes, apply_method)
      },
    })
  },
})
