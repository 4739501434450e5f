// A process that creates one machine, for tests that kill it: its notes are in a file, as in the record of a creation.
import { writeFileSync } from 'node:fs'
import { encodeMsgpack } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { driverTable } from '../../src/loader/mod.ts'
import { create, open, watchSteps } from './listener.ts'

const [driverName = '', name = '', provider = '', settings = '', notes = ''] = process.argv.slice(2)
const driver = (await driverTable[driverName]!()).default
const account = await open(driver, JSON.parse(provider), new LocalHost())
const steps = watchSteps()
await create(driver, account, name, JSON.parse(settings), {
  report: steps.report,
  note: async (facts) => {
    await steps.note(facts)
    writeFileSync(notes, encodeMsgpack(steps.noted, 'bus'))
  },
})
