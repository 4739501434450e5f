// States of tables, chains and rules of nftables. Rules are compared by their text, which nftables.build_rule builds from
// the arguments.
import { type Dict, keyError, str, strip, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changed,
  defineState,
  ensure,
  failed,
  reportOn,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>
type Kind = 'append' | 'insert' | 'delete'

const succeeded = (answer: Dict): boolean => answer.get('result') === true
const commentOf = (answer: Dict): string => str(answer.get('comment') ?? '')

function required(options: Options, name: string): Value {
  const value = options.get(name)
  if (value === undefined) throw keyError(name)
  return value
}

const COMMAND = { append: 'add', insert: 'insert', delete: 'D' } as const

function textsOf(kind: Kind, name: string, family: string, rule: string) {
  const subject = `nftables rule for ${name}`
  const tail = kind === 'append' ? `(${rule}) for ${family}` : `for ${family} (${rule})`
  if (kind === 'delete') {
    return {
      settled: `${subject} already absent ${tail}`,
      foreseen: `${subject} needs to be deleted ${tail}`,
      done: `Delete ${subject} ${rule}`,
      saved: `Deleted and Saved ${subject} for ${rule}${family}`,
      failed: `Failed to delete ${subject}.\nAttempted rule was ${rule}`,
    }
  }
  return {
    settled: `${subject} already set ${tail}`,
    foreseen: `${subject} needs to be set ${tail}`,
    done: `Set ${subject} to: ${rule} for ${family}`,
    saved: `Set and Saved ${subject} to: ${rule} for ${family}`,
    failed: `Failed to set ${subject}.\nAttempted rule was ${rule}${kind === 'append' ? ` for ${family}.\n` : ''}`,
  }
}

interface RuleRequest {
  name: string
  family: string
  kwargs: Options
}

async function rule(ctx: StateContext, kind: Kind, { name, family, kwargs }: RuleRequest): Promise<StateReturn> {
  const built = async (more: Record<string, Value>): Promise<string> => {
    const options = new Map([...kwargs, ['family', family], ...Object.entries(more)] as [string, Value][])
    return str((await ctx.call('nftables.build_rule', [], options)).get('rule') ?? '')
  }
  const text = await built({})
  const texts = textsOf(kind, name, family, strip(await built({ full: true, command: COMMAND[kind] })))
  const place = [required(kwargs, 'table'), required(kwargs, 'chain')]
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = succeeded(await ctx.call('nftables.check', [...place, text, family]))
      return exists === (kind !== 'delete') ? settled(texts.settled) : 'different'
    },
    foresee: () => texts.foreseen,
    act: async () => {
      const answer = await apply(ctx, kind, place, { text, family, kwargs })
      if (!succeeded(answer)) return failed(texts.failed + (kind === 'append' ? commentOf(answer) : ''))
      const saves = truthy(kwargs.get('save') ?? null)
      if (saves) await ctx.call('nftables.save', [], { filename: null, family })
      return changed(saves ? texts.saved : texts.done, { locale: name })
    },
  })
}

interface RuleChange {
  text: string
  family: string
  kwargs: Options
}

function apply(ctx: StateContext, kind: Kind, place: Value[], { text, family, kwargs }: RuleChange) {
  if (kind === 'append') return ctx.call('nftables.append', [...place, text, family])
  if (kind === 'insert') return ctx.call('nftables.insert', [...place, required(kwargs, 'position'), text, family])
  const position = kwargs.get('position')
  return ctx.call('nftables.delete', place, { family, ...(position === undefined ? { rule: text } : { position }) })
}

interface ChainRequest {
  name: string
  table: string
  family: string
}

interface NewChain extends ChainRequest {
  table_type: string | null
  hook: string | null
  priority: Value
}

function chainPresent(ctx: StateContext, { name, table, family, ...base }: NewChain): Promise<StateReturn> {
  const subject = `nftables ${name} chain`
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = succeeded(await ctx.call('nftables.check_chain', [table, name], { family }))
      return exists ? settled(`${subject} is already exist in ${table} table for ${family}`) : 'missing'
    },
    foresee: () => `nftables chain ${name} would be created in table ${table} for family ${family}`,
    act: async () => {
      const answer = await ctx.call('nftables.new_chain', [table, name], { ...base, family })
      if (succeeded(answer)) {
        return changed(`${subject} in ${table} table create success for ${family}`, { locale: name })
      }
      return failed(`Failed to create ${name} chain in ${table} table: ${strip(commentOf(answer))} for ${family}`)
    },
  })
}

function chainAbsent(ctx: StateContext, { name, table, family }: ChainRequest): Promise<StateReturn> {
  const subject = `nftables ${name} chain`
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = succeeded(await ctx.call('nftables.check_chain', [table, name, family]))
      return exists ? 'present' : settled(`${subject} is already absent in ${table} table for ${family}`)
    },
    foresee: () => `${subject} in ${table} table needs to be removed ${family}`,
    act: async () => {
      for (const fun of ['flush', 'delete_chain'] as const) {
        const answer = await ctx.call(`nftables.${fun}`, [table, name, family])
        if (succeeded(answer)) continue
        const verb = fun === 'flush' ? 'flush' : 'delete'
        return failed(`Failed to ${verb} ${name} chain in ${table} table: ${strip(commentOf(answer))} for ${family}`)
      }
      return changed(`${subject} in ${table} table delete success for ${family}`, { locale: name })
    },
  })
}

async function flush(
  ctx: StateContext,
  name: string,
  family: string,
  ignoreAbsence: boolean,
  options: Options,
): Promise<StateReturn> {
  const report = reportOn(name)
  if (ctx.test) return report(null, 'nftables flush not performed in test mode.')
  const table = options.get('table') ?? 'filter'
  const chain = options.get('chain') ?? ''
  const hasTable = succeeded(await ctx.call('nftables.check_table', [table], { family }))
  if (!hasTable && !ignoreAbsence) {
    return report(false, `Failed to flush table ${str(table)} in family ${family}, table does not exist.`)
  }
  const hasChain = chain === '' || succeeded(await ctx.call('nftables.check_chain', [table, chain], { family }))
  if (!hasChain && !ignoreAbsence) {
    const place = `chain ${str(chain)} in table ${str(table)} in family ${family}`
    return report(false, `Failed to flush ${place}, chain does not exist.`)
  }
  const answer = await ctx.call('nftables.flush', [table, chain, family])
  if (!succeeded(answer) && hasTable && hasChain) return report(false, 'Failed to flush nftables rules')
  const comment = `Flush nftables rules in ${str(table)} table ${str(chain)} chain ${family} family`
  return report(true, comment, { locale: name })
}

function setPolicy(
  ctx: StateContext,
  { name, table, family, kwargs }: RuleRequest & { table: string },
): Promise<StateReturn> {
  const chain = str(required(kwargs, 'chain'))
  const policy = str(required(kwargs, 'policy'))
  const subject = `nftables default policy for chain ${chain} on table ${table} for ${family}`
  return ensure(ctx, {
    name,
    look: async () => {
      const current = str((await ctx.call('nftables.get_policy', [table, chain, family])) ?? '')
      const isSet = current.toLowerCase() === policy.toLowerCase()
      return isSet ? settled(`${subject} already set to ${policy}`) : 'different'
    },
    foresee: () => `${subject} needs to be set to ${policy}`,
    act: async () => {
      if (!truthy(await ctx.call('nftables.set_policy', [table, chain, policy.toLowerCase(), family]))) {
        return failed('Failed to set nftables default policy')
      }
      const saves = truthy(kwargs.get('save') ?? null)
      if (saves) await ctx.call('nftables.save', [], { filename: kwargs.get('save_filename') ?? null, family })
      const comment = `${saves ? 'Set and saved' : 'Set'} default policy for ${chain} to ${policy} family ${family}`
      return changed(comment, { locale: name })
    },
  })
}

function table(ctx: StateContext, name: string, family: string, wanted: boolean): Promise<StateReturn> {
  const subject = `nftables table ${name}`
  const place = `${wanted ? 'in' : 'from'} family ${family}`
  const done = wanted ? 'created' : 'deleted'
  return ensure(ctx, {
    name,
    look: async () => {
      const exists = succeeded(await ctx.call('nftables.check_table', [name, family]))
      if (exists !== wanted) return 'different'
      return settled(`${subject} ${wanted ? 'already exists' : 'is already absent'} ${place}`)
    },
    foresee: () => `${subject} would be ${done} ${place}`,
    act: async () => {
      const answer = await ctx.call(`nftables.${wanted ? 'new_table' : 'delete_table'}`, [name], { family })
      if (succeeded(answer)) return changed(`${subject} successfully ${done} ${place}`, { locale: name })
      return failed(`Failed to ${wanted ? `create table ${name} for` : `delete table ${name} from`} family ${family}`)
    },
  })
}

const name = arg.string('Name of the state, used in reports')
const family = arg.string('ipv4, ipv6, inet, arp, bridge or netdev', { default: 'ipv4' })
const inTable = arg.string('Table', { default: 'filter' })
const kwargs = arg.open('`table`, `chain`, `save`, and the parts of the rule')
const ruleState = (doc: string, kind: Kind) =>
  state({ doc, args: { name, family, kwargs }, run: (ctx, request) => rule(ctx, kind, request) })

export default defineState({
  name: 'nftables',
  doc: 'Manage tables, chains and rules of nftables.',
  when: async ({ host }) => (await host.which('nft')) !== undefined || 'nftables module could not be loaded',
  functions: {
    chain_present: state({
      doc: 'Ensure that a chain exists.',
      args: {
        name: arg.string('Chain'),
        table: inTable,
        table_type: arg.text('filter, nat or route', { optional: true }),
        hook: arg.text('Hook of a base chain, such as input', { optional: true }),
        priority: arg.any('Priority of a base chain, a number or a name', { optional: true }),
        family,
      },
      run: chainPresent,
    }),
    chain_absent: state({
      doc: 'Ensure that a chain is absent.',
      args: { name: arg.string('Chain'), table: inTable, family },
      run: chainAbsent,
    }),
    append: ruleState('Ensure that a chain has a rule; append a missing rule.', 'append'),
    insert: ruleState('Ensure that a chain has a rule; insert a missing rule before the rule at `position`.', 'insert'),
    delete: ruleState('Ensure that a chain does not have a rule.', 'delete'),
    flush: state({
      doc: 'Remove all rules of a chain or of a table.',
      args: {
        name,
        family,
        ignore_absence: arg.flag('Whether a missing table or chain is no failure', { default: false }),
        kwargs,
      },
      run: (ctx, { name, family, ignore_absence, kwargs }) => flush(ctx, name, family, ignore_absence, kwargs),
    }),
    set_policy: state({
      doc: 'Ensure that a chain has a policy.',
      args: { name, table: inTable, family, kwargs },
      run: setPolicy,
    }),
    table_present: state({
      doc: 'Ensure that a table exists.',
      args: { name: arg.string('Table'), family, kwargs: arg.ignored() },
      run: (ctx, { name, family }) => table(ctx, name, family, true),
    }),
    table_absent: state({
      doc: 'Ensure that a table is absent.',
      args: { name: arg.string('Table'), family, kwargs: arg.ignored() },
      run: (ctx, { name, family }) => table(ctx, name, family, false),
    }),
  },
})
