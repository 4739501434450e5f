// What an earlier life of a master told of. A record is carried out before its place in the log is noted, so after kill -9 the last records
// come again. Of these, an event is told when the journal has no event of its mark. A return may be in the log twice, because a minion sends
// it again when nobody says that it came: its event is told once, by whichever record comes first.
import type { JournalReader } from '../bus/mod.ts'
import type { LastKept } from '../cluster/mod.ts'
import type { JobStore } from '../store/mod.ts'
import type { PreparedReturn } from './log-records.ts'

/** Own events are told before the log has them: so many of them may wait for it at most, and others with them. */
const LOOK_BACK = 50_000

const RETURN_TAG = /^salt\/job\/[^/]+\/ret\//

export class ToldEvents {
  private readonly marks = new Set<string>()
  /** The tags of returns that were told. */
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

  /** Whether an event of a mark was told. */
  has(mark: string): boolean {
    return this.marks.has(mark)
  }

  /** Whether the event of a return that comes again is still to be told. `isFirst` says that the job store did not have the return. */
  isUntold(mark: string, { jid, id, tag, isKept }: PreparedReturn, isFirst: boolean): boolean {
    if (this.marks.has(mark)) return false
    // a return that is not kept is told as often as it comes
    if (!isKept) return true
    if (this.returns.has(tag)) return false
    // a return that lies in the store since before was told then, however long ago
    if (!isFirst && (this.jobs.ledger.returnNumber(jid, id) ?? 0) <= this.sure.returned) return false
    this.returns.add(tag)
    return true
  }
}
