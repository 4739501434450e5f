import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { LocalHost } from '../../../host/mod.ts'
import { type Keywords, tryFunction } from '../../../sdk/mod.ts'
import cmd from '../cmd/module.ts'
import timezone from './module.ts'

test('timezone.get_zonecode and timezone.get_offset agree with the clock of this process', async () => {
  const host = new LocalHost()
  const others = {
    'cmd.run': (args: readonly Value[], kwargs: Keywords) => tryFunction(cmd, 'run', { host, args, kwargs }),
  }
  const minutes = -new Date().getTimezoneOffset()
  const two = (value: number): string => String(Math.floor(Math.abs(value))).padStart(2, '0')
  const wanted = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}${two(minutes % 60)}`
  expect(await tryFunction(timezone, 'get_offset', { host, others })).toBe(wanted)
  expect(await tryFunction(timezone, 'get_zonecode', { host, others })).toMatch(/^[A-Z]{3,5}$|^[+-]\d\d/)
})
