// The events of the bus of a minion: printed as they arrive if a user is watching, else returned.
import { type Dict, failure, misuse, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { givenNumber } from '../../common/given.ts'
import { eventLine, tagMatcher } from '../event-lines.ts'

export interface EventWatch {
  tagmatch: string
  count: Value
  quiet: boolean
  sock_dir: string | null
  pretty: boolean
  node: string
}

export async function watchMinionEvents(ctx: FunctionContext, watch: EventWatch): Promise<Value> {
  const { tagmatch, quiet, pretty, sock_dir } = watch
  if (watch.node !== 'minion') {
    throw misuse(
      "A minion sees the events of its own bus; `salt-run state.event` shows those of the master (node='minion')",
    )
  }
  const { events, print } = ctx.daemon ?? {}
  if (!events) throw failure('No minion runs here that has events')
  const count = givenNumber('count', watch.count)
  if (!print && count < 1) throw misuse('A job must say after how many events it ends: give `count`')
  const seen: Dict[] = []
  let left = count
  for await (const { tag, data } of events(tagMatcher(tagmatch), sock_dir ?? undefined)) {
    if (left === 0) break
    if (!quiet && print) print(eventLine(tag, data, pretty))
    if (!quiet && !print) seen.push(new Map<Value, Value>([['tag', tag]]).set('data', data))
    if (left > 0) left--
    if (left === 0) break
  }
  return print || quiet ? null : seen
}
