import { expect, test } from 'vitest'
import { Outage } from './outage.ts'

const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:4505'), { code: 'ECONNREFUSED' })

function outage(): { seconds: number; lines: string[]; outage: Outage } {
  const made = { seconds: 0, lines: [] as string[] }
  const log = (level: string, text: string): void => void made.lines.push(`${level}: ${text}`)
  return Object.assign(made, { outage: new Outage('master 192.0.2.1:4505', log, () => made.seconds * 1000) })
}

test('A peer that cannot be reached is named at once, then at growing intervals, and when it is there', () => {
  const site = outage()
  for (; site.seconds < 60; site.seconds += 0.5) site.outage.failed(refused)
  site.outage.works()
  expect(site.lines).toEqual([
    'warning: Cannot reach master 192.0.2.1:4505: connection refused; trying again',
    'warning: Cannot reach master 192.0.2.1:4505 (for 10 s now): connection refused; trying again',
    'warning: Cannot reach master 192.0.2.1:4505 (for 30 s now): connection refused; trying again',
    'warning: Connected to master 192.0.2.1:4505 after 60 s',
  ])
})

test('A connection that was lost is reported again when it is back', () => {
  const site = outage()
  site.outage.works()
  site.outage.lost(undefined)
  site.seconds += 0.1
  site.outage.failed(refused)
  site.seconds += 2.4
  site.outage.works()
  site.outage.works()
  expect(site.lines).toEqual([
    'warning: The connection to master 192.0.2.1:4505 was lost: connection closed',
    'warning: Cannot reach master 192.0.2.1:4505: connection refused; trying again',
    'warning: Connected to master 192.0.2.1:4505 again after 2.5 s',
  ])
})
