// Chains of the packet filter are there or not.
import { str, strip, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'

interface Place {
  name: Value
  table: Value
  family: Value
}

const textsOf = ({ name, table, family }: Place) => ({
  chain: `iptables ${str(name)} chain`,
  table: `in ${str(table)} table`,
  family: `for ${str(family)}`,
  failed: (verb: string, why: Value): string =>
    `Failed to ${verb} ${str(name)} chain in ${str(table)} table: ${strip(str(why))} for ${str(family)}`,
})

export async function chainPresent(ctx: StateContext, place: Place): Promise<StateReturn> {
  const { name, table, family } = place
  const say = textsOf(place)
  const settled: StateReturn = { name, changes: {}, result: true, comment: '' }
  if ((await ctx.call('iptables.check_chain', [table, name, family])) === true) {
    return { ...settled, comment: `${say.chain} is already exist ${say.table} ${say.family}` }
  }
  if (ctx.test) {
    return { ...settled, result: null, comment: `${say.chain} ${say.table} needs to be set ${say.family}` }
  }
  const answer = await ctx.call('iptables.new_chain', [table, name, family])
  if (answer !== true) return { ...settled, result: false, comment: say.failed('create', answer) }
  return { ...settled, changes: { locale: name }, comment: `${say.chain} ${say.table} create success ${say.family}` }
}

export async function chainAbsent(ctx: StateContext, place: Place): Promise<StateReturn> {
  const { name, table, family } = place
  const say = textsOf(place)
  const settled: StateReturn = { name, changes: {}, result: true, comment: '' }
  if (!truthy(await ctx.call('iptables.check_chain', [table, name, family]))) {
    return { ...settled, comment: `${say.chain} is already absent ${say.table} ${say.family}` }
  }
  if (ctx.test) {
    return { ...settled, result: null, comment: `${say.chain} ${say.table} needs to be removed ${str(family)}` }
  }
  const flushed = await ctx.call('iptables.flush', [table, name, family])
  if (truthy(flushed)) return { ...settled, result: false, comment: say.failed('flush', flushed) }
  const answer = await ctx.call('iptables.delete_chain', [table, name, family])
  if (answer !== true) return { ...settled, result: false, comment: say.failed('delete', answer) }
  return { ...settled, changes: { locale: name }, comment: `${say.chain} ${say.table} delete success ${say.family}` }
}
