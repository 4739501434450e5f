// Queries the running master: the current grains of its minions, and which minions answer. One read-only job.
import { silentLog } from '../../base/mod.ts'
import { ClientJobs } from '../../client/mod.ts'
import { clientConfig, option } from '../../config/mod.ts'
import { type Dict, isDict } from '../../data/mod.ts'
import type { Report } from '../finding.ts'
import type { FoundMinions } from './minions.ts'
import type { DoctorRequest, SiteDaemon } from './site.ts'

/** Replace the master's cached data by the minions' answers. */
export async function askMinions(
  found: FoundMinions,
  { file }: SiteDaemon,
  request: DoctorRequest,
  report: Report,
): Promise<void> {
  const opts = await clientConfig({ path: file, isLook: true })
  const answers = await grainsOf(opts, request.minion ?? '*')
  for (const [id, grains] of answers) {
    if (grains === undefined) report('minion-away', { message: 'A minion did not answer', minion: id })
    if (!grains) continue
    const known = found.minions.find((minion) => minion.id === id)
    if (known) known.grains = grains
    else found.minions.push({ id, grains, pillar: undefined, from: 'cache' })
  }
  found.withoutGrains = found.withoutGrains.filter((id) => answers.get(id) === undefined)
}

/** By minion id; undefined for a minion that did not answer. */
async function grainsOf(opts: Dict, target: string): Promise<Map<string, Dict | undefined>> {
  const jobs = new ClientJobs(opts, silentLog)
  try {
    const published = await jobs.publish({ tgt: target, fun: 'grains.items' })
    const answers = new Map<string, Dict | undefined>((published?.minions ?? []).map((id) => [id, undefined]))
    if (!published) return answers
    for await (const { id, data } of jobs.collect(
      published,
      option(opts, 'timeout'),
      option(opts, 'gather_job_timeout'),
    )) {
      const grains = data?.get('return') ?? null
      if (isDict(grains)) answers.set(id, grains)
    }
    return answers
  } finally {
    jobs.close()
  }
}
