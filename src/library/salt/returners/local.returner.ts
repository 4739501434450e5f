// `local`: prints returns and events, to show the input of returners.
import { repr, type Value } from '../../../data/mod.ts'
import { defineReturner } from '../../../sdk/mod.ts'

const print = (value: Value): void => void process.stdout.write(`${repr(value)}\n`)

export default defineReturner({
  name: 'local',
  doc: 'Print returns and events on the standard output.',
  functions: {
    returner: (_ctx, ret) => print(ret),
    event_return: (_ctx, events) => print([...events]),
  },
})
