// `multi_returner`: passes jobs and returns to all returners in the option with that name, and merges their stored
// data.
import { type Dict, failure, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, option } from '../../../sdk/mod.ts'

const OWN = 'multi_returner'

/** Return the names of the returners. */
function members(ctx: FunctionContext): string[] {
  const given = option(ctx.opts, 'multi_returner')
  const names = isList(given) ? given.map((name) => str(name)) : []
  if (names.length === 0) throw failure('The option multi_returner names no returners')
  if (names.includes(OWN)) throw failure('The option multi_returner names multi_returner itself')
  return names
}

/** Call a function of a returner; undefined if it has no such function. */
async function ask(
  ctx: FunctionContext,
  name: string,
  fun: string,
  args: readonly Value[],
): Promise<Value | undefined> {
  return (await ctx.returner(name, fun))?.(...args)
}

/** Call a function of all returners. A failing one does not affect the others. */
async function handToAll(ctx: FunctionContext, fun: string, ...args: Value[]): Promise<void> {
  const failures: string[] = []
  for (const name of members(ctx)) {
    try {
      if ((await ctx.returner(name, fun)) === undefined) failures.push(`The returner ${name}.${fun} is not available`)
      else await ask(ctx, name, fun, args)
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (failures.length > 0) throw failure(failures.join('; '))
}

/** Merge the stored data of the returners; a later one overrides entries of an earlier one. */
async function merged(ctx: FunctionContext, fun: string, ...args: Value[]): Promise<Dict> {
  const found: Dict = new Map()
  for (const name of members(ctx)) {
    const answer = await ask(ctx, name, fun, args)
    if (answer !== undefined && isDict(answer)) for (const [key, value] of answer) found.set(key, value)
  }
  return found
}

export default defineReturner({
  name: OWN,
  doc: 'Store jobs with all returners that the option multi_returner names.',
  functions: {
    returner: (ctx, ret) => handToAll(ctx, 'returner', ret),
    save_load: (ctx, jid, load, minions) => handToAll(ctx, 'save_load', jid, load, [...minions]),
    get_load: (ctx, jid) => merged(ctx, 'get_load', jid),
    get_jid: (ctx, jid) => merged(ctx, 'get_jid', jid),
    get_jids: async (ctx) => (await merged(ctx, 'get_jids')) as Map<string, Dict>,
  },
})
