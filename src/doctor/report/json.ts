// The report as JSON. The form is stable: fields may be added, and `version` changes when one changes its meaning.
import { CODES } from '../codes.ts'
import type { SiteCounts } from '../examine.ts'
import type { Finding } from '../finding.ts'

export function jsonReport(findings: readonly Finding[], counts: SiteCounts): string {
  const summary = { error: 0, warning: 0, note: 0 }
  for (const { level } of findings) summary[level]++
  const listed = findings.map(({ code, level, message, file, line, hint, minions }) => ({
    code,
    level,
    file: file ?? null,
    line: line ?? null,
    message,
    hint: hint ?? null,
    why: CODES[code].why,
    fix: CODES[code].fix,
    minions,
  }))
  return `${JSON.stringify({ version: 1, summary, checked: counts, findings: listed }, null, 2)}\n`
}
