// CloudWatch alarms of another object, such as a load balancer: each is a state of boto_cloudwatch_alarm.
import { type Dict, deepCopy, isDict, misuse, str, update, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import { type AwsLogin, loginOf, optionOf } from './login.ts'
import type { Part } from './part.ts'

/** Return the options or pillar data under a name, merged with the given dict. */
export function withPillar(ctx: StateContext, name: string | null, given: Dict | null): Dict {
  const found = (name ? optionOf(ctx, name) : undefined) ?? null
  const merged = isDict(found) ? (deepCopy(found) as Dict) : new Map<Value, Value>()
  return given === null ? merged : update(merged, deepCopy(given))
}

/** An alarm of a state: its name, and the parameters of `boto_cloudwatch.create_or_update_alarm`. */
export interface Alarm {
  name: string
  attributes: Dict
}

/** Return the alarms of a state, by the name and description of their owner. */
export function alarmsOf(owner: string, alarms: Dict): Alarm[] {
  return [...alarms].map(([key, value]) => {
    const attributes = isDict(value) ? (value.get('attributes') ?? null) : null
    const name = isDict(value) ? (value.get('name') ?? null) : null
    if (name === null || !isDict(attributes)) throw misuse(`The alarm '${str(key)}' needs 'name' and 'attributes'`)
    const description = `${owner} ${str(attributes.get('description') ?? '')}`.trimEnd()
    return { name: `${owner} ${str(name)}`, attributes: new Map(attributes).set('description', description) }
  })
}

/** Ensure that alarms exist. */
export async function alarmsPresent(ctx: StateContext, alarms: readonly Alarm[], login: AwsLogin): Promise<Part> {
  const part = { result: true as boolean | null, comment: '', changes: new Map<Value, Value>() }
  for (const { name, attributes } of alarms) {
    const report = await ctx.state('boto_cloudwatch_alarm.present', { name, attributes, ...loginOf(login) })
    const [result, changes] = [report.get('result') ?? null, report.get('changes') ?? null]
    if (result !== true && part.result !== false) part.result = result === null ? null : false
    if (isDict(changes) && changes.size > 0) part.changes.set(name, changes)
    part.comment += str(report.get('comment') ?? '')
  }
  return part
}
