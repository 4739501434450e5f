// Control of a running reactor by events: list and change its rules, switch it, preview the reaction to an event. Such
// events come from the master, or from programs of the master's user that prove that they can read the master's key.
import type { Log } from '../base/mod.ts'
import { type EventBus, isOwn, type Origin, readOriginText } from '../bus/mod.ts'
import { type Dict, isDict, isProven, str, truthy, type Value } from '../data/mod.ts'
import type { ReactedEvent } from './render-reactions.ts'
import type { ManageResult, Rules } from './rules.ts'

export interface ManagingParts {
  opts: Dict
  log: Log
  bus: EventBus
  rules: Rules
  masterKey(): string
  preview(event: ReactedEvent): Promise<Dict>
}

const BASE = 'salt/reactors/manage'

export class Managing {
  private readonly parts: ManagingParts
  /** Whether this master leads the cluster; only the leader answers events. */
  isLeader = true

  constructor(parts: ManagingParts) {
    this.parts = parts
  }

  async answer(tag: string, data: Dict, origin: Origin): Promise<void> {
    const { log, masterKey } = this.parts
    const [, wish] = /salt\/reactors\/manage\/(list|add|delete|is_leader|set_leader|test)$/.exec(tag) ?? []
    if (wish === undefined) return
    if (!isOwn(origin) || !isProven(masterKey(), tag, data)) {
      log('error', 'received salt/reactors/manage event without matching master_key. discarding')
      return
    }
    await this.fulfil(wish, data)
  }

  private async fulfil(wish: string, data: Dict): Promise<void> {
    const { bus, rules, opts, preview } = this.parts
    const event = str(data.get('event') ?? '')
    const changed = ({ status, comment }: ManageResult): Dict => {
      const result = new Map<Value, Value>([['status', status]]).set('comment', comment)
      return new Map<Value, Value>([['reactors', rules.list()]]).set('result', result)
    }
    if (wish === 'list') bus.fire(`${BASE}/list-results`, new Map([['reactors', rules.list()]]))
    else if (wish === 'add') bus.fire(`${BASE}/add-complete`, changed(rules.add(event, data.get('reactors') ?? [])))
    else if (wish === 'delete') bus.fire(`${BASE}/delete-complete`, changed(rules.delete(event)))
    else if (wish === 'test') {
      const given = data.get('data') ?? null
      const origin = readOriginText(str(data.get('origin') ?? ''))
      const result = await preview({ tag: event, data: isDict(given) ? given : new Map(), origin })
      bus.fire(`${BASE}/test-results`, new Map([['result', result]]))
    } else {
      if (wish === 'set_leader' && data.get('id') === opts.get('id')) this.isLeader = truthy(data.get('value') ?? false)
      bus.fire(`${BASE}/leader/value`, new Map([['result', this.isLeader]]))
    }
  }
}
