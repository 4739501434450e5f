import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import { ruleText } from '../nftables/module/rule.ts'
import nftables from '../nftables/module.ts'
import ipset from './module.ts'

const INFO = 'Name: web\nType: hash:net,port\nHeader: family inet timeout 0'

async function run(name: string, kwargs: Record<string, Value>) {
  const lines: string[] = []
  const said = ([cmd]: readonly Value[]): string => {
    lines.push((cmd as Value[]).join(' '))
    return lines.at(-1)!.endsWith('list web') ? `${INFO}\nMembers:\n10.0.0.0/8,80\n192.0.2.1,22` : INFO
  }
  const others = {
    'cmd.run': (args: readonly Value[]) => {
      said(args)
      return ''
    },
    'cmd.run_all': (args: readonly Value[]) => {
      const known = said(args)
      return fromPlain({ retcode: lines.at(-1)!.endsWith('none') ? 1 : 0, stdout: known, stderr: '' })
    },
  }
  return { answer: toPlain(await tryFunction(ipset, name, { kwargs, others })), last: lines.at(-1) }
}

test.each<[Value, unknown]>([
  ['10.1.2.3,80', true],
  ['10.1.2.3,81', false],
  ['192.0.2.0-192.0.2.1,22', true],
  ['192.0.2.1-192.0.2.2,22', false],
  [['198.51.100.1,1', '192.0.2.1,22'], true],
])('ipset.check finds %o among the members: %s', async (entry, wanted) => {
  expect((await run('check', { name: 'web', entry })).answer).toBe(wanted)
})

test.each<[string, Record<string, Value>, unknown, string | undefined]>([
  ['new_set', { name: 's', set_type: 'hash:ip', timeout: 3 }, true, 'ipset create s hash:ip timeout 3 family inet'],
  ['new_set', { name: 's', set_type: 'bitmap:ip' }, 'Error: range is a required argument', undefined],
  [
    'add',
    { name: 'web', entry: '10.0.0.0/8,80' },
    'Warn: Entry 10.0.0.0/8,80 already exists in set web',
    'ipset list web',
  ],
  ['add', { name: 'web', entry: '1.2.3.4,5', timeout: 9 }, 'Success', 'ipset add -exist web 1.2.3.4,5 timeout 9'],
  [
    'add',
    { name: 'web', entry: '1.2.3.4,5', packets: 1 },
    'Error: Set web not created with counters support',
    'ipset list -t web',
  ],
  ['delete', { name: 'none', entry: '1.2.3.4' }, 'Error: Set none does not exist', 'ipset list -t none'],
])('ipset.%s %o answers %o', async (name, kwargs, answer, last) => {
  expect(await run(name, kwargs)).toEqual({ answer, last })
})

test.each<[Record<string, Value>, string]>([
  [{ jump: 'accept', connstate: 'new', dport: 22, proto: 'tcp' }, 'ct state { new } tcp dport { 22 } accept'],
  [{ dports: '80,443', proto: 'tcp', j: 'drop' }, 'tcp dport { 443, 80 } drop'],
  [{ if: 'eth0', source: '10.0.0.0/8', counter: true }, 'meta iifname eth0 counter ip saddr 10.0.0.0/8'],
  [{ 'to-port': 8080, sport: '1:9', proto: 'udp' }, 'udp sport { 1-9 } redirect to 8080'],
])('a rule of nftables: %o is %s', (options, rule) => {
  expect(ruleText(new Map(Object.entries(options)), 'ip')).toBe(rule)
})

const CHAIN = 'table ip filter {\n\tchain input {\n\t\ttcp dport 22 accept # handle 4\n\t}\n}'

test.each<[string, Record<string, Value>, unknown, string]>([
  ['check', { rule: 'tcp dport { 22 } accept' }, { result: true }, 'nft --handle list chain ip filter input'],
  ['append', { rule: 'drop' }, { result: true }, 'nft add rule ip filter input drop'],
  ['delete', { rule: 'tcp dport { 22 } accept' }, { result: true }, 'nft delete rule ip filter input handle 4'],
  [
    'flush',
    { chain: 'nope' },
    { comment: 'Chain nope in table filter in family ipv4 does not exist' },
    'nft list table ip filter',
  ],
])('nftables.%s %o', async (name, kwargs, answer, last) => {
  const lines: string[] = []
  const others = {
    'cmd.run': ([cmd]: readonly Value[]) => {
      lines.push(String(cmd))
      return / (?:add|delete|flush) /.test(String(cmd)) ? '' : CHAIN
    },
  }
  const given = { table: 'filter', chain: 'input', ...kwargs }
  expect(toPlain(await tryFunction(nftables, name, { kwargs: given, others, host: new MemoryHost() }))).toMatchObject(
    answer as object,
  )
  expect(lines.at(-1)).toBe(last)
})
