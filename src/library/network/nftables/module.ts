// nftables, through nft. As in Salt, functions return a result with a comment. Where Salt's way to find a handle or a
// policy cannot work, this module uses those in nft's output.
import { recover } from '../../../base/mod.ts'
import {
  compileRegex,
  type Dict,
  isDict,
  isList,
  loadJson,
  PyError,
  SaltError,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  outputOf,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { ALL_FAMILIES, familyOf, ruleText } from './module/rule.ts'

type Outcome = {
  readonly comment: string
  readonly result: boolean
  readonly handle?: Value
}

const no = (comment: string): Outcome => ({ comment, result: false })
const yes = (comment: string): Outcome => ({ comment, result: true })
const NO_CHAIN = no('Chain needs to be specified')
const NO_RULE = no('Rule needs to be specified')
const NO_TABLE = no('Table needs to be specified')
const NUMERIC = '--numeric --numeric --numeric'

const nft = (ctx: FunctionContext, words: string): Promise<string> => outputOf(ctx, `nft ${words}`)

/** Run nft; no output means success. */
async function attempt(ctx: FunctionContext, words: string, done: string, failed: string): Promise<Outcome> {
  return (await nft(ctx, words)) === '' ? yes(done) : no(failed)
}

interface Place {
  table: string | null
  chain: string | null
  family: string
}

const where = ({ table, chain, family }: Place): string => `chain ${chain} in table ${table} in family ${family}`

const target = ({ table, chain, family }: Place): string => `${familyOf(family)} ${table} ${chain}`

async function checkTable(ctx: FunctionContext, table: string | null, family: string): Promise<Outcome> {
  if (!table) return NO_TABLE
  const inet = familyOf(family)
  const found = (await nft(ctx, `list tables ${inet}`)).includes(`table ${inet} ${table}`)
  const subject = `Table ${table} in family ${family}`
  return found ? yes(`${subject} exists`) : no(`${subject} does not exist`)
}

async function checkChain(ctx: FunctionContext, place: Place): Promise<Outcome> {
  if (!place.chain) return NO_CHAIN
  const listing = await nft(ctx, `list table ${familyOf(place.family)} ${place.table}`)
  const subject = where(place).replace(/^c/, 'C')
  return listing.includes(`chain ${place.chain} {`) ? yes(`${subject} exists`) : no(`${subject} does not exist`)
}

/** Return the outcome for the table or chain that does not exist, if any. */
async function lacks(ctx: FunctionContext, place: Place): Promise<Outcome | undefined> {
  const table = await checkTable(ctx, place.table, place.family)
  if (!table.result) return table
  const chain = await checkChain(ctx, place)
  return chain.result ? undefined : chain
}

/** Return the pattern that finds a rule; nft may list a set of one item without its braces. */
const pattern = (rule: string | null, tail: string) =>
  compileRegex(`${str(rule)}${tail}`.replaceAll('{ ', '{? ?').replaceAll(' }', ' ?}?'))

async function check(ctx: FunctionContext, place: Place, rule: string | null): Promise<Outcome> {
  if (!place.chain) return NO_CHAIN
  if (!rule) return NO_RULE
  const missing = await lacks(ctx, place)
  if (missing) return missing
  const found = pattern(rule, ' #').search(await nft(ctx, `--handle list chain ${target(place)}`))
  const subject = `Rule ${rule} in ${where(place)}`
  return found ? yes(`${subject} exists`) : no(`${subject} does not exist`)
}

async function handleOf(ctx: FunctionContext, place: Place, rule: string | null): Promise<Outcome> {
  const found = await check(ctx, place, rule)
  if (!found.result) return found
  const wanted = pattern(rule, ' # handle (\\d+)')
  // the listing that `check` found the rule in: with --numeric, nft shows states of connections as numbers
  for (const line of (await nft(ctx, `--handle list chain ${target(place)}`)).split(/\n+/)) {
    const handle = wanted.search(line)?.group(1)
    if (handle !== undefined && handle !== null) return { comment: '', result: true, handle }
  }
  return no(`Could not find rule ${str(rule)}`)
}

async function addRule(
  ctx: FunctionContext,
  verb: string,
  place: Place,
  rule: string | null,
  position: number | null = null,
): Promise<Outcome> {
  if (!place.chain) return NO_CHAIN
  if (!rule) return NO_RULE
  const missing = await lacks(ctx, place)
  if (missing) return missing
  if ((await check(ctx, place, rule)).result) return no(`Rule ${rule} ${where(place)} already exists`)
  const at = position ? ` position ${position}` : ''
  const words = `${verb} rule ${target(place)}${at} ${rule}`
  const subject = `rule "${rule}" ${where(place)}.`
  return attempt(ctx, words, `Added ${subject}`, `Failed to add ${subject}`)
}

async function deleteRule(
  ctx: FunctionContext,
  place: Place,
  position: number | null,
  rule: string | null,
): Promise<Outcome> {
  if (position && rule) return no('Only specify a position or a rule, not both')
  const missing = await lacks(ctx, place)
  if (missing) return missing
  let handle: Value | undefined = position
  if (!position) {
    const found = await handleOf(ctx, place, rule)
    if (!found.result) return no(`Rule ${str(rule)} ${where(place)} does not exist`)
    handle = found.handle
  }
  const subject = `rule "${str(rule)}" in`
  const failed = `Failed to delete ${subject} chain ${place.chain}  table ${place.table} in family ${place.family}`
  return attempt(
    ctx,
    `delete rule ${target(place)} handle ${str(handle ?? null)}`,
    `Deleted ${subject} ${where(place)}.`,
    failed,
  )
}

interface NewChain extends Place {
  table_type: string | null
  hook: string | null
  priority: Value
}

async function newChain(ctx: FunctionContext, { table_type, hook, priority, ...place }: NewChain): Promise<Outcome> {
  if (!place.chain) return NO_CHAIN
  const table = await checkTable(ctx, place.table, place.family)
  if (!table.result) return table
  const subject = where(place).replace(/^c/, 'C')
  if ((await checkChain(ctx, place)).result) return no(`${subject} already exists`)
  let base = ''
  if (table_type || hook || truthy(priority)) {
    if (!table_type || !hook) return no('Table_type, hook, and priority required.')
    base = ` \\{ type ${table_type} hook ${hook} priority ${str(priority)}\\; \\}`
  }
  return attempt(ctx, `-- add chain ${target(place)}${base}`, `${subject} created`, `${subject} could not be created`)
}

async function deleteChain(ctx: FunctionContext, place: Place): Promise<Outcome> {
  if (!place.chain) return NO_CHAIN
  const missing = await lacks(ctx, place)
  if (missing) return missing
  const subject = where(place).replace(/^c/, 'C')
  return attempt(ctx, `delete chain ${target(place)}`, `${subject} deleted`, `${subject} could not be deleted`)
}

async function changeTable(
  ctx: FunctionContext,
  verb: 'add' | 'delete',
  table: string,
  family: string,
): Promise<Outcome> {
  if (!table) return NO_TABLE
  const known = await checkTable(ctx, table, family)
  if (known.result === (verb === 'add')) return known
  const subject = `Table ${table} in family ${family}`
  const done = verb === 'add' ? 'created' : 'deleted'
  const words = `${verb} table ${familyOf(family)} ${table}`
  return attempt(ctx, words, `${subject} ${done}`, `${subject} could not be ${done}`)
}

async function flush(ctx: FunctionContext, place: Place): Promise<Outcome> {
  const table = await checkTable(ctx, place.table, place.family)
  if (!table.result) return table
  if (!place.chain) {
    const subject = `from table ${place.table} in family ${place.family}.`
    const words = `flush table ${familyOf(place.family)} ${place.table}`
    return attempt(ctx, words, `Flushed rules ${subject}`, `Failed to flush rules ${subject}`)
  }
  const chain = await checkChain(ctx, place)
  if (!chain.result) return chain
  const subject = `from ${where(place)}.`
  return attempt(ctx, `flush chain ${target(place)}`, `Flushed rules ${subject}`, `Failed to flush rules ${subject}`)
}

/** Return the list that nft prints as JSON. */
async function listing(ctx: FunctionContext, words: string): Promise<Dict[]> {
  return recover(
    (error) => error instanceof PyError && error.code === 'JSONDecodeError',
    [],
    async () => {
      const data = loadJson((await nft(ctx, words)) || '{}')
      const list = isDict(data) ? (data.get('nftables') ?? null) : null
      return isList(list) ? (list as Dict[]) : []
    },
  )
}

async function tables(ctx: FunctionContext, family: string): Promise<Dict[]> {
  const all = await listing(ctx, `--json ${NUMERIC} list tables ${familyOf(family)}`)
  return all.filter((item) => !item.has('metainfo')).map((item) => item.get('table') as Dict)
}

async function rules(ctx: FunctionContext, family: string): Promise<string[]> {
  const found: string[] = []
  for (const table of await tables(ctx, family)) {
    found.push(await nft(ctx, `${NUMERIC} list table ${familyOf(family)} ${str(table.get('name')!)}`))
  }
  return found
}

const rulesAsData = (ctx: FunctionContext, family: string): Promise<Dict[]> =>
  listing(ctx, `${NUMERIC} --json list ruleset ${familyOf(family)}`)

async function chainInfo(ctx: FunctionContext, { table, chain, family }: Place): Promise<Dict | undefined> {
  const chains = (await rulesAsData(ctx, family)).map((item) => item.get('chain') as Dict | undefined)
  return chains.find((info) => info?.get('table') === table && info?.get('name') === chain)
}

async function setPolicy(ctx: FunctionContext, place: Place, policy: string): Promise<boolean> {
  const info = await chainInfo(ctx, place)
  if (!info || !['type', 'hook', 'prio'].every((key) => info.has(key))) return false
  const [type, hook, priority] = ['type', 'hook', 'prio'].map((key) => str(info.get(key)!))
  const base = `{ type ${type} hook ${hook} priority ${priority}; policy ${policy}; }`
  return (await runAll(ctx, `nft add chain ${target(place)} "${base}"`)).retcode === 0
}

async function save(ctx: FunctionContext, given: string | null): Promise<string> {
  let text = '#! nft -f\n'
  for (const family of ALL_FAMILIES) {
    const found = await rules(ctx, family)
    text += (found.length > 0 ? '\n' : '') + found.join('\n')
  }
  text += '\n'
  const path = given || '/etc/nftables'
  const file = (await ctx.host.stat(path))?.type === 'directory' ? `${path}/salt-all-in-one.nft` : path
  try {
    await ctx.host.write(file, text)
  } catch (error) {
    if (!isHostError(error) || error.code === 'ReadOnlyHost') throw error
    const message = `Problem writing to configuration file: ${error.message}`
    throw new SaltError('CommandExecutionError', message, { cause: error })
  }
  return text
}

interface Build extends Place {
  command: string | null
  position: string
  full: Value
  kwargs: ReadonlyMap<string, Value>
}

function build({ command, position, full, kwargs, ...place }: Build) {
  const text = ruleText(kwargs, familyOf(place.family))
  const report = (comment: string, result: boolean, rule = text) => ({ comment, rule, result })
  if (full !== 'True' && full !== 'true') return report(text === '' ? '' : 'Successfully built rule', true)
  if (!place.table) return report('Table needs to be specified', false)
  if (!place.chain) return report('Chain needs to be specified', false)
  if (!command) return report('Command needs to be specified', false)
  const inserts = ['Insert', 'insert', 'INSERT'].includes(command)
  const at = inserts && position ? ` position ${position}` : ''
  const verb = inserts ? 'insert' : command
  return report('Successfully built rule', true, `nft ${verb} rule ${target(place)}${at} ${text}`)
}

const family = arg.text('ipv4, ipv6, inet, arp, bridge or netdev', { default: 'ipv4' })
const table = arg.text('Table', { default: 'filter' })
const chain = arg.text('Chain', { optional: true })
const rule = arg.text('Rule in the syntax of nft', { optional: true })
const position = arg.count('Handle of the existing rule', { optional: true })
const returns = ret.dict('The comment and the result')

export default defineModule({
  name: 'nftables',
  doc: 'Manage tables, chains and rules of nftables.',
  when: async ({ host }) =>
    (await host.which('nft')) !== undefined ||
    'The nftables execution module failed to load: nftables is not installed.',
  functions: {
    version: reads({
      doc: 'Return the version of nftables.',
      run: async (ctx) => splitWords(await nft(ctx, '--version'))[1],
    }),
    build_rule: reads({
      doc: 'Return a rule as text, built from the arguments that states take.',
      example: 'nftables.build_rule match=state connstate=RELATED,ESTABLISHED jump=ACCEPT',
      args: {
        table: arg.text('Table', { optional: true }),
        chain,
        command: arg.text('Command; needed with `full`', { optional: true }),
        position: arg.text('Handle of the rule to insert before', { default: '' }),
        full: arg.any('The text `True` to return the whole command line; the boolean True is ignored, as in Salt', {
          optional: true,
        }),
        family,
        kwargs: arg.open('Parts of the rule'),
      },
      returns,
      run: (_ctx, given) => build(given),
    }),
    get_saved_rules: reads({
      doc: 'Return the lines of a rules file, without comments.',
      args: { conf_file: arg.text('Path of the rules file; default /etc/nftables', { optional: true }) },
      run: async (ctx, { conf_file }) => {
        const text = Buffer.from(await ctx.host.read(conf_file || '/etc/nftables')).toString()
        const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
        return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
      },
    }),
    list_tables: reads({
      doc: 'Return all tables.',
      args: { family },
      run: (ctx, { family }) => tables(ctx, family),
    }),
    get_rules: reads({
      doc: 'Return the rules of each table as text.',
      args: { family },
      run: (ctx, { family }) => rules(ctx, family),
    }),
    get_rules_json: reads({
      doc: 'Return all rules as data.',
      args: { family },
      run: (ctx, { family }) => rulesAsData(ctx, family),
    }),
    save: changes({
      doc: 'Write all rules to a file.',
      example: 'nftables.save /etc/nftables',
      args: { filename: arg.text('Path of the file or directory; default /etc/nftables', { optional: true }), family },
      run: (ctx, { filename }) => save(ctx, filename),
    }),
    get_rule_handle: reads({
      doc: 'Return the handle of a rule.',
      example: "nftables.get_rule_handle filter input rule='tcp dport 22 log accept'",
      args: { table, chain, rule, family },
      returns,
      run: async (ctx, { rule, ...place }) => {
        const found = await handleOf(ctx, place, rule)
        return found.result ? { result: true, handle: found.handle } : { ...found }
      },
    }),
    check: reads({
      doc: 'Return whether a rule is active.',
      example: "nftables.check filter input rule='tcp dport 22 log accept'",
      args: { table, chain, rule, family },
      returns,
      run: (ctx, { rule, ...place }) => check(ctx, place, rule),
    }),
    check_chain: reads({
      doc: 'Return whether a chain exists.',
      example: 'nftables.check_chain filter input',
      args: { table, chain, family },
      returns,
      run: (ctx, place) => checkChain(ctx, place),
    }),
    check_table: reads({
      doc: 'Return whether a table exists.',
      example: 'nftables.check_table nat',
      args: { table: arg.text('Table', { optional: true }), family },
      returns,
      run: (ctx, args) => checkTable(ctx, args.table, args.family),
    }),
    new_table: changes({
      doc: 'Create a table.',
      example: 'nftables.new_table filter',
      args: { table: arg.text('Table'), family },
      returns,
      run: (ctx, args) => changeTable(ctx, 'add', args.table, args.family),
    }),
    delete_table: changes({
      doc: 'Remove a table.',
      example: 'nftables.delete_table filter',
      args: { table: arg.text('Table'), family },
      returns,
      run: (ctx, args) => changeTable(ctx, 'delete', args.table, args.family),
    }),
    new_chain: changes({
      doc: 'Create a chain; `table_type`, `hook` and `priority` make it a base chain.',
      example: 'nftables.new_chain filter input filter input 0',
      args: {
        table,
        chain,
        table_type: arg.text('filter, nat or route', { optional: true }),
        hook: arg.text('Hook of a base chain, such as input', { optional: true }),
        priority: arg.any('Priority of a base chain, a number or a name', { optional: true }),
        family,
      },
      returns,
      run: newChain,
    }),
    delete_chain: changes({
      doc: 'Remove a chain.',
      example: 'nftables.delete_chain filter input',
      args: { table, chain, family },
      returns,
      run: deleteChain,
    }),
    append: changes({
      doc: 'Append a rule to a chain, unless the chain has it.',
      example: "nftables.append filter input rule='tcp dport 22 log accept'",
      args: { table, chain, rule, family },
      returns,
      run: (ctx, { rule, ...place }) => addRule(ctx, 'add', place, rule),
    }),
    insert: changes({
      doc: 'Insert a rule at the beginning of a chain or before another rule, unless the chain has it.',
      example: "nftables.insert filter input rule='tcp dport 22 log accept'",
      args: { table, chain, position, rule, family },
      returns,
      run: (ctx, { rule, position, ...place }) => addRule(ctx, 'insert', place, rule, position),
    }),
    delete: changes({
      doc: 'Remove a rule by its text or its handle.',
      example: 'nftables.delete filter input position=3',
      args: { table: arg.text('Table'), chain, position, rule, family },
      returns,
      run: (ctx, { rule, position, ...place }) => deleteRule(ctx, place, position, rule),
    }),
    flush: changes({
      doc: 'Remove all rules of a chain or of a table.',
      example: 'nftables.flush filter input',
      args: { table, chain: arg.text('Chain; all chains of the table if empty', { default: '' }), family },
      returns,
      run: flush,
    }),
    get_policy: reads({
      doc: 'Return the policy of a chain.',
      example: 'nftables.get_policy filter input',
      args: { table, chain, family },
      run: async (ctx, place) => {
        if (!place.chain) return 'Error: Chain needs to be specified'
        return (await chainInfo(ctx, place))?.get('policy') ?? null
      },
    }),
    set_policy: changes({
      doc: 'Set the policy of a chain.',
      example: 'nftables.set_policy filter input accept',
      args: { table, chain, policy: arg.text('Policy, such as accept', { optional: true }), family },
      run: (ctx, { policy, ...place }) => {
        if (!place.chain) return 'Error: Chain needs to be specified'
        return policy ? setPolicy(ctx, place, policy) : 'Error: Policy needs to be specified'
      },
    }),
  },
})
