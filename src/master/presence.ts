// `presence_events`: the master periodically fires the list of connected minions, and the changes since the last one.
import { option } from '../config/mod.ts'
import { dictFrom, type Value } from '../data/mod.ts'
import { connectedMinions } from '../match/mod.ts'
import type { MasterParts } from './parts.ts'

type PresenceParts = Pick<MasterParts, 'opts' | 'bus' | 'cache'>

export class Presence {
  private readonly parts: PresenceParts
  private before: Set<string>

  constructor(parts: PresenceParts) {
    this.parts = parts
    const known = parts.cache.bank('presence-data').fetch('present')
    this.before = new Set(Array.isArray(known) ? (known as string[]) : [])
  }

  tell(): void {
    const { opts, bus, cache } = this.parts
    if (!option(opts, 'presence_events')) return
    const present = new Set(connectedMinions(this.parts).keys())
    const fresh = [...present].filter((id) => !this.before.has(id))
    const lost = [...this.before].filter((id) => !present.has(id))
    if (fresh.length > 0 || lost.length > 0) {
      bus.fire('salt/presence/change', dictFrom({ new: fresh, lost }))
      cache.bank('presence-data').store('present', [...present])
    }
    bus.fire('salt/presence/present', new Map<Value, Value>([['present', [...present]]]))
    this.before = present
  }
}
