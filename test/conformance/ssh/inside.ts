// Plays one scenario inside a private mount namespace and sends the verdicts to the process that started it.
// Arguments: a file with the scenario, the scratch directory, the directory of keys, and `salt` for real Salt.
import { readFileSync } from 'node:fs'
import { toError } from '../../../src/base/mod.ts'
import { ours, realSalt } from '../../live/programs.ts'
import { play, type StepVerdict } from './play.ts'
import type { Scenario } from './scenario.ts'
import { World } from './world.ts'

const [file, scratch, keys, whose] = process.argv.slice(2) as [string, string, string, string?]
const scenario = JSON.parse(readFileSync(file, 'utf8')) as Scenario
const isSalt = whose === 'salt'

async function verdicts(): Promise<StepVerdict[]> {
  try {
    const world = new World(scratch, keys, isSalt ? realSalt() : ours)
    await world.open(scenario)
    return await play(scenario, world, isSalt)
  } catch (thrown) {
    return [{ name: `${scenario.scenario}/setup`, problem: String(toError(thrown).stack) }]
  }
}

process.stdout.write(JSON.stringify(await verdicts()), () => process.exit(0))
