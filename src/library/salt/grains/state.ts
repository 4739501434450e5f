// States for grains: their existence, their value, and the items of their lists.
import {
  compileRegex,
  contains,
  type Dict,
  dictFrom,
  equals,
  isList,
  str,
  truthy,
  tuple,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const name = arg.string('Path of the grain')
const delimiter = arg.string('Regular expression for the delimiter of the path', { default: ':' })
const value = arg.any('Value of any type; for list states also a list of values')
const force = arg.boolean('Overwrite dicts and lists', { default: false })

const pathOf = (name: string, delimiter: string): string =>
  delimiter === ':' ? name : compileRegex(delimiter).sub(':', name)

const report = (name: string, result: boolean | null, comment: string, changes?: Dict): StateReturn =>
  reportOn(name)(result, comment, changes)

/** Mark of a grain that does not exist. */
const NOTHING = tuple([])

const get = async (ctx: StateContext, name: string, fallback: Value): Promise<Value> =>
  ctx.call('grains.get', [name, fallback])

interface Named {
  name: string
  delimiter: string
}

async function exists(ctx: StateContext, args: Named): Promise<StateReturn> {
  const name = pathOf(args.name, args.delimiter)
  const isThere = (await get(ctx, name, NOTHING)) !== NOTHING
  return report(name, isThere, isThere ? 'Grain exists' : 'Grain does not exist')
}

async function present(ctx: StateContext, args: Named & { value: Value; force: boolean }): Promise<StateReturn | Dict> {
  const name = pathOf(args.name, args.delimiter)
  const existing = await get(ctx, name, NOTHING)
  const isThere = existing !== NOTHING
  if (isThere && equals(existing, args.value)) return report(name, true, 'Grain is already set')
  if (ctx.test) {
    if (!isThere) return report(name, null, `Grain ${name} is set to be added`, new Map([['new', name]]))
    const changed: Dict = new Map([[name, args.value]])
    return report(name, null, `Grain ${name} is set to be changed`, new Map([['changed', changed]]))
  }
  const ret = await ctx.call('grains.set', [name, args.value], { force: args.force })
  if (ret.get('result') === true && truthy(ret.get('changes')!)) {
    ret.set('comment', `Set grain ${name} to ${str(args.value)}`)
  }
  return ret.set('name', name)
}

/** Return the values that states of this run have already appended; in a dry run the grains do not have them. */
function pendingOf(ctx: StateContext, name: string): Value[] {
  const known = ctx.memory.get('pending_grains')
  const all: Dict = known instanceof Map ? known : new Map()
  ctx.memory.set('pending_grains', all)
  const values = all.get(name) ?? []
  const pending = isList(values) ? values : []
  all.set(name, pending)
  return pending
}

interface Wanted {
  /** Values left to append; undefined if the list has all of them. */
  value: Value | undefined
  comment: string
}

/** Return the values left to append. `grain` is the current list, or undefined if there is none. */
function stillWanted(name: string, value: Value, grain: Value[] | undefined, pending: Value[]): Wanted {
  const isKnown = (item: Value): boolean => (grain !== undefined && contains(grain, item)) || contains(pending, item)
  const all = isList(value) ? value : [value]
  const known: Value[] = []
  const wanted: Value[] = []
  for (const item of all) {
    if (isKnown(item)) known.push(item)
    else {
      wanted.push(item)
      pending.push(item)
    }
  }
  if (wanted.length === 0) {
    const where = grain === undefined ? `already pending in grain ${name}` : `already in grain ${name} (or pending)`
    return { value: undefined, comment: `Value ${str(value)} is ${where}` }
  }
  const why = grain === undefined ? `already pending in "${name}"` : `found in "${name}" (or pending)`
  const comment = known.length === 0 ? '' : `Removed value ${str(known)} from update due to value ${why}.\n`
  return { value: isList(value) ? wanted : value, comment }
}

async function listPresent(ctx: StateContext, args: Named & { value: Value }): Promise<StateReturn> {
  const name = pathOf(args.name, args.delimiter)
  const grain = await get(ctx, name, '')
  const isThere = truthy(grain)
  if (isThere && !isList(grain)) return report(name, false, `Grain ${name} is not a valid list`)
  const list = isThere && isList(grain) ? grain : undefined
  const { value, comment } = stillWanted(name, args.value, list, pendingOf(ctx, name))
  if (value === undefined) return report(name, true, comment)
  if (ctx.test) {
    const plan = isThere
      ? `Value ${str(value)} is set to be appended to grain ${name}`
      : `Grain ${name} is set to be added`
    return report(name, null, plan, new Map([['new', grain]]))
  }
  const appended = await ctx.call('grains.append', [name, value])
  const now = await get(ctx, name, [])
  const isDone = (isList(value) ? value : [value]).every((item) => contains(now, item))
  if (!isDone) return report(name, false, `Failed append value ${str(value)} to grain ${name}`)
  return report(name, true, `${comment}Append value ${str(value)} to grain ${name}`, new Map([['new', appended]]))
}

async function listAbsent(ctx: StateContext, args: Named & { value: Value }): Promise<StateReturn> {
  const name = pathOf(args.name, args.delimiter)
  const grain = await get(ctx, name, null)
  if (!truthy(grain)) return report(name, true, `Grain ${name} does not exist`)
  if (!isList(grain)) return report(name, false, `Grain ${name} is not a valid list`)
  const comments: string[] = []
  const deleted: Value[] = []
  for (const item of isList(args.value) ? args.value : [args.value]) {
    if (!contains(grain, item)) {
      comments.push(`Value ${str(item)} is absent from grain ${name}`)
      continue
    }
    if (!ctx.test) await ctx.call('grains.remove', [name, item])
    const what = ctx.test ? `in grain ${name} is set to be deleted` : `was deleted from grain ${name}`
    comments.push(`Value ${str(item)} ${what}`)
    deleted.push(item)
  }
  const changes: Dict = deleted.length === 0 ? new Map() : new Map([['deleted', deleted]])
  return report(name, ctx.test && deleted.length > 0 ? null : true, comments.join('\n'), changes)
}

interface AbsentArgs extends Named {
  destructive: boolean
  force: boolean
}

/** Ensure that a grain is None or does not exist. A grain of None is absent, unless `destructive` is set. */
async function absent(ctx: StateContext, args: AbsentArgs): Promise<StateReturn | Dict> {
  const { destructive, force } = args
  const name = pathOf(args.name, args.delimiter)
  const grain = await get(ctx, name, NOTHING)
  if (grain === NOTHING) return report(name, true, `Grain ${name} does not exist`)
  const isSilent = grain === null && !destructive
  const changes: Dict = destructive ? new Map([['deleted', name]]) : dictFrom({ grain: name, value: null })
  if (ctx.test) {
    if (isSilent) return report(name, null, '')
    const plan = destructive
      ? `Grain ${name} is set to be deleted`
      : `Value for grain ${name} is set to be deleted (None)`
    return report(name, null, plan, changes)
  }
  const ret = await ctx.call('grains.set', [name, null], { destructive, force })
  if (ret.get('result') === true && !isSilent) {
    ret.set('comment', destructive ? `Grain ${name} was deleted` : `Value for grain ${name} was set to None`)
    ret.set('changes', changes)
  }
  return ret.set('name', name)
}

async function append(ctx: StateContext, args: Named & { value: Value; convert: boolean }): Promise<StateReturn> {
  const name = pathOf(args.name, args.delimiter)
  const added: Dict = new Map([['added', args.value]])
  const grain = await get(ctx, name, null)
  const value = str(args.value)
  if (!truthy(grain) && !ctx.grains.has(name)) return report(name, false, `Grain ${name} does not exist`)
  if (isList(grain)) {
    if (contains(grain, args.value)) {
      return report(name, true, `Value ${value} is already in the list for grain ${name}`)
    }
    if (ctx.test) return report(name, null, `Value ${value} in grain ${name} is set to be added`, added)
    await ctx.call('grains.append', [name, args.value])
    return report(name, true, `Value ${value} was added to grain ${name}`, added)
  }
  if (!args.convert) return report(name, false, `Grain ${name} is not a valid list`)
  if (ctx.test) {
    return report(name, null, `Grain ${name} is set to be converted to list and value ${value} will be added`, added)
  }
  await ctx.call('grains.setval', [name, [...(grain === null ? [] : [grain]), args.value]])
  return report(name, true, `Value ${value} was added to grain ${name}`, added)
}

export default defineState({
  name: 'grains',
  doc: 'Manage grains on the minion.',
  functions: {
    exists: state({
      doc: 'Ensure that a grain exists, with any value.',
      args: { name, delimiter },
      run: exists,
    }),
    present: state({
      doc: 'Ensure that a grain has a value. A dict or a list is overwritten only with `force`.',
      args: { name, value, delimiter, force },
      run: present,
    }),
    list_present: state({
      doc: 'Ensure that a list has a value, or each of several values. A missing grain becomes a list.',
      args: { name, value, delimiter },
      run: listPresent,
    }),
    list_absent: state({
      doc: 'Ensure that a list does not have a value, or any of several values.',
      args: { name, value, delimiter },
      run: listAbsent,
    }),
    absent: state({
      doc: 'Ensure that a grain is None or, with `destructive`, does not exist.',
      args: {
        name,
        destructive: arg.boolean('Remove the grain in place of setting it to None', { default: false }),
        delimiter,
        force,
      },
      run: absent,
    }),
    append: state({
      doc: 'Ensure that an existing list has a value.',
      args: {
        name,
        value,
        convert: arg.boolean('Convert a value that is not a list to a list', { default: false }),
        delimiter,
      },
      run: append,
    }),
  },
})
