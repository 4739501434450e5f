import { expect, test } from 'vitest'
import { dictFrom, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import apf from './module.ts'

/** Run a function over recorded output; return its result and the calls of apf. */
async function attempt(name: string, rules: string, args: Value[] = [], code = 0) {
  const calls: string[] = []
  const others = {
    'cmd.run_all': ([argv]: readonly Value[]) => {
      const line = (argv as string[]).join(' ')
      if (line === 'iptables -S') return dictFrom({ retcode: 0, stdout: rules, stderr: '' })
      calls.push(line)
      return dictFrom({ retcode: code, stdout: 'done', stderr: code ? 'no' : '' })
    },
  }
  return [await tryFunction(apf, name, { args, others }), ...calls]
}

const ACTIVE = '-P INPUT DROP\n-N TCP_SANITY\n-A INPUT -j TCP_SANITY\n'
const IDLE = '-P INPUT ACCEPT\n'

test('is active while its chains exist', async () => {
  expect(await attempt('running', ACTIVE)).toEqual([true])
  expect(await attempt('running', IDLE)).toEqual([false])
})

test('is enabled and disabled once', async () => {
  expect(await attempt('enable', IDLE)).toEqual(['done', 'apf -s'])
  expect(await attempt('enable', ACTIVE)).toEqual([null])
  expect(await attempt('disable', ACTIVE)).toEqual(['done', 'apf -f'])
  expect(await attempt('disable', IDLE)).toEqual([null])
  expect(await attempt('reload', IDLE)).toEqual(['done', 'apf -r'])
  expect(await attempt('refresh', ACTIVE)).toEqual(['done', 'apf -e'])
})

test('allows, denies and forgets hosts, and takes no options for hosts', async () => {
  expect(await attempt('allow', IDLE, ['10.0.0.0/8'])).toEqual(['done', 'apf -a 10.0.0.0/8'])
  expect(await attempt('deny', IDLE, ['fe80::1'])).toEqual(['done', 'apf -d fe80::1'])
  expect(await attempt('remove', IDLE, ['host.example'])).toEqual(['done', 'apf -u host.example'])
  await expect(attempt('deny', IDLE, ['-f'])).rejects.toThrow("'-f' is no address")
  await expect(attempt('deny', IDLE, ['1.2.3.4'], 1)).rejects.toThrow('apf failed: no')
})
