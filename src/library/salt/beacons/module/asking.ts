// Requests to the minion daemon about its beacons, and the meaning of its answers.
import { type Dict, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext, MinionAnswer } from '../../../../sdk/mod.ts'

export type Given = ReadonlyMap<string, Value>

const WAIT = 60
const waitOf = (given: Given): Value => given.get('timeout') ?? WAIT

export const askBeacons = (
  ctx: FunctionContext,
  data: Record<string, Value>,
  answer: string,
  given: Given,
): Promise<MinionAnswer> =>
  ctx.askMinion({
    tag: 'manage_beacons',
    data: new Map(Object.entries(data)),
    answer: `/salt/minion/minion_${answer}`,
    wait: Number(waitOf(given)),
  })

export const report = (result: boolean, comment: Value): Dict =>
  new Map<Value, Value>([['comment', comment]]).set('result', result)

/** Return the beacons in an answer; undefined if the minion did not complete the request. */
export function beaconsIn(answer: MinionAnswer): Value | undefined {
  if (!answer || !truthy(answer.get('complete') ?? false)) return undefined
  return answer.get('beacons') ?? null
}

/** Return the failure in an answer, or the timeout. `what` is the name of the event. */
export function notDone(answer: Dict | null, what: string, given: Given): Dict {
  if (answer !== null) return report(false, answer.get('comment') ?? null)
  return report(false, `Did not receive the beacon ${what} event before the timeout of ${str(waitOf(given))}s`)
}

/** Return all beacons by name; null without a minion daemon. */
export async function currentBeacons(ctx: FunctionContext, given: Given, pillar: Value = true): Promise<Value> {
  const include_pillar = given.get('include_pillar') ?? pillar
  const data = { func: 'list', include_pillar, include_opts: given.get('include_opts') ?? true }
  return beaconsIn(await askBeacons(ctx, data, 'beacons_list_complete', given)) ?? null
}
