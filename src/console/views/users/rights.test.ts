import { expect, it } from 'vitest'
import { rightsLine } from './rights.ts'

it.each([
  [[], 'nothing'],
  [['.*', '@runner', '@wheel'], 'on all minions: all; runner functions: all; wheel functions: all'],
  [
    ['test.*', { 'web*': ['state.apply', 'grains.item'] }],
    'on all minions: test.*; on minions web*: state.apply, grains.item',
  ],
  [[{ '@runner': ['jobs.*'] }], 'runner functions: jobs.*'],
  [[{ 'db*': [{ 'cmd.run': { args: ['uptime'] } }] }], 'on minions db*: cmd.run with {"args":["uptime"]}'],
  [[{ 'db*': 'test.ping' }, 7], 'on all minions: 7; on minions db*: test.ping'],
])('describes %j', (permissions, expected) => {
  expect(rightsLine(permissions)).toBe(expected)
})
