// Parameters in parameter groups of RDS.
import { type Dict, str, type Value } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { orError, unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { parameterGroup } from './group-functions.ts'
import { filtersOf, listPages, NO_PARAMETER_GROUP, rdsOf } from './rds.ts'

const NAME = arg.text('Name of the parameter group')
const PAGE = {
  MaxRecords: arg.count('How many entries a page has', { optional: true }),
  Marker: arg.text('Marker of the page to begin with', { optional: true }),
}

/** AWS takes no more at once. */
const MOST_AT_ONCE = 20

const FIELDS = [
  'ParameterName',
  'ParameterValue',
  'Description',
  'Source',
  'ApplyType',
  'DataType',
  'AllowedValues',
  'IsModifieable',
  'MinimumEngineVersion',
  'ApplyMethod',
]

/** Return the value of a parameter as AWS has it. */
export const parameterText = (value: Value): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : str(value)

async function parametersOf(
  ctx: FunctionContext,
  login: AwsLogin,
  given: { DBParameterGroupName: string; Source: string | null; MaxRecords: number | null; Marker: string | null },
): Promise<Dict> {
  const parameters: Dict = new Map()
  for (const page of await listPages(rdsOf(ctx, login), 'DescribeDBParameters', given)) {
    for (const one of ((page as Dict).get('Parameters') ?? []) as Dict[]) {
      // Salt spells this field so
      const row = new Map(one).set('IsModifieable', one.get('IsModifiable') ?? null)
      const shown = FIELDS.map((field): [Value, Value] => [field, row.get(field) ?? null])
      parameters.set(row.get('ParameterName') ?? null, new Map(shown))
    }
  }
  return parameters
}

async function update(
  ctx: FunctionContext,
  login: AwsLogin,
  { name, parameters, method }: { name: string; parameters: Dict; method: string },
): Promise<Record<string, Value>> {
  const all = [...parameters].map(([key, value]) => ({
    ParameterName: str(key),
    ParameterValue: parameterText(value),
    ApplyMethod: method,
  }))
  for (let from = 0; from < all.length; from += MOST_AT_ONCE) {
    const Parameters = { Parameter: all.slice(from, from + MOST_AT_ONCE) }
    await rdsOf(ctx, login).query('ModifyDBParameterGroup', { DBParameterGroupName: name, Parameters })
  }
  return { results: all.length > 0 }
}

export const PARAMETERS = {
  describe_parameter_group: reads({
    doc: 'Return whether a parameter group can be described.',
    example: 'boto_rds.describe_parameter_group mygroup',
    args: {
      name: NAME,
      Filters: arg.list('Filters: dicts with `Name` and `Values`', { optional: true }),
      ...PAGE,
      ...LOGIN,
    },
    returns: ret.dict('`results` and `message`; `exists` where there is no such group; or `error`'),
    run: async (ctx, { name, Filters, MaxRecords, Marker, ...login }) => {
      const found = await parameterGroup(ctx, login, name)
      if (found['exists'] !== true) return found['exists'] === false ? { exists: false } : found
      const parameters = { DBParameterGroupName: name, ...filtersOf(Filters), MaxRecords, Marker }
      return orError(
        rdsOf(ctx, login)
          .query('DescribeDBParameterGroups', parameters)
          .then(
            (): Record<string, Value> => ({
              results: true,
              message: `Got RDS descrition for group ${name}.`,
            }),
          ),
      )
    },
  }),
  describe_parameters: reads({
    doc: 'Return the parameters of a parameter group by name.',
    example: 'boto_rds.describe_parameters mygroup',
    args: {
      name: NAME,
      Source: arg.text('Who set them: `user`, `system` or `engine-default`; all unless given', { optional: true }),
      ...PAGE,
      ...LOGIN,
    },
    returns: ret.dict('`result` and `parameters`, or `result` and `message`, or `error`'),
    run: async (ctx, { name, Source, MaxRecords, Marker, ...login }) => {
      const given = { DBParameterGroupName: name, Source, MaxRecords, Marker }
      const found = parametersOf(ctx, login, given).then(
        (parameters): Record<string, Value> => ({ result: true, parameters }),
      )
      const missing = { result: false, message: `Parameter group ${name} does not exist` }
      return orError(unlessFault(found, () => missing, NO_PARAMETER_GROUP))
    },
  }),
  update_parameter_group: changes({
    doc: 'Set parameters of a parameter group.',
    example: "boto_rds.update_parameter_group mygroup parameters='{back_log: 1, binlog_cache_size: 4096}'",
    args: {
      name: NAME,
      parameters: arg.dict('Values by name; a truth value is `on` or `off`'),
      apply_method: arg.text('`immediate` or `pending-reboot`', { default: 'pending-reboot' }),
      tags: arg.any('Not looked at', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dict('`results`; `exists` and `message` where there is no such group; or `error`'),
    run: async (ctx, { name, parameters, apply_method: method, tags: _tags, ...login }) => {
      const found = await parameterGroup(ctx, login, name)
      if (found['exists'] === false) return { exists: false, message: `RDS parameter group ${name} does not exist.` }
      return orError(update(ctx, login, { name, parameters, method }))
    },
  }),
}
