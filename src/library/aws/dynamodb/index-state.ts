// The global indexes of a table in a state.
import { type Dict, dictFrom, equals, isDict, isList, repr, str, truthy, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import { unordered } from '../common/unordered.ts'
import { indexSettings } from './indexes.ts'
import type { TableRecord as Report } from './record.ts'

interface Target {
  name: string
  login: { [parameter: string]: Value }
  wanted: readonly Value[]
  present: readonly Dict[]
}

/** An index that a state wants: as it is written, and in the words of AWS. */
interface Wanted {
  name: string
  given: Value
  schema: Dict
}

const field = (dict: Value, name: string): Value => (isDict(dict) ? (dict.get(name) ?? null) : null)

const attributesOf = (projection: Value): Value[] => {
  const attributes = field(projection, 'NonKeyAttributes')
  return isList(attributes) ? attributes : []
}

/** Return why an index cannot be changed to the wanted one; undefined if at most its capacity differs. */
function obstacle(name: string, present: Dict, schema: Dict): string | undefined {
  const [now, wanted] = [field(present, 'Projection'), field(schema, 'Projection')]
  if (!equals(field(now, 'ProjectionType'), field(wanted, 'ProjectionType'))) return 'GSI projection types do not match'
  if (unordered(attributesOf(now)) !== unordered(attributesOf(wanted)))
    return 'NonKeyAttributes do not match for GSI projection'
  if (unordered(field(present, 'KeySchema')) !== unordered(field(schema, 'KeySchema')))
    return `GSI property KeySchema cannot be updated for index ${name}`
  return undefined
}

const capacityOf = (index: Dict): Dict => {
  const units = field(index, 'ProvisionedThroughput')
  return dictFrom({ read: field(units, 'ReadCapacityUnits'), write: field(units, 'WriteCapacityUnits') })
}

/** Note changes of global indexes. */
function note(report: Report, name: string, old: Value | undefined, now: Value): void {
  const side = (dict: Dict): Dict => {
    const known = dict.get('global_indexes') ?? null
    const indexes: Dict = isDict(known) ? known : new Map()
    dict.set('global_indexes', indexes)
    return indexes
  }
  if (old !== undefined) side(report.old).set(name, old)
  side(report.now).set(name, now)
}

const call = async (ctx: StateContext, fun: string, given: { [parameter: string]: Value }): Promise<Value> =>
  (await ctx.call(`boto_dynamodb.${fun}`, [], given)) as Value

/** Add an index. Return whether that succeeds, or would be done. */
async function add(ctx: StateContext, { name, login }: Target, index: Wanted, report: Report): Promise<boolean> {
  if (ctx.test) report.foresee(`Dynamo table ${name} will have a GSI added: ${index.name}`)
  else {
    const given = { table_name: name, global_index: index.schema, ...login }
    if (!truthy(await call(ctx, 'create_global_secondary_index', given))) {
      report.fail(`Failed to create GSI ${index.name}`)
      return false
    }
    report.say(`Created GSI ${index.name}`)
  }
  note(report, index.name, undefined, index.given)
  return true
}

/** Change the capacity of indexes. Return whether that succeeds, or would be done. */
async function resize(
  ctx: StateContext,
  { name, login }: Target,
  { before, after }: { before: Dict; after: Dict },
  report: Report,
): Promise<boolean> {
  if (ctx.test) report.foresee(`Dynamo table ${name} will have GSIs updated: ${[...after.keys()].map(str).join(', ')}`)
  else {
    const given = { table_name: name, global_indexes: after, ...login }
    if (!truthy(await call(ctx, 'update_global_secondary_index', given))) {
      report.fail(`Failed to update GSI throughputs ${repr(after)}`)
      return false
    }
    report.say(`Updated GSIs with new throughputs ${repr(after)}`)
  }
  for (const [index, units] of after) note(report, str(index), before.get(index) ?? null, units)
  return true
}

/** Ensure that a table has the wanted global indexes. Return whether the state may go on. */
export async function globalIndexes(ctx: StateContext, target: Target, report: Report): Promise<boolean> {
  const wanted: Wanted[] = []
  for (const given of target.wanted) {
    const schema = await call(ctx, 'extract_index', { index_data: given, global_index: true })
    const name = str(indexSettings(given).get('name') ?? '')
    wanted.push({ name, given, schema: isDict(schema) ? schema : new Map() })
  }
  const present = new Map(target.present.map((index) => [str(index.get('IndexName') ?? ''), index]))
  const names = new Set(wanted.map(({ name }) => name))
  const surplus = [...present.keys()].filter((name) => !names.has(name))
  const missing = wanted.filter(({ name }) => !present.has(name))
  const fail = (comment: string): boolean => {
    report.fail(comment)
    return false
  }
  if (surplus.length > 0)
    return fail(
      `Deletion of GSIs (${surplus.join(', ')}) is not supported! Please do this manually in the AWS console.`,
    )
  if (missing.length > 1) {
    const listed = missing.map(({ name }) => name).join(', ')
    return fail(
      `Creation of multiple GSIs (${listed}) is not supported due to API limitations. Please create them one at a time.`,
    )
  }
  for (const index of missing) if (!(await add(ctx, target, index, report))) return false
  const [before, after]: [Dict, Dict] = [new Map(), new Map()]
  for (const { name, schema } of wanted) {
    const found = present.get(name)
    if (found === undefined) continue
    const reason = obstacle(name, found, schema)
    if (reason !== undefined) return fail(reason)
    if (equals(capacityOf(found), capacityOf(schema))) continue
    before.set(name, capacityOf(found))
    after.set(name, capacityOf(schema))
  }
  if (after.size > 0) return resize(ctx, target, { before, after }, report)
  if (missing.length === 0) report.say('All global secondary indexes match')
  return true
}
