// The report for a terminal: findings by severity, those with the same code and file together.
import { relative } from 'node:path'
import type { Palette } from '../../output/mod.ts'
import { CODES, type Level } from '../codes.ts'
import type { SiteCounts } from '../examine.ts'
import type { Finding } from '../finding.ts'

export interface TextOptions {
  colors: Palette
  /** Paths are shown relative to it. */
  folder: string
  /** Only errors and warnings, without reasons. */
  isQuiet: boolean
}

const TITLES: Readonly<Record<Level, string>> = {
  error: 'Errors: will break',
  warning: 'Warnings: differs, or is dangerous',
  note: 'Notes',
}
const MOST_MINIONS = 5
/** Limit of shown findings per code; the rest is counted. */
const MOST_OF_CODE = 200

export function textReport(findings: readonly Finding[], counts: SiteCounts, options: TextOptions): string {
  const shown = options.isQuiet ? findings.filter(({ level }) => level !== 'note') : findings
  const parts = (['error', 'warning', 'note'] as const).flatMap((level) => {
    const own = shown.filter((one) => one.level === level)
    return own.length === 0
      ? []
      : [`${colored(TITLES[level], level, options)} (${own.length})\n\n${grouped(own, options)}`]
  })
  return [...parts, options.isQuiet ? '' : summary(findings, counts)].filter((part) => part !== '').join('\n')
}

function grouped(findings: readonly Finding[], options: TextOptions): string {
  const codes = [...new Set(findings.map(({ code }) => code))]
  return codes
    .map((code) =>
      section(
        findings.filter((one) => one.code === code),
        options,
      ),
    )
    .join('\n')
}

function section(findings: readonly Finding[], options: TextOptions): string {
  const { code } = findings[0]!
  const { what, why, fix } = CODES[code]
  const lines = findings.slice(0, MOST_OF_CODE).map((one) => `  ${lineOf(one, options)}\n`)
  if (findings.length > MOST_OF_CODE) lines.push(`  … and ${findings.length - MOST_OF_CODE} more\n`)
  const reason = options.isQuiet ? '' : `  Why: ${why}.\n  Do:  ${fix}.\n`
  return `${options.colors.CYAN}${code}${options.colors.ENDC}: ${what}\n${lines.join('')}${reason}`
}

function lineOf({ file, line, message, hint, minions }: Finding, { folder }: TextOptions): string {
  const place = file === undefined ? '' : `${shownPath(file, folder)}${line === undefined ? '' : `:${line}`}: `
  const named = minions.slice(0, MOST_MINIONS).join(', ')
  const more = minions.length > MOST_MINIONS ? ` and ${minions.length - MOST_MINIONS} more` : ''
  const who = minions.length === 0 ? '' : ` [${named}${more}]`
  return `${place}${message}${hint === undefined || message.includes(hint) ? '' : `. ${hint}`}${who}`
}

function shownPath(file: string, folder: string): string {
  // a file of a Git repository has a URL
  if (!file.startsWith('/')) return file
  const inside = relative(folder, file)
  return inside.startsWith('..') || inside === '' ? file : inside
}

function summary(findings: readonly Finding[], counts: SiteCounts): string {
  const count = (level: Level): number => findings.filter((one) => one.level === level).length
  const { stateFiles, pillarFiles, minions, modules } = counts
  const looked = `${stateFiles} files of states, ${pillarFiles} of pillar, ${modules} own modules, ${minions} minions`
  return `Checked ${looked}: ${count('error')} errors, ${count('warning')} warnings, ${count('note')} notes.\n`
}

function colored(text: string, level: Level, { colors }: TextOptions): string {
  const color = level === 'error' ? colors.RED : level === 'warning' ? colors.YELLOW : colors.GREEN
  return `${color}${text}${colors.ENDC}`
}
