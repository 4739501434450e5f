// The firewall ufw: the states that the ufw formula ships.
import { str, strip, truthy } from '../../../data/mod.ts'
import { arg, type Bound, defineState, outputOf, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const report = (
  name: string,
  result: boolean | null,
  comment: string,
  changes: StateReturn['changes'] = {},
): StateReturn => ({ name, result, comment, changes })

const RULE = {
  app: arg.text('Application profile; `*` for all', { optional: true }),
  interface: arg.text('Interface of incoming packets', { optional: true }),
  protocol: arg.text('Protocol, such as tcp', { optional: true }),
  from_addr: arg.text('Source: an address, a network or a host name', { optional: true }),
  from_port: arg.text('Source port', { optional: true }),
  to_addr: arg.text('Destination address', { optional: true }),
  to_port: arg.text('Destination port; `*` for all', { optional: true }),
  comment: arg.text('Comment that ufw stores with the rule', { optional: true }),
}

type Rule = Bound<typeof RULE>

const isAll = (value: string | null): boolean => value !== null && strip(value, '"\' ') === '*'

/** Return the address of a host name, because ufw rules take only addresses. */
async function addressOf(ctx: StateContext, name: string): Promise<string> {
  if (/^[0-9:]/.test(name)) return name
  const found = await outputOf(ctx, ['getent', 'ahostsv4', name])
  return /^[0-9.]+/.exec(found)?.[0] ?? name
}

async function wordsOf(ctx: StateContext, method: string, rule: Rule): Promise<string> {
  const { app, protocol, from_addr, from_port, to_addr, to_port, comment } = rule
  const words = [method]
  const given = (word: string, value: string | null): string[] => (value === null ? [] : [word, value])
  const to = ['to', to_addr ?? 'any']
  if (app !== null && !isAll(app)) words.push('from', from_addr ?? 'any', ...to, 'app', app)
  else if (rule.interface !== null) words.push('in', 'on', rule.interface)
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
  // the other lines of the output repeat the first one for IPv6
  const [line = ''] = str(await ctx.call('ufw.add_rule', [words])).split('\n')
  if (line.startsWith('Skipping')) return report(name, true, `${name} is already configured`)
  const verb = OUTCOMES.find(([pattern]) => pattern.test(line))?.[1]
  if (verb !== undefined) return report(name, true, `${name} ${verb}`, { rule: words })
  if (ctx.test) return report(name, null, `${name} would have been configured`)
  // `insert 1` fails when there are no rules
  if (method.startsWith('insert 1 ') && line.includes("Invalid position '1'")) {
    return addRule(ctx, method.slice('insert 1 '.length), name, rule)
  }
  return report(name, false, line)
}

async function enabled(ctx: StateContext, name: string): Promise<StateReturn> {
  if (truthy(await ctx.call('ufw.is_enabled'))) return report(name, true, 'UFW is already enabled')
  if (ctx.test) return report(name, null, 'UFW would have been enabled')
  await ctx.call('ufw.set_enabled', [true])
  return report(name, true, 'UFW is enabled', { enabled: true })
}

async function policy(ctx: StateContext, name: string, wanted: string, direction: string): Promise<StateReturn> {
  const rule = `default ${wanted} ${direction}`
  if (ctx.test) return report(name, null, `${name}: ${rule}`)
  if ((await ctx.call(`ufw.get_default_${direction}`)) === wanted) {
    return report(name, true, `${name} was already set to ${wanted}`)
  }
  const [line = ''] = str(await ctx.call('ufw.add_rule', [rule])).split('\n')
  if (!line.startsWith(`Default ${direction} policy changed to`)) return report(name, false, line)
  return report(name, true, `${name} set to ${wanted}`, { rule })
}

const ruleState = (doc: string, method: string) =>
  state({
    doc,
    args: { name: arg.string('Name of the rule, used in reports'), ...RULE },
    run: (ctx, { name, ...rule }) => addRule(ctx, method, name, rule),
  })

const policyState = (direction: string) =>
  state({
    doc: `Ensure the default policy for ${direction} packets.`,
    args: { name: arg.string('Name of the state, used in reports'), default: arg.text('`allow`, `deny` or `reject`') },
    run: (ctx, { name, default: wanted }) => policy(ctx, name, wanted, direction),
  })

const allow = ruleState('Ensure that packets are allowed.', 'allow')

export default defineState({
  name: 'ufw',
  doc: 'Manage the firewall ufw.',
  functions: {
    enabled: state({
      doc: 'Ensure that the firewall is enabled.',
      args: { name: arg.string('Name of the state'), kwargs: arg.open('Accepted for compatibility') },
      run: (ctx, { name }) => enabled(ctx, name),
    }),
    default_incoming: policyState('incoming'),
    default_outgoing: policyState('outgoing'),
    deny: ruleState('Ensure that packets are denied, before all other rules.', 'insert 1 deny'),
    limit: ruleState('Ensure that packets are allowed, but that hosts which connect too often are denied.', 'limit'),
    allow,
    allowed: allow,
  },
})
