import { describe, expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import { ruleWords } from './module/rule.ts'
import { parseSaved } from './module/saved.ts'
import iptables from './module.ts'

const built = (options: Record<string, Value>): string => {
  const words = ruleWords(new Map(Object.entries(options)))
  return typeof words === 'string' ? words : words.join(' ')
}

describe('a rule of iptables', () => {
  test.each<[Record<string, Value>, string]>([
    [
      { match: 'state', connstate: 'RELATED,ESTABLISHED', jump: 'ACCEPT' },
      '-m state --state RELATED,ESTABLISHED --jump ACCEPT',
    ],
    [{ jump: 'DROP', if: '!eth0', proto: 'not tcp' }, '! -i eth0 ! -p tcp --jump DROP'],
    [{ proto: 'tcp', dports: [80, '!443'] }, '-p tcp -m multiport ! --dports 80,443'],
    [{ dports: 80 }, 'Error: protocol must be specified'],
    [{ match: 'recent', name_: 'ssh', seconds: 60, rcheck: null }, '-m recent --name ssh --seconds 60 --rcheck'],
    [{ match: 'policy', proto: 'esp', 'match-set': '!bad src' }, '-m policy --proto esp -m set ! --match-set bad src'],
    [
      { jump: 'LOG', 'log-prefix': 'in: ', comment: 'all of it' },
      '-m comment --comment "all of it" --jump LOG --log-prefix "in: "',
    ],
    [{ target: 'A', name: 'x', save: true, require: [], s: '::1', syn: '!' }, '-s ::1 ! --syn --jump A'],
  ])('%o is %s', (options, rule) => {
    expect(built(options)).toBe(rule)
  })
})

const SAVED = `*filter
:INPUT DROP [12:345]
-A INPUT ! -s 10.0.0.0/8 -p tcp -m tcp --dport 22 -m comment --comment "let me in" -j ACCEPT
-A INPUT -p tcp --tcp-flags FIN,SYN SYN ! --syn --to-port 8
COMMIT
`

test('saved rules are read by table and chain', () => {
  const first = {
    protocol: ['tcp'],
    source: ['! 10.0.0.0/8'],
    jump: ['ACCEPT'],
    match: ['tcp', 'comment'],
    comment: ['let me in'],
    destination_port: ['22'],
  }
  const second = { protocol: ['tcp'], 'tcp-flags': ['FIN,SYN SYN'], syn: ['!'], 'to-ports': ['8'] }
  expect(toPlain(parseSaved(SAVED))).toEqual({
    filter: {
      INPUT: {
        policy: 'DROP',
        'packet count': '12',
        'byte count': '345',
        rules: [first, second],
        rules_comment: { 'let me in': first },
      },
    },
  })
})

/** A machine without any rules. */
async function trial(name: string, kwargs: Record<string, Value>) {
  const host = await MemoryHost.with({ files: { '/usr/bin/iptables': { text: '', mode: 0o755 } } })
  const lines: string[] = []
  const others = {
    'cmd.run_all': ([cmd]: readonly Value[]) => {
      lines.push(String(cmd))
      const stdout = String(cmd).endsWith('--help') ? '--wait --check' : SAVED
      return new Map<Value, Value>(
        Object.entries({ retcode: String(cmd).includes(' -C ') ? 1 : 0, stdout, stderr: '' }),
      )
    },
  }
  const answer = await tryFunction(iptables, name, { kwargs, host, others })
  return { answer, last: lines.at(-1) }
}

describe('iptables', () => {
  test.each<[string, Record<string, Value>, Value, string | undefined]>([
    ['append', { chain: 'INPUT', rule: '-j DROP' }, true, '/usr/bin/iptables --wait -t filter -A INPUT -j DROP'],
    [
      'insert',
      { chain: 'INPUT', rule: '-j DROP', position: -1 },
      '',
      '/usr/bin/iptables --wait -t filter -I INPUT 2 -j DROP',
    ],
    ['new_chain', { chain: 'C', table: 'nat' }, true, '/usr/bin/iptables --wait -t nat -N C'],
    ['get_policy', { chain: 'INPUT' }, 'DROP', '/usr/bin/iptables-save'],
    ['check', { chain: 'INPUT' }, 'Error: Rule needs to be specified', undefined],
  ])('%s with %o answers %o', async (name, kwargs, wanted, command) => {
    const { answer, last } = await trial(name, kwargs)
    expect(answer).toEqual(wanted)
    expect(last).toBe(command)
  })
})
