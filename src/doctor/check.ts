// The interface of a check. Each check is a file in checks/.
import type { Code } from './codes.ts'
import type { Report } from './finding.ts'
import type { Site } from './site/site.ts'

export interface CheckContext {
  report: Report
  /**
   * Say which file is worked on now. Returns false for a file that stopped an earlier try: it is left out then. The supervisor ends
   * work that stays with one file for too long.
   */
  enter(file: string): boolean
}

export interface Check {
  readonly name: string
  readonly codes: readonly Code[]
  run(site: Site, ctx: CheckContext): void | Promise<void>
}
