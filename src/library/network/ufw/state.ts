// The firewall ufw is on, has its default policies, and has rules: the states that the ufw formula brings along.
import { str, strip, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, outputOf, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const told = (
  name: string,
  result: boolean | null,
  comment: string,
  changes: StateReturn['changes'] = {},
): StateReturn => ({ name, result, comment, changes })

const RULE = {
  app: arg.text('The application profile', { optional: true }),
  interface: arg.text('The interface that packets come in on', { optional: true }),
  protocol: arg.text('The protocol', { optional: true }),
  from_addr: arg.text('Where packets come from: an address, a network or a host name', { optional: true }),
  from_port: arg.text('The port they come from', { optional: true }),
  to_addr: arg.text('Where they go to', { optional: true }),
  to_port: arg.any('The port they go to', { optional: true }),
  comment: arg.text('A comment that ufw keeps with the rule', { optional: true }),
}

type Rule = Readonly<Record<keyof typeof RULE, Value>>

const isAll = (value: Value): boolean => truthy(value) && strip(str(value), '"\' ') === '*'

/** Rules are about addresses: a name stands for the address it has now. */
async function addressOf(ctx: StateContext, host: Value): Promise<string> {
  const name = str(host)
  if (/^[0-9:]/.test(name)) return name
  const found = await outputOf(ctx, ['getent', 'ahostsv4', name])
  return /^[0-9.]+/.exec(found)?.[0] ?? name
}

async function wordsOf(ctx: StateContext, method: string, rule: Rule): Promise<string> {
  const { app, protocol, from_addr, from_port, to_addr, to_port, comment } = rule
  const words = [method]
  const given = (word: string, value: Value): string[] => (value === null ? [] : [word, str(value)])
  const to = ['to', to_addr === null ? 'any' : str(to_addr)]
  if (app !== null && !isAll(app))
    words.push('from', from_addr === null ? 'any' : str(from_addr), ...to, 'app', str(app))
  else if (rule.interface !== null) words.push('in', 'on', str(rule.interface))
  else {
    words.push(...given('proto', protocol), 'from', from_addr === null ? 'any' : await addressOf(ctx, from_addr))
    words.push(...given('port', from_port), ...to, ...given('port', isAll(to_port) ? null : to_port))
  }
  return [...words, ...given('comment', comment)].join(' ')
}

const OUTCOMES: ReadonlyArray<readonly [pattern: RegExp, verb: string]> = [
  [/^Rules? added/, 'added'],
  [/^Rules? inserted/, 'inserted'],
  [/^Rules? updated/, 'updated'],
]

async function addRule(ctx: StateContext, method: string, name: string, rule: Rule): Promise<StateReturn> {
  const words = await wordsOf(ctx, method, rule)
  // only the first line counts, as the others repeat it for IPv6
  const [line = ''] = str(await ctx.call('ufw.add_rule', [words])).split('\n')
  if (line.startsWith('Skipping')) return told(name, true, `${name} is already configured`)
  const verb = OUTCOMES.find(([pattern]) => pattern.test(line))?.[1]
  if (verb !== undefined) return told(name, true, `${name} ${verb}`, { rule: words })
  if (ctx.test) return told(name, null, `${name} would have been configured`)
  // nothing can be put before the first of no rules
  if (method.startsWith('insert 1 ') && line.includes("Invalid position '1'")) {
    return addRule(ctx, method.slice('insert 1 '.length), name, rule)
  }
  return told(name, false, line)
}

async function enabled(ctx: StateContext, name: string): Promise<StateReturn> {
  if (truthy(await ctx.call('ufw.is_enabled'))) return told(name, true, 'UFW is already enabled')
  if (ctx.test) return told(name, null, 'UFW would have been enabled')
  await ctx.call('ufw.set_enabled', [true])
  return told(name, true, 'UFW is enabled', { enabled: true })
}

async function policy(ctx: StateContext, name: string, wanted: Value, direction: string): Promise<StateReturn> {
  const rule = `default ${str(wanted)} ${direction}`
  if (ctx.test) return told(name, null, `${name}: ${rule}`)
  if ((await ctx.call(`ufw.get_default_${direction}`)) === wanted) {
    return told(name, true, `${name} was already set to ${str(wanted)}`)
  }
  const [line = ''] = str(await ctx.call('ufw.add_rule', [rule])).split('\n')
  if (!line.startsWith(`Default ${direction} policy changed to`)) return told(name, false, line)
  return told(name, true, `${name} set to ${str(wanted)}`, { rule })
}

const ruleState = (doc: string, method: string) =>
  state({
    doc,
    args: { name: arg.string('What the rule is called in results'), ...RULE },
    run: (ctx, { name, ...rule }) => addRule(ctx, method, name, rule as Rule),
  })

const policyState = (direction: string) =>
  state({
    doc: `Let packets that are ${direction} and that no rule is about be allowed, denied or rejected.`,
    args: { name: arg.string('What it is called in results'), default: arg.any('`allow`, `deny` or `reject`') },
    run: (ctx, { name, default: wanted }) => policy(ctx, name, wanted, direction),
  })

const allow = ruleState('Let packets pass.', 'allow')

export default defineState({
  name: 'ufw',
  doc: 'Keep the firewall ufw.',
  functions: {
    enabled: state({
      doc: 'Keep the firewall on.',
      args: { name: arg.string('Any name'), kwargs: arg.open('Accepted for compatibility') },
      run: (ctx, { name }) => enabled(ctx, name),
    }),
    default_incoming: policyState('incoming'),
    default_outgoing: policyState('outgoing'),
    deny: ruleState('Refuse packets, before all other rules.', 'insert 1 deny'),
    limit: ruleState('Let packets pass, and refuse who connects too often.', 'limit'),
    allow,
    allowed: allow,
  },
})
