// The view of this master's job store for the comparison with the other masters of a cluster.
import { createHash } from 'node:crypto'
import { jidOf } from '../base/mod.ts'
import { minionOrigin } from '../bus/mod.ts'
import type { Cluster, Comparable } from '../cluster/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, encodeMsgpack } from '../data/mod.ts'
import { keptJobRecord, returnRecord } from './log-records.ts'
import type { MasterParts } from './parts.ts'

/** Minimum age of compared jobs, in milliseconds: returns of younger jobs may be in transit. */
const YOUNGEST_MS = 30_000
/** Maximum age of compared jobs, in seconds: a master may have removed older jobs before another one. */
const OLDEST_SECONDS = 43_200

type ComparableParts = Pick<MasterParts, 'opts' | 'jobs'> & { cluster: Pick<Cluster, 'share'> }

export function comparableJobs({ opts, jobs, cluster }: ComparableParts): Comparable {
  const kept = option(opts, 'keep_jobs_seconds')
  const oldest = kept > 0 ? Math.min(OLDEST_SECONDS, kept / 2) : OLDEST_SECONDS
  return {
    stretch: (limits) => {
      const now = Date.now()
      const [oldestId, youngestId] = [jidOf(now - oldest * 1000), jidOf(now - YOUNGEST_MS)]
      const first = [limits.first, oldestId].sort()[1]!
      const end = [limits.last ?? youngestId, youngestId].sort()[0]!
      const found = jobs.returnedIds({ from: first, until: end, jobs: limits.jobs + 1, returns: limits.returns })
      const compared = found.slice(0, limits.jobs).map(({ jid, ids }) => {
        const digest = createHash('sha256').update(ids.join('\n')).digest('base64url').slice(0, 22)
        return { jid, count: ids.length, digest }
      })
      const isCut = found.reduce((sum, { ids }) => sum + ids.length, 0) >= limits.returns
      const hasMore = compared.length > 0 && (isCut || found.length > limits.jobs)
      return { first, last: hasMore ? compared.at(-1)!.jid : end, jobs: compared, hasMore }
    },
    idsOf: (jid) => jobs.returnedIds({ from: jid, until: jid, jobs: 1, returns: 1 })[0]?.ids,
    restore: ({ jid, ids, withJob, bytes }) => {
      const done = { count: 0, bytes: 0 }
      const job = jobs.job(jid)
      if (!job) return done
      const share = (record: Dict): boolean => {
        done.bytes += encodeMsgpack(record, 'bus').length
        return cluster.share(record) !== undefined
      }
      if (withJob) share(keptJobRecord(job))
      for (const id of ids) {
        if (done.bytes >= bytes) break
        const data = jobs.returnOf(jid, id)
        if (!data) continue
        const tag = `salt/job/${jid}/ret/${id}`
        if (share(returnRecord({ jid, id, isKept: true, tag, data, sender: minionOrigin(id) }))) done.count++
      }
      return done
    },
  }
}
