// nftables, through nft. Answers are a result with a comment, as Salt gives them; where Salt's own way to find a handle
// or a policy cannot work, the handle and the policy that nft tells are used.
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
  type Result,
  reads,
  runAll,
} from '../../../sdk/mod.ts'
import { ALL_FAMILIES, familyOf, ruleText } from './module/rule.ts'

interface Outcome {
  readonly comment: string
  readonly result: boolean
  readonly [further: string]: Result
}

const no = (comment: string): Outcome => ({ comment, result: false })
const yes = (comment: string): Outcome => ({ comment, result: true })
const NO_CHAIN = no('Chain needs to be specified')
const NO_RULE = no('Rule needs to be specified')
const NO_TABLE = no('Table needs to be specified')
const NUMERIC = '--numeric --numeric --numeric'

const nft = (ctx: FunctionContext, words: string): Promise<string> => outputOf(ctx, `nft ${words}`)

/** Something was done when nft said nothing. */
async function attempt(ctx: FunctionContext, words: string, done: string, failed: string): Promise<Outcome> {
  return (await nft(ctx, words)) === '' ? yes(done) : no(failed)
}

interface Place {
  table: Value
  chain: Value
  family: Value
}

const where = ({ table, chain, family }: Place): string =>
  `chain ${str(chain)} in table ${str(table)} in family ${str(family)}`

const target = ({ table, chain, family }: Place): string => `${familyOf(family)} ${str(table)} ${str(chain)}`

async function checkTable(ctx: FunctionContext, table: Value, family: Value): Promise<Outcome> {
  if (!truthy(table)) return NO_TABLE
  const inet = familyOf(family)
  const found = (await nft(ctx, `list tables ${inet}`)).includes(`table ${inet} ${str(table)}`)
  const subject = `Table ${str(table)} in family ${str(family)}`
  return found ? yes(`${subject} exists`) : no(`${subject} does not exist`)
}

async function checkChain(ctx: FunctionContext, place: Place): Promise<Outcome> {
  if (!truthy(place.chain)) return NO_CHAIN
  const listing = await nft(ctx, `list table ${familyOf(place.family)} ${str(place.table)}`)
  const subject = where(place).replace(/^c/, 'C')
  return listing.includes(`chain ${str(place.chain)} {`) ? yes(`${subject} exists`) : no(`${subject} does not exist`)
}

/** The first thing that is not there, if any. */
async function lacks(ctx: FunctionContext, place: Place): Promise<Outcome | undefined> {
  const table = await checkTable(ctx, place.table, place.family)
  if (!table.result) return table
  const chain = await checkChain(ctx, place)
  return chain.result ? undefined : chain
}

/** nft may list a set of one without its braces. */
const pattern = (rule: Value, tail: string) =>
  compileRegex(`${str(rule)}${tail}`.replaceAll('{ ', '{? ?').replaceAll(' }', ' ?}?'))

async function check(ctx: FunctionContext, place: Place, rule: string | null): Promise<Outcome> {
  if (!truthy(place.chain)) return NO_CHAIN
  if (!rule) return NO_RULE
  const missing = await lacks(ctx, place)
  if (missing) return missing
  const found = pattern(rule, ' #').search(await nft(ctx, `--handle list chain ${target(place)}`))
  const subject = `Rule ${str(rule)} in ${where(place)}`
  return found ? yes(`${subject} exists`) : no(`${subject} does not exist`)
}

async function handleOf(ctx: FunctionContext, place: Place, rule: string | null): Promise<Outcome> {
  const found = await check(ctx, place, rule)
  if (!found.result) return found
  const wanted = pattern(rule, ' # handle (\\d+)')
  for (const line of (await nft(ctx, `${NUMERIC} --handle list chain ${target(place)}`)).split(/\n+/)) {
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
  position: Value = null,
): Promise<Outcome> {
  if (!truthy(place.chain)) return NO_CHAIN
  if (!rule) return NO_RULE
  const missing = await lacks(ctx, place)
  if (missing) return missing
  if ((await check(ctx, place, rule)).result) return no(`Rule ${rule} ${where(place)} already exists`)
  const at = truthy(position) ? ` position ${str(position)}` : ''
  const words = `${verb} rule ${target(place)}${at} ${rule}`
  const subject = `rule "${rule}" ${where(place)}.`
  return attempt(ctx, words, `Added ${subject}`, `Failed to add ${subject}`)
}

async function deleteRule(ctx: FunctionContext, place: Place, position: Value, rule: string | null): Promise<Outcome> {
  if (truthy(position) && rule) return no('Only specify a position or a rule, not both')
  const missing = await lacks(ctx, place)
  if (missing) return missing
  let handle = position
  if (!truthy(position)) {
    const found = await handleOf(ctx, place, rule)
    if (!found.result) return no(`Rule ${str(rule)} ${where(place)} does not exist`)
    handle = found['handle'] as Value
  }
  const subject = `rule "${str(rule)}" in`
  const failed = `Failed to delete ${subject} chain ${str(place.chain)}  table ${str(place.table)} in family ${str(place.family)}`
  return attempt(
    ctx,
    `delete rule ${target(place)} handle ${str(handle)}`,
    `Deleted ${subject} ${where(place)}.`,
    failed,
  )
}

interface ChainWish extends Place {
  table_type: Value
  hook: Value
  priority: Value
}

async function newChain(ctx: FunctionContext, wish: ChainWish): Promise<Outcome> {
  if (!truthy(wish.chain)) return NO_CHAIN
  const table = await checkTable(ctx, wish.table, wish.family)
  if (!table.result) return table
  const subject = where(wish).replace(/^c/, 'C')
  if ((await checkChain(ctx, wish)).result) return no(`${subject} already exists`)
  const { table_type, hook, priority } = wish
  let base = ''
  if (truthy(table_type) || truthy(hook) || truthy(priority)) {
    if (!truthy(table_type) || !truthy(hook)) return no('Table_type, hook, and priority required.')
    base = ` \\{ type ${str(table_type)} hook ${str(hook)} priority ${str(priority)}\\; \\}`
  }
  return attempt(ctx, `-- add chain ${target(wish)}${base}`, `${subject} created`, `${subject} could not be created`)
}

async function deleteChain(ctx: FunctionContext, place: Place): Promise<Outcome> {
  if (!truthy(place.chain)) return NO_CHAIN
  const missing = await lacks(ctx, place)
  if (missing) return missing
  const subject = where(place).replace(/^c/, 'C')
  return attempt(ctx, `delete chain ${target(place)}`, `${subject} deleted`, `${subject} could not be deleted`)
}

async function changeTable(
  ctx: FunctionContext,
  verb: 'add' | 'delete',
  table: string,
  family: Value,
): Promise<Outcome> {
  if (!table) return NO_TABLE
  const known = await checkTable(ctx, table, family)
  if (known.result === (verb === 'add')) return known
  const subject = `Table ${table} in family ${str(family)}`
  const done = verb === 'add' ? 'created' : 'deleted'
  const words = `${verb} table ${familyOf(family)} ${table}`
  return attempt(ctx, words, `${subject} ${done}`, `${subject} could not be ${done}`)
}

async function flush(ctx: FunctionContext, place: Place): Promise<Outcome> {
  const table = await checkTable(ctx, place.table, place.family)
  if (!table.result) return table
  if (!truthy(place.chain)) {
    const subject = `from table ${str(place.table)} in family ${str(place.family)}.`
    const words = `flush table ${familyOf(place.family)} ${str(place.table)}`
    return attempt(ctx, words, `Flushed rules ${subject}`, `Failed to flush rules ${subject}`)
  }
  const chain = await checkChain(ctx, place)
  if (!chain.result) return chain
  const subject = `from ${where(place)}.`
  return attempt(ctx, `flush chain ${target(place)}`, `Flushed rules ${subject}`, `Failed to flush rules ${subject}`)
}

/** The list that nft gives as JSON, without its first entry about itself. */
async function listing(ctx: FunctionContext, words: string): Promise<Dict[]> {
  try {
    const data = loadJson((await nft(ctx, words)) || '{}')
    const list = isDict(data) ? (data.get('nftables') ?? null) : null
    return isList(list) ? (list as Dict[]) : []
  } catch (error) {
    if (error instanceof PyError && error.code === 'JSONDecodeError') return []
    throw error
  }
}

async function tables(ctx: FunctionContext, family: Value): Promise<Dict[]> {
  const all = await listing(ctx, `--json ${NUMERIC} list tables ${familyOf(family)}`)
  return all.filter((item) => !item.has('metainfo')).map((item) => item.get('table') as Dict)
}

async function rules(ctx: FunctionContext, family: Value): Promise<string[]> {
  const found: string[] = []
  for (const table of await tables(ctx, family)) {
    found.push(await nft(ctx, `${NUMERIC} list table ${familyOf(family)} ${str(table.get('name')!)}`))
  }
  return found
}

const rulesAsData = (ctx: FunctionContext, family: Value): Promise<Dict[]> =>
  listing(ctx, `${NUMERIC} --json list ruleset ${familyOf(family)}`)

async function chainInfo(ctx: FunctionContext, { table, chain, family }: Place): Promise<Dict | undefined> {
  const chains = (await rulesAsData(ctx, family)).map((item) => item.get('chain') as Dict | undefined)
  return chains.find((info) => info?.get('table') === table && info?.get('name') === chain)
}

async function setPolicy(ctx: FunctionContext, place: Place, policy: string | null): Promise<boolean> {
  const info = await chainInfo(ctx, place)
  if (!info || !['type', 'hook', 'prio'].every((key) => info.has(key))) return false
  const [type, hook, priority] = ['type', 'hook', 'prio'].map((key) => str(info.get(key)!))
  const base = `{ type ${type} hook ${hook} priority ${priority}; policy ${str(policy)}; }`
  return (await runAll(ctx, `nft add chain ${target(place)} "${base}"`)).retcode === 0
}

async function save(ctx: FunctionContext, given: string | null): Promise<string> {
  let text = '#! nft -f\n'
  for (const family of ALL_FAMILIES) {
    const found = await rules(ctx, family)
    text += (found.length > 0 ? '\n' : '') + found.join('\n')
  }
  text += '\n'
  const path = given ? given : '/etc/nftables'
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
  command: Value
  position: Value
  full: Value
  kwargs: ReadonlyMap<string, Value>
}

function build({ command, position, full, kwargs, ...place }: Build): Outcome {
  const rule = ruleText(kwargs, familyOf(place.family))
  const report = (comment: string, result: boolean, text = rule): Outcome => ({ comment, rule: text, result })
  if (full !== 'True' && full !== 'true') return report(rule === '' ? '' : 'Successfully built rule', true)
  if (!truthy(place.table)) return report('Table needs to be specified', false)
  if (!truthy(place.chain)) return report('Chain needs to be specified', false)
  if (!truthy(command)) return report('Command needs to be specified', false)
  const inserts = ['Insert', 'insert', 'INSERT'].includes(str(command))
  const at = inserts && truthy(position) ? ` position ${str(position)}` : ''
  const verb = inserts ? 'insert' : str(command)
  return report('Successfully built rule', true, `nft ${verb} rule ${target(place)}${at} ${rule}`)
}

const family = arg.any('ipv4, ipv6, inet, arp, bridge or netdev', { default: 'ipv4' })
const table = arg.any('The table', { default: 'filter' })
const chain = arg.any('The chain', { optional: true })
const rule = arg.text('The rule, as nft takes it', { optional: true })
const position = arg.any('The handle of the rule it stands at', { optional: true })
const optional = (doc: string) => arg.any(doc, { optional: true })

export default defineModule({
  name: 'nftables',
  doc: 'Tables, chains and rules of nftables.',
  when: async ({ host }) =>
    (await host.which('nft')) !== undefined ||
    'The nftables execution module failed to load: nftables is not installed.',
  functions: {
    version: reads({
      doc: 'The version of nftables.',
      example: 'nftables.version',
      args: {},
      run: async (ctx) => splitWords(await nft(ctx, '--version'))[1],
    }),
    build_rule: reads({
      doc: 'A rule as text, from the arguments that states take.',
      example: 'nftables.build_rule match=state connstate=RELATED,ESTABLISHED jump=ACCEPT',
      args: {
        table: arg.text('The table', { optional: true }),
        chain,
        command: arg.text('The command, for a whole command line', { optional: true }),
        position: arg.text('The handle of the rule it stands at', { default: '' }),
        full: optional('`True` as text for a whole command line'),
        family,
        kwargs: arg.open('Parts of the rule'),
      },
      run: (_ctx, given) => build(given),
    }),
    get_saved_rules: reads({
      doc: 'The lines of a file of rules.',
      example: 'nftables.get_saved_rules',
      args: { conf_file: arg.text('The file', { optional: true }) },
      run: async (ctx, { conf_file }) => {
        const text = Buffer.from(await ctx.host.read(conf_file ? conf_file : '/etc/nftables')).toString()
        const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
        return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
      },
    }),
    list_tables: reads({
      doc: 'All tables.',
      example: 'nftables.list_tables',
      args: { family },
      run: (ctx, { family }) => tables(ctx, family),
    }),
    get_rules: reads({
      doc: 'All rules as text, by table.',
      example: 'nftables.get_rules',
      args: { family },
      run: (ctx, { family }) => rules(ctx, family),
    }),
    get_rules_json: reads({
      doc: 'All rules as data.',
      example: 'nftables.get_rules_json',
      args: { family },
      run: (ctx, { family }) => rulesAsData(ctx, family),
    }),
    save: changes({
      doc: 'Write all rules to a file.',
      example: 'nftables.save /etc/nftables',
      args: { filename: arg.text('The file', { optional: true }), family },
      run: (ctx, { filename }) => save(ctx, filename),
    }),
    get_rule_handle: reads({
      doc: 'The handle of a rule.',
      example: "nftables.get_rule_handle filter input rule='tcp dport 22 log accept'",
      args: { table, chain, rule, family },
      run: async (ctx, { rule, ...place }) => {
        const { comment, ...found } = await handleOf(ctx, place, rule)
        return found.result ? found : { comment, ...found }
      },
    }),
    check: reads({
      doc: 'Whether a rule is in force.',
      example: "nftables.check filter input rule='tcp dport 22 log accept'",
      args: { table, chain, rule, family },
      run: (ctx, { rule, ...place }) => check(ctx, place, rule),
    }),
    check_chain: reads({
      doc: 'Whether there is a chain.',
      example: 'nftables.check_chain filter input',
      args: { table, chain, family },
      run: checkChain,
    }),
    check_table: reads({
      doc: 'Whether there is a table.',
      example: 'nftables.check_table nat',
      args: { table: arg.text('The table', { optional: true }), family },
      run: (ctx, args) => checkTable(ctx, args.table, args.family),
    }),
    new_table: changes({
      doc: 'Make a table.',
      example: 'nftables.new_table filter',
      args: { table: arg.text('The table'), family },
      run: (ctx, args) => changeTable(ctx, 'add', args.table, args.family),
    }),
    delete_table: changes({
      doc: 'Remove a table.',
      example: 'nftables.delete_table filter',
      args: { table: arg.text('The table'), family },
      run: (ctx, args) => changeTable(ctx, 'delete', args.table, args.family),
    }),
    new_chain: changes({
      doc: 'Make a chain; with type, hook and priority one that packets pass.',
      example: 'nftables.new_chain filter input filter input 0',
      args: {
        table,
        chain,
        table_type: arg.text('filter, nat or route', { optional: true }),
        hook: arg.text('Where packets pass it', { optional: true }),
        priority: optional('When they pass it'),
        family,
      },
      run: newChain,
    }),
    delete_chain: changes({
      doc: 'Remove a chain.',
      example: 'nftables.delete_chain filter input',
      args: { table, chain, family },
      run: deleteChain,
    }),
    append: changes({
      doc: 'Put a rule at the end of a chain, unless it is there.',
      example: "nftables.append filter input rule='tcp dport 22 log accept'",
      args: { table, chain, rule, family },
      run: (ctx, { rule, ...place }) => addRule(ctx, 'add', place, rule),
    }),
    insert: changes({
      doc: 'Put a rule at the beginning of a chain, or before another one, unless it is there.',
      example: "nftables.insert filter input rule='tcp dport 22 log accept'",
      args: { table, chain, position, rule, family },
      run: (ctx, { rule, position, ...place }) => addRule(ctx, 'insert', place, rule, position),
    }),
    delete: changes({
      doc: 'Remove a rule, by its text or by its handle.',
      example: 'nftables.delete filter input position=3',
      args: { table: arg.text('The table'), chain, position, rule, family },
      run: (ctx, { rule, position, ...place }) => deleteRule(ctx, place, position, rule),
    }),
    flush: changes({
      doc: 'Remove all rules of a chain, or of a table.',
      example: 'nftables.flush filter input',
      args: { table, chain: arg.text('The chain', { default: '' }), family },
      run: flush,
    }),
    get_policy: reads({
      doc: 'The policy of a chain.',
      example: 'nftables.get_policy filter input',
      args: { table, chain, family },
      run: async (ctx, place) => {
        if (!truthy(place.chain)) return 'Error: Chain needs to be specified'
        return (await chainInfo(ctx, place))?.get('policy') ?? null
      },
    }),
    set_policy: changes({
      doc: 'Set the policy of a chain.',
      example: 'nftables.set_policy filter input accept',
      args: { table, chain, policy: arg.text('The policy', { optional: true }), family },
      run: (ctx, { policy, ...place }) => {
        if (!truthy(place.chain)) return 'Error: Chain needs to be specified'
        return policy ? setPolicy(ctx, place, policy) : 'Error: Policy needs to be specified'
      },
    }),
  },
})
