// The events that an earlier process of a master fired. The position in the log is stored after a record is carried
// out, so after kill -9 the last records are replayed. Their events are fired again only if the journal has no event
// with the mark. A return may be in the log twice, because a minion repeats it until it is confirmed: its event is
// fired once, by the record that comes first.
import type { JournalReader } from '../bus/mod.ts'
import type { LastKept } from '../cluster/mod.ts'
import type { JobStore } from '../store/mod.ts'
import type { PreparedReturn } from './log-records.ts'

/** How many own events may wait for the log: they are fired before they are appended. */
const LOOK_BACK = 50_000

const RETURN_TAG = /^salt\/job\/[^/]+\/ret\//

export class ToldEvents {
  private readonly marks = new Set<string>()
  /** The tags of returns whose events were fired. */
  private readonly returns = new Set<string>()
  private readonly jobs: Pick<JobStore, 'ledger'>
  private readonly sure: LastKept

  /** `sure` is up to where the journal and the job store are surely whole. */
  constructor(journal: Pick<JournalReader, 'marks'>, jobs: Pick<JobStore, 'ledger'>, sure: LastKept) {
    this.jobs = jobs
    this.sure = sure
    for (const { mark, tag } of journal.marks(Math.max(0, sure.event - LOOK_BACK))) {
      this.marks.add(mark)
      if (RETURN_TAG.test(tag)) this.returns.add(tag)
    }
  }

  /** Whether the event with this mark was fired. */
  has(mark: string): boolean {
    return this.marks.has(mark)
  }

  /** Whether the event of a replayed return must still be fired. `isFirst`: the job store did not have the return. */
  isUntold(mark: string, { jid, id, tag, isKept }: PreparedReturn, isFirst: boolean): boolean {
    if (this.marks.has(mark)) return false
    // the event of a return that is not stored is fired for each record
    if (!isKept) return true
    if (this.returns.has(tag)) return false
    // the event of a return that was stored earlier has been fired
    if (!isFirst && (this.jobs.ledger.returnNumber(jid, id) ?? 0) <= this.sure.returned) return false
    this.returns.add(tag)
    return true
  }
}
