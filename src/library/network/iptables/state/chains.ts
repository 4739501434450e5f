// States of chains of the packet filter.
import { str, strip, truthy, type Value } from '../../../../data/mod.ts'
import {
  changed,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  type Verdict,
} from '../../../../sdk/mod.ts'

interface Place {
  name: string
  table: string
  family: string
}

const failure = (verb: string, { name, table, family }: Place, why: Value): Verdict =>
  failed(`Failed to ${verb} ${name} chain in ${table} table: ${strip(str(why))} for ${family}`)

export function chainPresent(ctx: StateContext, place: Place): Promise<StateReturn> {
  const { name, table, family } = place
  const chain = `iptables ${name} chain`
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = (await ctx.call('iptables.check_chain', [table, name, family])) === true
      return exists ? settled(`${chain} is already exist in ${table} table for ${family}`) : 'missing'
    },
    foresee: () => `${chain} in ${table} table needs to be set for ${family}`,
    act: async () => {
      const answer = await ctx.call('iptables.new_chain', [table, name, family])
      if (answer !== true) return failure('create', place, answer)
      return changed(`${chain} in ${table} table create success for ${family}`, { locale: name })
    },
  })
}

export function chainAbsent(ctx: StateContext, place: Place): Promise<StateReturn> {
  const { name, table, family } = place
  const chain = `iptables ${name} chain`
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = truthy(await ctx.call('iptables.check_chain', [table, name, family]))
      return exists ? 'present' : settled(`${chain} is already absent in ${table} table for ${family}`)
    },
    foresee: () => `${chain} in ${table} table needs to be removed ${family}`,
    act: async () => {
      const flushed = await ctx.call('iptables.flush', [table, name, family])
      if (truthy(flushed)) return failure('flush', place, flushed)
      const answer = await ctx.call('iptables.delete_chain', [table, name, family])
      if (answer !== true) return failure('delete', place, answer)
      return changed(`${chain} in ${table} table delete success for ${family}`, { locale: name })
    },
  })
}
