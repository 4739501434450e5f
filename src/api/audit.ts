// Audit events of the API: the user, the address, the action, and its result. Their tags are the master's own, so that
// no other sender can fire them.
import { guarded, type Log } from '../base/mod.ts'
import { externalOrigin, type Origin } from '../bus/mod.ts'
import { briefCopy, type Dict, type Value } from '../data/mod.ts'
import type { ApiMaster } from './master.ts'

export interface AuditEntry {
  /** The action, which is the end of the tag: `login`, `logout`, `call`, `refused`. */
  what: string
  user: string
  address: string
  /** Whether the caller is recognised. */
  isProven: boolean
  /** Further fields. Long texts are cut and credentials hidden. */
  fields: Dict
}

/** Events about requests that were refused, in one second. */
const MOST_REFUSED = 20

export class Audit {
  private readonly master: ApiMaster
  private readonly log: Log
  private second = 0
  private refused = 0

  constructor(master: ApiMaster, log: Log) {
    this.master = master
    this.log = log
  }

  /** Fire the event `salt/api/<what>` in the background. */
  tell({ what, user, address, isProven, fields }: AuditEntry): void {
    if (!isProven && !this.hasRoom()) return
    const data: Dict = new Map<Value, Value>([
      ['user', user.slice(0, 256)],
      ['address', address],
      ...(briefCopy(fields) as Dict),
    ])
    const origin: Origin = isProven ? { kind: 'user', name: user, proof: 'token' } : externalOrigin('api')
    guarded(this.log, 'Telling of a request to the API', () => this.master.fire(`salt/api/${what}`, data, origin))()
  }

  /** Strangers cause few events. */
  private hasRoom(): boolean {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.second) {
      this.second = second
      this.refused = 0
    }
    return ++this.refused <= MOST_REFUSED
  }
}
