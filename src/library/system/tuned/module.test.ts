import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { type Recorded, scripted, tryFunction } from '../../../sdk/mod.ts'
import tuned from './module.ts'

const LIST = `Available profiles:
- balanced                    - General non-specialized tuned profile
- latency-performance         - Optimize for deterministic performance - at the cost of power
- virtual-guest               - Optimize for running inside a virtual guest
Current active profile: virtual-guest`

const NO_DAEMON = 'Cannot talk to TuneD daemon via DBus. Is TuneD daemon running?'

function machine(recorded: Record<string, Recorded>) {
  const { others, ran } = scripted(recorded)
  const call = async (fun: string, ...args: Value[]) => toPlain(await tryFunction(tuned, fun, { args, others }))
  return { call, ran }
}

test('list has the names of profiles, without their descriptions', async () => {
  const names = ['balanced', 'latency-performance', 'virtual-guest']
  expect(await machine({ 'tuned-adm list': LIST }).call('list')).toEqual(names)
  const withoutDescriptions = 'Available profiles:\n- balanced\n- my own\nNo current active profile.'
  expect(await machine({ 'tuned-adm list': withoutDescriptions }).call('list')).toEqual(['balanced', 'my own'])
})

test('list leaves out warnings that follow the profiles', async () => {
  const warnings = '\n\n** COLLECTED WARNINGS **\n- no profile at all\n** END OF COLLECTED WARNINGS **'
  const { call } = machine({ 'tuned-adm list': { stdout: LIST + warnings, stderr: NO_DAEMON } })
  expect(await call('list')).toHaveLength(3)
})

test('active is the name of the profile, or none', async () => {
  const active = (answer: Recorded) => machine({ 'tuned-adm active': answer }).call('active')
  expect(await active('Current active profile: virtual-guest')).toBe('virtual-guest')
  expect(await active('Current active profile: balanced powersave')).toBe('balanced powersave')
  expect(await active({ retcode: 1, stdout: 'No current active profile.', stderr: NO_DAEMON })).toBe('none')
  const preset = 'It seems that tuned daemon is not running, preset profile is not activated.\nPreset profile: balanced'
  expect(await active(preset)).toBe('none')
})

test('recommend is the name alone, and a failure of tuned-adm is an error', async () => {
  const { call } = machine({ 'tuned-adm recommend': { stdout: 'balanced\n', stderr: NO_DAEMON } })
  expect(await call('recommend')).toBe('balanced')
  const broken = machine({ 'tuned-adm *': { retcode: 1, stderr: NO_DAEMON } })
  await expect(broken.call('recommend')).rejects.toThrow(`tuned-adm recommend failed: ${NO_DAEMON}`)
  await expect(broken.call('list')).rejects.toThrow('tuned-adm list failed')
})

test('profile and off return whether tuned-adm succeeded', async () => {
  const works = machine({ 'tuned-adm *': '' })
  expect(await works.call('profile', 'balanced')).toBe('balanced')
  expect(await works.call('profile', 'balanced powersave')).toBe('balanced powersave')
  expect(await works.call('off')).toBe(true)
  expect(works.ran).toEqual(['tuned-adm profile balanced', 'tuned-adm profile balanced powersave', 'tuned-adm off'])
  const fails = machine({ 'tuned-adm *': { retcode: 1, stderr: "Requested profile 'x' doesn't exist." } })
  expect(await fails.call('profile', 'x')).toBe(false)
  expect(await fails.call('off')).toBe(false)
})

test('a name of a profile is no option of tuned-adm', async () => {
  const { call, ran } = machine({})
  for (const name of ['', ' ', '--help', 'balanced --loglevel=debug']) {
    await expect(call('profile', name)).rejects.toThrow('Invalid name of a profile')
  }
  expect(ran).toEqual([])
})

test('the module serves where tuned-adm is', async () => {
  const serves = async (files: Record<string, { text: string; mode: number }>) =>
    tuned.when!({ opts: new Map(), grains: new Map(), host: await MemoryHost.with({ files }) })
  expect(await serves({ '/usr/bin/tuned-adm': { text: '', mode: 0o755 } })).toBe(true)
  expect(await serves({})).toMatch('tuned-adm binary is not in the path')
})
