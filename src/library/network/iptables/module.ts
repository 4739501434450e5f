// The packet filter of Linux, through iptables and ip6tables. rule.ts builds rules. Functions return the error text of
// the command where Salt does, so an empty text means success.
import { lookup } from '../../../base/mod.ts'
import {
  compileRegex,
  type Dict,
  failure,
  isList,
  keyError,
  len,
  SaltError,
  str,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  type Result,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { ruleWords } from './module/rule.ts'
import { parseSaved } from './module/saved.ts'

const RULES_FILES: Readonly<Record<string, readonly [ipv4: string, ipv6: string]>> = lookup({
  RedHat: ['/etc/sysconfig/iptables', '/etc/sysconfig/ip6tables'],
  Arch: ['/etc/iptables/iptables.rules', '/etc/iptables/ip6tables.rules'],
  Debian: ['/etc/iptables/rules.v4', '/etc/iptables/rules.v6'],
  Gentoo: ['/var/lib/iptables/rules-save', '/var/lib/ip6tables/rules-save'],
  Suse: ['/etc/sysconfig/scripts/SuSEfirewall2-custom', '/etc/sysconfig/scripts/SuSEfirewall2-custom'],
  Void: ['/etc/iptables/iptables.rules', '/etc/iptables/ip6tables.rules'],
  Alpine: ['/etc/iptables/rules-save', '/etc/iptables/rules6-save'],
  NILinuxRT: ['/etc/natinst/share/iptables.conf', '/etc/natinst/share/ip6tables.conf'],
})

function rulesFile(ctx: FunctionContext, family: string): string {
  const grain = (name: string): string => str(ctx.grains.get(name) ?? '')
  const files = RULES_FILES[grain('os_family')] ?? RULES_FILES[grain('os')]
  if (files) return files[family === 'ipv6' ? 1 : 0]
  const advice = 'Please file an issue with SaltStack'
  throw new SaltError('SaltException', `Saving iptables to file is not supported on ${grain('os')}. ${advice}`)
}

async function program(ctx: FunctionContext, family: string): Promise<string> {
  const name = family === 'ipv6' ? 'ip6tables' : 'iptables'
  const path = await ctx.host.which(name)
  if (path === undefined) throw failure(`The '${name}' binary was not found in $PATH`)
  return path
}

/** Return whether the program supports an option, which depends on its version. */
async function knows(ctx: FunctionContext, option: string, family: string): Promise<boolean> {
  const { stdout } = await runAll(ctx, `${await program(ctx, family)} --help`, { output_loglevel: 'quiet' })
  return stdout.includes(option)
}

async function waiting(ctx: FunctionContext, family: string): Promise<string> {
  return `${await program(ctx, family)} ${(await knows(ctx, '--wait', family)) ? '--wait' : ''}`
}

async function change(ctx: FunctionContext, words: string, family: string): Promise<string> {
  return (await runAll(ctx, `${await waiting(ctx, family)} ${words}`)).stderr
}

async function currentRules(ctx: FunctionContext, family: string): Promise<Dict> {
  return parseSaved((await runAll(ctx, `${await program(ctx, family)}-save`)).stdout)
}

async function savedRules(ctx: FunctionContext, file: string | null, family: string): Promise<Dict> {
  const path = file || rulesFile(ctx, family)
  return parseSaved(Buffer.from(await ctx.host.read(path)).toString())
}

function chainIn(rules: Dict, table: string, chain: string): Dict | undefined {
  const chains = rules.get(table)
  const found = chains instanceof Map ? chains.get(chain) : undefined
  return found instanceof Map ? found : undefined
}

function policyIn(rules: Dict, table: string, chain: string): Value {
  return chainIn(rules, table, chain)?.get('policy') ?? null
}

/** Remove the lines that match a pattern of the option iptables.save_filters. */
async function filtered(ctx: FunctionContext, text: string): Promise<string> {
  const patterns = await ctx.call('config.option', ['iptables.save_filters', []])
  if (!isList(patterns) || patterns.length === 0) return text
  const unwanted = patterns.map((pattern) => compileRegex(str(pattern)))
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return lines.filter((line) => !unwanted.some((pattern) => pattern.search(line))).join('')
}

async function save(ctx: FunctionContext, filename: string | null, family: string): Promise<Value> {
  const path = filename || rulesFile(ctx, family)
  const directory = path.slice(0, path.lastIndexOf('/'))
  if (directory !== '') await ctx.host.makeDirectory(directory, { parents: true })
  const { stdout } = await runAll(ctx, `${await program(ctx, family)}-save`)
  return ctx.call('file.write', [path, await filtered(ctx, stdout)])
}

async function check(ctx: FunctionContext, { table, chain, family }: Place, rule: string): Promise<boolean> {
  const command = `${await program(ctx, family)} -t ${table}`
  if (await knows(ctx, '--check', family)) {
    const options = { output_loglevel: 'quiet', ignore_retcode: true }
    return (await runAll(ctx, `${command} -C ${chain} ${rule}`, options)).retcode === 0
  }
  // an iptables without --check: add the rule to a temporary chain, to learn how iptables-save writes it
  const trial = 'brine-rule-check'
  for (const words of [`-N ${trial}`, `-A ${trial} ${rule}`]) await runAll(ctx, `${command} ${words}`)
  const lines = (await runAll(ctx, `${await program(ctx, family)}-save`)).stdout.split('\n')
  for (const words of [`-F ${trial}`, `-X ${trial}`]) await runAll(ctx, `${command} ${words}`)
  return lines.some((line) => line.startsWith(`-A ${trial}`) && lines.includes(line.replaceAll(trial, chain)))
}

interface Place {
  table: string
  chain: string
  family: string
}

async function insert(ctx: FunctionContext, place: Place, at: number, rule: string): Promise<Result> {
  const { table, chain, family } = place
  let position = at
  if (at < 0) {
    const rules = chainIn(await currentRules(ctx, family), table, chain)?.get('rules')
    if (rules === undefined) throw keyError(chain)
    position = Number(len(rules)) + at + 1 || 1
  }
  if (await check(ctx, place, rule)) return false
  return change(ctx, `-t ${table} -I ${chain} ${position} ${rule}`, family)
}

type Build = Bound<typeof buildRuleArgs>

async function build(
  ctx: FunctionContext,
  { table, chain, family, command, position, full, kwargs }: Build,
): Promise<string> {
  const words = ruleWords(kwargs)
  if (typeof words === 'string') return words
  const rule = words.join(' ')
  if (!full) return rule
  if (!table) return 'Error: Table needs to be specified'
  if (!chain) return NO_CHAIN
  if (!command) return 'Error: Command needs to be specified'
  const flag = 'ACDIRLSFZNXPE'.includes(command) ? '-' : '--'
  const place = `-t ${table} ${flag}${command} ${chain} ${position}`
  return `${await waiting(ctx, family)} ${place} ${rule}`
}

const NO_CHAIN = 'Error: Chain needs to be specified'
const NO_RULE = 'Error: Rule needs to be specified'
const orTrue = (complaint: string): Result => complaint || true

const family = arg.text('ipv4 or ipv6', { default: 'ipv4' })
const table = arg.text('Table', { default: 'filter' })
const chain = arg.text('Chain', { optional: true })
const rule = arg.text('Rule in the syntax of iptables', { optional: true })
const conf_file = arg.text('Path of the rules file; default: the file of the distribution', { optional: true })
const position = arg.count('Number of the rule in its chain', { optional: true })

const buildRuleArgs = {
  table,
  chain,
  command: arg.text('Letter or name of the command; needed with `full`', { optional: true }),
  position: arg.text('Number of the rule in its chain', { default: '' }),
  full: arg.flag('Whether to return the whole command line', { optional: true }),
  family,
  kwargs: arg.open('Parts of the rule'),
}

const functions = {
  version: reads({
    doc: 'Return the version of iptables.',
    args: { family },
    run: async (ctx, { family }) => (await outputOf(ctx, `${await program(ctx, family)} --version`)).split(/\s+/)[1],
  }),
  build_rule: reads({
    doc: 'Return a rule as text, built from the arguments that states take.',
    example: 'iptables.build_rule match=state connstate=RELATED,ESTABLISHED jump=ACCEPT',
    args: buildRuleArgs,
    run: build,
  }),
  get_saved_rules: reads({
    doc: 'Return the rules in a file.',
    args: { conf_file, family },
    run: (ctx, { conf_file, family }) => savedRules(ctx, conf_file, family),
    returns: ret.dict('The rules by table and chain'),
  }),
  get_rules: reads({
    doc: 'Return the active rules.',
    args: { family },
    run: (ctx, { family }) => currentRules(ctx, family),
    returns: ret.dict('The rules by table and chain'),
  }),
  get_saved_policy: reads({
    doc: 'Return the policy of a chain in a file.',
    example: 'iptables.get_saved_policy filter INPUT',
    args: { table, chain, conf_file, family },
    run: async (ctx, { table, chain, conf_file, family }) =>
      chain ? policyIn(await savedRules(ctx, conf_file, family), table, chain) : NO_CHAIN,
  }),
  get_policy: reads({
    doc: 'Return the active policy of a chain.',
    example: 'iptables.get_policy filter INPUT',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) =>
      chain ? policyIn(await currentRules(ctx, family), table, chain) : NO_CHAIN,
  }),
  set_policy: changes({
    doc: 'Set the policy of a chain.',
    example: 'iptables.set_policy filter INPUT DROP',
    args: { table, chain, policy: arg.text('Policy, such as DROP', { optional: true }), family },
    run: (ctx, { table, chain, policy, family }) => {
      if (!chain) return NO_CHAIN
      if (!policy) return 'Error: Policy needs to be specified'
      return change(ctx, `-t ${table} -P ${chain} ${policy}`, family)
    },
  }),
  save: changes({
    doc: 'Write the active rules to a file.',
    example: 'iptables.save /etc/sysconfig/iptables',
    args: { filename: conf_file, family },
    run: (ctx, { filename, family }) => save(ctx, filename, family),
  }),
  check: reads({
    doc: 'Return whether a rule is active.',
    example: "iptables.check filter INPUT rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'",
    args: { table, chain, rule, family },
    run: (ctx, { table, chain, rule, family }) => {
      if (!chain) return NO_CHAIN
      return rule ? check(ctx, { table, chain, family }, rule) : NO_RULE
    },
  }),
  check_chain: reads({
    doc: 'Return whether a chain exists.',
    example: 'iptables.check_chain filter INPUT',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) => {
      if (!chain) return NO_CHAIN
      const { stdout } = await runAll(ctx, `${await program(ctx, family)}-save -t ${table}`)
      return stdout.includes(`:${chain} `)
    },
  }),
  new_chain: changes({
    doc: 'Create a chain.',
    example: 'iptables.new_chain filter CUSTOM_CHAIN',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) =>
      chain ? orTrue(await change(ctx, `-t ${table} -N ${chain}`, family)) : NO_CHAIN,
  }),
  delete_chain: changes({
    doc: 'Remove a chain.',
    example: 'iptables.delete_chain filter CUSTOM_CHAIN',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) =>
      chain ? orTrue(await change(ctx, `-t ${table} -X ${chain}`, family)) : NO_CHAIN,
  }),
  append: changes({
    doc: 'Append a rule to a chain, unless the chain has it.',
    example: "iptables.append filter INPUT rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'",
    args: { table, chain, rule, family },
    run: async (ctx, { table, chain, rule, family }) => {
      if (!chain) return NO_CHAIN
      if (!rule) return NO_RULE
      if (await check(ctx, { table, chain, family }, rule)) return false
      return (await change(ctx, `-t ${table} -A ${chain} ${rule}`, family)) === ''
    },
  }),
  insert: changes({
    doc: 'Insert a rule into a chain, unless the chain has it. A negative position counts from the end.',
    example: "iptables.insert filter INPUT position=3 rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'",
    args: { table, chain, position, rule, family },
    run: (ctx, { table, chain, position, rule, family }) => {
      if (!chain) return NO_CHAIN
      if (!position) return 'Error: Position needs to be specified or use append (-A)'
      return rule ? insert(ctx, { table, chain, family }, position, rule) : NO_RULE
    },
  }),
  delete: changes({
    doc: 'Remove a rule by its text or its position.',
    example: 'iptables.delete filter INPUT position=3',
    args: { table: arg.text('Table'), chain, position, rule, family },
    run: (ctx, { table, chain, position, rule, family }) => {
      if (position && rule) return 'Error: Only specify a position or a rule, not both'
      return change(ctx, `-t ${table} -D ${str(chain)} ${str(position || rule)}`, family)
    },
  }),
  flush: changes({
    doc: 'Remove all rules of a chain or of a table.',
    example: 'iptables.flush filter INPUT',
    args: { table, chain: arg.text('Chain; all chains of the table if empty', { default: '' }), family },
    run: (ctx, { table, chain, family }) => change(ctx, `-t ${table} -F ${chain}`, family),
  }),
}

export default defineModule({
  name: 'iptables',
  doc: 'Manage rules of the packet filter.',
  when: async ({ host }) =>
    (await host.which('iptables')) !== undefined ||
    'The iptables execution module cannot be loaded: iptables not installed.',
  functions,
})
