// Examines a Salt installation before a migration, and reports which parts will and will not work with Brine.

export { CHECKS } from './checks.ts'
export { CODES, type Code, type Level } from './codes.ts'
export { examine, type SiteCounts } from './examine.ts'
export { type Finding, Findings } from './finding.ts'
export { IGNORE_FILE, type IgnoreRule, isIgnoredFinding, readIgnoreFile, readRule } from './report/ignore.ts'
export { jsonReport } from './report/json.ts'
export { textReport } from './report/text.ts'
export type { DoctorRequest } from './site/site.ts'
export { type Diagnosis, diagnose, type WantedExamination } from './supervise.ts'
export { serveExamination } from './worker.ts'
