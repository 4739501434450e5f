// The states of TuneD, with its daemon.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Host } from '../host.ts'
import { Lab } from '../lab.ts'
import { STOCK } from '../stock.ts'

let lab: Lab
let host: Host

beforeAll(async () => {
  lab = await Lab.open({ stock: STOCK })
  ;[host] = (await lab.boot('tuned01')) as [Host]
  await host.run(['sh', '-ec', 'apt-get -q update && apt-get -q -y install dbus tuned && systemctl restart tuned'])
})

afterAll(() => lab?.close())

async function call(...words: string[]) {
  const { stdout, stderr } = await host.attempt(['salt-call', '--local', '--out=json', ...words])
  try {
    return JSON.parse(stdout).local
  } catch {
    throw new Error(`salt-call ${words.join(' ')}: ${stdout}${stderr}`)
  }
}

/** What a state foresees, does, and has left to do. */
async function thrice(...words: string[]) {
  const outcomes: unknown[] = []
  for (const test of ['test=True', 'test=False', 'test=False']) {
    const [outcome] = Object.values(await call('state.single', ...words, test)) as Record<string, unknown>[]
    const { result, changes } = outcome!
    outcomes.push([result, changes])
  }
  return outcomes
}

it('profiles are activated and turned off once', async () => {
  expect(await call('tuned.list')).toContain('throughput-performance')
  const before = await call('tuned.active')
  expect(await call('tuned.list')).toContain(await call('tuned.recommend'))
  expect(await thrice('tuned.profile', 'throughput-performance')).toEqual([
    [null, { old: before, new: 'Profile will be set to throughput-performance' }],
    [true, { old: before, new: 'throughput-performance' }],
    [true, {}],
  ])
  expect(await call('tuned.active')).toBe('throughput-performance')
  expect(await thrice('tuned.off', 'profiles')).toEqual([
    [null, { old: 'throughput-performance', new: 'Profile will be set to off' }],
    [true, { old: 'throughput-performance', new: 'off' }],
    [true, {}],
  ])
  expect(await call('tuned.active')).toBe('none')
})
