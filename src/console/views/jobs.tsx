// Jobs: the list, and the page of one.
import type { ViewProps } from '../views.ts'
import { JobPage } from './jobs/job.tsx'
import './jobs/jobs.css'
import { JobList } from './jobs/list.tsx'

export default function Jobs({ rest: [jid] }: ViewProps) {
  return jid === undefined ? <JobList /> : <JobPage key={jid} jid={jid} />
}
