// Tables, chains and rules of nftables are there or not. Rules are told apart by their text, which nftables.build_rule
// makes of the arguments.
import { type Dict, keyError, str, strip, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Options = ReadonlyMap<string, Value>
type Kind = 'append' | 'insert' | 'delete'

const worked = (answer: Value): boolean => (answer as Dict).get('result') === true
const commentOf = (answer: Value): string => str((answer as Dict).get('comment') ?? '')

const reporter =
  (name: string) =>
  (result: boolean | null, comment: string, changes = {}): StateReturn => ({ name, changes, result, comment })

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

async function rule(
  ctx: StateContext,
  kind: Kind,
  name: string,
  family: string,
  options: Options,
): Promise<StateReturn> {
  const report = reporter(name)
  const built = (more: Record<string, Value>) =>
    ctx.call('nftables.build_rule', [], new Map([...options, ['family', family], ...Object.entries(more)]))
  const text = str(((await built({})) as Dict).get('rule') ?? '')
  const whole = strip(str(((await built({ full: true, command: COMMAND[kind] })) as Dict).get('rule') ?? ''))
  const say = textsOf(kind, name, family, whole)
  const place = [required(options, 'table'), required(options, 'chain')]
  const there = worked(await ctx.call('nftables.check', [...place, text, family]))
  if (there === (kind !== 'delete')) return report(true, say.settled)
  if (ctx.test) return report(null, say.foreseen)
  const answer = await carriedOut(ctx, kind, place, { text, family, options })
  if (!worked(answer)) return report(false, say.failed + (kind === 'append' ? commentOf(answer) : ''))
  const saves = truthy(options.get('save') ?? null)
  if (saves) await ctx.call('nftables.save', [], { filename: null, family })
  return report(true, saves ? say.saved : say.done, { locale: name })
}

interface Deed {
  text: string
  family: string
  options: Options
}

function carriedOut(ctx: StateContext, kind: Kind, place: Value[], { text, family, options }: Deed) {
  if (kind === 'append') return ctx.call('nftables.append', [...place, text, family])
  if (kind === 'insert') return ctx.call('nftables.insert', [...place, required(options, 'position'), text, family])
  const position = options.get('position')
  return ctx.call('nftables.delete', place, { family, ...(position === undefined ? { rule: text } : { position }) })
}

interface ChainWish {
  name: string
  table: string
  family: string
  table_type: Value
  hook: Value
  priority: Value
}

async function chainPresent(ctx: StateContext, { name, table, family, ...base }: ChainWish): Promise<StateReturn> {
  const report = reporter(name)
  const subject = `nftables ${name} chain`
  if (worked(await ctx.call('nftables.check_chain', [table, name], { family }))) {
    return report(true, `${subject} is already exist in ${table} table for ${family}`)
  }
  if (ctx.test) return report(null, `nftables chain ${name} would be created in table ${table} for family ${family}`)
  const answer = await ctx.call('nftables.new_chain', [table, name], { ...base, family })
  if (!worked(answer)) {
    return report(false, `Failed to create ${name} chain in ${table} table: ${strip(commentOf(answer))} for ${family}`)
  }
  return report(true, `${subject} in ${table} table create success for ${family}`, { locale: name })
}

async function chainAbsent(ctx: StateContext, name: string, table: string, family: string): Promise<StateReturn> {
  const report = reporter(name)
  const subject = `nftables ${name} chain`
  if (!worked(await ctx.call('nftables.check_chain', [table, name, family]))) {
    return report(true, `${subject} is already absent in ${table} table for ${family}`)
  }
  if (ctx.test) return report(null, `${subject} in ${table} table needs to be removed ${family}`)
  for (const [verb, fun] of [
    ['flush', 'flush'],
    ['delete', 'delete_chain'],
  ]) {
    const answer = await ctx.call(`nftables.${fun}`, [table, name, family])
    if (worked(answer)) continue
    return report(false, `Failed to ${verb} ${name} chain in ${table} table: ${strip(commentOf(answer))} for ${family}`)
  }
  return report(true, `${subject} in ${table} table delete success for ${family}`, { locale: name })
}

async function flush(
  ctx: StateContext,
  name: string,
  family: string,
  ignoreAbsence: boolean,
  options: Options,
): Promise<StateReturn> {
  const report = reporter(name)
  if (ctx.test) return report(null, 'nftables flush not performed in test mode.')
  const table = options.get('table') ?? 'filter'
  const chain = options.get('chain') ?? ''
  const hasTable = worked(await ctx.call('nftables.check_table', [table], { family }))
  if (!hasTable && !ignoreAbsence) {
    return report(false, `Failed to flush table ${str(table)} in family ${family}, table does not exist.`)
  }
  const hasChain = chain === '' || worked(await ctx.call('nftables.check_chain', [table, chain], { family }))
  if (!hasChain && !ignoreAbsence) {
    const place = `chain ${str(chain)} in table ${str(table)} in family ${family}`
    return report(false, `Failed to flush ${place}, chain does not exist.`)
  }
  const answer = await ctx.call('nftables.flush', [table, chain, family])
  if (!worked(answer) && hasTable && hasChain) return report(false, 'Failed to flush nftables rules')
  const comment = `Flush nftables rules in ${str(table)} table ${str(chain)} chain ${family} family`
  return report(true, comment, { locale: name })
}

async function setPolicy(
  ctx: StateContext,
  name: string,
  table: string,
  family: string,
  options: Options,
): Promise<StateReturn> {
  const report = reporter(name)
  const chain = required(options, 'chain')
  const policy = str(required(options, 'policy'))
  const current = await ctx.call('nftables.get_policy', [table, chain, family])
  const subject = `nftables default policy for chain ${str(chain)} on table ${table} for ${family}`
  if (str(current ?? '').toLowerCase() === policy.toLowerCase())
    return report(true, `${subject} already set to ${policy}`)
  if (ctx.test) return report(null, `${subject} needs to be set to ${policy}`)
  if (!truthy(await ctx.call('nftables.set_policy', [table, chain, policy.toLowerCase(), family]))) {
    return report(false, 'Failed to set nftables default policy')
  }
  const saves = truthy(options.get('save') ?? null)
  if (saves) await ctx.call('nftables.save', [], { filename: options.get('save_filename') ?? null, family })
  const comment = `${saves ? 'Set and saved' : 'Set'} default policy for ${str(chain)} to ${policy} family ${family}`
  return report(true, comment, { locale: name })
}

async function table(ctx: StateContext, name: string, family: string, wanted: boolean): Promise<StateReturn> {
  const report = reporter(name)
  const subject = `nftables table ${name}`
  const joint = wanted ? 'in' : 'from'
  if (worked(await ctx.call('nftables.check_table', [name, family])) === wanted) {
    return report(true, `${subject} ${wanted ? 'already exists' : 'is already absent'} ${joint} family ${family}`)
  }
  const done = wanted ? 'created' : 'deleted'
  if (ctx.test) return report(null, `${subject} would be ${done} ${joint} family ${family}`)
  const answer = await ctx.call(`nftables.${wanted ? 'new_table' : 'delete_table'}`, [name], { family })
  if (worked(answer)) return report(true, `${subject} successfully ${done} ${joint} family ${family}`, { locale: name })
  return report(
    false,
    `Failed to ${wanted ? `create table ${name} for` : `delete table ${name} from`} family ${family}`,
  )
}

const name = arg.string('What it is called in reports')
const family = arg.string('ipv4, ipv6, inet, arp, bridge or netdev', { default: 'ipv4' })
const inTable = arg.string('The table', { default: 'filter' })
const kwargs = arg.open('`table`, `chain`, `save`, and the parts of the rule')
const optional = (doc: string) => arg.any(doc, { optional: true })
const ruleState = (doc: string, kind: Kind) =>
  state({
    doc,
    args: { name, family, kwargs },
    run: (ctx, args) => rule(ctx, kind, args.name, args.family, args.kwargs),
  })

export default defineState({
  name: 'nftables',
  doc: 'Tables, chains and rules of nftables.',
  when: async ({ host }) => (await host.which('nft')) !== undefined || 'nftables module could not be loaded',
  functions: {
    chain_present: state({
      doc: 'There is a chain.',
      args: {
        name: arg.string('The chain'),
        table: inTable,
        table_type: optional('filter, nat or route'),
        hook: optional('Where packets pass it'),
        priority: optional('When they pass it'),
        family,
      },
      run: chainPresent,
    }),
    chain_absent: state({
      doc: 'There is no such chain.',
      args: { name: arg.string('The chain'), table: inTable, family },
      run: (ctx, { name, table, family }) => chainAbsent(ctx, name, table, family),
    }),
    append: ruleState('A rule is in a chain, at its end when it is new.', 'append'),
    insert: ruleState('A rule is in a chain, before the one at `position` when it is new.', 'insert'),
    delete: ruleState('A rule is not in a chain.', 'delete'),
    flush: state({
      doc: 'All rules of a chain or of a table are removed.',
      args: {
        name,
        family,
        ignore_absence: arg.flag('Whether there may be no such chain', { default: false }),
        kwargs,
      },
      run: (ctx, { name, family, ignore_absence, kwargs }) => flush(ctx, name, family, ignore_absence, kwargs),
    }),
    set_policy: state({
      doc: 'A chain has a policy.',
      args: { name, table: inTable, family, kwargs },
      run: (ctx, { name, table, family, kwargs }) => setPolicy(ctx, name, table, family, kwargs),
    }),
    table_present: state({
      doc: 'There is a table.',
      args: { name: arg.string('The table'), family, kwargs: arg.ignored() },
      run: (ctx, { name, family }) => table(ctx, name, family, true),
    }),
    table_absent: state({
      doc: 'There is no such table.',
      args: { name: arg.string('The table'), family, kwargs: arg.ignored() },
      run: (ctx, { name, family }) => table(ctx, name, family, false),
    }),
  },
})
