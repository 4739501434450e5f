// The job cache to read: the option `ext_job_cache`, the cache that the call names, or the store of the master.
import { type Dict, failure, isList, str } from '../../../../data/mod.ts'
import { type MasterContext, option, type PackedLoads } from '../../../../sdk/mod.ts'

const OWN = 'local_cache'

export interface JobSource {
  name: string
  job(jid: string): Promise<{ load: Dict; minions?: readonly string[] } | undefined>
  returns(jid: string): Promise<Map<string, Dict>>
  /** Whether `jobs` returns the same object for a job again, and that object does not change. */
  hasLastingLoads: boolean
  /** Return the stored loads of all jobs, if that is faster. */
  packed?: () => PackedLoads | undefined
  /** Return the loads by job id, oldest first. */
  jobs(): Promise<Map<string, Dict>>
}

export async function jobSource(ctx: MasterContext, ext_source: string | null = null): Promise<JobSource> {
  const name = option(ctx.opts, 'ext_job_cache') || ext_source || option(ctx.opts, 'master_job_cache') || OWN
  if (name === OWN) {
    return {
      name,
      hasLastingLoads: true,
      job: async (jid) => ctx.jobs.job(jid),
      returns: async (jid) => ctx.jobs.returns(jid),
      packed: () => ctx.jobs.packedLoads(),
      jobs: async () => ctx.jobs.jobs(),
    }
  }
  const cache = await ctx.jobCache(name)
  if (!cache) throw failure(`The job cache ${name} is not available`)
  return {
    name,
    hasLastingLoads: false,
    job: async (jid) => {
      const load = await cache.job(jid)
      const minions = ctx.jobs.job(jid)?.minions ?? minionsIn(load)
      return load && { load, ...(minions && { minions }) }
    },
    returns: (jid) => cache.returns(jid),
    jobs: () => cache.jobs(),
  }
}

/** Return the targeted minions that a load of another master names. */
function minionsIn(load: Dict | undefined): string[] | undefined {
  const minions = load?.get('Minions') ?? null
  return isList(minions) ? minions.map(str) : undefined
}
