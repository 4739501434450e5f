import { expect, test } from 'vitest'
import { scripted, tryFunction } from '../../../sdk/mod.ts'
import ntp from './module.ts'

test('set_servers configures Windows, and checks what it has then', async () => {
  const { others, ran } = scripted({
    'w32tm /query /configuration': 'NtpServer: a.example b.example (Local)\n',
    'W32tm*': 'ok',
  })
  const service = { 'service.status': () => true, 'service.restart': () => true }
  const call = (...args: string[]) => tryFunction(ntp, 'set_servers', { args, others: { ...others, ...service } })
  expect(await call('a.example', 'b.example')).toBe(true)
  expect(ran[0]).toBe('W32tm /config /syncfromflags:manual /manualpeerlist:a.example b.example')
  expect(await call('c.example')).toBe(false)
})
