import { expect, test } from 'vitest'
import { BrineError, silentLog } from '../base/mod.ts'
import { MuteEvents } from './mute-events.ts'

const unreached = (code: string): BrineError =>
  new BrineError('BusUnreachable', 'Could not reach the event bus', { cause: Object.assign(new Error(code), { code }) })

test('a bus that may not be read says nothing until it is closed', async () => {
  const events = MuteEvents.inPlaceOf(unreached('EACCES'), silentLog)
  expect(events.isOpen).toBe(true)
  const next = events.next(60)
  events.close()
  expect(await next).toBeUndefined()
  expect(events.isOpen).toBe(false)
})

test('a missing bus is still an error', () => {
  expect(() => MuteEvents.inPlaceOf(unreached('ENOENT'), silentLog)).toThrow('Could not reach the event bus')
})
