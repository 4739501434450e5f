// States of rules and chains of the packet filter. Rules are compared by their text, which iptables.build_rule builds from
// the arguments.
import {
  type Dict,
  deepCopy,
  dictEntries,
  equals,
  keyError,
  str,
  strip,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  chunkTag,
  defineState,
  INTERNAL_KEYWORDS,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'
import { chainAbsent, chainPresent } from './state/chains.ts'

type Options = Map<string, Value>
type Kind = 'append' | 'insert' | 'delete'

interface Request {
  name: string
  table: string
  family: string
  kwargs: Options
}

/** Comments of a rule state. The position of the family differs between append and insert. */
interface Texts {
  settled: string
  foreseen: string
  done: string
  saved: string
  failed: string
}

function textsOf(kind: Kind, name: string, family: string, command: string): Texts {
  const subject = `iptables rule for ${name}`
  const tail = kind === 'append' ? `(${command}) for ${family}` : `for ${family} (${command})`
  const attempted = `.\nAttempted rule was ${command}`
  const lines = `${name} for ${family}\n${command}\n`
  if (kind === 'delete') {
    return {
      settled: `${subject} already absent ${tail}`,
      foreseen: `${subject} needs to be deleted ${tail}`,
      done: `Delete ${subject} ${command}`,
      saved: `Deleted and saved iptables rule ${lines}`,
      failed: `Failed to delete ${subject}${attempted}`,
    }
  }
  return {
    settled: `${subject} already set ${tail}`,
    foreseen: `${subject} needs to be set ${tail}`,
    done: `Set ${subject} to: ${command} for ${family}`,
    saved: `Set and saved iptables rule ${lines}`,
    failed: `Failed to set ${subject}${attempted}${kind === 'append' ? ` for ${family}` : ''}`,
  }
}

const LETTER = { append: 'A', insert: 'I', delete: 'D' } as const

function required(options: Options, name: string): Value {
  const value = options.get(name)
  if (value === undefined) throw keyError(name)
  return value
}

async function rule(ctx: StateContext, kind: Kind, request: Request): Promise<StateReturn> {
  if (request.kwargs.has('rules')) return several(ctx, kind, request)
  const { name, table, family } = request
  const kwargs: Options = new Map(request.kwargs)
  for (const ignored of [...INTERNAL_KEYWORDS, '__agg__']) kwargs.delete(ignored)
  kwargs.set('name', name).set('table', table)
  const built = (more: Record<string, Value>) =>
    ctx.call('iptables.build_rule', [], new Map([...kwargs, ['family', family], ...Object.entries(more)]))
  const words = await built({})
  const command = strip(str(await built({ full: true, command: LETTER[kind] })))
  const texts = textsOf(kind, name, family, command)
  const report = reportOn(name)
  const chain = required(kwargs, 'chain')
  const there = (await ctx.call('iptables.check', [table, chain, words, family])) === true
  const wanted = truthy(kwargs.get('save') ?? null)
  const filename = kwargs.get('save') === true ? null : (kwargs.get('save') ?? null)
  const save = async (): Promise<string> => str(await ctx.call('iptables.save', [], { filename, family }))
  if (kind === 'delete' ? !there && !kwargs.has('position') : there) {
    const stale = kind !== 'delete' && wanted && !ctx.test && (await differsFromSaved(ctx, filename, family))
    const tail = stale ? `\nSaved iptables rule ${name} for ${family}\n${command}\n${await save()}` : ''
    return report(true, texts.settled + tail)
  }
  if (ctx.test) return report(null, texts.foreseen)
  if (!(await apply(ctx, kind, { table, chain, family, words, kwargs }))) return report(false, texts.failed)
  return report(true, wanted ? texts.saved + (await save()) : texts.done, { locale: name })
}

interface RuleChange {
  table: string
  chain: Value
  family: string
  words: Value
  kwargs: Options
}

async function apply(
  ctx: StateContext,
  kind: Kind,
  { table, chain, family, words, kwargs }: RuleChange,
): Promise<boolean> {
  if (kind === 'append') return truthy(await ctx.call('iptables.append', [table, chain, words, family]))
  if (kind === 'insert') {
    return !truthy(await ctx.call('iptables.insert', [table, chain, required(kwargs, 'position'), words, family]))
  }
  const position = kwargs.get('position')
  const which = position === undefined ? { rule: words } : { position }
  return !truthy(await ctx.call('iptables.delete', [table, chain], { family, ...which }))
}

async function differsFromSaved(ctx: StateContext, filename: Value, family: string): Promise<boolean> {
  const saved = await ctx.call('iptables.get_saved_rules', [], { conf_file: filename, family })
  const current = await ctx.call('iptables.get_rules', [], { family })
  const rules = (tables: Dict): Value[] =>
    [...tables.values()].flatMap((chains) =>
      [...(chains as Dict).values()].map((chain) => (chain as Dict).get('rules') ?? null),
    )
  return !equals(rules(current), rules(saved))
}

/** Apply all rules of an aggregated chunk; save once at the end. */
async function several(ctx: StateContext, kind: Kind, { name, family, kwargs }: Request): Promise<StateReturn> {
  const locale: Value[] = []
  const comments: string[] = []
  let result: boolean | null = null
  let save: Value = false
  for (const given of required(kwargs, 'rules') as Value[]) {
    const options = new Map(dictEntries(given as Dict) as Iterable<[string, Value]>)
    for (const ignored of ['rules', '__agg__']) options.delete(ignored)
    if (truthy(options.get('save') ?? null)) {
      save = options.get('save')!
      options.set('save', false)
    }
    const take = (key: string, fallback: string): string => {
      const value = options.get(key) ?? fallback
      options.delete(key)
      return str(value)
    }
    const place = { name: take('name', 'None'), table: take('table', 'filter'), family: take('family', 'ipv4') }
    const report = await rule(ctx, kind, { ...place, kwargs: options })
    const { locale: changed } = report.changes as { locale?: Value }
    if (changed !== undefined) locale.push(changed)
    comments.push(str(report.comment as Value))
    result = report.result
  }
  if (truthy(save) && kind !== 'delete' && !ctx.test) {
    await ctx.call('iptables.save', [], { filename: save === true ? null : save, family })
  }
  return { name, changes: locale.length > 0 ? { locale } : {}, result, comment: comments.join('\n') }
}

async function setPolicy(ctx: StateContext, { name, table, family, kwargs }: Request): Promise<StateReturn> {
  const chain = required(kwargs, 'chain')
  const policy = required(kwargs, 'policy')
  const subject = `iptables default policy for chain ${str(chain)} on table ${table} for ${family}`
  if (equals(await ctx.call('iptables.get_policy', [table, chain, family]), policy)) {
    return { name, changes: {}, result: true, comment: `${subject} already set to ${str(policy)}` }
  }
  if (ctx.test) return { name, changes: {}, result: null, comment: `${subject} needs to be set to ${str(policy)}` }
  if (truthy(await ctx.call('iptables.set_policy', [table, chain, policy, family]))) {
    return { name, changes: {}, result: false, comment: 'Failed to set iptables default policy' }
  }
  const save = kwargs.get('save') ?? null
  if (truthy(save)) await ctx.call('iptables.save', [], { filename: save === true ? null : save, family })
  const verb = truthy(save) ? 'Set and saved' : 'Set'
  const comment = `${verb} default policy for ${str(chain)} to ${str(policy)} family ${family}`
  return { name, changes: { locale: name }, result: true, comment }
}

async function flush(ctx: StateContext, { name, table, family, kwargs }: Request): Promise<StateReturn> {
  const chain = kwargs.get('chain') ?? ''
  if (ctx.test) {
    const comment = `iptables rules in ${name} table ${table} chain ${family} family needs to be flushed`
    return { name, changes: {}, result: null, comment }
  }
  if (truthy(await ctx.call('iptables.flush', [table, chain, family]))) {
    return { name, changes: {}, result: false, comment: 'Failed to flush iptables rules' }
  }
  const comment = `Flush iptables rules in ${table} table ${str(chain)} chain ${family} family`
  return { name, changes: { locale: name }, result: true, comment }
}

/** Apply later rules of the same function in the same call. */
function aggregate(low: Dict, chunks: readonly Dict[], running: Dict): Dict {
  const fun = low.get('fun')
  if (fun !== 'append' && fun !== 'insert') return low
  const rules: Value[] = []
  for (const chunk of chunks) {
    if (running.has(chunkTag(chunk)) || chunk.get('state') !== 'iptables') continue
    if (chunk.has('__agg__') || chunk.get('fun') !== fun) continue
    if (rules.some((known) => equals(known, chunk))) continue
    rules.push(deepCopy(chunk))
    chunk.set('__agg__', true)
  }
  if (rules.length > 0) low.set('rules', [...((low.get('rules') ?? []) as Value[]), ...rules])
  return low
}

const name = arg.text('Name of the rule, used in reports')
const table = arg.text('Table', { default: 'filter' })
const family = arg.text('ipv4 or ipv6', { default: 'ipv4' })
const parts = { name, table, family, kwargs: arg.open('`chain`, `save`, and the parts of the rule') }
const place = { name: arg.text('Chain'), table, family }

export default defineState({
  name: 'iptables',
  doc: 'Manage rules, chains and policies of the packet filter.',
  when: async ({ host }) => (await host.which('iptables')) !== undefined || 'iptables module could not be loaded',
  functions: {
    chain_present: state({ doc: 'Ensure that a chain exists.', args: place, run: chainPresent }),
    chain_absent: state({ doc: 'Ensure that a chain is absent.', args: place, run: chainAbsent }),
    append: state({
      doc: 'Ensure that a chain has a rule; append a missing rule.',
      args: parts,
      run: (ctx, request) => rule(ctx, 'append', request),
    }),
    insert: state({
      doc: 'Ensure that a chain has a rule; insert a missing rule at `position`.',
      args: parts,
      run: (ctx, request) => rule(ctx, 'insert', request),
    }),
    delete: state({
      doc: 'Ensure that a chain does not have a rule.',
      args: parts,
      run: (ctx, request) => rule(ctx, 'delete', request),
    }),
    set_policy: state({ doc: 'Ensure that a chain has a policy.', args: parts, run: setPolicy }),
    flush: state({ doc: 'Remove all rules of a chain or of a table.', args: parts, run: flush }),
  },
  modAggregate: (_ctx, low, chunks, running) => aggregate(low, chunks, running),
})
