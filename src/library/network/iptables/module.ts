// The packet filter of Linux by its commands iptables and ip6tables. What a rule is made of is in rule.ts; answers are
// the error text of the command where Salt hands that on, so an empty text means that it worked.
import { lookup } from '../../../base/mod.ts'
import {
  compileRegex,
  type Dict,
  isList,
  keyError,
  len,
  SaltError,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import {
  arg,
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

async function program(ctx: FunctionContext, family: Value): Promise<string> {
  const name = family === 'ipv6' ? 'ip6tables' : 'iptables'
  const path = await ctx.host.which(name)
  if (path === undefined) throw new SaltError('CommandExecutionError', `The '${name}' binary was not found in $PATH`)
  return path
}

/** What the program can depends on its version, so it is asked. */
async function knows(ctx: FunctionContext, option: string, family: Value): Promise<boolean> {
  const { stdout } = await runAll(ctx, `${await program(ctx, family)} --help`, { output_loglevel: 'quiet' })
  return stdout.includes(option)
}

async function waiting(ctx: FunctionContext, family: Value): Promise<string> {
  return `${await program(ctx, family)} ${(await knows(ctx, '--wait', family)) ? '--wait' : ''}`
}

async function change(ctx: FunctionContext, words: string, family: Value): Promise<string> {
  return (await runAll(ctx, `${await waiting(ctx, family)} ${words}`)).stderr
}

async function currentRules(ctx: FunctionContext, family: Value): Promise<Dict> {
  return parseSaved((await runAll(ctx, `${await program(ctx, family)}-save`)).stdout)
}

async function savedRules(ctx: FunctionContext, file: string | null, family: string): Promise<Dict> {
  const path = file ? file : rulesFile(ctx, family)
  return parseSaved(Buffer.from(await ctx.host.read(path)).toString())
}

function policyIn(rules: Dict, table: Value, chain: Value): Value {
  const found = (rules.get(table) as Dict | undefined)?.get(chain) as Dict | undefined
  return found?.get('policy') ?? null
}

/** Without the lines that the option iptables.save_filters names. */
async function filtered(ctx: FunctionContext, text: string): Promise<string> {
  const patterns = await ctx.call('config.option', ['iptables.save_filters', []])
  if (!isList(patterns) || patterns.length === 0) return text
  const unwanted = patterns.map((pattern) => compileRegex(str(pattern)))
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return lines.filter((line) => !unwanted.some((pattern) => pattern.search(line))).join('')
}

async function save(ctx: FunctionContext, filename: string | null, family: string): Promise<Value> {
  const path = filename ? filename : rulesFile(ctx, family)
  const directory = path.slice(0, path.lastIndexOf('/'))
  if (directory !== '') await ctx.host.makeDirectory(directory, { parents: true })
  const { stdout } = await runAll(ctx, `${await program(ctx, family)}-save`)
  return ctx.call('file.write', [path, await filtered(ctx, stdout)])
}

async function check(ctx: FunctionContext, table: Value, chain: Value, rule: Value, family: Value): Promise<boolean> {
  const command = `${await program(ctx, family)} -t ${str(table)}`
  if (await knows(ctx, '--check', family)) {
    const options = { output_loglevel: 'quiet', ignore_retcode: true }
    return (await runAll(ctx, `${command} -C ${str(chain)} ${str(rule)}`, options)).retcode === 0
  }
  // an iptables that cannot check is shown the rule in a chain of its own, to learn how it writes it
  const trial = 'brine-rule-check'
  for (const words of [`-N ${trial}`, `-A ${trial} ${str(rule)}`]) await runAll(ctx, `${command} ${words}`)
  const lines = (await runAll(ctx, `${await program(ctx, family)}-save`)).stdout.split('\n')
  for (const words of [`-F ${trial}`, `-X ${trial}`]) await runAll(ctx, `${command} ${words}`)
  return lines.some((line) => line.startsWith(`-A ${trial}`) && lines.includes(line.replaceAll(trial, str(chain))))
}

interface Place {
  table: Value
  chain: Value
  family: Value
}

async function insert(ctx: FunctionContext, { table, chain, family }: Place, at: Value, rule: Value): Promise<Result> {
  let position = at
  if (Number(at) < 0) {
    const found = ((await currentRules(ctx, family)).get(table) as Dict | undefined)?.get(chain) as Dict | undefined
    if (found === undefined) throw keyError(chain)
    position = Number(len(found.get('rules')!)) + Number(at) + 1 || 1
  }
  if (await check(ctx, table, chain, rule, family)) return false
  return change(ctx, `-t ${str(table)} -I ${str(chain)} ${str(position)} ${str(rule)}`, family)
}

interface Build extends Place {
  command: Value
  position: Value
  full: Value
  kwargs: ReadonlyMap<string, Value>
}

async function build(ctx: FunctionContext, given: Build): Promise<string> {
  const { table, chain, command, family } = given
  const words = ruleWords(given.kwargs)
  if (typeof words === 'string') return words
  const rule = words.join(' ')
  if (!truthy(given.full)) return rule
  const missing = (
    [
      ['Table', table],
      ['Chain', chain],
      ['Command', command],
    ] as const
  ).find(([, v]) => !truthy(v))
  if (missing) return `Error: ${missing[0]} needs to be specified`
  const flag = 'ACDIRLSFZNXPE'.includes(str(command)) ? '-' : '--'
  const place = `-t ${str(table)} ${flag}${str(command)} ${str(chain)} ${str(given.position)}`
  return `${await waiting(ctx, family)} ${place} ${rule}`
}

const NO_CHAIN = 'Error: Chain needs to be specified'
const NO_RULE = 'Error: Rule needs to be specified'
const orTrue = (complaint: string): Result => complaint || true

const family = arg.text('ipv4 or ipv6', { default: 'ipv4' })
const table = arg.any('The table', { default: 'filter' })
const chain = arg.any('The chain', { optional: true })
const rule = arg.any('The rule, as iptables takes it', { optional: true })
const conf_file = arg.text('The file; the one of the distribution when not given', { optional: true })
const position = arg.any('The number of the rule in its chain', { optional: true })

const functions = {
  version: reads({
    doc: 'The version of iptables.',
    example: 'iptables.version',
    args: { family },
    run: async (ctx, { family }) => (await outputOf(ctx, `${await program(ctx, family)} --version`)).split(/\s+/)[1],
  }),
  build_rule: reads({
    doc: 'A rule as text, from the arguments that states take.',
    example: 'iptables.build_rule match=state connstate=RELATED,ESTABLISHED jump=ACCEPT',
    args: {
      table,
      chain,
      command: arg.any('The letter of the command, for a whole command line', { optional: true }),
      position: arg.text('The number of the rule in its chain', { default: '' }),
      full: arg.flag('Whether the whole command line is wanted', { optional: true }),
      family,
      kwargs: arg.open('Parts of the rule'),
    },
    run: build,
  }),
  get_saved_rules: reads({
    doc: 'The rules that are in a file.',
    example: 'iptables.get_saved_rules',
    args: { conf_file, family },
    run: (ctx, { conf_file, family }) => savedRules(ctx, conf_file, family),
    returns: ret.dict('The rules, by table and chain'),
  }),
  get_rules: reads({
    doc: 'The rules that are in force.',
    example: 'iptables.get_rules',
    args: { family },
    run: (ctx, { family }) => currentRules(ctx, family),
    returns: ret.dict('The rules, by table and chain'),
  }),
  get_saved_policy: reads({
    doc: 'The policy of a chain in a file.',
    example: 'iptables.get_saved_policy filter INPUT',
    args: { table, chain, conf_file, family },
    run: async (ctx, { table, chain, conf_file, family }) =>
      truthy(chain) ? policyIn(await savedRules(ctx, conf_file, family), table, chain) : NO_CHAIN,
  }),
  get_policy: reads({
    doc: 'The policy of a chain that is in force.',
    example: 'iptables.get_policy filter INPUT',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) =>
      truthy(chain) ? policyIn(await currentRules(ctx, family), table, chain) : NO_CHAIN,
  }),
  set_policy: changes({
    doc: 'Set the policy of a chain.',
    example: 'iptables.set_policy filter INPUT DROP',
    args: { table, chain, policy: arg.text('The policy', { optional: true }), family },
    run: (ctx, { table, chain, policy, family }) => {
      if (!truthy(chain)) return NO_CHAIN
      if (!policy) return 'Error: Policy needs to be specified'
      return change(ctx, `-t ${str(table)} -P ${str(chain)} ${policy}`, family)
    },
  }),
  save: changes({
    doc: 'Write the rules that are in force to a file.',
    example: 'iptables.save /etc/sysconfig/iptables',
    args: { filename: conf_file, family },
    run: (ctx, { filename, family }) => save(ctx, filename, family),
  }),
  check: reads({
    doc: 'Whether a rule is in force.',
    example: "iptables.check filter INPUT rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'",
    args: { table, chain, rule, family },
    run: (ctx, { table, chain, rule, family }) => {
      if (!truthy(chain)) return NO_CHAIN
      return truthy(rule) ? check(ctx, table, chain, rule, family) : NO_RULE
    },
  }),
  check_chain: reads({
    doc: 'Whether there is a chain.',
    example: 'iptables.check_chain filter INPUT',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) => {
      if (!truthy(chain)) return NO_CHAIN
      const { stdout } = await runAll(ctx, `${await program(ctx, family)}-save -t ${str(table)}`)
      return stdout.includes(`:${str(chain)} `)
    },
  }),
  new_chain: changes({
    doc: 'Make a chain.',
    example: 'iptables.new_chain filter CUSTOM_CHAIN',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) =>
      truthy(chain) ? orTrue(await change(ctx, `-t ${str(table)} -N ${str(chain)}`, family)) : NO_CHAIN,
  }),
  delete_chain: changes({
    doc: 'Remove a chain.',
    example: 'iptables.delete_chain filter CUSTOM_CHAIN',
    args: { table, chain, family },
    run: async (ctx, { table, chain, family }) =>
      truthy(chain) ? orTrue(await change(ctx, `-t ${str(table)} -X ${str(chain)}`, family)) : NO_CHAIN,
  }),
  append: changes({
    doc: 'Put a rule at the end of a chain, unless it is there.',
    example: "iptables.append filter INPUT rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'",
    args: { table, chain, rule, family },
    run: async (ctx, { table, chain, rule, family }) => {
      if (!truthy(chain)) return NO_CHAIN
      if (!truthy(rule)) return NO_RULE
      if (await check(ctx, table, chain, rule, family)) return false
      return (await change(ctx, `-t ${str(table)} -A ${str(chain)} ${str(rule)}`, family)) === ''
    },
  }),
  insert: changes({
    doc: 'Put a rule into a chain, unless it is there. A negative position counts from the end.',
    example: "iptables.insert filter INPUT position=3 rule='-m state --state RELATED,ESTABLISHED -j ACCEPT'",
    args: { table, chain, position, rule, family },
    run: (ctx, { table, chain, position, rule, family }) => {
      if (!truthy(chain)) return NO_CHAIN
      if (!truthy(position)) return 'Error: Position needs to be specified or use append (-A)'
      return truthy(rule) ? insert(ctx, { table, chain, family }, position, rule) : NO_RULE
    },
  }),
  delete: changes({
    doc: 'Remove a rule, by its text or by its position.',
    example: 'iptables.delete filter INPUT position=3',
    args: { table: arg.text('The table'), chain, position, rule, family },
    run: (ctx, { table, chain, position, rule, family }) => {
      if (truthy(position) && truthy(rule)) return 'Error: Only specify a position or a rule, not both'
      return change(ctx, `-t ${table} -D ${str(chain)} ${str(truthy(position) ? position : rule)}`, family)
    },
  }),
  flush: changes({
    doc: 'Remove all rules of a chain, or of a table.',
    example: 'iptables.flush filter INPUT',
    args: { table, chain: arg.text('The chain; all of them when not given', { default: '' }), family },
    run: (ctx, { table, chain, family }) => change(ctx, `-t ${str(table)} -F ${chain}`, family),
  }),
}

export default defineModule({
  name: 'iptables',
  doc: 'Rules of the packet filter.',
  when: async ({ host }) =>
    (await host.which('iptables')) !== undefined ||
    'The iptables execution module cannot be loaded: iptables not installed.',
  functions,
})
