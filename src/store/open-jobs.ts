// The job store, loaded when one is opened: most programs open none, and the database is the dearest thing to load.
import type { JobStore } from './jobs.ts'

export async function openJobStore(file: string): Promise<JobStore> {
  const { SqliteJobs } = await import('./sqlite-jobs.ts')
  return new SqliteJobs(file)
}
