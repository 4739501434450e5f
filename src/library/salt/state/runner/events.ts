// Prints events as they arrive: a tag, a tab and the data in JSON, for users and for shell scripts. Past events come
// from the journal.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import type { BusMessage, MasterContext } from '../../../../sdk/mod.ts'
import { EventPlace } from '../../common/event-place.ts'
import { eventLine, tagMatcher } from '../event-lines.ts'

export interface EventWatch {
  tagmatch: string
  count: number
  quiet: Value
  pretty: Value
  node: Value
  sock_dir: Value
  since: Value
  resume: Value
  numbers: Value
  origins: Value
}

/**
 * Return a glob that matches at least the wanted tags: the literal beginning of an expression, read as a glob or as a
 * regular expression.
 */
export function roughly(expression: string): string {
  if (expression.includes('|')) return '*'
  const plain = /^[^*?[\](){}.+^$\\]*/.exec(expression)![0]
  if (plain === expression) return expression
  const isRepeated = '*?{+'.includes(expression[plain.length]!)
  return `${isRepeated ? plain.slice(0, -1) : plain}*`
}

export async function watchEvents(ctx: MasterContext, watch: EventWatch): Promise<null> {
  const { tagmatch, count } = watch
  if (count === 0) return null
  const place = await EventPlace.open(ctx, watch.since, watch.resume)
  const wish = {
    tags: [roughly(tagmatch)],
    ...(place.from && { since: place.from }),
    ...(watch.node === 'minion' && { ofMinion: true }),
    ...(truthy(watch.sock_dir) && { sockDir: str(watch.sock_dir) }),
  }
  let left = count
  try {
    for await (const event of ctx.events(tagMatcher(tagmatch), undefined, wish)) {
      if (!truthy(watch.quiet)) ctx.print(line(event, watch))
      place.passed(event.number ?? 0)
      if (left > 0) left--
      if (left === 0) break
    }
  } finally {
    await place.close()
  }
  return null
}

function line({ tag, data, number = 0, origin }: BusMessage, { pretty, numbers, origins }: EventWatch): string {
  const before = [truthy(numbers) && String(number), truthy(origins) && `${origin.kind}:${origin.name}`]
  return eventLine(
    tag,
    data,
    truthy(pretty),
    before.filter((column) => column !== false),
  )
}
