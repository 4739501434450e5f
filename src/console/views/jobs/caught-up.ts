// A job with the returns in its matrix. The matrix follows the returns as they arrive; the job itself is polled rarely,
// because its answer names all minions.
import type { Matrix } from './feed.ts'
import type { Job } from './job-data.ts'
import type { Row } from './matrix-rows.ts'

/** Return a job with the returns of its matrix, if the matrix has more of them. */
export function caughtUp(job: Job, matrix: Pick<Matrix, 'rows' | 'groups' | 'waiting' | 'isWhole'> | undefined): Job {
  if (!matrix?.isWhole || matrix.rows.length <= job.counts.returned) return job
  const { rows, groups, waiting } = matrix
  const failures = new Set(groups.filter(({ succeeded }) => !succeeded).map(({ group }) => group))
  const byId = new Map(rows.map((row) => [row.minion, row]))
  const stateOf = ({ group }: Row): 'failed' | 'succeeded' => (failures.has(group) ? 'failed' : 'succeeded')
  const failed = rows.filter(({ group }) => failures.has(group)).length
  const isOver = job.state === 'running' && waiting === 0
  return {
    ...job,
    state: isOver ? (failed > 0 ? 'failed' : 'done') : job.state,
    cancelable: job.cancelable && !isOver,
    counts: { minions: Math.max(job.counts.minions, rows.length), returned: rows.length, failed, missing: waiting },
    minions: job.minions.map((minion) => {
      const row = minion.state === 'waiting' ? byId.get(minion.id) : undefined
      return row ? { id: minion.id, state: stateOf(row), returned: row.returned, reason: null } : minion
    }),
  }
}
