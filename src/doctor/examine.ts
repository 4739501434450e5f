// Runs the checks on a site in this process. Checks that come before `first` were run by an earlier try.
import { CHECKS } from './checks.ts'
import { type Finding, finding, type Report } from './finding.ts'
import { withoutScratch } from './site/git-roots.ts'
import { loadSite } from './site/load-site.ts'
import type { DoctorRequest } from './site/site.ts'

export interface Examination {
  request: DoctorRequest
  /** Files that stopped an earlier try. */
  skip: readonly string[]
  /** The number of the first check to run. */
  first: number
}

/** Progress and findings while the checks run. */
export interface ExamineListener {
  found(finding: Finding): void
  /** Called when a check begins; `total` is the number of checks. */
  began(check: number, total: number, name: string): void
  /** A file is worked on. */
  entered(file: string): void
  /** Receives the counts of the site. */
  counted(counts: SiteCounts): void
}

export interface SiteCounts {
  stateFiles: number
  pillarFiles: number
  minions: number
  modules: number
}

export async function examine({ request, skip, first }: Examination, listener: ExamineListener): Promise<void> {
  const named = (text: string): string => withoutScratch(text, request.scratch)
  const report: Report = (code, { message, at, ...details }) => {
    const place = at?.file === undefined ? at : { ...at, file: named(at.file) }
    listener.found(finding(code, { message: named(message), at: place, ...details }))
  }
  listener.began(0, CHECKS.length, 'reading the site')
  const site = await loadSite(request, report)
  listener.counted({
    stateFiles: site.states.files.length,
    pillarFiles: site.pillar.files.length,
    minions: site.minions.filter(({ from }) => from !== 'example').length,
    modules: site.own.modules.length,
  })
  const left = new Set(skip)
  const enter = (file: string): boolean => {
    if (left.has(file)) return false
    listener.entered(file)
    return true
  }
  for (const [index, check] of CHECKS.entries()) {
    if (index < first) continue
    listener.began(index, CHECKS.length, check.name)
    // a check that stays away without a file is left out as a whole
    if (enter(`the check of ${check.name}`)) await check.run(site, { report, enter })
  }
}
