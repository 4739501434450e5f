import { describe, expect, test } from 'vitest'
import { type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import ufw from './state.ts'

/** Run a state with recorded answers of ufw; return the rules that ufw got. */
async function run(fun: string, kwargs: Record<string, Value>, says: readonly string[], test = false) {
  const rules: Value[] = []
  const answers = [...says]
  const others = {
    'ufw.add_rule': ([rule]: readonly Value[]) => {
      rules.push(rule!)
      return answers.shift() ?? ''
    },
    'ufw.get_default_incoming': () => 'deny',
    'ufw.is_enabled': () => false,
    'ufw.set_enabled': () => null,
    'cmd.run': () => '192.0.2.7      STREAM web.example\n',
  }
  const { result, comment, changes } = toPlain(await tryState(ufw, fun, { kwargs, others, test })) as Record<
    string,
    Plain
  >
  return { result, comment, changes, rules }
}

describe('the firewall ufw', () => {
  test.each<[string, Record<string, Value>, string]>([
    ['allow', { to_port: '22', protocol: 'tcp' }, 'allow proto tcp from any to any port 22'],
    ['allowed', { interface: 'eth1' }, 'allow in on eth1'],
    ['limit', { app: '"OpenSSH"', comment: '"ssh"' }, 'limit from any to any app "OpenSSH" comment "ssh"'],
    ['allow', { from_addr: 'web.example', to_port: '*' }, 'allow from 192.0.2.7 to any'],
    ['deny', { from_addr: '10.0.0.0/8', to_addr: '10.1.1.1' }, 'insert 1 deny from 10.0.0.0/8 to 10.1.1.1'],
  ])('gets the rule of %s %o', async (fun, kwargs, rule) => {
    const told = await run(fun, { name: 'r', ...kwargs }, ['Rule added\nRule added (v6)'])
    expect(told).toEqual({ result: true, comment: 'r added', changes: { rule }, rules: [rule] })
  })

  test('keeps a rule that it has', async () => {
    const told = await run('allow', { name: 'r' }, ['Skipping adding existing rule'])
    expect(told).toMatchObject({ result: true, comment: 'r is already configured', changes: {} })
  })

  test('refuses packets by its first rule', async () => {
    const told = await run('deny', { name: 'r' }, ["ERROR: Invalid position '1'", 'Rule added'])
    expect(told.rules).toEqual(['insert 1 deny from any to any', 'deny from any to any'])
    expect(told).toMatchObject({ result: true, comment: 'r added' })
  })

  test('reports options that it does not support', async () => {
    const told = await run('allow', { name: 'r' }, ["ERROR: Could not find a profile matching 'x'"])
    expect(told).toMatchObject({ result: false, comment: "ERROR: Could not find a profile matching 'x'" })
  })

  test('predicts', async () => {
    expect(await run('allow', { name: 'r' }, ['*filter\n'], true)).toMatchObject({
      result: null,
      comment: 'r would have been configured',
    })
    expect(await run('enabled', { name: 'ufw' }, [], true)).toMatchObject({ comment: 'UFW would have been enabled' })
  })

  test('has default policies', async () => {
    const says = ["Default incoming policy changed to 'reject'\n"]
    expect(await run('default_incoming', { name: 'd', default: 'reject' }, says)).toMatchObject({
      comment: 'd set to reject',
      changes: { rule: 'default reject incoming' },
    })
    expect(await run('default_incoming', { name: 'd', default: 'deny' }, says)).toMatchObject({
      comment: 'd was already set to deny',
      changes: {},
    })
  })
})
