// Plays one scenario: does its steps in order, and says which came out otherwise than recorded.
import { Placeholders } from '../../live/placeholders.ts'
import { instead } from './accidents.ts'
import { lookProblems, problemsOf } from './compare.ts'
import { placed, type Scenario, type Step, stepName } from './scenario.ts'
import type { World } from './world.ts'

export interface StepVerdict {
  name: string
  /** Why it failed; undefined when it passed. */
  problem?: string
  /** Why this runner cannot do it. */
  skipped?: string
  /** Why we answer otherwise than recorded. */
  accident?: string
}

export async function play(scenario: Scenario, world: World, isSalt: boolean): Promise<StepVerdict[]> {
  const known = new Placeholders()
  const verdicts: StepVerdict[] = []
  for (const [index, recorded] of scenario.steps.entries()) {
    const other = isSalt ? undefined : instead(stepName(scenario, index))
    // outputs name the key of the sshd without its type
    const values = { ...world.values, HOSTKEY: world.values['HOSTKEY']!.split(' ')[1]! }
    const step = { ...placed({ ...recorded, ...other?.step }, values), ...input(recorded, world.values) }
    const { skipped, problems } = await perform(step, recorded, world, known)
    verdicts.push({
      name: `${stepName(scenario, index)}: ${recorded.run ?? recorded.action ?? recorded.observed}`,
      ...(problems.length > 0 && { problem: problems.join('\n') }),
      ...(skipped !== undefined && { skipped }),
      ...(other && { accident: other.reason }),
    })
  }
  return verdicts
}

/** Return the input of a step, without its output. */
function input({ run, stdin }: Step, values: Record<string, string>): Step {
  return placed({ ...(run !== undefined && { run }), ...(stdin !== undefined && { stdin }) }, values)
}

async function perform(
  step: Step,
  recorded: Step,
  world: World,
  known: Placeholders,
): Promise<{ problems: string[]; skipped?: string }> {
  if (step.run !== undefined) {
    const ran = await world.run(known.filled(step.run), step.stdin ?? '')
    const problems = problemsOf(step, ran, known)
    return { problems: problems.length > 0 ? [...problems, `stderr: ${ran.stderr.slice(0, 3000)}`] : [] }
  }
  if (step.action !== undefined) {
    return (await world.act(recorded)) ? { problems: [] } : { problems: [], skipped: `no way to do: ${step.action}` }
  }
  return { problems: lookProblems(step, world.look(step.observed!), known) }
}
